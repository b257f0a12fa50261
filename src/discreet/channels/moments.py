"""The moments of one record, in one report, from which a linear model can be learned."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.channels.residuals import Reporting, exact_noise_for, length_of, report_guarantee
from discreet.contracts import Asked, Channel, Floats, Noise, NoiseScale, Record
from discreet.errors import check_int, check_positive, check_range
from discreet.guarantee import Guarantee
from discreet.lengths import check_context
from discreet.mechanisms import Gaussian, Hemisphere
from discreet.ranges import Range, make_range
from discreet.sensitivities import moments

ROOT = math.sqrt(2.0)


class MomentShape(Channel[Record, Floats, Asked]):
    """Forms x x' and y x of a record: features x of length at most 1, and a reward y in [-1, 1].

    Both are one vector: the lower triangle of x x' row by row, weighted, and then y x with its own
    weight. Off the diagonal the weight is sqrt(2) times larger, so that distances equal those of
    matrices.
    """

    bounds: Range
    norm: float
    dimension: int
    diagonal: float  # weights
    off_diagonal: float
    linear: float

    def form(self, feedback: Record, vector: Floats) -> None:
        """Write the weighted moments of a record; context and outcome are clamped first."""
        features, size = feedback.features, self.dimension
        check_context(features.size, size)
        length = length_of(features)
        if length == 0.0:
            for i in range(vector.size):
                vector[i] = 0.0
            return
        factor = 1.0 / max(length, self.norm)
        reward = 1.0 - 2.0 * self.bounds.fraction(self.bounds.clamp(feedback.outcome))
        place, last = 0, vector.size - size
        for i in range(size):
            along = factor * features[i]
            off = self.off_diagonal * factor * along
            for j in range(i):
                vector[place] = off * features[j]
                place += 1
            vector[place] = self.diagonal * along * along
            place += 1
            vector[last + i] = self.linear * reward * along

    def unweigh(self, vector: Floats) -> None:
        """Divide by the weights."""
        size, place = self.dimension, 0
        for i in range(size):
            for _ in range(i):
                vector[place] /= self.off_diagonal
                place += 1
            vector[place] /= self.diagonal
            place += 1
            vector[vector.size - size + i] /= self.linear

    def movement(self) -> float:
        """Return how far replacing a record moves the weighted vector, at most."""
        return moments(
            dimension=self.dimension,
            largest=1.0,
            matrix_scale=1.0 / max(self.diagonal, self.off_diagonal / ROOT),
            vector_scale=1.0 / self.linear,
        )


class Moments(MomentShape[Asked], Reporting[Asked]):
    """Reports x x' and y x of every round as one noisy vector, sent from the device once.

    Formal guarantee: the noise is on one vector. Replacing a record moves it by at most
    ``movement`` (Gaussian noise), or its length is at most 1 (cap, hemisphere). Each report is
    private by itself (docs/proofs.md: Moments, Directions, Devices).

    Edge cases: outcomes are clamped to ``bounds``, contexts are shortened to ``norm``; those with
    entries that are not finite, or shorter than 1e-140, count as 0.

    >>> noise = Hemisphere.calibrate(dimension=65, epsilon=1.0)
    >>> channel = Moments.calibrated(dimension=10, noise=noise)
    >>> channel.guarantee.short, channel.guarantee.model
    ('1-differential privacy', 'local')
    >>> gaussian = Moments.gaussian(dimension=10, epsilon=1.0, delta=1e-5, balance=2.0)
    >>> [round(gaussian.noise.scale / weight, 6) for weight in gaussian[3:6]]
    [10.55182, 7.461263, 7.461263]
    """

    noise: Noise
    released: Raw[Floats]  # scratch; it keeps only released values

    @classmethod
    def calibrated(
        cls,
        *,
        dimension: int,
        noise: Noise,
        balance: float = 1.0,
        bounds: Range | None = None,
        norm: float = 1.0,
    ) -> Self:
        """Return the channel with noise for vectors of length at most 1; see ``moment_weights``."""
        size = check_int("dimension", dimension, minimum=1)
        first, second = moment_weights(balance, length=1.0)
        return cls(
            bounds=bounds or make_range(-1.0, 1.0),
            norm=check_positive("norm", norm),
            dimension=size,
            diagonal=first,
            off_diagonal=ROOT * first,
            linear=second,
            noise=noise,
            released=np.zeros(moment_size(size)),
        )

    @classmethod
    def gaussian(
        cls,
        *,
        dimension: int,
        epsilon: float,
        delta: float,
        balance: float = 2.0,
        bounds: Range | None = None,
        norm: float = 1.0,
    ) -> Self:
        """Return the channel with the least Gaussian noise on all moments together."""
        plain = cls.calibrated(
            dimension=dimension,
            noise=Gaussian(0.0, delta),
            balance=balance,
            bounds=bounds,
            norm=norm,
        )
        first, second = 1.0, math.sqrt(balance)
        weighted = plain._replace(diagonal=first, off_diagonal=ROOT * first, linear=second)
        noise = Gaussian.calibrate(sensitivity=weighted.movement(), epsilon=epsilon, delta=delta)
        return weighted._replace(noise=noise)

    example_feedback: ClassVar[Record] = Record(np.array([0.6, -0.3, 0.2]), 0.75)

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(dimension=3, noise=Hemisphere.calibrate(dimension=9, epsilon=2.0))

    def statistic(self, feedback: Record, query: Asked, vector: Floats) -> None:
        """Write the weighted moments."""
        self.form(feedback, vector)

    def finish(self, vector: Floats) -> None:
        """Divide by the weights."""
        self.unweigh(vector)

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise for vectors of length at most 1."""
        return self._replace(noise=exact_noise_for(self.noise, self.guarantee))

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        source = (
            f"{self.noise.kind} mechanism on the moments of each record (docs/proofs.md: Moments, "
            "Directions, Devices)"
        )
        return report_guarantee(self.noise, self.movement(), self.released.size, source)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise on y x, in the units of y from -1 to 1."""
        found = self.noise.noise_scale.times(1.0 / self.linear)
        return (found,) if found.scale > 0.0 else ()


def moment_size(dimension: int) -> int:
    """Return how many numbers the moments of n features have: n (n + 3) / 2.

    >>> moment_size(10)
    65
    """
    return dimension * (dimension + 3) // 2


def moment_weights(balance: float, *, length: float) -> tuple[float, float]:
    """Return the weights of x x' and y x; their squares sum to length², with ratio ``balance``."""
    ratio = check_range("balance", balance, 1e-6, 1e6)
    return length / math.sqrt(1.0 + ratio), length * math.sqrt(ratio / (1.0 + ratio))
