"""The Laplace mechanism for one number."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from discreet.contracts import Generator
from discreet.errors import positive
from discreet.guarantee import Guarantee, Model, stated
from discreet.kernel import compiled


@compiled
class Laplace(NamedTuple):
    """Adds noise with density ``exp(-|z| / scale) / (2 scale)``.

    A value that moves by at most ``sensitivity`` between neighbours is released with epsilon = sensitivity / scale, and
    no smaller epsilon is true. The noise is drawn in floating point: right for simulation, not for live release, where
    its low-order bits tell more than epsilon allows.

    >>> Laplace.calibrate(sensitivity=2.0, epsilon=0.5)
    Laplace(scale=4.0)
    """

    scale: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> Laplace:
        """Return the least noise with which the sensitivity costs at most epsilon."""
        change, budget = positive("sensitivity", sensitivity), positive("epsilon", epsilon)
        scale = positive("noise scale sensitivity / epsilon", change / budget)
        while change / scale > budget:
            scale = math.nextafter(scale, math.inf)
        return cls(scale)

    def release(self, value: float, rng: Generator) -> float:
        """Return the value with noise."""
        return value + rng.laplace(0.0, self.scale)

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release promises."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        epsilon = stated(sensitivity / self.scale)
        return Guarantee(epsilon=epsilon, delta=0.0, model=model, status="proved", source=source)

    def noise(self) -> dict[str, Any]:
        """Return kind and scale."""
        return {"kind": "laplace", "scale": self.scale}
