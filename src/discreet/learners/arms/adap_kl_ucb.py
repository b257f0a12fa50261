"""AdaP-KLUCB: episodes that double and forget (Azize & Basu 2022), for losses that do not change."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import check_int, check_positive
from discreet.learners.arms.holding import Hold, IndexLearner
from discreet.learners.arms.kl_ucb import upper


class AdapKlUcb(IndexLearner):
    """Plays the arm with the largest index, for as many rounds as it has had so far.

    The index is max{q: n kl(m, q) ≤ α ln t}, where m is the noisy mean of the n rounds of the arm's
    last batch plus α ln t / (ε n), cut to [0, 1]; earlier batches are forgotten.

    ``exploration`` is α. Regret against independent, identically distributed losses: of order Σ ln
    T / min(Δ, ε) for α > 3 (Azize & Basu 2022); α = 1 does better in practice. The algorithm is the
    paper's.
    """

    epsilon: float
    exploration: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, exploration: float = 1.0) -> AdapKlUcb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            first=1,
            growth=1.0,
            asked=np.zeros(count),
            counts=np.zeros(count),
            gains=np.zeros(count),
            clock=np.zeros(2),
            epsilon=check_positive("epsilon", epsilon),
            exploration=check_positive("exploration", exploration),
        )

    @classmethod
    def example(cls) -> AdapKlUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5, epsilon=0.5)

    def prepare(self) -> None:
        """Compute α ln t."""
        self.clock[1] = self.exploration * math.log(float(self.clock[0]) + 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm; the last of its batches had half of its rounds, but the first."""
        last = max(1.0, float(self.counts[arm]) / 2.0)
        budget = float(self.clock[1]) / last
        return upper(min(max(float(self.gains[arm]) + budget / self.epsilon, 0.0), 1.0), budget)

    def learn(self, trace: Hold, released: float) -> None:
        """Keep the mean gain of the batch, and forget all earlier ones."""
        self.gains[trace.arm] = 1.0 - released
        self.counts[trace.arm] += trace.rounds
