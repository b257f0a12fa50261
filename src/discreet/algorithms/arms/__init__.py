"""The named algorithms that play arms."""

from discreet.algorithms.arms import (
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
    varying_batches,
)

__all__ = [
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
    "varying_batches",
]
