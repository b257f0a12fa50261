"""What outcomes are expected to be: a distribution of losses, as fractions of the declared range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discreet.contracts import Floats

QUANTILES = (
    4096  # by which a beta distribution is replaced: drawing from a list is ten times as fast
)


class Distribution(Protocol):
    """Losses of one arm, drawn independently of each other."""

    @property
    def mean(self) -> float:
        """The mean loss."""

    @property
    def deviation(self) -> float:
        """The standard deviation of a loss."""

    def draw(self, uniforms: Floats) -> Floats:
        """Return a loss for each of some uniform numbers."""


@dataclass(frozen=True)
class Ends:
    """Losses at one of the two ends of the range: 0/1 outcomes, or the widest spread that there is.

    >>> Ends(0.25).draw(np.array([0.1, 0.7, 0.8])).tolist(), Ends(0.5).deviation
    ([0.0, 0.0, 1.0], 0.5)
    """

    mean: float

    @property
    def deviation(self) -> float:
        """That of a coin."""
        return float(np.sqrt(self.mean * (1.0 - self.mean)))

    def draw(self, uniforms: Floats) -> Floats:
        """Return 0 or 1."""
        drawn: Floats = (uniforms >= 1.0 - self.mean).astype(np.float64)
        return drawn


@dataclass(frozen=True, eq=False)
class Listed:
    """Losses drawn from a list, with replacement: past outcomes, or the quantiles of a distribution.

    >>> Listed(np.array([0.0, 1.0, 0.5, 0.5])).draw(np.array([0.0, 0.3, 0.99])).tolist()
    [0.0, 1.0, 0.5]
    """

    losses: Floats

    @property
    def mean(self) -> float:
        """The mean of the list."""
        return float(self.losses.mean())

    @property
    def deviation(self) -> float:
        """The spread of the list."""
        return float(self.losses.std())

    def draw(self, uniforms: Floats) -> Floats:
        """Return one of the list for each."""
        drawn: Floats = self.losses[(uniforms * self.losses.size).astype(np.int64)]
        return drawn


def beta(mean: float, deviation: float) -> Listed:
    """Return the beta distribution with this mean and standard deviation, as a list of its quantiles.

    >>> found = beta(0.5, 0.2)
    >>> round(found.mean, 4), round(found.deviation, 3)
    (0.5, 0.2)
    """
    from scipy.special import betaincinv

    strength = mean * (1.0 - mean) / deviation**2 - 1.0
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return Listed(betaincinv(mean * strength, (1.0 - mean) * strength, levels))


def widest_spread(mean: float) -> float:
    """Return the largest standard deviation that losses in [0, 1] with this mean can have.

    >>> widest_spread(0.5)
    0.5
    """
    return Ends(mean).deviation


def expected(mean: float, deviation: float | None) -> Distribution:
    """Return losses of this mean: with this standard deviation, or as far apart as they can be if it is not known."""
    most = widest_spread(mean)
    if deviation is None or deviation >= 0.999 * most:
        return Ends(mean)
    return beta(mean, max(deviation, 1e-3 * most))
