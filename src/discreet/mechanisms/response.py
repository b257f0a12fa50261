"""Randomised response: one of two values is reported, for one number in a range."""

from __future__ import annotations

import math
import secrets
from fractions import Fraction
from typing import ClassVar

from discreet.contracts import Floats, Generator, Noise
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_positive
from discreet.guarantee import Guarantee, Model
from discreet.ranges import Range, check_bounds

BITS = 62


class ResponseShape(Noise):
    """One of two values, for one number: nothing is proved of vectors, nor of several releases."""

    kind: ClassVar[str] = "randomised response"
    norm: ClassVar[float] = 1.0
    is_bounded: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False

    def unit_variance(self, dimension: int) -> float:
        """Return the largest variance, that of a value in the middle: 1."""
        return 1.0

    def square_around_middle(self, width: float) -> float:
        """Return the square of the distance of both values from the middle: the true value does not change it."""
        return self.scale**2

    def fits_vectors_of(self, size: int) -> bool:
        """Return that there are none: it is for one number."""
        return False

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Refuse: a response is for one number."""
        raise DiscreetError("randomised response is for one number, not for vectors.")


class RandomisedResponse(ResponseShape):
    """Reports ``middle ± reach``, the upper value with a probability that grows linearly with the true value.

    With R the width of the range and c = (e^ε + 1) / (e^ε - 1); reach = c R / 2; P(upper) = 1/2 +
    (x - middle) / (c R) which lies between 1 / (1 + e^ε) and e^ε / (1 + e^ε). So the report is
    ε-differentially private, and its mean is x. Its variance is at most (c R / 2)², for small ε
    half that of Laplace noise.

    >>> import numpy as np
    >>> response = RandomisedResponse.calibrate(bounds=Range(0.0, 1.0), epsilon=1.0)
    >>> rng = np.random.default_rng(1)
    >>> sorted({round(response.add_noise(0.3, rng), 3) for _ in range(100)})
    [-0.582, 1.582]
    """

    has_exact_twin = True

    bounds: Range
    epsilon: float

    @classmethod
    def calibrate(cls, *, bounds: Range, epsilon: float) -> RandomisedResponse:
        """Return the response with the least spread for epsilon."""
        return cls(check_bounds(bounds), check_positive("epsilon", epsilon))

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one of the two values; what lies outside the range is clamped first."""
        middle = 0.5 * (self.bounds.low + self.bounds.high)
        tilt = math.tanh(0.5 * self.epsilon)  # 1 / c
        reach = 0.5 * (self.bounds.high - self.bounds.low) / tilt
        upper = 0.5 + tilt * (self.bounds.fraction(self.bounds.clamp(value)) - 0.5)
        return middle + reach if rng.random() < upper else middle - reach

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactResponse:
        """Return the exact twin with the same epsilon."""
        return ExactResponse(self, least_share(self.epsilon))

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release guarantees: epsilon, however little the value can move."""
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)

    @property
    def scale(self) -> float:
        """The distance of both values from the middle."""
        return self.bounds.width / math.tanh(0.5 * self.epsilon) / 2.0


class ExactResponse(ResponseShape):
    """The same for live use: the coin is tossed with whole numbers from the operating system.

    P(upper) is a multiple of 2^-62 between ``least`` and 1 - ``least``, whose ratio is at most e^ε
    also after rounding.
    """

    compiles = False
    is_exact: ClassVar[bool] = True

    ideal: RandomisedResponse
    least: int

    def add_noise(self, value: float, rng: object) -> float:
        """Return one of the two values."""
        bounds, epsilon = self.ideal.bounds, self.ideal.epsilon
        share = Fraction(bounds.clamp(value)) - Fraction(bounds.low)
        share /= Fraction(bounds.high) - Fraction(bounds.low)
        whole = 1 << BITS
        limit = self.least + round(share * (whole - 2 * self.least))
        reach = 0.5 * bounds.width / math.tanh(0.5 * epsilon)
        middle = 0.5 * (bounds.low + bounds.high)
        return middle + reach if secrets.randbits(BITS) < limit else middle - reach

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release guarantees, from the coin that is really tossed."""
        if self.least < least_share(self.ideal.epsilon):
            return Guarantee.none("the coin of the response is less even than its epsilon allows")
        return self.ideal.guarantee(sensitivity, model=model, source=source)

    @property
    def scale(self) -> float:
        """The distance of both values from the middle."""
        return self.ideal.scale


def least_share(epsilon: float) -> int:
    """Return the least P(upper) in units of 2^-62: 1 / (1 + e^ε), rounded up with room for the error of exp."""
    whole = 1 << BITS
    return min(
        whole // 2, math.ceil(whole / (1.0 + math.exp(min(epsilon, 700.0))) * (1.0 + 1e-14)) + 1
    )
