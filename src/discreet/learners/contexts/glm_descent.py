"""Optimism for generalised linear models: least squares on predictions of gradient descent."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats
from discreet.errors import check_positive
from discreet.learners.contexts.linear_ucb import FitSchedule, LinearUcb


class GlmDescent(LinearUcb[Floats]):
    """LinUCB on rewards that a second model predicts (Zheng et al. 2020, Algorithm 3).

    The second model θ, the ``point``, takes a gradient step after every report and stays in the
    unit ball:

        S gains x x' θ;   θ = Π(θ - η g),

    where g is the reported residual times x at the point, and η the ``step``. The first model is
    W⁻¹ S, as in LinUCB. The server computes x x' θ from the noisy x x', so devices do not send it.

    Regret: that of the schedule (docs/regret.md: Linear and generalised linear rewards).
    """

    point: Floats
    step: float

    @classmethod
    def descending(cls, *, dimension: int, schedule: FitSchedule, step: float) -> Self:
        """Return the server before the first report; the point starts at 0."""
        plain = LinearUcb.start(dimension=dimension, schedule=schedule)
        return cls(**plain._asdict(), point=np.zeros(dimension), step=check_positive("step", step))

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.descending(dimension=3, schedule=LinearUcb.example().schedule, step=0.05)

    def query(self, trace: object) -> Floats:
        """Return the point at which residuals are computed."""
        return self.point

    def absorb(self, released: Floats, kept: float) -> None:
        """Add the moments and the point's predictions; then move the point."""
        size, place = self.point.size, 0
        for i in range(size):
            for j in range(i + 1):
                moment = released[place]
                self.matrix[i, j] += moment
                self.vector[i] += moment * self.point[j]
                if i != j:
                    self.vector[j] += moment * self.point[i]
                place += 1
        self.descend(released)

    def descend(self, released: Floats) -> None:
        """Take a step against the residual, the last entries of a report, within the unit ball."""
        size, last, total = self.point.size, released.size - self.point.size, 0.0
        for i in range(size):
            self.point[i] -= self.step * released[last + i]
            total += self.point[i] * self.point[i]
        for i in range(size):
            self.point[i] /= max(1.0, math.sqrt(total))
