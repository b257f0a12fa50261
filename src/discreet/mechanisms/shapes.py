"""What noise of each shape has in common, drawn in floating point or exactly."""

from __future__ import annotations

import math
from typing import ClassVar

from discreet.contracts import Noise
from discreet.curves import Pure
from discreet.errors import check_positive
from discreet.guarantee import Guarantee, Model


class PureShape(Noise):
    """Noise of which a movement of Δ in its norm costs ε = Δ / scale, and the ε of several releases add up.

    Its density is proportional to exp(-|z| / scale) in that norm (docs/proofs.md: Vectors and
    coins).
    """

    across: ClassVar[float] = 1.0
    has_memory: ClassVar[bool] = False

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what a release guarantees for a movement of ``sensitivity`` in the norm of the noise."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        curve = Pure(check_positive("sensitivity", sensitivity) / self.scale)
        return Guarantee.of(curve, delta=0.0, model=model, source=source)

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what several releases guarantee that move by ``sensitivity`` together: ε, as for one."""
        return self.guarantee(sensitivity, model=model, source=source)


class LaplaceShape(PureShape):
    """Independent noise in every coordinate, with density proportional to exp(-|z| / scale)."""

    kind: ClassVar[str] = "laplace"
    norm: ClassVar[float] = 1.0

    def unit_variance(self, dimension: int) -> float:
        """Return 2."""
        return 2.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return -ln(1 - u²), u = scale · tilt; infinite from u = 1 on."""
        u = tilt * self.scale
        return -math.log1p(-(u**2)) if u < 1.0 else math.inf


class SphericalShape(PureShape):
    """A vector with density proportional to exp(-|z|₂ / scale)."""

    kind: ClassVar[str] = "spherical laplace"
    norm: ClassVar[float] = 2.0

    def unit_variance(self, dimension: int) -> float:
        """Return n + 1."""
        return dimension + 1.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return that of (1 - u²)^(-(n + 1) / 2), u = scale · tilt."""
        u = tilt * self.scale
        return -math.log1p(-(u**2)) * (dimension + 1) / 2.0 if u < 1.0 else math.inf


class CubeShape(PureShape):
    """A vector with density proportional to exp(-|z|∞ / scale)."""

    kind: ClassVar[str] = "cube laplace"
    norm: ClassVar[float] = math.inf

    def unit_variance(self, dimension: int) -> float:
        """Return (n + 1) (n + 2) / 3."""
        return (dimension + 1.0) * (dimension + 2.0) / 3.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return that of ((1 - u)^-n - (1 + u)^-n) / (2 n u), u = scale · tilt."""
        u = tilt * self.scale
        if u >= 1.0:
            return math.inf
        below, above = -dimension * math.log1p(-u), -dimension * math.log1p(u)
        return below + math.log(-math.expm1(above - below)) - math.log(2.0 * dimension * u)


class GaussianShape(Noise):
    """Independent normal noise in every coordinate, of standard deviation ``scale``; squares of μ add up."""

    kind: ClassVar[str] = "gaussian"
    norm: ClassVar[float] = 2.0
    across: ClassVar[float] = 2.0
    has_memory: ClassVar[bool] = False

    def unit_variance(self, dimension: int) -> float:
        """Return 1: the scale is the standard deviation."""
        return 1.0

    def log_moment(self, tilt: float, dimension: int) -> float:
        """Return u² / 2, u = scale · tilt."""
        return (tilt * self.scale) ** 2 / 2.0

    def joint_guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what several releases guarantee that move by ``sensitivity`` together, in L2: as for one number."""
        return self.guarantee(sensitivity, model=model, source=source)
