"""DP-KLUCB: upper confidence bounds by the private divergence (Azize et al. 2025), for losses that do not change."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import IndexLearner
from discreet.learners.arms.private_divergence import private_upper


class DpKlUcb(IndexLearner):
    """Plays the arm with the largest index max{q: n d(mean, q) ≤ ln t}, for a batch in proportion to its rounds n.

    d is the private divergence min over z of ε |z - x| + kl(z, y). The mean is over all rounds of the arm with the noise
    of all its batches, cut to [0, 1]; nothing is forgotten.

    Regret against independent Bernoulli losses: asymptotically Σ Δ ln T / d(μ, μ*), up to a factor that grows with the
    batches (Azize et al. 2025). Departures: the first batch of an arm has 1 / ε rounds instead of one.
    """

    epsilon: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, first: int, growth: float = 0.5) -> DpKlUcb:
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
    def example(cls) -> DpKlUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5, epsilon=0.5, first=2)

    def prepare(self) -> None:
        """Compute ln t."""
        self.clock[1] = math.log(float(self.clock[0]) + 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm."""
        return private_upper(self.mean_of(arm), float(self.clock[1]) / float(self.counts[arm]), self.epsilon)
