"""Running sums of moments at a trusted server, released when a model is fitted: joint model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, compiled_as
from discreet.channels.batch import UNREACHABLE
from discreet.channels.moments import ROOT, MomentShape
from discreet.channels.residuals import length_of
from discreet.channels.rounding import Moves
from discreet.channels.running_sum import RunningSum
from discreet.contracts import Floats, Generator, Integers, NoiseScale, Record
from discreet.contracts.channel import ENDLESS
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.factorisations import Buffered, Factorisation, Tree
from discreet.factorisations.blt import Buffers
from discreet.guarantee import RECORD, Guarantee
from discreet.least_squares import MomentPlaces
from discreet.lengths import check_context
from discreet.ranges import Range, make_range
from discreet.sensitivities import moments

UP = 1.0 + 2.0**-40  # covers rounding in weights and moments
FINEST = 2.0**30  # steps in 1: the weighted moments of a record are multiples of 2^-30
EXACT = 2.0**53  # whole numbers up to this are doubles
RECORDS, RELEASES = 0, 1  # entries of ``seen``


def _weigh(
    unit: Floats, reward: float, places: MomentPlaces, weights: Floats, linear: float, to: Floats
) -> None:
    last = places.rows.size
    for k in range(last):
        to[k] = weights[k] * unit[places.rows[k]] * unit[places.columns[k]]
    for i in range(unit.size):
        to[last + i] = linear * reward * unit[i]


@compiled_as(_weigh)
def weigh(
    unit: Floats, reward: float, places: MomentPlaces, weights: Floats, linear: float, to: Floats
) -> None:
    """Write the weighted moments x x' at some places, and then y x."""
    last = places.rows.size
    to[:last] = weights * unit[places.rows] * unit[places.columns]
    to[last:] = linear * reward * unit


def _add_rounded(held: Floats, vector: Floats, grid: float) -> None:
    for i in range(held.size):
        held[i] += math.floor(vector[i] * grid + 0.5)


@compiled_as(_add_rounded)
def add_rounded(held: Floats, vector: Floats, grid: float) -> None:
    """Add a vector, rounded to a grid, in steps of it."""
    held += np.floor(vector * grid + 0.5)


