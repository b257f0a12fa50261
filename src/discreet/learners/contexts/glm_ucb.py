"""Optimism for generalised linear models, as a server: gradient steps, and least squares on their predictions."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats, Query, Release, Trace
from discreet.errors import check_positive
from discreet.learners.contexts.linear_ucb import LinearUcb, Schedule


class GlmUcb(LinearUcb):
    """GLOC with gradient steps (Zheng et al. 2020, Algorithm 3): θ ← Π(θ - step · g), and LinUCB with rewards ⟨x, θ⟩.

    Of each report, x x' goes to the sum V, and x x' θ to u in the place of the reward times x: the server computes it
    from the noisy x x', so that no device has to send it. The rest of the report is the gradient, on the scale of
    ``residual``, the largest one. Π is the projection onto the unit ball.

    Regret: what the schedule gives; see the algorithms that are made of it.
    """

    point: Floats
    step: float
    residual: float

    @classmethod
    def descending(
        cls, *, dimension: int, schedule: Schedule, step: float, residual: float, recency: float = 0.0
    ) -> Self:
        """Return the server before the first report."""
        plain = LinearUcb.start(dimension=dimension, schedule=schedule, recency=recency)
        steps = check_positive("step", step), check_positive("residual", residual)
        return cls(**plain._asdict(), point=np.zeros(dimension), step=steps[0], residual=steps[1])

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.descending(dimension=3, schedule=LinearUcb.example().schedule, step=0.1, residual=1.0)

    def query(self, trace: Trace) -> Query:
        """Return the point at which the gradient is wanted."""
        return self.point

    def learn(self, trace: Trace, released: Release) -> None:
        """Take a step, add the moments, and fit the model when it is time."""
        kept = (1.0 - 1.0 / (self.counts[0] + 1)) ** self.recency if self.recency > 0.0 else 1.0
        size, place, last = self.point.size, 0, released.size - self.point.size
        for i in range(size):
            self.vector[i] *= kept
        for i in range(size):
            for j in range(i + 1):
                moment = released[place]
                self.matrix[i, j] = kept * self.matrix[i, j] + moment
                self.vector[i] += moment * self.point[j]
                if i != j:
                    self.vector[j] += moment * self.point[i]
                place += 1
        total = 0.0
        for i in range(size):
            self.point[i] -= self.step * self.residual * released[last + i]
            total += self.point[i] * self.point[i]
        if total > 1.0:
            for i in range(size):
                self.point[i] /= math.sqrt(total)
        self.fit_when_due()
