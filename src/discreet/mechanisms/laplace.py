"""The Laplace mechanism, for numbers and for vectors that move in a given norm."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NoReturn, Self

from componentjit import bits, helper
from discreet.contracts import Floats, Generator
from discreet.curves import LaplaceNoise
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.exact import ExactCube, ExactLaplace
from discreet.mechanisms.shapes import CubeShape, LaplaceShape, SphericalShape

# 40 bits of ln 2, whose multiples are exact, and the rest.
LN2_HIGH, LN2_LOW = 0.6931471805592082, 7.371002565167799e-13
ROOT = 1.4142135623730951


@helper
def draw_laplace(scale: float, rng: Generator) -> float:
    """Return a number with density ``exp(-|z| / scale) / (2 scale)``.

    It is made from one uniform number as NumPy does, and differs from NumPy's in the last digit at
    most.

    >>> import numpy as np
    >>> round(draw_laplace(2.0, np.random.default_rng(1)), 12), round(np.random.default_rng(1).laplace(0.0, 2.0), 12)
    (0.047854472402, 0.047854472402)
    """
    u = rng.random()
    while u == 0.0:
        u = rng.random()
    size = scale * log(2.0 - u - u if u >= 0.5 else u + u)
    return -size if u >= 0.5 else size


@helper
def log(x: float) -> float:
    """Return the logarithm of a positive number, at least 2^-1022; its error is below the last digit.

    With x = 2^k (1 + f), the second factor between the roots of 1/2 and 2, and s = f / (2 + f), it
    is k ln 2 + 2 artanh(s) = k ln 2 + f - s (f - s² P(s²)), with a polynomial P of least largest
    error.

    >>> log(1.0), round(log(10.0), 12)
    (0.0, 2.302585092994)
    """
    part = bits.fraction(x)
    above = part > ROOT
    f = (0.5 * part if above else part) - 1.0
    count = float(bits.exponent(x) + (1 if above else 0))
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    low = (0.666666666666667 + z * 0.3999999999989889) + w * (
        0.28571428626253836 + z * 0.22222211089379496
    )
    high = (0.1818289243253687 + z * 0.15331611722055008) + w * 0.14617807153417325
    rest = s * (f - z * (low + w * w * high)) - count * LN2_LOW
    return count * LN2_HIGH + (f - rest)


class Laplace(LaplaceShape):
    """Adds noise with density ``exp(-|z| / scale) / (2 scale)``.

    A value that moves by at most ``sensitivity`` between neighbours is released with epsilon =
    sensitivity / scale, and no smaller epsilon is true; so is a vector whose L1 norm moves by at
    most that (of its curve only epsilon is proved then). The noise is drawn in floating point:
    right for simulation, not for live release, where its low-order bits tell more than epsilon
    allows.

    >>> Laplace.calibrate(sensitivity=2.0, epsilon=0.5)
    Laplace(scale=4.0)
    """

    has_exact_twin = True

    scale: float

    def __new__(cls, scale: float) -> Self:
        """Return noise of this scale; with 0 there is none, and no guarantee."""
        return cls._make((check_range("scale", scale, 0.0, 1e300),))

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> Laplace:
        """Return the least noise with which the sensitivity costs at most epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> Laplace:
        """Return the least noise for epsilon; delta is not needed."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise; ``perturb`` is for vectors."""
        # One number: a vector would get the same noise everywhere.
        return float(value) + draw_laplace(self.scale, rng)

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactLaplace:
        """Return the exact version that keeps a guarantee for this sensitivity (of vectors: in L1)."""
        return ExactLaplace.calibrate(sensitivity=sensitivity, epsilon=guarantee.epsilon)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what the release of one number guarantees: its whole curve is known."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        change = check_positive("sensitivity", sensitivity)
        return Guarantee.of(
            LaplaceNoise(change / self.scale), delta=0.0, model=model, source=source
        )

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what several numbers guarantee that move by ``sensitivity`` together, in L1: only their ε is proved."""
        return LaplaceShape.guarantee(self, sensitivity, model=model, source=source)


def pure_scale(sensitivity: float, epsilon: float) -> float:
    """Return sensitivity / epsilon, rounded up."""
    change, budget = check_positive("sensitivity", sensitivity), check_positive("epsilon", epsilon)
    scale = check_positive("noise scale sensitivity / epsilon", change / budget)
    while Fraction(change) > Fraction(budget) * Fraction(scale):
        scale = math.nextafter(scale, math.inf)
    return scale


class SphericalLaplace(SphericalShape):
    """Adds a vector with density proportional to ``exp(-|z|₂ / scale)``: for vectors that move in the L2 norm.

    The direction is uniform and the length has a Gamma(n) distribution, so it is n scales on
    average; coordinate Laplace noise for the same guarantee is longer by up to sqrt(2) for a ball
    (docs/proofs.md: Vectors and coins).
    """

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> SphericalLaplace:
        """Return the least noise with which a movement of ``sensitivity`` in L2 costs at most epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> SphericalLaplace:
        """Return the least noise for epsilon; delta is not needed."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise: in one dimension it is Laplace noise."""
        return float(value) + draw_laplace(self.scale, rng)

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place.

        Compiled code allocates nothing, so the direction is not drawn as a normal vector first:
        coordinate after coordinate takes its share of the squared length that is left, which has a
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
        """Refuse: no way is known to draw this noise exactly on a grid."""
        raise DiscreetError(
            "spherical noise cannot be drawn exactly, so it is for simulation only: live use "
            "needs noise laplace, or gaussian with a delta."
        )


class CubeLaplace(CubeShape):
    """Adds a vector with density proportional to ``exp(-|z|∞ / scale)``: for vectors that move in the largest coordinate.

    It is the K-norm mechanism of the cube: a Gamma(n + 1) radius times a uniform point of the cube;
    the largest coordinate is n scales on average, where coordinate Laplace noise for the same
    guarantee has about n ln n.
    """

    has_exact_twin = True

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> CubeLaplace:
        """Return the least noise with which a movement of ``sensitivity`` in every coordinate costs at most epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> CubeLaplace:
        """Return the least noise for epsilon; delta is not needed."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise: in one dimension it is Laplace noise."""
        return float(value) + draw_laplace(self.scale, rng)

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place."""
        radius = rng.gamma(vector.size + 1.0, self.scale)
        for i in range(vector.size):
            vector[i] += radius * (2.0 * rng.random() - 1.0)

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactCube:
        """Return the exact version that keeps a guarantee for this movement of the largest coordinate."""
        return ExactCube.calibrate(sensitivity=sensitivity, epsilon=guarantee.epsilon)
