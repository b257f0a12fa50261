"""Generalised linear models: how the mean of a reward depends on ⟨x, θ⟩ in [-1, 1]."""

from __future__ import annotations

import math

from discreet.components import Component


class Link(Component):
    """The mean of a reward in [0, 1], and ``slope``: how residuals change with ⟨x, θ⟩ at 0.

    A residual is (mean - y) / max(mean, 1 - mean): divided by the largest one that was possible, it
    fills [-1, 1].
    """

    slope: float

    def mean(self, along: float) -> float:
        """Return the mean for ⟨x, θ⟩."""
        raise NotImplementedError

    def residual(self, along: float, gain: float) -> float:
        """Return by how much a prediction is too large, as a share of the most that it could be wrong."""
        mean = self.mean(along)
        return (mean - gain) / max(mean, 1.0 - mean)


class LogisticLink(Link):
    """Rewards that are 1 with probability 1 / (1 + exp(-z)).

    >>> LogisticLink.start().residual(0.0, 1.0), LogisticLink.start().slope
    (-1.0, 0.5)
    """

    @classmethod
    def start(cls) -> LogisticLink:
        """Return the link."""
        return cls(0.5)

    def mean(self, along: float) -> float:
        """Return 1 / (1 + exp(-z))."""
        return 1.0 / (1.0 + math.exp(-along))


class IdentityLink(Link):
    """Rewards with mean (1 + z) / 2."""

    @classmethod
    def start(cls) -> IdentityLink:
        """Return the link."""
        return cls(1.0)

    def mean(self, along: float) -> float:
        """Return (1 + z) / 2."""
        return 0.5 + 0.5 * along


class PoissonLink(Link):
    """Counts with mean proportional to exp(z), clipped, as fractions of their range: exp(z - 1)."""

    @classmethod
    def start(cls) -> PoissonLink:
        """Return the link."""
        return cls(1.0 / (math.e - 1.0))

    def mean(self, along: float) -> float:
        """Return exp(z - 1)."""
        return math.exp(along - 1.0)
