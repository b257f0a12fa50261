"""Optimism for generalised linear models, as a server: gradient steps, and least squares on their predictions."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from discreet.contracts import Floats
from discreet.errors import check_positive
from discreet.learners.contexts.linear_ucb import NO_LOOKS, LinearUcb, Looks, Schedule


class GlmUcb(LinearUcb[Floats]):
    """LinUCB in which every report corrects what the last model predicts: u gains x x' θ - g / slope.

    θ, the point, is the last estimate, brought into the unit ball; g is the reported residual times
    x at that point, and ``slope`` the derivative of residuals by ⟨x, θ⟩. So (V, u) describe the sum
    of quadratic models of the loss, each one around the point at its time, as in online Newton
    steps. The server computes x x' θ from the noisy x x', so that no device has to send it.

    Regret: what the schedule gives; see the algorithms that are made of it.
    """

    point: Floats
    slope: float

    @classmethod
    def correcting(
        cls,
        *,
        dimension: int,
        schedule: Schedule,
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
        """Return one to check the contract with."""
        return cls.correcting(dimension=3, schedule=LinearUcb.example().schedule, slope=0.5)

    def query(self, trace: object) -> Floats:
        """Return the point at which residuals are wanted."""
        return self.point

    def absorb(self, released: Floats, kept: float) -> None:
        """Add the moments and the correction to ``kept`` times what there is."""
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
        """Add what a report says of the feature that is looked at, and leave out the noise in all else."""
        moment = released[i * (i + 3) // 2]
        self.looked[0] += moment
        self.looked[1] += (
            moment * self.point[i] - released[released.size - self.point.size + i] / self.slope
        )

    def move_on(self) -> None:
        """Take the new estimate as the point, shortened to a length of 1."""
        total = 0.0
        for i in range(self.point.size):
            total += self.model.estimate[i] * self.model.estimate[i]
        for i in range(self.point.size):
            self.point[i] = self.model.estimate[i] / max(1.0, math.sqrt(total))
