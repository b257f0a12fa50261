"""Drawing an arm, and the trace that a draw leaves."""

from __future__ import annotations

from typing import NamedTuple

from discreet.contracts import Floats
from discreet.kernel import helper


class Draw(NamedTuple):
    """An arm and the probability with which it was drawn."""

    arm: int
    probability: float


@helper
def draw(weights: Floats, mass: float) -> int:
    """Return the arm at which the running sum of the weights passes ``mass``, which is in [0, their sum).

    If rounding lets the sum stay short of it, the last arm of positive weight is meant: one of weight 0 is never drawn.
    """
    last = 0
    for arm in range(weights.size):
        if weights[arm] > 0.0:
            last = arm
            mass -= weights[arm]
            if mass < 0.0:
                break
    return last
