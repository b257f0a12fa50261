"""Running sums for an unknown number of rounds: epochs double, and each starts a new sum."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from componentjit import Raw, copy
from discreet.channels.rounding import Checked, check_affordable
from discreet.channels.running_sum import SEEN, RunningSum, Stream
from discreet.contracts import Floats, Generator, Integers, Noise, NoiseScale
from discreet.curves import Approximate, Pure
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.factorisations import Factorisation, Shares, Spread, Tree
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace, noise_named
from discreet.mechanisms.exact import SEALED
from discreet.sets import Box, Projected

# Rounds of the last epoch: more than any run has, and sums of losses near 0 are still precise.
LONGEST = 2**31
AUDITED = 7  # rounds that an audit observes: three epochs (1 + 2 + 4) if the first has one round
SPLITS = Tree.splits


class Scaled(Noise):
    """Noise times a factor that can be changed between draws."""

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
    """The same for live use: exact noise for each factor, created when it is first needed."""

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

    def sealed(self) -> SealedScaled:
        """Return the same noise, which only a live run may draw."""
        return SealedScaled(self.noise, self.keeps, self.moved, self.factor, {})


class SealedScaled(ExactScaled):
    """Scaled noise that refuses to be drawn; a live run unseals its own copy."""

    compiles = False

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Refuse."""
        raise DiscreetError(SEALED)

    def unsealed(self) -> ExactScaled:
        """Return the same noise, with nothing drawn yet."""
        return ExactScaled(self.noise, self.keeps, self.moved, self.factor, {})


