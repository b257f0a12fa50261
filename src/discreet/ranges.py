"""The declared range of a loss: what every sensitivity follows from."""

from __future__ import annotations

import math

from discreet.errors import DiscreetError, check_finite, check_range
from discreet.kernel import Component, helper


class Range(Component):
    """Losses lie in [low, high]; replacing one moves it by at most the width.

    >>> bounds = Range(-1.0, 1.0)
    >>> bounds.width, bounds.clamp(5.0), bounds.clamp(float("nan")), bounds.fraction(0.0)
    (2.0, 1.0, -1.0, 0.5)
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """The sensitivity of a single loss when one round is replaced."""
        return float(self.high) - float(self.low)

    def clamp(self, loss: float) -> float:
        """Return the nearest point of the range (its lower end for NaN): a guarantee never depends on good input."""
        if not loss >= self.low:
            return self.low
        if loss > self.high:
            return self.high
        return loss

    def fraction(self, loss: float) -> float:
        """Return the loss on the scale where the range is [0, 1], on which learners work."""
        return (loss - self.low) * (1.0 / (self.high - self.low))  # the factor is computed once, outside of a loop

    def steps(self, loss: float, grid: float) -> float:
        """Return the clamped loss as a whole number of steps from 0 to ``grid``, a power of 2.

        Sums of such numbers below 2^53 are exact; so replacing one loss moves a sum by at most ``grid``, whatever the
        range and the order of the losses, which rounding errors would spoil otherwise.
        """
        share = self.fraction(self.clamp(loss))
        if share > 1.0:  # by rounding
            share = 1.0
        return math.floor(share * grid + 0.5)


@helper
def grid_for(size: int) -> float:
    """Return the finest grid, but no finer than 2^-40, on which ``size`` losses can be added exactly.

    >>> grid_for(10) == 2**40, grid_for(2**20) == 2**33
    (True, True)
    """
    grid = 2.0**40
    while grid * size > 2.0**53:
        grid *= 0.5
    return grid


def make_range(low: object = 0.0, high: object = 1.0) -> Range:
    """Return the range [low, high], or refuse it."""
    bounds = Range(check_finite("low", low), check_finite("high", high))
    if not bounds.low < bounds.high:
        raise DiscreetError(f"low is {low!r} and high is {high!r}, but low must be below high.")
    check_range("high - low", bounds.width, 1e-100, 1e100)
    return bounds
