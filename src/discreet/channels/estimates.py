"""Estimates of many losses from one, released batch by batch: for learners with expert advice."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, helper
from discreet.contracts import Channel, Estimate, Floats, Generator, Integers, NoiseScale
from discreet.curves import Approximate, GaussianNoise, Pure, gaussian_sigma
from discreet.errors import DiscreetError, check_int, check_range
from discreet.guarantee import Guarantee
from discreet.lengths import check_group, check_query
from discreet.mechanisms.laplace import draw_laplace, pure_scale
from discreet.ranges import Range, check_bounds, grid_for, make_range

UP = 1.0 + 1e-9  # covers rounding in the norms
TINY, HUGE = 1e-100, 1e100  # squares of entries between these neither underflow nor overflow
JOINT_GAUSSIAN, JOINT_LAPLACE, GROUPS, FITTED = 0, 1, 2, 3  # the ways to release a batch


@helper
def significant(entry: float) -> float:
    """Return an entry of a query, or 0 if its square would underflow and falsify norms."""
    return 0.0 if abs(entry) < TINY else entry


class Estimates(Channel[float, Floats, Estimate]):
    """Releases the mean of query · loss over a batch, with noise chosen from the public queries.

    A query is a public vector ξ (its ``factor`` times its ``vector``), so replacing the loss of
    round s moves the sum of a batch by at most the width of the range times ξ(s): one number times
    a public vector. All norms of ξ are public, and so are the weights p of errors in the
    coordinates (the query's ``weights``). The channel therefore releases each batch in the way with
    the least Σ p(j) σ(j)² (docs/proofs.md: Estimates):

    * *jointly*, the same noise σ for all coordinates: Gaussian, a max ‖ξ(s)‖₂, or Laplace, max
      ‖ξ(s)‖₁ / ε;
    * *by groups*: rounds of the same group with equal queries are added up, and each such sum gets
      Laplace noise once; the release is Σ over groups of ξ (sum + noise). If advice is constant
      within a batch, a group is an arm and the number of experts does not matter; if it always
      changes, a group is a round;
    * *fitted* (only if ``fits``): Gaussian noise with σ(j)² = a² (D(j) / sqrt(q(j))) Σ sqrt(q(i))
      D(i), D(j) the largest entry of coordinate j, q the average of p and the uniform distribution.

    a is the scale of Gaussian noise for sensitivity 1, which needs a delta. The learner's regret
    bound needs a ``ceiling`` on the noise in a coordinate: if there is a choice, only Gaussian
    noise that is the same for all coordinates may exceed it. A last, incomplete batch is never
    released.
    """

    one_stream = True
    draws_while_taking = True

    size: int
    bounds: Range
    laplace: float  # scale of Laplace noise for sensitivity 1
    gaussian: float  # scale of Gaussian noise for sensitivity 1, or 0 for none
    delta: float
    fits: bool
    ceiling: float  # on the standard deviation in a coordinate, where they differ
    seen: Integers
    way: Integers  # how the last batch was released
    sums: Raw[Floats]  # of query · loss
    # Sum of query · noisy sum over groups. Costs no privacy if the batch is released another way.
    grouped: Raw[Floats]
    squares: Floats  # of the queries, over groups
    largest_entries: Floats
    norms: Floats  # largest 1-norm and 2-norm of a query
    columns: Floats  # group, coordinate: the last query of each group
    held: Raw[Floats]  # group: the sum of its losses since its query changed, in steps of the grid
    known: Integers  # group: whether this batch has a query of it
    released: Raw[Floats]

    @classmethod
    def over(
        cls,
        *,
        size: int,
        coordinates: int,
        groups: int,
        bounds: Range,
        epsilon: float,
        delta: float,
        fits: bool = False,
        ceiling: float = math.inf,
    ) -> Estimates:
        """Return the channel with the least noise for a guarantee, before the first round."""
        rounds = check_int("batch_size", size, minimum=1)
        length = check_int("coordinates", coordinates, minimum=1)
        return cls(
            size=rounds,
            bounds=check_bounds(bounds),
            laplace=pure_scale(1.0, epsilon),
            # 1e-11 covers rounding, so that the stated epsilon, rounded up, is the one asked for.
            gaussian=gaussian_sigma(epsilon, delta) * (1.0 + 1e-11) if delta > 0.0 else 0.0,
            delta=check_range("delta", delta, 0.0, 1.0),
            fits=bool(fits),
            ceiling=float(ceiling),
            seen=np.zeros(1, np.int64),
            way=np.zeros(1, np.int64),
            sums=np.zeros(length),
            grouped=np.zeros(length),
            squares=np.zeros(length),
            largest_entries=np.zeros(length),
            norms=np.zeros(2),
            columns=np.zeros((check_int("groups", groups, minimum=1), length)),
            held=np.zeros(groups),
            known=np.zeros(groups, np.int64),
            released=np.zeros(length),
        )

    example_query: ClassVar[Estimate] = Estimate(
        1, 4.0, np.array([0.0, 0.5, 1.0]), np.array([3.0, 2.0, 1.0]), 6.0
    )

    @classmethod
    def example(cls) -> Estimates:
        """Return an example for the contract tests."""
        return cls.over(
            size=5, coordinates=3, groups=2, bounds=make_range(), epsilon=1.0, delta=1e-6, fits=True
        )

    def offer(self, feedback: float, query: Estimate, rng: Generator) -> tuple[bool, Floats]:
        """Add a loss, times its query; when the batch is full, release the mean with noise."""
        if self.seen[0] == 0:
            self.clear()
        self.note(feedback, query, rng)
        self.seen[0] += 1
        if self.seen[0] < self.size:
            return False, self.released
        self.seen[0] = 0
        self.publish(query, rng)
        return True, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds were received."""
        return int(self.seen[0])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def clear(self) -> None:
        """Begin a batch."""
        self.norms[:] = 0.0
        self.known[:] = 0
        for j in range(self.sums.size):
            self.sums[j] = 0.0
            self.grouped[j] = 0.0
            self.squares[j] = 0.0
            self.largest_entries[j] = 0.0

    def note(self, feedback: float, query: Estimate, rng: Generator) -> None:
        """Add a round's contribution to each way of releasing; a refused query adds nothing."""
        group, factor, count = query.group, query.factor, self.sums.size
        check_group(group, self.known.size)
        check_query(query.vector.size, count)
        check_query(query.weights.size, count)
        fresh = self.known[group] == 0
        one, two = 0.0, 0.0
        for j in range(count):
            entry = significant(factor * query.vector[j])
            one += abs(entry)
            two += entry * entry
            if entry != self.columns[group, j]:
                fresh = True
        if not one < HUGE:  # also true for NaN
            raise DiscreetError("the query has an entry that is not finite, or above 1e100.")
        self.norms[0] = max(self.norms[0], one)
        self.norms[1] = max(self.norms[1], math.sqrt(two))
        if fresh:
            self.settle(group, rng)
            self.known[group] = 1
        grid = grid_for(self.size)
        steps = self.bounds.steps(feedback, grid)
        self.held[group] += steps
        loss = steps / grid
        for j in range(count):
            entry = significant(factor * query.vector[j])
            self.columns[group, j] = entry
            self.sums[j] += entry * loss
            self.largest_entries[j] = max(self.largest_entries[j], abs(entry))

    def settle(self, group: int, rng: Generator) -> None:
        """Add noise to the sum of a group, and only the noisy sum to the estimates."""
        if self.known[group] == 1:
            noisy = self.held[group] / grid_for(self.size) + draw_laplace(self.laplace, rng)
            for j in range(self.sums.size):
                entry = float(self.columns[group, j])
                self.grouped[j] += entry * noisy
                self.squares[j] += entry * entry
        self.held[group] = 0.0

    def publish(self, query: Estimate, rng: Generator) -> None:
        """Release the mean in the way with the least error."""
        for group in range(self.known.size):
            self.settle(group, rng)
        count, limit = self.sums.size, self.ceiling * self.size
        # Standard deviations of both kinds of joint noise, in units of a sum, not of a mean.
        wide = math.sqrt(2.0) * self.laplace * self.norms[0] * UP
        smooth = self.gaussian * self.norms[1] * UP
        use_laplace = smooth == 0.0 or (wide < smooth and wide <= limit)
        jointly = wide * wide if use_laplace else smooth * smooth
        in_groups, most_in_groups, entries = 0.0, 0.0, 0.0
        per_weight, per_square = 1.0 / query.total, 2.0 * self.laplace * self.laplace
        for j in range(count):
            square = per_square * self.squares[j]
            share = query.weights[j] * per_weight
            in_groups += share * square
            most_in_groups = max(most_in_groups, square)
            entries += share * self.largest_entries[j] * self.largest_entries[j]
        by_groups = in_groups < jointly and most_in_groups <= limit * limit
        least = in_groups if by_groups else jointly
        # The left-hand side is a lower bound on the error of a fit, and cheap to compute.
        hope = self.fits and self.gaussian > 0.0 and self.gaussian * self.gaussian * entries < least
        if hope and self.fit(query, limit) < least:
            self.way[0] = FITTED
            for j in range(count):
                self.released[j] = (
                    self.sums[j] + math.sqrt(self.released[j]) * UP * rng.standard_normal()
                ) / self.size
        elif by_groups:
            self.way[0] = GROUPS
            for j in range(count):
                self.released[j] = self.grouped[j] / self.size
        else:
            self.way[0] = JOINT_LAPLACE if use_laplace else JOINT_GAUSSIAN
            for j in range(count):
                noise = (
                    draw_laplace(wide / math.sqrt(2.0), rng)
                    if use_laplace
                    else smooth * rng.standard_normal()
                )
                self.released[j] = (self.sums[j] + noise) / self.size

    def fit(self, query: Estimate, limit: float) -> float:
        """Write each coordinate's noise variance into ``released``; return their weighted sum."""
        count, per_weight = self.sums.size, 1.0 / query.total
        spread = 0.0
        for j in range(count):
            root = math.sqrt(0.5 * query.weights[j] * per_weight + 0.5 / count)
            self.released[j] = self.largest_entries[j] / root
            spread += root * self.largest_entries[j]
        fitted, most = 0.0, 0.0
        for j in range(count):
            square = self.gaussian * self.gaussian * spread * self.released[j]
            self.released[j] = square
            fitted += query.weights[j] * per_weight * square
            most = max(most, square)
        return fitted if most <= limit * limit else math.inf

    def _with_exact_noise(self) -> Self:
        """Refuse: there is no exact noise yet."""
        raise DiscreetError(
            "estimates of many experts cannot be used live yet: use expert-arms over batched-htinf."
        )

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        if not self.laplace > 0.0 or (self.delta > 0.0 and not self.gaussian > 0.0):
            return Guarantee.none("no noise is added")
        theorem = "Theorem 8" if self.fits else "Theorem 6"
        source = (
            f"Faster rates 2025, {theorem}, with public sensitivities (docs/proofs.md: Estimates)"
        )
        pure = 1.0 / self.laplace
        if self.delta == 0.0:
            return Guarantee.of(Pure(pure), delta=0.0, model="central", source=source)
        epsilon = max(pure, GaussianNoise(1.0 / self.gaussian).epsilon_at(self.delta))
        return Guarantee.of(
            Approximate(epsilon, self.delta), delta=self.delta, model="central", source=source
        )

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """The noise for a query of norm 1, in units of the losses; each batch uses one of them."""
        unit = self.bounds.width / self.size
        scales = {"laplace": self.laplace, "gaussian": self.gaussian}
        return tuple(
            NoiseScale(f"{kind}, times the norm of a batch's queries", scale * unit)
            for kind, scale in scales.items()
            if scale > 0.0
        )
