"""Pure noise for vectors, fitted to the shape in which they move."""

from __future__ import annotations

import math
from typing import NoReturn

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.mechanisms.drawing import draw_laplace
from discreet.mechanisms.exact_vectors import ExactCube
from discreet.mechanisms.laplace import pure_scale
from discreet.mechanisms.shapes import CubeShape, SphericalShape


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
        """Return the least noise for epsilon; it needs no delta."""
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
        """Return the least noise for epsilon; it needs no delta."""
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
        """Return the exact twin that keeps a guarantee for this movement of the largest coordinate."""
        return ExactCube.calibrate(sensitivity=sensitivity, epsilon=guarantee.epsilon)