class Restarting(Stream):
    """Releases every prefix sum of a stream of vectors of unknown length.

    Epochs have ``first``, 2 ``first``, 4 ``first``, .. rounds, up to 2^31. Each starts a new
    running sum, whose last value is the *total* of the epoch. Every release is the sum of the
    totals of all finished epochs and of the running sum of the current one. Each round is in one
    epoch, and only that epoch's noise has to hide it (docs/proofs.md: Unknown horizons). A total
    stays in all later releases, while the sums inside an epoch do not, so it matters how an epoch
    splits its guarantee. The root of a tree is the total of its epoch; with k levels below, it gets
    the share

    * ``restarts``: 1 / (k + 1), like any other level: an ordinary tree for each epoch;
    * ``hybrid``: 1 / 2 (Chan, Shi & Song 2011, "Private and continual release of statistics");
    * ``tapered``: (k + 1)^(-1/2) for Gaussian and (k + 1)^(-2/3) for pure noise. The ratio of the
      largest error to that of a tree that knows the number of rounds tends to 1, so this is the
      best of the three for long streams.

    In an epoch of one round the total gets everything. Other factorisations have no root and allow
    ``restarts`` only. Memory is that of a running sum for 2^31 rounds: 32 levels of a tree, or a
    few buffers.
    """

    sums: RunningSum  # of the current epoch; its noise is scaled
    first: int
    on_total: Floats  # epoch: factor of the noise in its last round
    on_inside: Floats  # epoch: factor of all other noise
    epoch: Integers  # the current one, from 0
    finished: Raw[Floats]  # sum of the noisy totals of all finished epochs
    released: Raw[Floats]

    @classmethod
    def over(
        cls,
        losses: Projected,
        noise: Noise,
        kind: type[Factorisation] = Tree,
        *,
        split: str = "tapered",
        first: int = 1,
    ) -> Restarting:
        """Return the channel before the first round; ``noise`` is for one vector."""
        length = check_int("first", first, minimum=1, maximum=LONGEST)
        if length & (length - 1):
            raise DiscreetError(
                f"first is {first}, but must be a power of two: an epoch's total is one tree node."
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
        losses: Projected,
        kind: type[Factorisation] = Tree,
        *,
        noise: str,
        epsilon: float,
        delta: float = 0.0,
        split: str = "tapered",
        first: int = 1,
    ) -> Restarting:
        """Return the channel with the least noise for a guarantee; ``noise`` is its name."""
        named = noise_named(noise)
        least = named.for_guarantee(
            sensitivity=losses.diameter(named.norm), epsilon=epsilon, delta=delta
        )
        return cls.over(losses, least, kind, split=split, first=first)

    example_feedback: ClassVar[Floats] = np.array([0.5, -0.25, 1.0])

    @classmethod
    def example(cls) -> Restarting:
        """Return an example for the contract tests."""
        return cls.over(Box.cube(3, -1.0, 1.0), Laplace(6.0))

    def take(self, feedback: Floats, query: float) -> bool:
        """Take a vector; return whether a release is due."""
        if self.sums.seen[SEEN] >= self.first << self.epoch[0]:  # the epoch is over
            for i in range(self.released.size):
                self.finished[i] = self.released[i]
            self.sums.restart()
            self.epoch[0] += 1
        if self.epoch[0] >= self.on_total.size:
            return False
        return self.sums.take(feedback, query)

    def check_held(self) -> None:
        """Refuse sums of the epoch that its vectors cannot have."""
        self.sums.check_held()

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
        """Report that nothing is released."""
        return False, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds were received."""
        return int(self.first * ((1 << int(self.epoch[0])) - 1)) + self.sums.rounds_seen()

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Start again from nothing. This costs no privacy as long as no round is told twice."""
        self.sums.restart()
        self.epoch[0] = 0
        self.finished[:] = 0.0

    def with_noise(self, noise: Noise) -> Restarting:
        """Return a copy with other noise, scaled the same way."""
        twin = copy(self)
        scaled = Scaled(noise=noise, factor=np.ones(1), unscaled=np.zeros(self.released.size))
        return twin._replace(sums=twin.sums._replace(noise=scaled))

    def rounds_to_audit(self) -> int:
        """Return the number of rounds in three epochs if the first has one round."""
        return AUDITED

    def round_to_attack(self) -> int:
        """Return the first round of the third epoch."""
        return AUDITED // 2

    def _with_exact_noise(self) -> Self:
        """Return the channel with exact noise, before the first round.

        All epochs share one grid. It is coarse enough for exact sums in the longest epoch, and no
        finer than the noise of any epoch.
        """
        if self.noise.is_exact:
            return self
        factorisation = self.sums.factorisation
        if not factorisation.adds_up_vectors:
            raise DiscreetError(
                f"an unknown number of rounds cannot be summed live with {factorisation.name}, "
                "whose rounding errors grow with the rounds: use tree or honaker."
            )
        checked, guarantee = Checked.of(self.losses), self.guarantee
        moved = self._movement(checked)
        most = max(float(self.on_total.max()), float(self.on_inside.max()))
        step = 2.0 * self.noise.exact(guarantee, moved * most).step
        rounded = checked._replace(grid=factorisation.input_grid(checked.largest(math.inf), step))
        check_affordable(self._movement(rounded) / moved - 1.0, LONGEST)
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
        """Return the exact variance of each released sum, in units of the noise on one vector.

        >>> from discreet.mechanisms import Gaussian
        >>> from discreet.sets import Box
        >>> sums = Restarting.over(Box([0.0], [1.0]), Gaussian(1.0, 1e-6), split="restarts")
        >>> sums.variances(7).round(6)
        array([1., 3., 3., 6., 6., 9., 6.])
        """
        times = np.arange(1, check_int("rounds", rounds, minimum=1) + 1)
        epochs = np.frexp((times + self.first - 1) // self.first)[1] - 1
        lengths = self.first << epochs.astype(np.int64)
        inside = times + self.first - lengths  # rounds of the current epoch
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
        """Return for each j a bound on the variance of sums of fewer than 2^j vectors, as above."""
        unit = self.sums.factorisation.variances_by_digits()
        # Binary digits of the lengths of whole epochs.
        digits = np.minimum(np.arange(self.on_total.size) + self.first.bit_length(), unit.size - 1)
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
        """The set of possible vectors; input is projected onto it first."""
        return self.sums.losses

    @property
    def noise(self) -> Noise:
        """The noise before scaling; exact in live use."""
        scaled: Any = self.sums.noise
        noise: Noise = scaled.twin(1.0) if scaled.is_exact else scaled.noise
        return noise

    @property
    def sensitivity(self) -> float:
        """How far replacing a round moves all rows of an epoch, each in units of its factor."""
        lengths = lengths_from(self.first)[: self.on_total.size]
        shares = Shares(self.on_total, self.on_inside)
        moved = self._movement(self.losses)
        return self.sums.factorisation.epoch_cost(self.noise, lengths, shares) * moved

    def _movement(self, losses: Projected) -> float:
        """Return how far replacing a vector moves it, in the norm of the noise."""
        return self.noise.combined(1) * float(losses.diameter(self.noise.norm))

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee, computed from the noise that is actually added."""
        factorisation, noise = self.sums.factorisation, self.noise
        if not factorisation.allows(noise):
            kind = type(noise).__name__
            return Guarantee.none(
                f"nothing is proved for running sums by {factorisation.name} with {kind} noise"
            )
        what = "binary trees" if factorisation.adds_up_vectors else "Gaussian factorisations"
        sections = "Sums on a grid, Unknown horizons" if noise.is_exact else "Unknown horizons"
        source = f"doubling epochs of {what}, adaptive inputs (docs/proofs.md: {sections})"
        stated = noise.joint_guarantee(self.sensitivity, model="central", source=source)
        if not noise.is_exact:
            return stated
        scaled: Any = self.sums.noise
        # The exact noise of every epoch is calibrated to this pair.
        epsilon, delta = scaled.keeps.epsilon, scaled.keeps.delta
        curve = Pure(epsilon) if delta == 0.0 else Approximate(epsilon, delta)
        return replace(stated, epsilon=epsilon, delta=delta, curve=curve)

    @property
    def noise_scales(self) -> tuple[NoiseScale, ...]:
        """Two noises in the current epoch: on its total and on everything else."""
        # If the epoch is over, the next vector begins the next one.
        over = self.sums.seen[SEEN] >= self.first << self.epoch[0]
        epoch = min(int(self.epoch[0]) + int(over), self.on_total.size - 1)
        scaled: Any = self.sums.noise
        factors = float(self.on_total[epoch]), float(self.on_inside[epoch])
        if scaled.is_exact:
            return tuple(scaled.twin(factor).noise_scale for factor in factors)
        return tuple(self.noise.noise_scale.times(factor) for factor in factors)

    def _check_copy(self) -> None:
        self._refuse_copy(self.rounds_seen())


ONES = Shares(np.ones(LONGEST.bit_length()), np.ones(LONGEST.bit_length()))


def lengths_from(first: int) -> list[int]:
    """Return the lengths of all epochs."""
    return [1 << level for level in range(first.bit_length() - 1, LONGEST.bit_length())]
