"""Common properties of noise of each shape, drawn in floating point or exactly."""

from __future__ import annotations

import math
from typing import ClassVar

from discreet.contracts import Noise
from discreet.curves import Pure
from discreet.errors import check_positive
from discreet.guarantee import Guarantee, Model


class PureShape(Noise):
    """Noise with density proportional to exp(-|z| / scale) in its norm.

    A movement of Δ in that norm costs ε = Δ / scale, and the ε of several releases add up
    (docs/proofs.md: Vectors and coins).
    """

    across: ClassVar[float] = 1.0
    has_memory: ClassVar[bool] = False

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of a release that moves by ``sensitivity`` in the noise's norm."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        curve = Pure(check_positive("sensitivity", sensitivity) / self.scale)
        return Guarantee.of(curve, delta=0.0, model=model, source=source)

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of releases that move by ``sensitivity`` together: ε, as for one."""
        return self.guarantee(sensitivity, model=model, source=source)


class LaplaceShape(PureShape):
    """Independent noise in every coordinate, with density proportional to exp(-|z| / scale)."""

    kind: ClassVar[str] = "laplace"
    norm: ClassVar[float] = 1.0

    def unit_variance(self, dimension: int) -> float:
        """Return 2."""
        return 2.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return -ln(1 - z²), z = scale · tilt; infinite from z = 1 on."""
        z = tilt * self.scale
        return -math.log1p(-(z**2)) if z < 1.0 else math.inf


class SphericalShape(PureShape):
    """A vector with density proportional to exp(-|z|₂ / scale)."""

    kind: ClassVar[str] = "spherical laplace"
    norm: ClassVar[float] = 2.0

    def unit_variance(self, dimension: int) -> float:
        """Return N + 1."""
        return dimension + 1.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return the logarithm of (1 - z²)^(-(N + 1) / 2), z = scale · tilt."""
        z = tilt * self.scale
        return -math.log1p(-(z**2)) * (dimension + 1) / 2.0 if z < 1.0 else math.inf


class CubeShape(PureShape):
    """A vector with density proportional to exp(-|z|∞ / scale)."""

    kind: ClassVar[str] = "cube laplace"
    norm: ClassVar[float] = math.inf

    def unit_variance(self, dimension: int) -> float:
        """Return (N + 1) (N + 2) / 3."""
        return (dimension + 1.0) * (dimension + 2.0) / 3.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return the logarithm of ((1 - z)^-N - (1 + z)^-N) / (2 N z), z = scale · tilt."""
        z = tilt * self.scale
        if z >= 1.0:
            return math.inf
        below, above = -dimension * math.log1p(-z), -dimension * math.log1p(z)
        return below + math.log(-math.expm1(above - below)) - math.log(2.0 * dimension * z)


class GaussianShape(Noise):
    """Independent normal noise per coordinate, of deviation ``scale``; squares of μ add up."""

    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[float] = 2.0
    across: ClassVar[float] = 2.0
    has_memory: ClassVar[bool] = False

    def unit_variance(self, dimension: int) -> float:
        """Return 1: the scale is the standard deviation."""
        return 1.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return z² / 2, z = scale · tilt."""
        return (tilt * self.scale) ** 2 / 2.0

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of releases that together move by ``sensitivity`` in L2."""
        return self.guarantee(sensitivity, model=model, source=source)
