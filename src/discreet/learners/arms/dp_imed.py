"""DP-IMED: the least empirical private divergence (Azize et al. 2025), for losses that do not change."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import IndexLearner
from discreet.learners.arms.private_divergence import private_divergence

ALMOST_ONE = 1.0 - 1e-9


class DpImed(IndexLearner):
    """Plays the arm with the least n d(mean, largest mean) + ln n, for a batch in proportion to its rounds n.

    d is the private divergence min over z of ε |z - x| + kl(z, y). Means are over all rounds of an arm with the noise of
    all its batches, cut to [0, 1]; nothing is forgotten.

    Regret against independent Bernoulli losses: asymptotically Σ Δ ln T / d(μ, μ*), up to a factor that grows with the
    batches (Azize et al. 2025). Departures: the first batch of an arm has 1 / ε rounds instead of one.
    """

    epsilon: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, first: int, growth: float = 0.5) -> DpImed:
        """Return the learner before the first round."""
        count = check_int("arms", arms, least=2)
        return cls(
            first=check_int("first", first, least=1),
            growth=check_range("growth", growth, 0.0, 1e3),
            asked=np.zeros(count),
            counts=np.zeros(count),
            gains=np.zeros(count),
            clock=np.zeros(2),
            epsilon=check_positive("epsilon", epsilon),
        )

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
