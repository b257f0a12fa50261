"""The Gaussian mechanism, calibrated exactly, for one number and for vectors."""

from __future__ import annotations

from typing import Self

from discreet.contracts import Generator
from discreet.curves import GaussianNoise, gaussian_sigma
from discreet.errors import check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.exact import ExactGaussian
from discreet.mechanisms.shapes import GaussianShape


class Gaussian(GaussianShape):
    """Adds normal noise with standard deviation ``scale``; its guarantee is stated at ``delta``.

    A value that moves by at most Δ (a vector: in L2) is released with (ε, δ)-differential privacy
    if and only if Φ(Δ / 2σ - ε σ / Δ) - exp(ε) Φ(-Δ / 2σ - ε σ / Δ) ≤ δ (Balle & Wang 2018, Theorem
    8). The classical formula sqrt(2 ln(1.25 / δ)) Δ / ε adds too much noise for small ε and too
    little for large ε.

    >>> round(Gaussian.calibrate(sensitivity=1.0, epsilon=1.0, delta=1e-5).scale, 4)
    3.7306
    """

    has_exact_twin = True

    scale: float
    delta: float

    def __new__(cls, scale: float, delta: float) -> Self:
        """Return noise of this scale; scale 0 means no noise and no guarantee."""
        return cls._make(
            (check_range("scale", scale, 0.0, 1e300), check_range("delta", delta, 0.0, 1.0))
        )

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float, delta: float) -> Gaussian:
        """Return the least noise, rounded up, with which the sensitivity costs (epsilon, delta)."""
        scale = check_positive("sensitivity", sensitivity) * gaussian_sigma(epsilon, delta)
        # 1e-11 covers rounding, so that the stated epsilon, rounded up, is the one asked for.
        return cls(scale * (1.0 + 1e-11), delta)

    @classmethod
    def for_guarantee(cls, *, sensitivity: float, epsilon: float, delta: float) -> Gaussian:
        """Return the least noise for (epsilon, delta)."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon, delta=delta)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise; ``perturb`` is for vectors."""
        # float() refuses vectors, as for Laplace noise.
        return float(value) + self.scale * rng.standard_normal()

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactGaussian:
        """Return the exact version that keeps the guarantee for this sensitivity (in L2)."""
        return ExactGaussian.calibrate(
            sensitivity=sensitivity, epsilon=guarantee.epsilon, delta=self.delta
        )

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of a release at the stated delta."""
        if not self.scale > 0.0:
            return Guarantee.none("no noise is added")
        change = check_positive("sensitivity", sensitivity)
        delta = check_range("delta", self.delta, 0.0, 1.0)
        return Guarantee.of(
            GaussianNoise(change / self.scale), delta=delta, model=model, source=source
        )
