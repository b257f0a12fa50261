"""The declared range of a loss: what every sensitivity follows from."""

from __future__ import annotations

from typing import NamedTuple

from discreet.errors import DiscreetError, finite
from discreet.kernel import compiled


@compiled
class Range(NamedTuple):
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
        return self.high - self.low

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


def declared(low: object = 0.0, high: object = 1.0) -> Range:
    """Return the range [low, high], or refuse it."""
    bounds = Range(finite("low", low), finite("high", high))
    if not bounds.low < bounds.high:
        raise DiscreetError(f"low is {low!r} and high is {high!r}, but low must be below high.")
    finite("high - low", bounds.width)
    return bounds
