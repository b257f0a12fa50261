"""Optimism for generalised linear models: least squares around the last model's predictions."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats
from discreet.errors import check_positive
from discreet.learners.contexts.linear_ucb import NO_LOOKS, FitSchedule, LinearUcb, Looks


class GlmUcb(LinearUcb[Floats]):
    """LinUCB in which every report corrects the last model: S gains x x' θ - g / slope.

    θ, the ``point``, is the last estimate, brought into the unit ball; g is the reported residual
    times x at that point, and ``slope`` is the derivative of residuals by ⟨x, θ⟩. So (V, S)
    describe the sum of quadratic models of the loss, each around the point at its time, as in
    online Newton steps. The server computes x x' θ from the noisy x x', so devices do not have to
    send it.

    Regret: that of the schedule; see the algorithms that use it.
    """

    point: Floats
    slope: float

    @classmethod
    def correcting(
        cls,
        *,
        dimension: int,
        schedule: FitSchedule,
        slope: float,
        recency: float = 0.0,
        looks: Looks = NO_LOOKS,
    ) -> Self:
        """Return the server before the first report."""
        plain = LinearUcb.start(
            dimension=dimension, schedule=schedule, recency=recency, looks=looks
        )
        return cls(
            **plain._asdict(), point=np.zeros(dimension), slope=check_positive("slope", slope)
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.correcting(dimension=3, schedule=LinearUcb.example().schedule, slope=0.5)

    def query(self, trace: object) -> Floats:
        """Return the point at which residuals are computed."""
        return self.point

    def absorb(self, released: Floats, kept: float) -> None:
        """Multiply the sums by ``kept``, and add the moments and the correction."""
        size, place, last = self.point.size, 0, released.size - self.point.size
        for i in range(size):
            self.vector[i] = kept * self.vector[i] - released[last + i] / self.slope
        for i in range(size):
            for j in range(i + 1):
                moment = released[place]
                self.matrix[i, j] = kept * self.matrix[i, j] + moment
                self.vector[i] += moment * self.point[j]
                if i != j:
                    self.vector[j] += moment * self.point[i]
                place += 1

    def absorb_feature(self, released: Floats, i: int) -> None:
        """Add a report's entries for the feature of a look, and leave out the noise in the rest."""
        moment = released[i * (i + 3) // 2]
        self.looked[0] += moment
        self.looked[1] += (
            moment * self.point[i] - released[released.size - self.point.size + i] / self.slope
        )

    def move_on(self) -> None:
        """Take the new estimate as the point, shortened to a length of at most 1."""
        total = 0.0
        for i in range(self.point.size):
            total += self.model.estimate[i] * self.model.estimate[i]
        for i in range(self.point.size):
            self.point[i] = self.model.estimate[i] / max(1.0, math.sqrt(total))
