"""Running sums of estimated gradients from outcomes that are rounded to an end of their range by public coins."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.channels.gradient_sums import GradientShape
from discreet.contracts import Toss


class RoundedSums(GradientShape[float, Toss]):
    """Releases the running sum of ±direction / 2 once per batch: + if a loss, as a share of its range, is above a coin.

    The coin is uniform in [0, 1], so what is added is on average (loss - middle) · direction. It is
    public, so a rounded outcome is a function of the outcome: replacing a round moves one term by
    at most 1 in the 2-norm, as it does without rounding (docs/proofs.md: Sums of gradients). What
    it is good for: if functions are linear and directions uniform, the law of a term does not
    depend on the point where the function is evaluated (docs/proofs.md: Noise paid once).
    """

    example_query: ClassVar[Toss] = Toss(np.array([0.6, 0.0, -0.8]), 0.3)

    def outcome_of(self, feedback: float) -> float:
        """Return the number that is rounded: the loss."""
        return feedback

    def take(self, feedback: float, query: Toss) -> bool:
        """Round the outcome and add a term to the sum of the batch; return whether the batch is full."""
        above = query.coin < self.share_of(feedback) + 0.5
        return self.add_term(0.5 if above else -0.5, query.direction)
