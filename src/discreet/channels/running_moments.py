"""Running sums of moments at a trusted server: the joint model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.channels.moments import ROOT, MomentShape, moment_size
from discreet.channels.rounding import Moves
from discreet.channels.running_sum import RunningSum
from discreet.contracts import Floats, Generator, NoiseScale, Record
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.factorisations import Buffered, Factorisation, Tree
from discreet.guarantee import RECORD, Guarantee
from discreet.ranges import Range, make_range
from discreet.sensitivities import moments

UP = 1.0 + 2.0**-40  # covers rounding in weights and moments


class RunningMoments(MomentShape[float]):
    """Releases the noisy running sum of the moments x x' and y x of all records so far.

    The server is trusted with records, and shows nothing but what follows from noisy sums. Formal
    guarantee: replacing a record moves one weighted vector by at most ``movement``, which the
    running sum hides (docs/proofs.md: Moments, Factorisations, Devices). Everyone except the person
    of a round sees no more of that round than this (joint model).

    >>> channel = RunningMoments.calibrated(dimension=3, prefixes=999, epsilon=1.0, delta=1e-6)
    >>> channel.guarantee.short, channel.guarantee.model
    ('(1, 1e-06)-differential privacy', 'joint')
    """

    one_stream = True

    running: RunningSum
    vector: Raw[Floats]
    released: Raw[Floats]

    @classmethod
    def calibrated(
        cls,
        *,
        dimension: int,
        prefixes: int,
        epsilon: float,
        delta: float = 0.0,
        balance: float = 1.0,
        bounds: Range | None = None,
        norm: float = 1.0,
    ) -> Self:
        """Return the channel with least noise: Gaussian on a BLT, or spherical without a delta."""
        size = check_int("dimension", dimension, minimum=1)
        linear = math.sqrt(check_range("balance", balance, 1e-6, 1e6))
        moved = moments(dimension=size, largest=1.0, matrix_scale=1.0, vector_scale=1.0 / linear)
        kind: type[Factorisation] = Buffered if delta > 0.0 else Tree
        running = RunningSum.calibrated(
            Moves(moment_size(size), UP * moved, max(1.0, linear) * UP),
            kind,
            prefixes=prefixes,
            noise="gaussian" if delta > 0.0 else "spherical",
            epsilon=epsilon,
            delta=delta,
        )
        return cls(
            bounds=bounds or make_range(-1.0, 1.0),
            norm=check_positive("norm", norm),
            dimension=size,
            diagonal=1.0,
            off_diagonal=ROOT,
            linear=linear,
            running=running,
            vector=np.zeros(moment_size(size)),
            released=np.zeros(moment_size(size)),
        )

    example_feedback: ClassVar[Record] = Record(np.array([0.6, -0.3]), 0.75)

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(dimension=2, prefixes=20, epsilon=2.0)

    def take(self, feedback: Record, query: float) -> bool:
        """Take a record; return whether a release is due."""
        self.form(feedback, self.vector)
        return self.running.take(self.vector, query)

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release the sum of all moments."""
        ready, sums = self.running.release(query, rng)
        for i in range(self.released.size):
            self.vector[i] = 0.0
            self.released[i] = sums[i]
        self.unweigh(self.released)
        return ready, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds were received."""
        return self.running.rounds_seen()

    def release_size(self) -> int:
        """Return how many numbers a release has."""
        return self.released.size

    def _with_exact_noise(self) -> Self:
        """Refuse: moments are not on a grid yet."""
        raise DiscreetError("running sums of moments are for simulation only.")

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the running sum, for everyone but the person of the replaced round."""
        known = self.running.guarantee
        if not known.is_private:
            return known
        if (
            self.movement() > self.running.losses.diameter(2)
            or self.vector.size != self.running.losses.dimension
        ):
            return Guarantee.none("the moments move further than the running sum was made for")
        source = f"{known.source}, of moments (docs/proofs.md: Moments, Devices)"
        return replace(known, model="joint", source=source, datum=RECORD)

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.running.has_gaussian_noise

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise of the running sum, in the units of y from -1 to 1."""
        return tuple(noise.times(1.0 / self.linear) for noise in self.running.noise_scales)

    def _check_copy(self) -> None:
        self.running._check_copy()
