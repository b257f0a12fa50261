"""The named algorithms that play arms."""

from discreet.algorithms.arms import (
    agarwal_singh,
    baselines,
    bounds,
    faster_rates,
    noisy_tsallis,
    one_bit,
    ordinary,
    tossou,
)

__all__ = ["agarwal_singh", "baselines", "bounds", "faster_rates", "noisy_tsallis", "one_bit", "ordinary", "tossou"]
