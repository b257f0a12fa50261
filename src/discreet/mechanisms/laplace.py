"""The Laplace mechanism, for one number and for vectors coordinate by coordinate."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Self

from discreet.contracts import Generator
from discreet.curves import LaplaceNoise
from discreet.errors import check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.drawing import draw_laplace
from discreet.mechanisms.exact import ExactLaplace
from discreet.mechanisms.shapes import LaplaceShape


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
        """Return the least noise for epsilon; it needs no delta."""
        return cls.calibrate(sensitivity=sensitivity, epsilon=epsilon)

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one number with noise; ``perturb`` is for vectors."""
        return float(value) + draw_laplace(
            self.scale, rng
        )  # one number: a vector would get the same noise everywhere

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactLaplace:
        """Return the exact twin that keeps a guarantee for this sensitivity (of vectors: in L1)."""
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
