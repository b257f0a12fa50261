"""The named algorithms that play arms."""

from discreet.algorithms.arms import (
    adaptive_tsallis,
    agarwal_singh,
    baselines,
    faster_rates,
    indices,
    noisy_tsallis,
    ordinary,
    tossou,
    tracking,
)

__all__ = [
    "adaptive_tsallis",
    "agarwal_singh",
    "baselines",
    "faster_rates",
    "indices",
    "noisy_tsallis",
    "ordinary",
    "tossou",
    "tracking",
]
