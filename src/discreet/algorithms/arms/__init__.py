"""The named algorithms that play arms."""

from discreet.algorithms.arms import (
    adaptive_tsallis,
    agarwal_singh,
    baselines,
    bounds,
    choosing,
    faster_rates,
    indices,
    noisy_tsallis,
    one_bit,
    ordinary,
    tossou,
    tracking,
)

__all__ = [
    "adaptive_tsallis",
    "agarwal_singh",
    "baselines",
    "bounds",
    "choosing",
    "faster_rates",
    "indices",
    "noisy_tsallis",
    "one_bit",
    "ordinary",
    "tossou",
    "tracking",
]
