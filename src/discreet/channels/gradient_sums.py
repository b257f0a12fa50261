"""Running sums of estimated gradients: of losses, of differences, and of rounded losses."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.channels.batch import UNREACHABLE
from discreet.channels.open import OpenSum
from discreet.channels.per_round import difference
from discreet.channels.rounding import Moves
from discreet.channels.running_sum import RunningSum
from discreet.contracts import (
    Asked,
    Channel,
    Feedback,
    Floats,
    Generator,
    Integers,
    NoiseScale,
    Toss,
)
from discreet.errors import DiscreetError, check_int
from discreet.factorisations import Factorisation, Tree
from discreet.guarantee import Guarantee
from discreet.lengths import check_query
from discreet.ranges import Range, check_bounds, grid_for, make_range

UP = 1.0 + 2.0**-40  # covers rounding in the length of a query


class GradientShape(Channel[Feedback, Floats, Asked]):
    """Adds up numbers times public vectors over a batch, and passes the sum to a running sum.

    A subclass chooses the number and the vector: its ``take`` calls ``add_term``.
    """

    one_stream = True

    size: int
    bounds: Range
    running: Channel[Floats, Floats, float]  # sum of the vectors of all batches
    seen: Integers  # rounds of the current batch
    held: Raw[Floats]  # their sum, in steps of the grid
    vector: Raw[Floats]  # the sum of a full batch

    @classmethod
    def over(cls, running: Channel[Floats, Floats, float], *, size: int, bounds: Range) -> Self:
        """Return the channel before the first round; ``running`` takes one vector per batch."""
        dimension = running.release_size()
        return cls(
            size=check_int("batch_size", size, minimum=1),
            bounds=check_bounds(bounds),
            running=running,
            seen=np.zeros(1, np.int64),
            held=np.zeros(dimension),
            vector=np.zeros(dimension),
        )

    @classmethod
    def calibrated(
        cls,
        kind: type[Factorisation],
        *,
        size: int,
        dimension: int,
        rounds: int,
        bounds: Range,
        noise: str = "gaussian",
        epsilon: float,
        delta: float = 0.0,
    ) -> Self:
        """Return the channel with the least noise; it omits the last batch, which is never used."""
        running = RunningSum.calibrated(
            moves(dimension, size),
            kind,
            prefixes=prefixes_for(rounds, size),
            noise=noise,
            epsilon=epsilon,
            delta=delta,
        )
        return cls.over(running, size=size, bounds=bounds)

    @classmethod
    def without_noise(cls, *, size: int, dimension: int, bounds: Range) -> Self:
        """Return the channel without privacy."""
        return cls.over(
            OpenSum(np.zeros(check_int("dimension", dimension, minimum=1))),
            size=size,
            bounds=bounds,
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(
            Tree,
            size=5,
            dimension=3,
            rounds=100,
            bounds=make_range(-1.0, 3.0),
            noise="laplace",
            epsilon=2.0,
        )

    def outcome_of(self, feedback: Feedback) -> float:
        """Return the number that is multiplied by the query."""
        raise NotImplementedError

    def share_of(self, feedback: Feedback) -> float:
        """Return the outcome's distance from the middle, in widths of the range."""
        share = self.bounds.fraction(self.bounds.clamp(self.outcome_of(feedback))) - 0.5
        return min(0.5, max(-0.5, share))  # only rounding can exceed this

    def add_term(self, share: float, query: Floats) -> bool:
        """Add a share of at most 1/2 times the query; return whether the batch is full."""
        check_query(query.size, self.held.size)
        total = 0.0
        for i in range(query.size):
            total += query[i] * query[i]
        if not total < math.inf:
            raise DiscreetError("the query has an entry that is not finite, or too large.")
        if total > 1.0:
            share /= math.sqrt(total)
        grid = grid_for(self.size)
        for i in range(query.size):
            self.held[i] += math.floor(share * query[i] * grid + 0.5)
        self.seen[0] += 1
        return bool(self.seen[0] >= self.size)

    def check_held(self) -> None:
        """Refuse a sum that so many terms of at most 1/2 cannot have."""
        largest = float(self.seen[0]) * (0.5 * grid_for(self.size) + 1.0)
        if not (0 <= self.seen[0] < self.size and (np.abs(self.held) <= largest).all()):
            raise DiscreetError(UNREACHABLE)
        self.running.check_held()

    def release(self, query: Asked, rng: Generator) -> tuple[bool, Floats]:
        """Add the batch to the running sum, and release the running sum."""
        grid = grid_for(self.size)
        for i in range(self.held.size):
            self.vector[i] = self.held[i] / grid
            self.held[i] = 0.0
        self.seen[0] = 0
        return self.running.offer(self.vector, 1.0, rng)

    def nothing(self, query: Asked) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return self.running.nothing(1.0)

    def rounds_seen(self) -> int:
        """Return how many rounds were received."""
        return int(self.seen[0] + self.size * self.running.rounds_seen())

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.held.size

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, before the first round."""
        return self._replace(running=self.running._with_exact_noise())

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the running sum, for how far replacing a round moves it."""
        known = self.running.guarantee
        if not known.is_private:
            return known
        return replace(
            known, source=f"{known.source}, of gradients (docs/proofs.md: Sums of gradients)"
        )

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.running.has_gaussian_noise

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise of the running sum, in the units of the losses, for queries of length 1."""
        return tuple(noise.times(self.bounds.width) for noise in self.running.noise_scales)

    def _check_copy(self) -> None:
        self.running._check_copy()


class GradientSums(GradientShape[float, Floats]):
    """Releases the running sum of (loss - middle) · query once per batch, in widths of the range.

    A query is a public vector u of length at most 1; longer ones are shortened. Replacing a round
    moves one term of one batch by at most 1 times u, so the running sum has to hide only a movement
    of 1 in the 2-norm (docs/proofs.md: Sums of gradients). Terms are added exactly, on a grid; the
    sensitivity includes one step of it per coordinate.

    Edge cases: losses are clamped first; a last, incomplete batch is never released; a query that
    is not finite, or of the wrong length, is refused.

    >>> channel = GradientSums.calibrated(
    ...     Tree, size=10, dimension=4, rounds=1000, bounds=Range(0.0, 1.0),
    ...     noise="laplace", epsilon=1.0,
    ... )
    >>> channel.guarantee.short, round(channel.noise_scales[0].scale, 6)
    ('1-differential privacy', 14.0)
    """

    example_query: ClassVar[Floats] = np.array([0.6, 0.0, -0.8])

    def outcome_of(self, feedback: float) -> float:
        """Return the number that is multiplied by the query: the loss."""
        return feedback

    def take(self, feedback: float, query: Floats) -> bool:
        """Add a term to the sum of the batch; return whether the batch is full."""
        return self.add_term(self.share_of(feedback), query)


class DifferenceSums(GradientShape[Floats, Floats]):
    """The same for two values per round: the running sum of their difference times the query.

    ``bounds`` is the range of differences, from -2 ζ G to 2 ζ G for points that are 2 ζ apart;
    differences are clamped to it.
    """

    example_feedback: ClassVar[Floats] = np.array([0.3, 0.1])
    example_query: ClassVar[Floats] = np.array([0.6, 0.0, -0.8])

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.calibrated(
            Tree,
            size=2,
            dimension=3,
            rounds=100,
            bounds=make_range(-0.5, 0.5),
            noise="laplace",
            epsilon=2.0,
        )

    def outcome_of(self, feedback: Floats) -> float:
        """Return the difference of both values."""
        return difference(feedback)

    def feedback_size(self) -> int:
        """Return how many losses a round has."""
        return 2

    def take(self, feedback: Floats, query: Floats) -> bool:
        """Add a term to the sum of the batch; return whether the batch is full."""
        return self.add_term(self.share_of(feedback), query)


def moves(dimension: int, size: int) -> Moves:
    """Return how far replacing a round moves the sum of a batch: a query, and the grid's steps."""
    count = check_int("dimension", dimension, minimum=1)
    rounds = check_int("batch_size", size, minimum=1)
    return Moves(count, UP + math.sqrt(count) / grid_for(rounds), 0.5 * rounds + 1.0)


