"""Noise on every coordinate of a linear function, as Agarwal & Singh 2017 print it."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from discreet import Guarantee
from discreet.contracts import Channel, Floats, Generator, NoiseScale
from discreet.errors import DiscreetError
from discreet.mechanisms import Laplace
from discreet.ranges import Range, make_range


class PerPoint(Channel[float, float, Floats]):
    """Releases ⟨ℓ + Z, x⟩ every round, Z a vector of noise, for a played point x (Algorithm 4).

    The query is x, and the feedback a loss in ``bounds``; its distance from the middle, in widths,
    is ⟨ℓ, x⟩ with a 1-norm |ℓ| of at most ``reach``. So it is clamped to ± reach · |x|, with the
    largest entry of x as its norm.

    Formal guarantee: a replaced round moves the clamped number by at most 2 reach |x|, and noise of
    at least ``scale`` |x| is in the largest entry alone: epsilon = 2 reach / scale (docs/proofs.md:
    Noise on coordinates). It is up to sqrt(N) noisier than ``PerRound``, and for simulation only.

    >>> PerPoint(Range(0.0, 1.0), 2.0, Laplace(2.0)).guarantee.epsilon
    2.0
    """

    holds_feedback = False

    bounds: Range
    reach: float
    noise: Laplace

    example_query: ClassVar[Floats] = np.array([0.6, 0.0, -0.8])

    @classmethod
    def example(cls) -> PerPoint:
        """Return one to check the contract with."""
        return cls(make_range(), 1.5, Laplace.calibrate(sensitivity=1.5, epsilon=2.0))

    def offer(self, feedback: float, query: Floats, rng: Generator) -> tuple[bool, float]:
        """Release the value with noise on the coordinates, as a fraction of the range."""
        largest, spread = 0.0, 0.0
        for i in range(query.size):
            largest = max(largest, abs(query[i]))
            spread += query[i] * self.noise.add_noise(0.0, rng)
        if not largest < math.inf:
            raise DiscreetError("the query has an entry that is not a finite number.")
        share = self.bounds.fraction(self.bounds.clamp(feedback)) - 0.5
        limit = self.reach * largest
        return True, 0.5 + min(limit, max(-limit, share)) + spread

    def _with_exact_noise(self) -> Self:
        """Refuse: products of noise are not on a grid."""
        raise DiscreetError(
            "the channel PerPoint is for simulation only: calibration=tight (PerRound) needs "
            "less noise, and can be used live."
        )

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is actually added."""
        source = "laplace noise on every coordinate (docs/proofs.md: Noise on coordinates)"
        return self.noise.guarantee(2.0 * self.reach, model="local", source=source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """One noise, on each coordinate."""
        return (self.noise.noise_scale.times(self.bounds.width),)
