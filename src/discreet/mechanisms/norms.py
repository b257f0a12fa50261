"""Pure noise for vectors, fitted to the shape in which they move."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from discreet.contracts import Floats, Generator
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_positive
from discreet.guarantee import Guarantee, Model
from discreet.kernel import Component
from discreet.mechanisms.exact_vectors import ExactCube
from discreet.mechanisms.laplace import pure_scale


class SphericalLaplace(Component):
    """Adds a vector with density proportional to ``exp(-|z|₂ / scale)``: for vectors that move in the L2 norm.

    The direction is uniform and the length has a Gamma(n) distribution, so it is n scales on average; coordinate Laplace
    noise for the same guarantee is longer by up to sqrt(2) for a ball (docs/proofs.md: Vectors and coins).
    """

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> SphericalLaplace:
        """Return the least noise with which a movement of ``sensitivity`` in L2 costs at most epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place.

        Compiled code allocates nothing, so the direction is not drawn as a normal vector first: coordinate after
        coordinate takes its share of the squared length that is left, which has a Beta(1/2, later / 2) distribution.
        """
        length = rng.gamma(float(vector.size), self.scale)
        left = length * length
        for i in range(vector.size):
            later = vector.size - 1 - i
            taken = left * rng.beta(0.5, 0.5 * later) if later > 0 else left
            part = math.sqrt(taken)
            vector[i] += part if rng.random() < 0.5 else -part
            left -= taken

    def exact_for(self, promise: Guarantee, sensitivity: float) -> NoReturn:
        """Refuse: no way is known to draw this noise exactly on a grid."""
        raise DiscreetError(
            "spherical noise cannot be drawn exactly, so it is for simulation only: live use needs noise laplace, "
            "or gaussian with a delta."
        )

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release promises for a movement of ``sensitivity`` in L2."""
        return _pure(self.scale, sensitivity, model, source)

    def noise(self) -> dict[str, Any]:
        """Return kind and scale."""
        return {"kind": "spherical laplace", "scale": self.scale}


class CubeLaplace(Component):
    """Adds a vector with density proportional to ``exp(-|z|∞ / scale)``: for vectors that move in the largest coordinate.

    It is the K-norm mechanism of the cube: a Gamma(n + 1) radius times a uniform point of the cube; the largest
    coordinate is n scales on average, where coordinate Laplace noise for the same guarantee has about n ln n.
    """

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> CubeLaplace:
        """Return the least noise with which a movement of ``sensitivity`` in every coordinate costs at most epsilon."""
        return cls(pure_scale(sensitivity, epsilon))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise in place."""
        radius = rng.gamma(vector.size + 1.0, self.scale)
        for i in range(vector.size):
            vector[i] += radius * (2.0 * rng.random() - 1.0)

    def exact_for(self, promise: Guarantee, sensitivity: float) -> ExactCube:
        """Return the mechanism for live use that keeps a promise for this movement of the largest coordinate."""
        return ExactCube.calibrate(sensitivity=sensitivity, epsilon=promise.epsilon)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release promises for a movement of ``sensitivity`` in the largest coordinate."""
        return _pure(self.scale, sensitivity, model, source)

    def noise(self) -> dict[str, Any]:
        """Return kind and scale."""
        return {"kind": "cube laplace", "scale": self.scale}


def _pure(scale: float, sensitivity: float, model: Model, source: str) -> Guarantee:
    if not scale > 0.0:
        return Guarantee.none("no noise is added")
    return Guarantee.of(Pure(check_positive("sensitivity", sensitivity) / scale), delta=0.0, model=model, source=source)
