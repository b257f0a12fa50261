"""The named algorithms that play arms."""

from discreet.algorithms.arms import agarwal_singh, baselines, faster_rates, noisy_tsallis, ordinary, tossou

__all__ = ["agarwal_singh", "baselines", "faster_rates", "noisy_tsallis", "ordinary", "tossou"]
