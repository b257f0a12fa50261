"""The Gaussian mechanism for one number, calibrated exactly."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from discreet.contracts import Generator
from discreet.errors import DiscreetError, positive
from discreet.guarantee import Guarantee, Model, stated
from discreet.kernel import compiled


@compiled
class Gaussian(NamedTuple):
    """Adds normal noise with standard deviation ``scale``; its guarantee is stated at ``delta``.

    A value that moves by at most Δ is released with (ε, δ)-differential privacy if and only if
    Φ(Δ / 2σ - ε σ / Δ) - exp(ε) Φ(-Δ / 2σ - ε σ / Δ) ≤ δ (Balle & Wang 2018, Theorem 8). The classical formula
    sqrt(2 ln(1.25 / δ)) Δ / ε wastes noise for small ε and is too small for large ε.

    >>> round(Gaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-5).scale, 4)
    3.7306
    """

    scale: float
    delta: float

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float, delta: float) -> Gaussian:
        """Return the least noise, rounded up, with which the sensitivity costs at most (epsilon, delta)."""
        change, budget = positive("sensitivity", sensitivity), positive("epsilon", epsilon)
        if not 0.0 < delta < 1.0:
            raise DiscreetError(f"delta is {delta!r}, but Gaussian noise needs one above 0 and below 1.")
        low, high = 1e-6, 1.0
        while excess(high, budget) > delta:
            low, high = high, 2.0 * high
        for _ in range(200):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if excess(middle, budget) <= delta else (middle, high)
        return cls(high * change * (1.0 + 1e-12), delta)

    def release(self, value: float, rng: Generator) -> float:
        """Return the value with noise."""
        return value + self.scale * rng.standard_normal()

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what one release promises at the stated delta."""
        if not self.scale > 0.0 or not 0.0 < self.delta < 1.0:
            return Guarantee.none("no noise is added" if not self.scale > 0.0 else "no delta is given")
        sigma = self.scale / sensitivity
        low, high = 0.0, 1.0
        while excess(sigma, high) > self.delta:
            low, high = high, 2.0 * high
        for _ in range(200):
            middle = (low + high) / 2.0
            low, high = (low, middle) if excess(sigma, middle) <= self.delta else (middle, high)
        return Guarantee(
            epsilon=stated(high * (1.0 + 1e-13)), delta=self.delta, model=model, status="proved", source=source
        )

    def noise(self) -> dict[str, Any]:
        """Return kind and scale."""
        return {"kind": "gaussian", "scale": self.scale}


def excess(sigma: float, epsilon: float) -> float:
    """Return the least delta at which noise of ``sigma`` on a value of sensitivity 1 has the given epsilon."""
    from scipy.special import log_ndtr

    first = float(log_ndtr(0.5 / sigma - epsilon * sigma))
    second = epsilon + float(log_ndtr(-0.5 / sigma - epsilon * sigma))
    return math.exp(first) * -math.expm1(min(second - first, 0.0))
