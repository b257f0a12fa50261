"""Privacy curves: the epsilon of a release for every delta, rounded towards more privacy loss.

Each kind of noise has its own curve, which says more than one pair (epsilon, delta): it can be
evaluated at any delta, composed, and extended to groups. All numbers refer to one fixed
neighbouring relation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, ClassVar, Protocol, cast

from discreet.errors import DiscreetError, check_positive, check_range

__all__ = [
    "KINDS",
    "Approximate",
    "Concentrated",
    "Curve",
    "GaussianNoise",
    "LaplaceNoise",
    "Pure",
    "added",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "is_below",
    "round_up",
]

SMALLEST = 1e-290  # searches stop here: smaller numbers would lose precision
UP = 1.0 + 1e-13  # covers the rounding errors of a closed formula
LARGE_MU = 1e4  # above this, the tail bound is exact to 8 digits, and numbers may overflow


class Curve(Protocol):
    """What is known about a release, for all deltas at once."""

    kind: ClassVar[str]

    def epsilon_at(self, delta: float) -> float:
        """Return the smallest epsilon proved at this delta, rounded up; infinity without any."""

    def for_group(self, size: int) -> Curve:
        """Return the curve for groups: inputs that are ``size`` neighbouring steps apart."""

    @property
    def rho(self) -> float | None:
        """The parameter of zero-concentrated differential privacy, if one is known."""


class CheckedCurve:
    """A curve whose numbers are floats of at least 0; a delta is at most 1."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            most = 1.0 if name in ("delta", "slack") else math.inf
            number = check_range(f"{name} of the curve", value, 0.0, most)
            if type(value) is not float:
                object.__setattr__(self, name, number)


@dataclass(frozen=True)
class Pure(CheckedCurve):
    """Only epsilon is known; the worst case is randomised response (Kairouz et al. 2015)."""

    epsilon: float
    kind: ClassVar[str] = "pure"

    def epsilon_at(self, delta: float) -> float:
        """Return ln(e^ε - δ (1 + e^ε)), at least 0: the epsilon of randomised response."""
        if delta <= 0.0 or not math.isfinite(self.epsilon):
            return self.epsilon
        inner = 1.0 - delta * (1.0 + math.exp(-self.epsilon)) + 4e-16  # covers rounding
        less = max(0.0, self.epsilon + math.log(inner) + 1e-15) * UP if inner > 0.0 else 0.0
        return min(self.epsilon, less)

    def for_group(self, size: int) -> Pure:
        """Return size times epsilon."""
        return Pure(added(self.epsilon, times=size))

    @property
    def rho(self) -> float:
        """ε tanh(ε / 2), the value for randomised response (docs/proofs.md: Concentration)."""
        return self.epsilon * math.tanh(self.epsilon / 2.0) * UP


@dataclass(frozen=True)
class LaplaceNoise(CheckedCurve):
    """Laplace noise on one number; epsilon is sensitivity / scale."""

    epsilon: float
    kind: ClassVar[str] = "laplace"

    def epsilon_at(self, delta: float) -> float:
        """Return ε + 2 ln(1 - δ), at least 0; 2e-14 covers rounding."""
        if delta <= 0.0 or delta >= 1.0:
            return self.epsilon if delta <= 0.0 else 0.0
        return min(self.epsilon, max(0.0, self.epsilon + 2.0 * math.log1p(-delta) + 2e-14) * UP)

    def for_group(self, size: int) -> Curve:
        """Return size times epsilon, as a pure curve: steps may be in different releases."""
        return Pure(added(self.epsilon, times=size)) if size > 1 else self

    @property
    def rho(self) -> float:
        """ε + e^-ε - 1, the value for one number (docs/proofs.md: Concentration)."""
        x = self.epsilon
        if x < 1e-2:  # the difference would lose digits; the alternating series is an upper bound
            rest = x**2 / 12.0 - x**3 / 60.0 + x**4 / 360.0
            return x * x / 2.0 * (1.0 - x / 3.0 + rest) * UP
        return (x + math.expm1(-x)) * UP


