"""Drawing an arm, and the trace that a draw leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from componentjit import compiled_as, helper
from discreet.contracts import Floats


class Draw(NamedTuple):
    """An arm, and 1 / p where p is the probability with which it was drawn: what a loss estimate is multiplied by."""

    arm: int
    importance: float

    @property
    def probability(self) -> float:
        """The probability with which the arm was drawn."""
        return 1.0 / self.importance


@compiled_as(lambda arm, importance: Draw(arm, importance), record=Draw)
def new_draw(arm: int, importance: float) -> Draw:
    """Return a draw; in plain Python this takes half the time of calling the class."""
    return tuple.__new__(Draw, (arm, importance))


@helper
def draw_evenly(point: float, share: float, arms: int) -> int:
    """Return an arm, all alike, from a uniform point of [0, share); rounding must not lead beyond the last one.

    What is divided is the same in every round, so compiled code divides once. Below 2^-53 the only
    point is 0.

    >>> [draw_evenly(point, 0.3, 3) for point in (0.0, 0.15, 0.2999)]
    [0, 1, 2]
    """
    return min(
        int(point * (arms / max(share, 2.0**-60))), arms - 1
    )  # an infinite factor would make 0 no number


@helper
def draw(weights: Sequence[float] | Floats, mass: float) -> int:
    """Return the arm at which the running sum of the weights passes ``mass``, which is in [0, their sum).

    Four arms are taken at a time and told apart without branches, which a processor could not
    predict. An arm of weight 0 is never drawn; if rounding lets the sum stay short of ``mass``, the
    last arm of positive weight is meant. In plain Python a list is much faster (``as_list``).
    """
    arms = len(weights)
    arm = 0
    while arm + 4 <= arms:
        one = weights[arm]
        two = one + weights[arm + 1]
        three = two + weights[arm + 2]
        four = two + (weights[arm + 2] + weights[arm + 3])
        if mass < four:
            return arm + (mass >= one) + (mass >= two) + (mass >= three)
        mass -= four
        arm += 4
    while arm < arms:
        mass -= weights[arm]
        if mass < 0.0:
            return arm
        arm += 1
    arm = arms - 1
    while weights[arm] == 0.0 and arm > 0:
        arm -= 1
    return arm
