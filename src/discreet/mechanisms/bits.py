"""One random bit: for the sum of a batch (a coin), or for one number (randomised response)."""

from __future__ import annotations

import functools
import math
import secrets
from typing import ClassVar

from componentjit import helper
from discreet.contracts import Floats, Generator, Noise
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_positive
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.exact import SEALED
from discreet.mechanisms.fixed_work import OFFSET, rounded_plus
from discreet.ranges import Range, check_bounds, clamp_to

# Largest epsilon that is used in full: beyond it, the bit of one number is nearly certain.
LARGEST = 40.0
ROOM = 2.0**-48  # e^ε - 1 is rounded down by this share, far more than its numerical error
GRID_BITS = 40  # sums of batches are multiples of 2^-40 (``grid_for``), or of coarser steps


@helper
def odds_lift(epsilon: float) -> float:
    """Return Ω = e^ε - 1, rounded down."""
    return math.expm1(min(epsilon, LARGEST)) * (1.0 - ROOM)


class CoinShape(Noise):
    """One bit for a sum: nothing is proved for vectors, or for several bits about one number."""

    kind: ClassVar[str] = "randomised bit"
    norm: ClassVar[float] = 1.0
    is_bounded: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False

    epsilon: float

    @property
    def lift(self) -> float:
        """Ω = e^ε - 1, rounded down: how much an increase of the sum by 1 raises the odds."""
        return odds_lift(self.epsilon)

    def toss(self, total: float, length: int, rng: Generator) -> float:
        """Return a bit for the sum of ``length`` numbers in [0, 1]."""
        raise NotImplementedError

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return a bit for one number in [0, 1]."""
        return self.toss(value, 1, rng)

    def contrast_of(self, length: int) -> float:
        """Return a = Ω τ / (2 + Ω τ): how much the bit's mean grows with the mean of a batch."""
        return self.lift * length / (2.0 + self.lift * length)

    @property
    def scale(self) -> float:
        """The distance of both values from the middle once a bit is scaled to be unbiased."""
        return 0.5 / self.contrast_of(1)

    def unit_variance(self, dimension: int) -> float:
        """Return 1, the variance for a number in the middle, which is the largest."""
        return 1.0

    def noisy_square(self, square: float, width: float) -> float:
        """Return the squared distance of both values from the middle, the same for all inputs."""
        return self.scale**2

    def fits_vectors_of(self, size: int) -> bool:
        """Return False: it is for one number."""
        return False

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Refuse: a coin is for one number."""
        raise DiscreetError("a randomised bit is for one number, not for vectors.")

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one bit about a sum that moves by at most 1."""
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)


class Coin(CoinShape):
    """Tosses 1 with a probability that grows linearly with the sum S of τ numbers in [0, 1].

    With Ω = e^ε - 1:   P(1) = (1 + Ω S) / (2 + Ω τ),   P(0) = (1 + Ω (τ - S)) / (2 + Ω τ).

    If S moves by at most 1, neither probability changes by more than the factor 1 + Ω = e^ε
    (docs/proofs.md: One bit). The mean of the bit is 1/2 + a (S / τ - 1/2) with a = Ω τ / (2 + Ω
    τ); for τ = 1 it is randomised response.

    >>> import numpy as np
    >>> coin, rng = Coin.calibrate(epsilon=1.0), np.random.default_rng(1)
    >>> round(sum(coin.toss(3.0, 4, rng) for _ in range(1000)) / 1000, 1)
    0.7
    >>> round((1 + 1.718 * 3) / (2 + 1.718 * 4), 1)
    0.7
    """

    @classmethod
    def calibrate(cls, *, epsilon: float) -> Coin:
        """Return the most informative coin for epsilon."""
        return cls(check_positive("epsilon", epsilon))

    def toss(self, total: float, length: int, rng: Generator) -> float:
        """Return a bit for the sum of ``length`` numbers in [0, 1]."""
        lift = odds_lift(self.epsilon)
        inside = min(max(total, 0.0), float(length))
        return 1.0 if rng.random() * (2.0 + lift * length) < 1.0 + lift * inside else 0.0

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactCoin:
        """Return the exact version with the same epsilon."""
        return ExactCoin(self.epsilon)