@dataclass(frozen=True)
class GaussianNoise(CheckedCurve):
    """Gaussian noise; mu is L2-sensitivity / standard deviation (Gaussian differential privacy).

    ``slack`` is the delta that noise on a grid adds (docs/proofs.md: Gaussian on a grid).
    """

    mu: float
    slack: float = 0.0
    kind: ClassVar[str] = "gaussian"

    def epsilon_at(self, delta: float) -> float:
        """Return the exact epsilon (Balle & Wang 2018, Theorem 8)."""
        return gaussian_epsilon(self.mu, delta - self.slack)

    def for_group(self, size: int) -> GaussianNoise:
        """Return size times mu (Dong, Roth & Su 2022, Theorem 2.14)."""
        return GaussianNoise(size * self.mu * UP, self.slack)

    @property
    def rho(self) -> float:
        """μ² / 2; on a grid too, without slack (Canonne, Kamath & Steinke 2020, Proposition 5)."""
        return self.mu * self.mu / 2.0 * UP


@dataclass(frozen=True)
class Concentrated(CheckedCurve):
    """ρ-zero-concentrated differential privacy."""

    rho: float
    kind: ClassVar[str] = "zcdp"

    def epsilon_at(self, delta: float) -> float:
        """Return ρ + 2 sqrt(ρ ln(1/δ)) (Bun & Steinke 2016, Proposition 1.3)."""
        if delta <= 0.0:
            return math.inf if self.rho > 0.0 else 0.0
        return (self.rho + 2.0 * math.sqrt(self.rho * -math.log(min(delta, 1.0)))) * UP

    def for_group(self, size: int) -> Concentrated:
        """Return size² times rho (Bun & Steinke 2016, Proposition 1.9)."""
        return Concentrated(size**2 * self.rho * UP)


@dataclass(frozen=True)
class Approximate(CheckedCurve):
    """Only one pair (epsilon, delta) is known."""

    epsilon: float
    delta: float
    kind: ClassVar[str] = "approximate"

    def epsilon_at(self, delta: float) -> float:
        """Return epsilon at the known delta and above, infinity below."""
        return self.epsilon if delta >= self.delta else math.inf

    def for_group(self, size: int) -> Approximate:
        """Return (m ε, δ (1 + e^ε + ... + e^((m - 1) ε))); the sum is (e^(m ε) - 1) / (e^ε - 1)."""
        epsilon = added(self.epsilon, times=size)
        if self.delta == 0.0 or size == 1:
            return Approximate(epsilon, self.delta)
        log_sum = math.log(size) + epsilon  # each of the m terms is at most e^(m ε)
        if not self.epsilon < 1e-9:  # for smaller ones the difference would lose digits
            log_sum = _log_expm1(epsilon) - _log_expm1(self.epsilon)
        log_delta = math.log(self.delta) + log_sum
        return Approximate(epsilon, min(1.0, math.exp(min(log_delta, 0.0)) * (1.0 + 1e-12)))

    @property
    def rho(self) -> None:
        """Unknown."""
        return


def _log_expm1(x: float) -> float:
    """Return ln(e^x - 1) for x above 0, even where e^x overflows."""
    return x + math.log(-math.expm1(-x))


def added(*numbers: float, times: int = 1) -> float:
    """Return ``times`` the sum of numbers, read as printed decimals, rounded up: 3 × 0.1 is 0.3.

    >>> added(0.1, times=3), 0.1 * 3
    (0.3, 0.30000000000000004)
    """
    if not all(math.isfinite(number) for number in numbers):
        return math.inf
    exact = sum((Decimal(repr(float(number))) for number in numbers), Decimal(0)) * times
    close = float(exact)
    return close if Decimal(repr(close)) >= exact else math.nextafter(close, math.inf)


