"""Running sums for an unknown number of rounds: the sums of each epoch begin again, and epochs double."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from componentjit import Raw, copy
from discreet.channels.rounding import Checked, affordable
from discreet.channels.running_sum import SEEN, RunningSum, Stream
from discreet.contracts import Floats, Generator, Integers, Noise, NoiseScale
from discreet.curves import Approximate, Pure
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.factorisations import Factorisation, Shares, Spread, Tree
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace, noise_named
from discreet.sets import Box, ConvexSet, Projected

LONGEST = (
    2**31
)  # rounds of the last epoch: more than anybody plays, and sums of losses near 0 are still precise
AUDITED = 7  # rounds that an audit listens to: three epochs, if the first has one round
SPLITS = Tree.splits


class Scaled(Noise):
    """Noise times a factor that can be set."""

    noise: Noise
    factor: Floats  # of the next draw
    unscaled: Raw[Floats]

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise to every coordinate, in place."""
        for i in range(vector.size):
            self.unscaled[i] = 0.0
        self.noise.perturb(self.unscaled, rng)
        for i in range(vector.size):
            vector[i] += self.factor[0] * self.unscaled[i]


class ExactScaled(Noise):
    """The same in live use: exact noise for the movement of one vector times the factor, made when it is first needed."""

    compiles = False
    is_exact: ClassVar[bool] = True

    noise: Noise
    keeps: Guarantee
    moved: float
    factor: Floats
    twins: dict[float, Noise]

    def twin(self, factor: float) -> Noise:
        """Return the exact noise for a factor."""
        if factor not in self.twins:
            self.twins[factor] = self.noise.exact(self.keeps, self.moved * factor)
        return self.twins[factor]

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise to every coordinate, in place."""
        self.twin(float(self.factor[0])).perturb(vector, rng)


class Restarting(Stream):
    """Releases every prefix sum of a stream of vectors, however long it is going to be.

    The epochs have ``first``, 2 ``first``, 4 ``first``, .. rounds, up to 2^31. In each the running
    sum begins again, and the last one is the *total* of the epoch; what is released is the sum of
    the totals of all finished epochs and the running sum of this one. A round is in one epoch,
    which pays for it (docs/proofs.md: Unknown horizons). Totals stay for ever and what is inside of
    an epoch does not, so how an epoch splits its guarantee matters. The root of a tree is the total
    of its epoch; with k levels below, it gets the share

    * ``restarts``: 1 / (k + 1), like any other level: an ordinary tree for each epoch;
    * ``hybrid``: 1 / 2 (Chan, Shi & Song 2011, "Private and continual release of statistics");
    * ``tapered``: (k + 1)^(-1/2) for Gaussian and (k + 1)^(-2/3) for pure noise, and the ratio of
      the largest error to that of a tree that knows the number of rounds tends to 1; it is the best
      of the three for long streams.

    Where nothing is inside, the total gets all. Other factorisations have no root, and can be
    restarted only. Memory is that of a running sum for 2^31 rounds: 32 levels of a tree, a few
    buffers.
    """

    sums: RunningSum  # of the running epoch; its noise is scaled
    first: int
    on_total: Floats  # epoch: factor of the noise in its last round
    on_inside: Floats  # epoch: factor of all other noise
    epoch: Integers  # the running one, from 0
    finished: Raw[Floats]  # noisy totals of the finished epochs, added up
    released: Raw[Floats]

    @classmethod
    def over(
        cls,
        losses: ConvexSet,
        noise: Noise,
        kind: type[Factorisation] = Tree,
        *,
        split: str = "tapered",
        first: int = 1,
    ) -> Restarting:
        """Return the channel before the first round; ``noise`` is what one vector would need."""
        length = check_int("first", first, least=1, most=LONGEST)
        if length & (length - 1):
            raise DiscreetError(
                f"first is {first}, but must be a power of two: the total of an epoch is one node."
            )
        if split not in SPLITS:
            raise unknown_name("split", split, SPLITS)
        sums = RunningSum.over(losses, noise, kind, prefixes=LONGEST)
        shares = (
            sums.factorisation.shares(split, noise, lengths_from(length))
            if sums.factorisation.allows(noise)
            else ONES
        )
        size = losses.dimension
        return cls(
            sums=sums._replace(
                noise=Scaled(noise=noise, factor=np.ones(1), unscaled=np.zeros(size))
            ),
            first=length,
            on_total=shares.on_total,
            on_inside=shares.on_inside,
            epoch=np.zeros(1, np.int64),
            finished=np.zeros(size),
            released=np.zeros(size),
        )

    @classmethod
    def calibrated(
        cls,
        losses: ConvexSet,
        kind: type[Factorisation] = Tree,
        *,
        noise: str,
        epsilon: float,
        delta: float = 0.0,
        split: str = "tapered",
        first: int = 1,
    ) -> Restarting:
        """Return the channel with the least noise for a guarantee; noise is laplace, spherical, cube or gaussian."""
        named = noise_named(noise)
        least = named.for_guarantee(
            sensitivity=losses.diameter(named.norm), epsilon=epsilon, delta=delta
        )
        return cls.over(losses, least, kind, split=split, first=first)

    example_feedback: ClassVar[Floats] = np.array([0.5, -0.25, 1.0])

    @classmethod
    def example(cls) -> Restarting:
        """Return one to check the contract with."""
        return cls.over(Box.cube(3, -1.0, 1.0), Laplace(6.0))

    def take(self, feedback: Floats, query: float) -> bool:
        """Take a vector; return whether its sum is to be released."""
        if self.sums.seen[SEEN] >= self.first << self.epoch[0]:  # the epoch is over
            for i in range(self.released.size):
                self.finished[i] = self.released[i]
            self.sums.restart()
            self.epoch[0] += 1
        if self.epoch[0] >= self.on_total.size:
            return False
        return self.sums.take(feedback, query)

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release the sum of all vectors so far, with noise."""
        epoch = self.epoch[0]
        if epoch >= self.on_total.size:
            return False, self.released
        last = self.sums.seen[SEEN] + 1 == self.first << epoch
        scaled: Any = self.sums.noise
        scaled.factor[0] = self.on_total[epoch] if last else self.on_inside[epoch]
        ready, part = self.sums.release(query, rng)
        if not ready:
            return False, self.released
        for i in range(self.released.size):
            self.released[i] = self.finished[i] + part[i]
        return True, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Return that nothing is released."""
        return False, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds came."""
        return int(self.first * ((1 << int(self.epoch[0])) - 1)) + self.sums.rounds_seen()

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin again. It costs no privacy if other rounds follow: none may be told again."""
        self.sums.restart()
        self.epoch[0] = 0
        self.finished[:] = 0.0

    def with_noise(self, noise: Noise) -> Restarting:
        """Return a copy with other noise, scaled as this one is."""
        twin = copy(self)
        scaled = Scaled(noise=noise, factor=np.ones(1), unscaled=np.zeros(self.released.size))
        return twin._replace(sums=twin.sums._replace(noise=scaled))

    def rounds_to_audit(self) -> int:
        """Return the rounds of three epochs, if the first has one round."""
        return AUDITED

    def round_to_attack(self) -> int:
        """Return the first round of the third epoch."""
        return AUDITED // 2

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, before the first round.

        All epochs have one grid, on which the longest has exact sums, and which is no finer than
        any of their noise.
        """
        if self.noise.is_exact:
            return self
        factorisation = self.sums.factorisation
        if not factorisation.adds_up_vectors:
            raise DiscreetError(
                "an unknown number of rounds cannot be "
                "summed "
                "live by "
                f"{factorisation.name}, "
                "whose "
                "rounding errors grow "
                "with the rounds: use tree or honaker."
            )
        checked, guarantee = Checked.of(self.losses), self.guarantee
        moved = self._movement(checked)
        most = max(float(self.on_total.max()), float(self.on_inside.max()))
        step = 2.0 * self.noise.exact(guarantee, moved * most).step
        rounded = checked._replace(grid=factorisation.input_grid(checked.largest(math.inf), step))
        affordable(self._movement(rounded) / moved - 1.0, LONGEST)
        twin = copy(self)
        noise = ExactScaled(
            noise=self.noise,
            keeps=guarantee,
            moved=self._movement(rounded),
            factor=np.ones(1),
            twins={},
        )
        exact = twin._replace(sums=twin.sums._replace(losses=rounded, noise=noise))
        exact.restart()
        return exact

    def variances(self, rounds: int) -> Floats:
        """Return the variance of each released sum in units of that of the noise on one vector, exactly.

        >>> from discreet.mechanisms import Gaussian
        >>> from discreet.sets import Box
        >>> Restarting.over(Box([0.0], [1.0]), Gaussian(1.0, 1e-6), split="restarts").variances(7).round(6)
        array([1., 3., 3., 6., 6., 9., 6.])
        """
        times = np.arange(1, check_int("rounds", rounds, least=1) + 1)
        epochs = np.frexp((times + self.first - 1) // self.first)[1] - 1
        lengths = self.first << epochs.astype(np.int64)
        inside = times + self.first - lengths  # rounds of the running epoch
        unit = self.sums.factorisation.variances(int(lengths.max()))
        running = (
            np.where(inside == lengths, self.on_total[epochs] ** 2, self.on_inside[epochs] ** 2)
            * unit[inside - 1]
        )
        known = np.arange(int(epochs.max()) + 1)
        totals = self.on_total[known] ** 2 * unit[(self.first << known) - 1]
        before = np.concatenate([[0.0], np.cumsum(totals)])[epochs]
        found: Floats = before + running
        return found

    def max_rounds(self) -> int:
        """Return the rounds of all epochs."""
        return self.first * ((1 << self.on_total.size) - 1)

    def variances_by_digits(self) -> Floats:
        """Return a bound on the variance of a sum of fewer than 2^j vectors, for every j, in the same units."""
        unit = self.sums.factorisation.variances_by_digits()
        digits = np.minimum(
            np.arange(self.on_total.size) + self.first.bit_length(), unit.size - 1
        )  # of whole epochs
        totals = self.on_total**2 * (
            1.0 if self.sums.factorisation.adds_up_vectors else unit[digits]
        )
        largest = (
            np.cumsum(totals) - totals + np.maximum(totals, self.on_inside**2 * unit[digits - 1])
        )
        starts = self.first * ((1 << np.arange(self.on_total.size)) - 1) + 1
        begun = np.searchsorted(
            starts, 2 ** np.arange(1, LONGEST.bit_length() + 1) - 1, side="right"
        )
        return np.concatenate([[0.0], largest[begun - 1]])

    def noise_spread(self) -> Spread:
        """Return how large the noise in a prefix sum is."""
        variances = self.variances_by_digits()
        return Spread(
            float(self.on_total[0]), math.sqrt(float(variances[-1])), variances.size, False
        )

    @property
    def losses(self) -> Projected:
        """The set of possible vectors: what comes is projected onto it first."""
        return self.sums.losses

    @property
    def noise(self) -> Noise:
        """The noise before it is scaled; in live use, exact."""
        scaled: Any = self.sums.noise
        noise: Noise = scaled.twin(1.0) if scaled.is_exact else scaled.noise
        return noise

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves all rows together, each in units of its factor: the most in any epoch."""
        lengths = lengths_from(self.first)[: self.on_total.size]
        shares = Shares(self.on_total, self.on_inside)
        moved = self._movement(self.losses)
        return self.sums.factorisation.epoch_cost(self.noise, lengths, shares) * moved

    def _movement(self, losses: Projected) -> float:
        """Return how far a replaced vector moves in the norm of the noise."""
        return self.noise.combined(1) * float(losses.diameter(self.noise.norm))

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        factorisation, noise = self.sums.factorisation, self.noise
        if not factorisation.allows(noise):
            kind = type(noise).__name__
            return Guarantee.none(
                f"nothing is proved of running sums by {factorisation.name} with {kind} noise"
            )
        what = "binary trees" if factorisation.adds_up_vectors else "Gaussian factorisations"
        sections = "Sums on a grid, Unknown horizons" if noise.is_exact else "Unknown horizons"
        source = f"doubling epochs of {what}, adaptive inputs (docs/proofs.md: {sections})"
        stated = noise.joint_guarantee(self.sensitivity, model="central", source=source)
        if not noise.is_exact:
            return stated
        scaled: Any = self.sums.noise
        epsilon, delta = (
            scaled.keeps.epsilon,
            scaled.keeps.delta,
        )  # which the noise of every epoch keeps
        curve = Pure(epsilon) if delta == 0.0 else Approximate(epsilon, delta)
        return replace(stated, epsilon=epsilon, delta=delta, curve=curve)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """Two noises, in the running epoch: on its total and on everything else."""
        over = (
            self.sums.seen[SEEN] >= self.first << self.epoch[0]
        )  # then the next one begins with the next vector
        epoch = min(int(self.epoch[0]) + int(over), self.on_total.size - 1)
        scaled: Any = self.sums.noise
        factors = float(self.on_total[epoch]), float(self.on_inside[epoch])
        if scaled.is_exact:
            return tuple(scaled.twin(factor).noise_scale for factor in factors)
        return tuple(self.noise.noise_scale.times(factor) for factor in factors)

    def _check_copy(self) -> None:
        self._refuse_twin(self.rounds_seen())


ONES = Shares(np.ones(LONGEST.bit_length()), np.ones(LONGEST.bit_length()))


def lengths_from(first: int) -> list[int]:
    """Return the lengths of all epochs."""
    return [1 << level for level in range(first.bit_length() - 1, LONGEST.bit_length())]
