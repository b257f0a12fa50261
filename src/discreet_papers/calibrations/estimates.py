"""The noise that Faster rates 2025 prints for batched EXP4."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet import Guarantee
from discreet.composition import composed
from discreet.contracts import Channel, Estimate, Floats, Generator, Integers, NoiseScale
from discreet.curves import Approximate, Pure
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.lengths import check_query
from discreet.mechanisms import Laplace
from discreet.ranges import Range, check_bounds, grid_for, make_range


class PaperEstimates(Channel[float, Floats, Estimate]):
    """Releases the mean over a batch of query · loss, with Laplace noise on every coordinate.

    These are Algorithms 2 and 7. Coordinate j gets the scale 3 sqrt(N ln(1 / δ)) D(j) / ε for the
    mean, D(j) = K / (γ τ) (Algorithm 2) or the largest entry of its queries, over τ (Algorithm 7).
    Each coordinate is then private with ε / (3 sqrt(N ln(1 / δ))). The composition of all N gives
    far less than ε, so there is more noise than needed: ``Estimates`` has the least.
    """

    one_stream = True
    draws_while_taking = True

    size: int
    bounds: Range
    strength: float  # scale of the noise for sensitivity 1 in a coordinate
    cap: float  # K / γ: entries of queries are cut off there; 0 for the largest entry of each batch
    delta: float
    unit: Laplace  # noise of scale 1, which is multiplied
    seen: Integers
    sums: Raw[Floats]
    largest_entries: Floats
    released: Raw[Floats]

    @classmethod
    def over(
        cls,
        *,
        size: int,
        coordinates: int,
        bounds: Range,
        epsilon: float,
        delta: float,
        cap: float = 0.0,
    ) -> PaperEstimates:
        """Return the channel before the first round; ``cap`` is 0 for Algorithm 7."""
        if not 0.0 < delta < 1.0:
            raise DiscreetError(
                f"delta is {delta!r}, but the paper's noise needs delta above 0 and below 1."
            )
        strength = (
            3.0
            * math.sqrt(coordinates * math.log(1.0 / delta))
            / check_positive("epsilon", epsilon)
        )
        state = (np.zeros(check_int("coordinates", coordinates, minimum=1)) for _ in range(3))
        rounds = check_int("batch_size", size, minimum=1)
        return cls(
            rounds,
            check_bounds(bounds),
            strength,
            float(cap),
            delta,
            Laplace(1.0),
            np.zeros(1, np.int64),
            *state,
        )

    example_query: ClassVar[Estimate] = Estimate(
        1, 4.0, np.array([0.0, 0.5, 1.0]), np.array([3.0, 2.0, 1.0]), 6.0
    )

    @classmethod
    def example(cls) -> PaperEstimates:
        """Return one to check the contract with."""
        return cls.over(
            size=5, coordinates=3, bounds=make_range(), epsilon=1.0, delta=1e-6, cap=8.0
        )

    def offer(self, feedback: float, query: Estimate, rng: Generator) -> tuple[bool, Floats]:
        """Add a loss, times its query; when the batch is full, release the mean with noise."""
        if self.seen[0] == 0:
            self.sums[:] = 0.0
            self.largest_entries[:] = self.cap
        check_query(query.vector.size, self.sums.size)
        for j in range(self.sums.size):  # first, so that a refused query contributes nothing
            if not abs(query.factor * query.vector[j]) < math.inf:
                raise DiscreetError("the query has an entry that is not a finite number.")
        grid = grid_for(self.size)
        loss = self.bounds.steps(feedback, grid) / grid
        for j in range(self.sums.size):
            entry = query.factor * query.vector[j]
            if self.cap > 0.0:
                entry = min(max(entry, -self.cap), self.cap)
            self.sums[j] += entry * loss
            self.largest_entries[j] = max(self.largest_entries[j], abs(entry))
        self.seen[0] += 1
        if self.seen[0] < self.size:
            return False, self.released
        self.seen[0] = 0
        for j in range(self.sums.size):
            noise = 0.0
            if self.largest_entries[j] > 0.0:
                scale = self.strength * self.largest_entries[j]
                noise = scale * self.unit.add_noise(0.0, rng)
            self.released[j] = (self.sums[j] + noise) / self.size
        return True, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds of the batch have arrived."""
        return int(self.seen[0])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def _with_exact_noise(self) -> Self:
        """Refuse: this noise is for comparison."""
        raise DiscreetError("the paper's noise is for comparison only and cannot be used live.")

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is actually added: N coordinates, each private by itself."""
        if not self.strength > 0.0:
            return Guarantee.none("no noise is added")
        epsilon = composed([Pure(1.0 / self.strength)], self.delta, times=self.sums.size)
        source = (
            "composition of one Laplace mechanism for each expert (docs/proofs.md: Composition, "
            "Estimates)"
        )
        return Guarantee.of(
            Approximate(epsilon, self.delta), delta=self.delta, model="central", source=source
        )

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise for an entry of 1, in the units of the losses."""
        scale = (
            self.strength * self.bounds.width / self.size * (self.cap if self.cap > 0.0 else 1.0)
        )
        kind = (
            "laplace" if self.cap > 0.0 else "laplace, times the largest entry of a batch's queries"
        )
        return (NoiseScale(kind, scale),)