def total(numbers: Iterable[float]) -> float:
    """Return an accurate sum, infinity if it is too large."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf


KINDS: dict[str, Any] = {
    each.kind: each for each in (Pure, LaplaceNoise, GaussianNoise, Concentrated, Approximate)
}


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Return the delta of Gaussian noise, Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) (Balle & Wang 2018)."""
    from scipy.special import log_ndtr

    first = float(log_ndtr(0.5 * mu - epsilon / mu))
    second = epsilon + float(log_ndtr(-0.5 * mu - epsilon / mu))
    return math.exp(first) * -math.expm1(min(second - first, 0.0))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """Return the epsilon of Gaussian noise at a delta, rounded up.

    >>> round(gaussian_epsilon(1 / 3.7306, 1e-5), 4)
    1.0
    """
    if mu == 0.0 or delta <= 0.0 or not math.isfinite(mu):
        return 0.0 if mu == 0.0 else math.inf
    enough = mu * (0.5 * mu + math.sqrt(-2.0 * math.log(min(delta, 1.0))))
    if mu > LARGE_MU:
        return enough * UP
    close = _least(lambda epsilon: gaussian_delta(mu, epsilon) <= delta, enough)
    return _exactly_least(lambda epsilon: _holds(mu, epsilon, delta), close)


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Return the smallest standard deviation for sensitivity 1: exact, rounded up.

    >>> round(gaussian_sigma(1.0, 1e-6), 4), round(gaussian_sigma(0.1, 1e-6), 3)
    (4.2247, 36.305)
    """
    budget = check_positive("epsilon", epsilon)
    if not 0.0 < check_range("delta", delta, 0.0, 1.0) < 1.0:
        raise DiscreetError(
            f"delta is {delta!r}, but Gaussian noise needs delta above 0 and below 1."
        )
    tail = math.sqrt(-2.0 * math.log(delta))
    enough = (math.sqrt(tail * tail + 2.0 * budget) + tail) / (2.0 * budget)
    close = _least(lambda sigma: gaussian_delta(1.0 / sigma, budget) <= delta, enough)
    return _exactly_least(lambda sigma: _holds(1.0 / sigma, budget, delta), close)


def is_below(mine: Curve, theirs: Curve) -> bool:
    """Return whether the first curve is certainly nowhere above the second.

    Curves of one kind are compared by their numbers; pure and concentrated curves and pairs have
    one number each. Other curves decrease in delta. They are compared at steps of delta down to
    1e-15, each value with the other curve's value one step further, so nothing in between is
    missed.
    """
    if type(mine) is type(theirs) and not isinstance(theirs, Approximate):
        pairs = zip(astuple(cast(Any, mine)), astuple(cast(Any, theirs)), strict=True)
        return all(one <= two for one, two in pairs)
    if isinstance(theirs, Approximate):
        return mine.epsilon_at(theirs.delta) <= theirs.epsilon
    if isinstance(theirs, Pure):
        return mine.epsilon_at(0.0) <= theirs.epsilon
    if isinstance(theirs, Concentrated):
        return mine.rho is not None and mine.rho <= theirs.rho
    if mine.epsilon_at(0.0) > theirs.epsilon_at(0.0):
        return False
    steps = [10.0 ** (-quarter / 4) for quarter in range(61)]
    return all(mine.epsilon_at(low) <= theirs.epsilon_at(high) for high, low in pairwise(steps))


def _holds(mu: float, epsilon: float, delta: float) -> bool:
    """Return whether the exact delta is at most this, with 60 digits: doubles lose digits."""
    import mpmath

    with mpmath.workdps(60):
        exact_mu, exact_epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        first = mpmath.ncdf(exact_mu / 2 - exact_epsilon / exact_mu)
        second = mpmath.exp(exact_epsilon) * mpmath.ncdf(-exact_mu / 2 - exact_epsilon / exact_mu)
        return bool(first - second <= mpmath.mpf(delta))


def _least(holds: Callable[[float], bool], enough: float) -> float:
    """Return about the smallest number from which a condition holds; it holds at ``enough``."""
    low = high = enough
    while low > SMALLEST and holds(low):
        low, high = low / 2.0, low
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _exactly_least(holds: Callable[[float], bool], close: float) -> float:
    """Return the smallest number at which a condition holds, to its last digits, from nearby."""
    if close <= SMALLEST and holds(0.0):
        return 0.0
    apart, low, high = 1e-13, close, close
    while not holds(high):
        low, high = high, high * (1.0 + apart)
        apart *= 2.0
    while low > SMALLEST and holds(low):
        low, high = low * (1.0 - min(apart, 0.5)), low
        apart *= 2.0
    while high - low > 2e-13 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def round_up(epsilon: float, *, digits: int = 12) -> float:
    """Return epsilon, which was computed in floating point, rounded up to some digits.

    >>> round_up(0.09999999999999999), round_up(0.1 + 1e-16)
    (0.1, 0.100000000001)
    """
    if epsilon == 0.0 or not math.isfinite(epsilon):
        return epsilon
    rounded = float(f"{epsilon:.{digits}g}")
    if rounded >= epsilon:
        return rounded
    step = 10.0 ** (math.floor(math.log10(epsilon)) - digits + 1)
    return float(f"{epsilon + step:.{digits}g}")
