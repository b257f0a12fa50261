"""Reports for generalised linear models: moments of a record, and the gradient of its loss."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from discreet.channels.moments import Moments
from discreet.channels.residuals import length_of
from discreet.components import Component
from discreet.contracts import Floats, Record
from discreet.lengths import check_query
from discreet.mechanisms import Hemisphere


class Link(Component):
    """How the mean of a reward in [0, 1] depends on z = ⟨x, θ⟩ in [-1, 1].

    A residual is (mean - y) / max(mean, 1 - mean): divided by its largest possible value, it fills
    [-1, 1]. ``slope`` is the derivative of its mean at z = 0.
    """

    slope: float

    def mean(self, along: float) -> float:
        """Return the mean reward for ⟨x, θ⟩."""
        raise NotImplementedError

    def residual(self, along: float, gain: float) -> float:
        """Return the error of a prediction, as a share of the largest possible error."""
        mean = self.mean(along)
        return (mean - gain) / max(mean, 1.0 - mean)

    def slopes(self) -> tuple[float, float]:
        """Return the least and the largest derivative of the mean, for ⟨x, θ⟩ in [-1, 1]."""
        raise NotImplementedError

    def largest_error(self) -> float:
        """Return the largest possible |mean - y|; means increase."""
        return max(self.mean(1.0), 1.0 - self.mean(-1.0))


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

    def slopes(self) -> tuple[float, float]:
        """Return mean (1 - mean) at 1, and at 0."""
        return self.mean(1.0) * self.mean(-1.0), 0.25


class IdentityLink(Link):
    """Rewards with mean (1 + z) / 2."""

    @classmethod
    def start(cls) -> IdentityLink:
        """Return the link."""
        return cls(1.0)

    def mean(self, along: float) -> float:
        """Return (1 + z) / 2."""
        return 0.5 + 0.5 * along

    def slopes(self) -> tuple[float, float]:
        """Return 1/2 everywhere."""
        return 0.5, 0.5


class PoissonLink(Link):
    """Counts with mean proportional to exp(z), clipped, as fractions of their range: exp(z - 1)."""

    @classmethod
    def start(cls) -> PoissonLink:
        """Return the link."""
        return cls(1.0 / (math.e - 1.0))

    def mean(self, along: float) -> float:
        """Return exp(z - 1)."""
        return math.exp(along - 1.0)

    def slopes(self) -> tuple[float, float]:
        """Return exp(z - 1) at -1, and at 1."""
        return math.exp(-2.0), 1.0


class GlmMoments(Moments[Floats]):
    """Reports x x' and r x with r = (g(z) - y) / max(g(z), 1 - g(z)) at the public point θ.

    θ is the query. z = ⟨x, θ⟩ is clamped to [-1, 1], and the reward y to [0, 1]. This is
    ``Moments`` with the residual r instead of the reward. Because |r| ≤ 1 too, the same sensitivity
    and guarantee hold (docs/proofs.md: Moments). The divisor is the largest possible |g(z) - y|, so
    that r uses all of [-1, 1]; the mean of r is 0 if θ predicts correctly. Zheng et al. 2020,
    Algorithm 3, send g(z) - y undivided, and z x, which the server can compute from x x' and θ.

    >>> GlmMoments.example().guarantee.short
    '2-differential privacy'
    """

    link: Link

    @classmethod
    def over(cls, moments: Moments, link: Link) -> Self:
        """Return the channel with the noise and weights of a ``Moments`` channel."""
        return cls(**moments._asdict(), link=link)

    example_query: ClassVar[Floats] = np.array([0.6, 0.0, -0.8])

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        plain = Moments.calibrated(
            dimension=3, noise=Hemisphere.calibrate(dimension=9, epsilon=2.0)
        )
        return cls.over(plain, LogisticLink.start())

    def statistic(self, feedback: Record, query: Floats, vector: Floats) -> None:
        """Write the weighted moments and the gradient."""
        check_query(query.size, self.dimension)
        self.form(feedback, vector)
        last = vector.size - self.dimension
        along, features = 0.0, feedback.features
        length = length_of(features)
        factor = 0.0
        if length > 0.0:
            for i in range(self.dimension):
                along += float(query[i]) * float(features[i])
            along /= max(length, self.norm)
            along = min(1.0, max(-1.0, along)) if along == along else 0.0
            gain = 1.0 - self.bounds.fraction(self.bounds.clamp(feedback.outcome))
            factor = self.link.residual(along, gain) * self.linear / max(length, self.norm)
        for i in range(self.dimension):
            vector[last + i] = factor * features[i] if factor != 0.0 else 0.0