class ExactCoin(CoinShape):
    """The coin for live use: P(1) is a ratio of whole numbers, tossed with the system's entropy.

    Ω is a double, hence a ratio of whole numbers, and at most e^ε - 1; the sum of a batch is a
    whole number of steps of 2^-40. So nothing is rounded. (Any other sum is rounded to such steps,
    which moves two sums no further apart than 1.) All numbers have a fixed size, so a toss takes
    the same time for all sums.
    """

    compiles = False
    is_exact: ClassVar[bool] = True

    def toss(self, total: float, length: int, rng: object) -> float:
        """Return a bit for the sum of ``length`` numbers in [0, 1]; ``rng`` is not used."""
        below, per_step, start = coin_numbers(self.lift, length)
        drawn = secrets.randbelow(below) + start
        steps = rounded_plus(clamp_to(total, 0.0, float(length)) * 2.0**GRID_BITS, OFFSET)
        return float(drawn < per_step * steps)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one bit, which is the same."""
        return super().guarantee(
            sensitivity, model=model, source=f"{source}; exact noise (docs/proofs.md: One bit)"
        )

    def sealed(self) -> SealedCoin:
        """Return the same coin, which only a live run may toss."""
        return SealedCoin(self.epsilon)


@functools.lru_cache(maxsize=256)
def coin_numbers(lift: float, length: int) -> tuple[int, int, int]:
    """Return d, p and c: a coin shows 1 if r + c < p (s + offset), r uniform below d.

    Here s = 2^40 S is the sum in steps, and Ω = p / q. Then P(1) = (2^40 q + p s) / d with d = 2^40
    (2 q + p τ). The offset, which c accounts for, gives s + offset a fixed size.
    """
    numerator, denominator = lift.as_integer_ratio()
    below = (2 * denominator + numerator * length) << GRID_BITS
    return below, numerator, numerator * OFFSET - (denominator << GRID_BITS)


class SealedCoin(ExactCoin):
    """A coin that refuses to be tossed; a live run unseals its own copy."""

    compiles = False

    def toss(self, total: float, length: int, rng: object) -> float:
        """Refuse."""
        raise DiscreetError(SEALED)

    def unsealed(self) -> ExactCoin:
        """Return the same coin, ready to toss."""
        return ExactCoin(self.epsilon)


BITS = 62  # of the whole numbers that decide an exact response
SHARE_BITS = 52  # a value as a share of its range: about what a double holds


class ResponseShape(Noise):
    """One of two values for one number: nothing is proved for vectors, or for several releases."""

    kind: ClassVar[str] = "randomised response"
    norm: ClassVar[float] = 1.0
    is_bounded: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False

    def unit_variance(self, dimension: int) -> float:
        """Return 1, the variance for a value in the middle, which is the largest."""
        return 1.0

    def noisy_square(self, square: float, width: float) -> float:
        """Return the squared distance of both values from the middle, the same for all inputs."""
        return self.scale**2

    def fits_vectors_of(self, size: int) -> bool:
        """Return False: it is for one number."""
        return False

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Refuse: a response is for one number."""
        raise DiscreetError("randomised response is for one number, not for vectors.")


class RandomisedResponse(ResponseShape):
    """Reports ``middle ± reach``; P(upper value) grows linearly with the true value x.

    With R the width of the range and c = (e^ε + 1) / (e^ε - 1): reach = c R / 2 and P(upper) = 1/2
    + (x - middle) / (c R), which lies between 1 / (1 + e^ε) and e^ε / (1 + e^ε). So the report is
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
        """Return the response with the least variance for epsilon."""
        return cls(check_bounds(bounds), check_positive("epsilon", epsilon))

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one of the two values; input outside the range is clamped first."""
        middle = 0.5 * (self.bounds.low + self.bounds.high)
        tilt = math.tanh(0.5 * self.epsilon)  # 1 / c
        reach = 0.5 * (self.bounds.high - self.bounds.low) / tilt
        upper = 0.5 + tilt * (self.bounds.fraction(self.bounds.clamp(value)) - 0.5)
        return middle + reach if rng.random() < upper else middle - reach

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactResponse:
        """Return the exact version with the same epsilon."""
        return ExactResponse(self, least_share(self.epsilon))

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one release: epsilon, even for the smallest movement."""
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)

    @property
    def scale(self) -> float:
        """The distance of both values from the middle."""
        return self.bounds.width / math.tanh(0.5 * self.epsilon) / 2.0


class ExactResponse(ResponseShape):
    """The response for live use: whole numbers from the operating system decide.

    P(upper) is a multiple of 2^-62 between ``least`` and 1 - ``least``, whose ratio is at most e^ε
    even after rounding. All numbers have a fixed size, so a response takes the same time for all
    values.
    """

    compiles = False
    is_exact: ClassVar[bool] = True

    ideal: RandomisedResponse
    least: int

    def add_noise(self, value: float, rng: object) -> float:
        """Return one of the two values."""
        bounds, epsilon = self.ideal.bounds, self.ideal.epsilon
        span = (1 << BITS) - 2 * self.least
        # It is the upper value if r < least + share * span: both sides times 2^52, plus an offset.
        drawn = ((secrets.randbits(BITS) - self.least) << SHARE_BITS) + OFFSET * span
        share = clamp_to(bounds.fraction(clamp_to(value, bounds.low, bounds.high)), 0.0, 1.0)
        upper = drawn < rounded_plus(share * 2.0**SHARE_BITS, OFFSET) * span
        reach = 0.5 * bounds.width / math.tanh(0.5 * epsilon)
        middle = 0.5 * (bounds.low + bounds.high)
        return middle + reach * (2.0 * upper - 1.0)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one release, from the coin that is actually tossed."""
        if self.least < least_share(self.ideal.epsilon):
            return Guarantee.none("the coin of the response is more biased than its epsilon allows")
        exact = f"{source}; exact noise (docs/proofs.md: One bit)"
        return self.ideal.guarantee(sensitivity, model=model, source=exact)

    @property
    def scale(self) -> float:
        """The distance of both values from the middle."""
        return self.ideal.scale

    def sealed(self) -> SealedResponse:
        """Return the same response, which only a live run may draw."""
        return SealedResponse(self.ideal, self.least)


class SealedResponse(ExactResponse):
    """A response that refuses to be drawn; a live run unseals its own copy."""

    compiles = False

    def add_noise(self, value: float, rng: object) -> float:
        """Refuse."""
        raise DiscreetError(SEALED)

    def unsealed(self) -> ExactResponse:
        """Return the same response, ready to be drawn."""
        return ExactResponse(self.ideal, self.least)


def least_share(epsilon: float) -> int:
    """Return the least P(upper), 1 / (1 + e^ε), in units of 2^-62, rounded up.

    1e-14 covers the error of exp; beyond 700 it would overflow.
    """
    whole = 1 << BITS
    return min(
        whole // 2, math.ceil(whole / (1.0 + math.exp(min(epsilon, 700.0))) * (1.0 + 1e-14)) + 1
    )
