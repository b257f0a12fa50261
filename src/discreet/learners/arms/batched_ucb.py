"""Upper confidence bounds on noisy means of batches that grow, for losses that do not change."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import Hold, IndexLearner
from discreet.learners.arms.radius import batch_weight, radius


class BatchedUcb(IndexLearner):
    """Plays the arm with the largest weighted mean gain + radius(β), for half as many rounds as it has had.

    A batch of b rounds has the weight b² / (b / 4 + 2 / ε²), the inverse of the largest variance
    that its noisy mean can have; the radius is Chernoff's for such means (``radius.py``). β = c ln
    max(3, t / b₁) + d, with t the rounds so far and b₁ the first batch.

    ``noise`` is the scale of the Laplace noise on the sum of a batch, 1 / ε; ``exploration`` is c
    and ``caution`` d.

    Regret against independent, identically distributed losses: with c = 0 and a d that covers all
    releases, the bound that ``batched-ucb`` computes (docs/proofs.md: Batched upper confidence
    bounds). Nothing is promised for other losses.
    """

    noise: float
    exploration: float
    caution: float
    weights: Floats  # Σ o
    laplace: Floats  # Σ (o noise / b)²
    widest: Floats  # max o noise / b

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        noise: float,
        first: int,
        growth: float = 0.5,
        exploration: float = 0.7,
        caution: float = 0.0,
    ) -> BatchedUcb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            first=check_int("first", first, minimum=1),
            growth=check_range("growth", growth, 0.0, 1e3),
            asked=np.zeros(count),
            counts=np.zeros(count),
            gains=np.zeros(count),
            clock=np.zeros(2),
            noise=check_positive("noise", noise),
            exploration=check_range("exploration", exploration, 0.0, 1e3),
            caution=check_range("caution", caution, 0.0, 1e6),
            weights=np.zeros(count),
            laplace=np.zeros(count),
            widest=np.zeros(count),
        )

    @classmethod
    def example(cls) -> BatchedUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5, noise=2.0, first=2)

    def prepare(self) -> None:
        """Compute β."""
        self.clock[1] = (
            self.exploration * math.log(max(3.0, float(self.clock[0]) / self.first)) + self.caution
        )

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm."""
        weight = float(self.weights[arm])
        slack = radius(
            weight, float(self.laplace[arm]), float(self.widest[arm]), float(self.clock[1])
        )
        return float(self.gains[arm]) / weight + slack

    def learn(self, trace: Hold, released: float) -> None:
        """Add the batch with its weight."""
        arm = trace.arm
        weight = batch_weight(float(trace.rounds), self.noise)
        scale = weight * self.noise / trace.rounds
        self.weights[arm] += weight
        self.gains[arm] += weight * (1.0 - released)
        self.laplace[arm] += scale * scale
        self.widest[arm] = max(float(self.widest[arm]), scale)
        self.counts[arm] += trace.rounds
