"""The Laplace mechanism, for numbers and for vectors that move in a given norm."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NoReturn, Self

from componentjit import bits, compiled_as, helper
from discreet.contracts import Floats, Generator, Noise
from discreet.curves import LaplaceNoise
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.exact import ExactCube, ExactLaplace
from discreet.mechanisms.shapes import CubeShape, LaplaceShape, SphericalShape

# The first 40 bits of ln 2, whose multiples are exact, and the rest.
LN2_HIGH, LN2_LOW = 0.6931471805592082, 7.371002565167799e-13
ROOT, HALF_ROOT = 1.4142135623730951, 0.7071067811865476  # the root of 2


@helper
def draw_laplace(scale: float, rng: Generator) -> float:
    """Return a number with density ``exp(-|z| / scale) / (2 scale)``.

    It transforms one uniform number, as NumPy does, and differs from NumPy's result at most in the
    last digit. NumPy takes its logarithm from the C library; this function returns the same numbers
    on every machine, in Python and compiled.

    >>> import numpy as np
    >>> round(draw_laplace(2.0, np.random.default_rng(1)), 12)
    0.047854472402
    >>> round(np.random.default_rng(1).laplace(0.0, 2.0), 12)
    0.047854472402
    """
    z = rng.random()
    while z == 0.0:
        z = rng.random()
    size = scale * log(2.0 - z - z if z >= 0.5 else z + z)
    return -size if z >= 0.5 else size


@helper
def log_compiled(x: float) -> float:
    """Return the same as ``log``."""
    part = bits.fraction(x)
    above = part > ROOT
    return log_of(
        (0.5 * part if above else part) - 1.0, float(bits.exponent(x) + (1 if above else 0))
    )


@compiled_as(log_compiled)
def log(x: float) -> float:
    """Return the logarithm of a number of at least 2^-1022, to within its last digit.

    >>> log(1.0), round(log(10.0), 12)
    (0.0, 2.302585092994)
    """
    half, count = math.frexp(x)
    if half > HALF_ROOT:
        return log_of(half - 1.0, count)
    return log_of(half + half - 1.0, count - 1)


@helper
def log_of(f: float, count: float) -> float:
    """Return the logarithm of 2^count (1 + f), for 1 + f between the roots of 1/2 and 2.

    With s = f / (2 + f), it is count ln 2 + 2 artanh(s) = count ln 2 + f - s (f - s² P(s²)). The
    coefficients below are those of the polynomial P with the smallest maximal error.
    """
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    low = (0.666666666666667 + z * 0.3999999999989889) + w * (
        0.28571428626253836 + z * 0.22222211089379496
    )
    high = (0.1818289243253687 + z * 0.15331611722055008) + w * 0.14617807153417325
    rest = s * (f - z * (low + w * w * high)) - count * LN2_LOW
    return count * LN2_HIGH + (f - rest)


def pure_scale(sensitivity: float, epsilon: float) -> float:
    """Return sensitivity / epsilon, rounded up."""
    change, budget = check_positive("sensitivity", sensitivity), check_positive("epsilon", epsilon)
    scale = check_positive("noise scale sensitivity / epsilon", change / budget)
    while Fraction(change) > Fraction(budget) * Fraction(scale):
        scale = math.nextafter(scale, math.inf)
    return scale


class CalibratedByScale(Noise):
    """Noise drawn in floating point whose only parameter is a scale: sensitivity / epsilon."""

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> Self:
        """Return the least noise with which a movement of ``sensitivity`` costs epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> Self:
        """Return the least noise for epsilon; delta is not needed."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise: Laplace noise in any norm; see ``perturb``."""
        # float() refuses vectors, which would get the same noise in every coordinate.
        return float(value) + draw_laplace(self.scale, rng)


class Laplace(CalibratedByScale, LaplaceShape):
    """Adds noise with density ``exp(-|z| / scale) / (2 scale)``.

    A value that moves by at most ``sensitivity`` between neighbours is released with epsilon =
    sensitivity / scale, and with no smaller epsilon. The same holds for a vector that moves by at
    most that in L1 (only epsilon is proved then, not the whole curve). The noise is drawn in
    floating point: fine for simulation, but not for live release, where its low-order bits would
    reveal more than epsilon allows.

    >>> Laplace.calibrate(sensitivity=2.0, epsilon=0.5)
    Laplace(scale=4.0)
    """

    has_exact_twin = True

    def __new__(cls, scale: float) -> Self:
        """Return noise of this scale; scale 0 means no noise and no guarantee."""
        return cls._make((check_range("scale", scale, 0.0, 1e300),))

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactLaplace:
        """Return the exact version that keeps the guarantee for this sensitivity (in L1)."""
        return ExactLaplace.calibrate(sensitivity=sensitivity, epsilon=guarantee.epsilon)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of releasing one number, with its whole curve."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        change = check_positive("sensitivity", sensitivity)
        return Guarantee.of(
            LaplaceNoise(change / self.scale), delta=0.0, model=model, source=source
        )

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee, ε only, of numbers that move by ``sensitivity`` together in L1."""
        return LaplaceShape.guarantee(self, sensitivity, model=model, source=source)


class SphericalLaplace(CalibratedByScale, SphericalShape):
    """Adds a vector with density proportional to ``exp(-|z|₂ / scale)``: for movements in L2.

    The direction is uniform and the length has a Gamma(N) distribution, so it is N scales on
    average. Laplace noise per coordinate with the same guarantee is up to sqrt(2) times longer for
    a ball (docs/proofs.md: Vectors and coins).
    """

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place.

        Compiled code allocates nothing, so the direction is not drawn as a normal vector first.
        Instead, each coordinate takes a share of the remaining squared length, and that share has a
        Beta(1/2, later / 2) distribution.
        """
        length = rng.gamma(float(vector.size), self.scale)
        left = length * length
        for i in range(vector.size):
            later = vector.size - 1 - i
            taken = left * rng.beta(0.5, 0.5 * later) if later > 0 else left
            part = math.sqrt(taken)
            vector[i] += part if rng.random() < 0.5 else -part
            left -= taken

    def exact(self, guarantee: Guarantee, sensitivity: float) -> NoReturn:
        """Refuse: there is no known way to draw this noise exactly on a grid."""
        raise DiscreetError(
            "spherical noise cannot be drawn exactly, so it is for simulation only: live use "
            "needs noise laplace, or gaussian with a delta."
        )


class CubeLaplace(CalibratedByScale, CubeShape):
    """Adds a vector with density proportional to ``exp(-|z|∞ / scale)``: for movements in L∞.

    This is the K-norm mechanism of the cube: a Gamma(N + 1) radius times a uniform point of the
    cube. The largest coordinate is N scales on average; for Laplace noise per coordinate with the
    same guarantee it is about N ln N.
    """

    has_exact_twin = True

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place."""
        radius = rng.gamma(vector.size + 1.0, self.scale)
        for i in range(vector.size):
            vector[i] += radius * (2.0 * rng.random() - 1.0)

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactCube:
        """Return the exact version with the same guarantee for this movement in L∞."""
        return ExactCube.calibrate(sensitivity=sensitivity, epsilon=guarantee.epsilon)
