"""DP-IMED: the least empirical private divergence (Azize et al. 2025), for losses that do not change."""

from __future__ import annotations

import math

from discreet.learners.arms.divergence_index import DivergenceIndex
from discreet.learners.arms.private_divergence import private_divergence

ALMOST_ONE = 1.0 - 1e-9


class DpImed(DivergenceIndex):
    """Plays the arm with the least n d(mean, largest mean) + ln n, for a batch in proportion to its rounds n."""

    @classmethod
    def example(cls) -> DpImed:
        """Return one to check the contract with."""
        return cls.start(arms=5, epsilon=0.5, first=2)

    def prepare(self) -> None:
        """Find the largest mean."""
        self.clock[1] = 0.0
        for arm in range(self.counts.size):
            self.clock[1] = max(float(self.clock[1]), self.mean_of(arm))

    def index(self, arm: int) -> float:
        """Return the index of an arm, negative: the least is the best."""
        count, best = float(self.counts[arm]), min(float(self.clock[1]), ALMOST_ONE)
        return -count * private_divergence(self.mean_of(arm), best, self.epsilon) - math.log(count)