def prefixes_for(rounds: int, size: int) -> int:
    """Return how many sums are used: one per batch except the last, after which play ends."""
    return max(
        check_int("rounds", rounds, minimum=1) // check_int("batch_size", size, minimum=1) - 1, 1
    )


class RoundedSums(GradientShape[float, Toss]):
    """Releases the running sum of ±direction / 2 once per batch; a public coin rounds each loss.

    The sign is + if the loss, as a share of its range, is above the coin. The coin is uniform in
    [0, 1], so the mean of a term is (loss - middle) · direction. Because the coin is public, a
    rounded outcome is a function of the outcome: replacing a round moves one term by at most 1 in
    the 2-norm, as without rounding (docs/proofs.md: Sums of gradients). The advantage: if functions
    are linear and directions uniform, the distribution of a term does not depend on the point where
    the function is evaluated (docs/proofs.md: Noise paid once).
    """

    example_query: ClassVar[Toss] = Toss(np.array([0.6, 0.0, -0.8]), 0.3)

    def outcome_of(self, feedback: float) -> float:
        """Return the number that is rounded: the loss."""
        return feedback

    def take(self, feedback: float, query: Toss) -> bool:
        """Round the outcome and add its term to the batch; return whether the batch is full."""
        above = query.coin < self.share_of(feedback) + 0.5
        return self.add_term(0.5 if above else -0.5, query.direction)
