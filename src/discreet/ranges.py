"""The declared range of a loss, which determines every sensitivity."""

from __future__ import annotations

import math
from typing import Self

from componentjit import compiled_as, helper
from discreet.components import Component
from discreet.errors import DiscreetError, check_finite, check_range, shorten

__all__ = ["Range", "check_bounds", "grid_for", "make_range"]

FINEST, FINEST_FOR = 2.0**40, 2.0**13  # the finest grid, and how many losses it is for
ROUNDING = 2.0**52  # from here to 2^53, doubles are exactly the whole numbers: adding it rounds


@helper
def clamp_compiled(loss: float, low: float, high: float) -> float:
    """Return the nearest number from low to high, or low for NaN."""
    if not loss >= low:
        return low
    if loss > high:
        return high
    return loss


@compiled_as(clamp_compiled)
def clamp_to(loss: float, low: float, high: float) -> float:
    """Return the nearest number from low to high, or low for NaN.

    This is the Python version, which live runs use. It does the same work for all numbers.
    """
    return (low, loss, high)[int(loss >= low) + int(loss > high)]  # NumPy's bools do not add up


@helper
def steps_compiled(loss: float, low: float, high: float, grid: float) -> float:
    """Return floor(share * grid + 1/2), for the share of the clamped loss in the range."""
    # rounding may give slightly more than 1; compilers move the factor out of a loop
    share = (clamp_compiled(loss, low, high) - low) * (1.0 / (high - low))
    return math.floor(min(share, 1.0) * grid + 0.5)


@compiled_as(steps_compiled)
def steps_to(loss: float, low: float, high: float, grid: float) -> float:
    """Return floor(share * grid + 1/2), for the share of the clamped loss in the range.

    This is the Python version, which live runs use. It does the same work for all numbers, but
    ``math.floor`` would make integers of different sizes. It is inlined, since a call takes as long
    as the arithmetic.
    """
    loss = float(loss)  # NumPy's bools do not add up
    inside = (low, loss, high)[(loss >= low) + (loss > high)]
    # a share of 1 + 2^-51 is too close to 1 to make a difference
    steps = (inside - low) * (1.0 / (high - low)) * grid + 0.5
    nearest = (steps + ROUNDING) - ROUNDING
    return nearest - (0.5 - math.copysign(0.5, steps - nearest))  # 1 less if it was rounded up


class Range(Component):
    """Losses lie in [low, high]; replacing one moves it by at most the width.

    >>> bounds = Range(-1.0, 1.0)
    >>> bounds.width, bounds.clamp(5.0), bounds.clamp(float("nan")), bounds.fraction(0.0)
    (2.0, 1.0, -1.0, 0.5)
    """

    low: float
    high: float

    def __new__(cls, low: float, high: float) -> Self:
        """Return the range of finite numbers from low to high, or refuse it."""
        ends = check_finite("low", low), check_finite("high", high)
        if not ends[0] < ends[1]:
            raise DiscreetError(f"low is {low!r} and high is {high!r}, but low must be below high.")
        check_range("high - low", ends[1] - ends[0], 1e-100, 1e100)
        return cls._make(ends)

    @property
    def width(self) -> float:
        """The sensitivity of a single loss when one round is replaced."""
        return float(self.high) - float(self.low)

    def clamp(self, loss: float) -> float:
        """Return the nearest point of the range, or its lower end for NaN.

        So a guarantee never depends on valid input.
        """
        return clamp_to(loss, self.low, self.high)

    def fraction(self, loss: float) -> float:
        """Return the loss on the scale on which learners work, where the range is [0, 1]."""
        # compilers move the factor out of a loop
        low = self.low
        return (loss - low) * (1.0 / (self.high - low))

    def steps(self, loss: float, grid: float) -> float:
        """Return the clamped loss as a whole number of steps from 0 to ``grid``, a power of 2.

        Sums of such numbers below 2^53 are exact. So replacing one loss moves a sum by at most
        ``grid``, for any range and any order of the losses. Otherwise, rounding errors could add to
        that.
        """
        return steps_to(loss, self.low, self.high, grid)


@helper
def grid_for(size: float) -> float:
    """Return the finest grid, at most 2^40, on which ``size`` losses can be added exactly.

    >>> grid_for(10) == 2**40, grid_for(2**20) == 2**33
    (True, True)
    """
    if size <= FINEST_FOR:  # nearly always: this saves the loop
        return FINEST
    grid = FINEST
    while grid * size > 2.0**53:
        grid *= 0.5
    return grid


def make_range(low: float = 0.0, high: float = 1.0) -> Range:
    """Return the range from low to high; by default, from 0 to 1."""
    return Range(low, high)


def check_bounds(bounds: object) -> Range:
    """Return a declared range, which may also be a pair of numbers, or refuse it."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        raise DiscreetError(
            f"bounds is {shorten(bounds)}, but must be a range such as Range(0.0, 1.0)."
        )
    return Range(*bounds)
