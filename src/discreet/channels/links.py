"""Generalised linear models: how the mean of a reward depends on ⟨x, θ⟩ in [-1, 1]."""

from __future__ import annotations

import math

from discreet.kernel import Component


class Link(Component):
    """The mean of a reward in [0, 1]; none is farther from it than ``residual``; its least slope."""

    residual: float
    least_slope: float

    def mean(self, along: float) -> float:
        """Return the mean for ⟨x, θ⟩."""
        raise NotImplementedError


class LogisticLink(Link):
    """Rewards that are 1 with probability 1 / (1 + exp(-z)).

    >>> round(LogisticLink.start().residual, 6)
    0.731059
    """

    @classmethod
    def start(cls) -> LogisticLink:
        """Return the link: |mean - y| is at most 1 / (1 + 1/e)."""
        most = 1.0 / (1.0 + math.exp(-1.0))
        return cls(most, most * (1.0 - most))

    def mean(self, along: float) -> float:
        """Return 1 / (1 + exp(-z))."""
        return 1.0 / (1.0 + math.exp(-along))


class IdentityLink(Link):
    """Rewards with mean (1 + z) / 2."""

    @classmethod
    def start(cls) -> IdentityLink:
        """Return the link: |mean - y| is at most 1."""
        return cls(1.0, 0.5)

    def mean(self, along: float) -> float:
        """Return (1 + z) / 2."""
        return 0.5 + 0.5 * along


class PoissonLink(Link):
    """Counts with mean proportional to exp(z), clipped, as fractions of their range: exp(z - 1)."""

    @classmethod
    def start(cls) -> PoissonLink:
        """Return the link: |mean - y| is at most 1, and the slope at least exp(-2)."""
        return cls(1.0, math.exp(-2.0))

    def mean(self, along: float) -> float:
        """Return exp(z - 1)."""
        return math.exp(along - 1.0)
