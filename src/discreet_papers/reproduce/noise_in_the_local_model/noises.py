"""The noise of each kind for unit vectors, and how far one report is from its vector: by formulas, which are exact."""

from __future__ import annotations

import math
from typing import Self

from discreet.components import Component
from discreet.contracts import Floats, Generator, Noise
from discreet.mechanisms import (
    Cap,
    Gaussian,
    Hemisphere,
    Laplace,
    RandomisedResponse,
    SphericalLaplace,
)
from discreet.ranges import Range
from discreet_papers.reproduce.noise_in_the_local_model.sweep import (
    CAP,
    DELTA,
    GAUSSIAN,
    HEMISPHERE,
    LAPLACE,
    RESPONSE,
    SPHERICAL,
    Reports,
)

DIAMETER = 2.0  # of the unit ball


class OneCoordinate(Component):
    """Responds for a coordinate that is chosen at random, whatever the vector is, and reports D times the answer there.

    All but the answer is independent of the vector: so it is as private as the response. Its mean
    is the vector.
    """

    response: RandomisedResponse

    @classmethod
    def calibrate(cls, epsilon: float) -> Self:
        """Return it for coordinates from -1 to 1."""
        return cls(RandomisedResponse.calibrate(bounds=Range(-1.0, 1.0), epsilon=epsilon))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Put a report in the place of a vector."""
        chosen = min(int(rng.random() * vector.size), vector.size - 1)
        answer = self.response.add_noise(vector[chosen], rng)
        for i in range(vector.size):
            vector[i] = answer * vector.size if i == chosen else 0.0


def noise_of(reports: Reports) -> Noise | OneCoordinate:
    """Return the noise with which one report of a vector in the unit ball is epsilon-differentially private."""
    size, epsilon = reports.dimension, reports.epsilon
    if reports.kind == RESPONSE:
        return OneCoordinate.calibrate(epsilon)
    if reports.kind == HEMISPHERE or (
        reports.kind == CAP and size == 1
    ):  # in one dimension they are the same
        return Hemisphere.calibrate(dimension=size, epsilon=epsilon)
    if reports.kind == CAP:
        return Cap.calibrate(dimension=size, epsilon=epsilon)
    if reports.kind == LAPLACE:
        return Laplace.calibrate(
            sensitivity=DIAMETER * math.sqrt(size), epsilon=epsilon
        )  # in the 1-norm
    if reports.kind == SPHERICAL:
        return SphericalLaplace.calibrate(sensitivity=DIAMETER, epsilon=epsilon)
    assert reports.kind == GAUSSIAN
    return Gaussian.calibrate(sensitivity=DIAMETER, epsilon=epsilon, delta=DELTA)


def squared_error(reports: Reports) -> float:
    """Return the mean squared distance of one report from its unit vector.

    Reports of fixed length r, of mean v with |v| = 1: r² - 1. Added noise: D times the variance of
    a coordinate.

    >>> round(squared_error(Reports("", HEMISPHERE, 1.0, 10, 1)), 3)  # 8.365047² - 1
    68.974
    >>> round(squared_error(Reports("", LAPLACE, 1.0, 10, 1)), 6)  # 8 D² / ε²
    800.0
    """
    noise, size = noise_of(reports), reports.dimension
    if isinstance(noise, OneCoordinate):
        return (size * noise.response.scale) ** 2 - 1.0
    square = size * noise.deviation(size) ** 2
    return square - 1.0 if noise.is_bounded else square
