"""The named algorithms that play arms."""

from discreet.algorithms.arms import (
    agarwal_singh,
    baselines,
    bounds,
    choosing,
    faster_rates,
    noisy_tsallis,
    one_bit,
    ordinary,
    tossou,
)

__all__ = [
    "agarwal_singh",
    "baselines",
    "bounds",
    "choosing",
    "faster_rates",
    "noisy_tsallis",
    "one_bit",
    "ordinary",
    "tossou",
]
