"""DP-KLUCB: upper confidence bounds by the private divergence (Azize et al. 2025), for losses that do not change."""

from __future__ import annotations

import math

from discreet.learners.arms.divergence_index import DivergenceIndex
from discreet.learners.arms.private_divergence import private_upper


class DpKlUcb(DivergenceIndex):
    """Plays the arm with the largest index max{q: n d(mean, q) ≤ ln t}, for a batch in proportion to its rounds n."""

    @classmethod
    def example(cls) -> DpKlUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5, epsilon=0.5, first=2)

    def prepare(self) -> None:
        """Compute ln t."""
        self.clock[1] = math.log(float(self.clock[0]) + 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm."""
        return private_upper(
            self.mean_of(arm), float(self.clock[1]) / float(self.counts[arm]), self.epsilon
        )
