"""One gradient in one report: by how much a public model is wrong about a record."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.channels.reporting import Reporting, exact_direction, length_of, on_devices
from discreet.contracts import Floats, Noise, NoiseScale, Record
from discreet.errors import check_int, check_positive
from discreet.guarantee import Guarantee
from discreet.lengths import check_context, check_query
from discreet.mechanisms import Hemisphere
from discreet.ranges import Range, make_range

DIAMETER = 2.0  # of the unit ball


class Residuals(Reporting[Floats]):
    """Reports ψ x / |x| with noise, ψ = (z - y) / (1 + |z|): a direction to move the public point θ, which is the query.

    z = ⟨x, θ⟩ is the predicted reward, brought into [-1, 1]; y in [-1, 1] is the true one. The
    division by 1 + |z|, the largest |z - y| that was possible, makes ψ fill [-1, 1] whatever the
    prediction is, so that no room of the unit ball is wasted; its mean is 0 where θ predicts right.

    Formal guarantee: the vector has a length of at most 1 whatever the record is; each report is
    private by itself (docs/proofs.md: Directions, Devices).

    Edge cases: outcomes are clamped, contexts shortened to ``norm``; those shorter than 1e-140, or
    not finite, count as 0.

    >>> Residuals.calibrated(noise=Hemisphere.calibrate(dimension=10, epsilon=1.0)).guarantee.short
    '1-differential privacy'
    """

    bounds: Range
    norm: float
    noise: Noise
    released: Raw[Floats]  # to work in; what is left in it was released

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
        """Return one to check the contract with."""
        return cls.calibrated(dimension=3, noise=Hemisphere.calibrate(dimension=3, epsilon=2.0))

    def statistic(self, feedback: Record, query: Floats, vector: Floats) -> None:
        """Write in which direction the point should move."""
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
        """Leave the vector: it is in its units."""

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, which vectors of length at most 1 have."""
        return self._replace(noise=exact_direction(self.noise, self.guarantee))

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        source = (
            f"{self.noise.kind} mechanism on one residual of each record (docs/proofs.md: "
            "Directions, Devices)"
        )
        return on_devices(self.noise, DIAMETER, self.released.size, source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise on a vector of length at most 1."""
        return (self.noise.noise_scale,) if self.noise.scale > 0.0 else ()
