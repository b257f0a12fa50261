"""Channels of devices: each turns a record into one vector and adds noise once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, helper
from discreet.channels.rounding import Moves
from discreet.contracts import Asked, Channel, Floats, Generator, Noise, NoiseScale, Record
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.guarantee import RECORD, REPORTS, Guarantee
from discreet.lengths import check_context, check_query
from discreet.mechanisms import Hemisphere
from discreet.ranges import Range, make_range

SHORTEST = 1e-140  # length of a context: squares of shorter ones underflow


@helper
def length_of(features: Floats) -> float:
    """Return the length of a context; 0 if it is not finite, or too short to compute."""
    total = 0.0
    for i in range(features.size):
        part = float(features[i])
        total += part * part
    return math.sqrt(total) if SHORTEST * SHORTEST <= total < math.inf else 0.0


class Reporting(Channel[Record, Floats, Asked]):
    """Reports one vector per round: ``statistic`` forms it, noise is added, ``finish`` rescales it.

    A program can also call the three steps separately.
    """

    holds_feedback = False

    @property
    def noise(self) -> Noise:
        """The noise on the vector."""
        raise NotImplementedError

    @property
    def released(self) -> Floats:
        """The buffer for the vector; it keeps only released values."""
        raise NotImplementedError

    def statistic(self, feedback: Record, query: Asked, vector: Floats) -> None:
        """Write the raw vector, before noise is added."""
        raise NotImplementedError

    def finish(self, vector: Floats) -> None:
        """Convert a noisy vector to the units that the server learns from."""
        raise NotImplementedError

    def offer(self, feedback: Record, query: Asked, rng: Generator) -> tuple[bool, Floats]:
        """Report the vector, with fresh noise."""
        self.statistic(feedback, query, self.released)
        self.noise.perturb(self.released, rng)
        self.finish(self.released)
        return True, self.released

    def release_size(self) -> int:
        """Return how many numbers a report has."""
        return self.released.size

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian


def report_guarantee(noise: Noise, reach: float, size: int, source: str) -> Guarantee:
    """Return the guarantee of a report of ``size`` numbers that move by ``reach`` in the 2-norm."""
    if not noise.fits_vectors_of(size):
        raise DiscreetError(
            f"noise is {noise.kind}, but must be calibrated for vectors of {size} numbers."
        )
    # Bounds for one number are tighter than for vectors, unless the noise is made for one vector.
    state = noise.guarantee if math.isnan(noise.across) else noise.joint_guarantee
    found = state(Moves(size, reach, reach).diameter(noise.norm), model="local", source=source)
    return replace(found, seen=REPORTS, datum=RECORD) if found.is_private else found


def exact_noise_for(noise: Noise, guarantee: Guarantee) -> Noise:
    """Return exact noise for a vector of length at most 1, or refuse noise that needs a grid."""
    if noise.is_gaussian:
        raise DiscreetError(
            "noise is gaussian, which reports of vectors cannot draw exactly: use noise=hemisphere."
        )
    return noise.exact(guarantee, 2.0)


DIAMETER = 2.0  # of the unit ball, which all reported vectors lie in


class Residuals(Reporting[Floats]):
    """Reports ψ x / |x| with noise, ψ = (z - y) / (1 + |z|): how to move the public point θ.

    θ is the query. z = ⟨x, θ⟩ is the predicted reward, clamped to [-1, 1]; y in [-1, 1] is the true
    one. Dividing by 1 + |z|, the largest possible |z - y|, makes ψ fill [-1, 1] for every
    prediction, so that reports use the whole unit ball. The mean of ψ is 0 if θ predicts correctly.

    Formal guarantee: the vector has a length of at most 1 for every record; each report is private
    by itself (docs/proofs.md: Directions, Devices).

    Edge cases: outcomes are clamped, contexts shortened to ``norm``; those shorter than 1e-140, or
    not finite, count as 0.

    >>> Residuals.calibrated(noise=Hemisphere.calibrate(dimension=10, epsilon=1.0)).guarantee.short
    '1-differential privacy'
    """

    bounds: Range
    norm: float
    noise: Noise
    released: Raw[Floats]  # scratch; it keeps only released values

    @classmethod
    def calibrated(
        cls, *, noise: Noise, dimension: int = 10, bounds: Range | None = None, norm: float = 1.0
    ) -> Self:
        """Return the channel with noise for vectors of length at most 1."""
        size = check_int("dimension", dimension, minimum=1)
        return cls(
            bounds or make_range(-1.0, 1.0), check_positive("norm", norm), noise, np.zeros(size)
        )

    example_feedback: ClassVar[Record] = Record(np.array([0.6, -0.3, 0.2]), 0.75)
    example_query: ClassVar[Floats] = np.array([0.6, 0.0, -0.8])

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(dimension=3, noise=Hemisphere.calibrate(dimension=3, epsilon=2.0))

    def statistic(self, feedback: Record, query: Floats, vector: Floats) -> None:
        """Write the direction in which the point should move."""
        features = feedback.features
        check_context(features.size, vector.size)
        check_query(query.size, vector.size)
        length = length_of(features)
        along, factor = 0.0, 0.0
        if length > 0.0:
            for i in range(features.size):
                along += float(query[i]) * float(features[i])
            along /= max(length, self.norm)
            along = min(1.0, max(-1.0, along)) if along == along else 0.0
            reward = 1.0 - 2.0 * self.bounds.fraction(self.bounds.clamp(feedback.outcome))
            factor = (along - reward) / ((1.0 + abs(along)) * length)
        for i in range(features.size):
            vector[i] = factor * features[i] if length > 0.0 else 0.0

    def finish(self, vector: Floats) -> None:
        """Leave the vector unchanged: it already has the right units."""

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise for vectors of length at most 1."""
        return self._replace(noise=exact_noise_for(self.noise, self.guarantee))

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        source = (
            f"{self.noise.kind} mechanism on one residual of each record (docs/proofs.md: "
            "Directions, Devices)"
        )
        return report_guarantee(self.noise, DIAMETER, self.released.size, source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise on a vector of length at most 1."""
        return (self.noise.noise_scale,) if self.noise.scale > 0.0 else ()