class RunningMoments(MomentShape[float]):
    """Releases the noisy running sum of the moments x x' and y x of all records, at some times.

    The trusted server holds the records and publishes only functions of noisy sums. The records
    between two of the public ``times`` form a batch, and the sums of batches are the vectors of a
    running sum. Replacing a record moves the vector of one batch by at most ``movement``, for
    batches of any length, and the running sum hides this (docs/proofs.md: Moments, Moments in
    batches, Factorisations). Except to the person of a round, nothing else about that round is
    visible (joint model).

    With blocks (``places``), entries that belong to the blocks of two arms are not released. They
    are 0 for every record that fits the blocks; in other records they are ignored.

    Terms are added exactly, on a grid; the sensitivity includes one step of it per number.

    >>> times = np.array([10, 20, 40, 80])
    >>> channel = RunningMoments.calibrated(dimension=3, times=times, epsilon=1.0, delta=1e-6)
    >>> channel.guarantee.short, channel.guarantee.model, channel.running.prefixes
    ('(1, 1e-06)-differential privacy', 'joint', 4)
    """

    one_stream = True

    places: MomentPlaces
    weights: Floats  # of x x'
    times: Integers  # numbers of records after which there is a release
    rounds: int  # the number it is made for; nothing is released after the last time
    grid: float  # steps in 1
    running: RunningSum
    seen: Integers  # records, and releases
    unit: Raw[Floats]  # scratch: the features of a record
    vector: Raw[Floats]  # scratch: its moments, and the sum of a batch
    held: Raw[Floats]  # the sum of the current batch, in steps of the grid
    released: Raw[Floats]

    @classmethod
    def calibrated(
        cls,
        *,
        dimension: int,
        times: Integers,
        rounds: int = ENDLESS,
        epsilon: float,
        delta: float = 0.0,
        balance: float = 1.0,
        bounds: Range | None = None,
        norm: float = 1.0,
        places: MomentPlaces | None = None,
        matrix: Buffers | None = None,
    ) -> Self:
        """Return the least noisy channel: Gaussian on a BLT, or spherical without a delta.

        With a delta, ``matrix`` is the BLT to use instead of the one with the least noise in sums.
        """
        size, due = check_int("dimension", dimension, minimum=1), check_times(times)
        linear = math.sqrt(check_range("balance", balance, 1e-6, 1e6))
        where = MomentPlaces.of(size) if places is None else places
        numbers = where.rows.size + size
        largest = UP * max(1.0, linear)
        longest = int(np.diff(due, prepend=0).max())
        grid = grid_of(longest, largest)
        kind: type[Factorisation] | Factorisation = Buffered if delta > 0.0 else Tree
        if matrix is not None and delta > 0.0:
            kind = Buffered.over(matrix, prefixes=due.size, dimension=numbers)
        running = RunningSum.calibrated(
            Moves(
                numbers,
                UP * joint_movement(size, where, linear) + math.sqrt(numbers) / grid,
                longest * (largest + 1.0 / grid),
            ),
            kind,
            prefixes=due.size,
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
            places=where,
            weights=np.where(where.rows == where.columns, 1.0, ROOT),
            times=due,
            rounds=check_int("rounds", rounds, minimum=1, maximum=ENDLESS),
            grid=grid,
            running=running,
            seen=np.zeros(2, np.int64),
            unit=np.zeros(size),
            vector=np.zeros(numbers),
            held=np.zeros(numbers),
            released=np.zeros(numbers),
        )

    example_feedback: ClassVar[Record] = Record(np.array([0.6, -0.3]), 0.75)

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(dimension=2, times=np.arange(1, 21), epsilon=2.0)

    def form(self, feedback: Record, vector: Floats) -> None:
        """Write the weighted moments of a record; context and outcome are clamped first."""
        features = feedback.features
        check_context(features.size, self.dimension)
        length = length_of(features)
        factor = 0.0 if length == 0.0 else 1.0 / max(length, self.norm)
        for i in range(self.dimension):
            self.unit[i] = 0.0 if factor == 0.0 else factor * features[i]
        reward = 1.0 - 2.0 * self.bounds.fraction(self.bounds.clamp(feedback.outcome))
        weigh(self.unit, reward, self.places, self.weights, self.linear, vector)

    def unweigh(self, vector: Floats) -> None:
        """Divide by the weights."""
        for k in range(self.weights.size):
            vector[k] /= self.weights[k]
        for i in range(self.weights.size, vector.size):
            vector[i] /= self.linear

    def movement(self) -> float:
        """Return how far replacing a record moves the weighted vector, at most."""
        return joint_movement(self.dimension, self.places, self.linear, self.weights)

    def take(self, feedback: Record, query: float) -> bool:
        """Add a record to the sum of the batch; return whether the batch is full."""
        turn = self.seen[RELEASES]
        if turn >= self.times.size:
            return False
        self.form(feedback, self.vector)
        add_rounded(self.held, self.vector, self.grid)
        self.seen[RECORDS] += 1
        return bool(self.seen[RECORDS] >= self.times[turn])

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Add the batch to the running sum, and release the running sum."""
        for i in range(self.held.size):
            self.vector[i] = self.held[i] / self.grid
            self.held[i] = 0.0
        self.seen[RELEASES] += 1
        ready, sums = self.running.offer(self.vector, query, rng)
        for i in range(self.released.size):
            self.vector[i] = 0.0
            self.released[i] = sums[i]
        for i in range(self.dimension):
            self.unit[i] = 0.0
        self.unweigh(self.released)
        return ready, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.released

    def check_held(self) -> None:
        """Refuse sums that so many records cannot have."""
        turn, records = int(self.seen[RELEASES]), int(self.seen[RECORDS])
        before = int(self.times[turn - 1]) if 0 < turn <= self.times.size else 0
        after = int(self.times[turn]) if 0 <= turn < self.times.size else before
        largest = (records - before) * (self.grid * max(1.0, self.linear) * UP + 1.0)
        if not (
            0 <= turn <= self.times.size
            and before <= records <= after
            and self.running.rounds_seen() == turn
            and (np.abs(self.held) <= largest).all()
        ):
            raise DiscreetError(UNREACHABLE)
        self.running.check_held()

    def rounds_seen(self) -> int:
        """Return how many records were received."""
        return int(self.seen[RECORDS])

    def max_rounds(self) -> int:
        """Return how many rounds it is made for."""
        return self.rounds

    def release_size(self) -> int:
        """Return how many numbers a release has."""
        return self.released.size

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, before the first round."""
        return self._replace(running=self.running._with_exact_noise())

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the running sum, for everyone but the person of the replaced round."""
        known = self.running.guarantee
        if not known.is_private:
            return known
        moved = UP * self.movement() + math.sqrt(self.held.size) / self.grid
        longest = int(np.diff(self.times, prepend=0).max())
        if (
            not moved <= self.running.losses.diameter(2)
            or self.held.size != self.running.losses.dimension
            or self.held.size != self.places.rows.size + self.dimension
            or self.times.size > self.running.prefixes
            or self.grid > grid_of(longest, UP * max(1.0, self.linear))
        ):
            return Guarantee.none("the moments move further than the running sum allows for")
        source = f"{known.source}, of moments (docs/proofs.md: Moments in batches, Devices)"
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


def joint_movement(
    dimension: int, places: MomentPlaces, linear: float, weights: Floats | None = None
) -> float:
    """Return how far replacing a record moves x x' and ``linear`` y x, at these places only.

    Omitting entries never increases the movement. The result is infinite if a place occurs twice or
    is not in the lower triangle.
    """
    rows, columns = places
    inside = (columns >= 0) & (columns <= rows) & (rows < dimension)
    if not inside.all() or np.unique(rows * dimension + columns).size < rows.size:
        return math.inf
    usual = np.where(rows == columns, 1.0, ROOT)
    matrix = 1.0 if weights is None else float((np.abs(weights) / usual).max())
    if not (matrix > 0.0 and linear > 0.0):
        return math.inf
    return moments(
        dimension=dimension, largest=1.0, matrix_scale=1.0 / matrix, vector_scale=1.0 / linear
    )


def grid_of(longest: int, largest: float) -> float:
    """Return the finest grid, at most 2^30, on which batches of this many records add up exactly.

    >>> grid_of(1000, 1.0) == 2.0**30, grid_of(2**30, 1.0) == 2.0**22
    (True, True)
    """
    grid = FINEST
    while longest * (largest * grid + 1.0) > EXACT:
        grid *= 0.5
    return grid


def check_times(times: Integers) -> Integers:
    """Return the times of releases, or refuse times that do not increase."""
    found = np.asarray(times, dtype=np.int64)
    if found.ndim != 1 or found.size < 1 or found[0] < 1 or not (np.diff(found) > 0).all():
        raise DiscreetError(
            "times must be one or more whole numbers of at least 1, in increasing order."
        )
    return found
