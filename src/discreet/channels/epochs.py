"""Running sums of vectors for an unknown number of rounds: a fresh tree for each epoch, and epochs that double."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.channels.epochs_live import LiveEpochs
from discreet.channels.tree import Tree, is_known, tree_noise, unproved
from discreet.contracts import Channel, Floats, Generator, Integers
from discreet.curves import LaplaceNoise, Pure
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.guarantee import Guarantee
from discreet.kernel import Component
from discreet.mechanisms import Gaussian

LONGEST = 2**31  # rounds of the last epoch: more than anybody plays, and sums of losses near 0 are still precise
NOISES = ("laplace", "spherical", "cube", "gaussian")
SPLITS = ("restarts", "hybrid", "tapered")


class Scaled(Component):
    """Noise of a mechanism, times a factor that can be set."""

    mechanism: Any
    factor: Floats  # of the next draw
    unscaled: Floats

    @classmethod
    def of(cls, mechanism: Any, dimension: int) -> Scaled:
        """Return the mechanism's own noise for vectors, to be scaled."""
        return cls(mechanism, np.ones(1), np.zeros(dimension))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Add noise to every coordinate, in place."""
        for i in range(vector.size):
            self.unscaled[i] = 0.0
        self.mechanism.perturb(self.unscaled, rng)
        for i in range(vector.size):
            vector[i] += self.factor[0] * self.unscaled[i]


class Epochs(Channel):
    """Releases every prefix sum of a stream of vectors, however long it is going to be.

    The epochs have ``first``, 2 ``first``, 4 ``first``, .. rounds, up to 2^31. Each has a binary tree of its own, whose
    root is the *total* of the epoch; what is released is the sum of the totals of all finished epochs and of the nodes of
    the running one. A round is in one total and in at most one node on each of the k levels *inside* of its epoch, so one
    tree pays for it (docs/proofs.md: Unknown horizons). Totals stay for ever and inner nodes do not, so how an epoch
    splits its guarantee matters; the total gets the share

    * ``restarts``: 1 / (k + 1), like any other level: an ordinary tree for each epoch;
    * ``hybrid``: 1 / 2 (Chan, Shi & Song 2011, "Private and continual release of statistics");
    * ``tapered``: (k + 1)^(-1/2) for Gaussian and (k + 1)^(-2/3) for pure noise, and the ratio of the largest error to
      that of a tree that knows the number of rounds tends to 1; it is the best of the three for long streams.

    Where nothing is inside, the total gets all. Memory is that of a tree with 32 levels.
    """

    one_stream = True

    tree: Tree
    first: int
    on_total: Floats  # epoch: factor of the noise on its root
    on_inside: Floats  # epoch: factor of the noise on every other node
    epoch: Integers  # the running one, from 0
    finished: Floats  # noisy totals of the finished epochs, added up
    released: Floats

    @classmethod
    def over(cls, losses: Any, mechanism: Any, *, split: str = "tapered", first: int = 1) -> Epochs:
        """Return the channel before the first round; ``mechanism`` has the noise that one release would need."""
        length = check_int("first", first, least=1, most=LONGEST)
        if length & (length - 1):
            raise DiscreetError(f"first is {first}, but must be a power of two: the total of an epoch is one node.")
        levels = np.arange(length.bit_length() - 1, LONGEST.bit_length())
        tree = Tree.over(losses, mechanism, prefixes=LONGEST)
        return cls(
            tree._replace(mechanism=Scaled.of(mechanism, losses.dimension)),
            length,
            *factors(split, levels, squared=isinstance(mechanism, Gaussian)),
            np.zeros(1, np.int64),
            *(np.zeros(losses.dimension) for _ in range(2)),
        )

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with the noise of its nodes."""
        epoch = self.epoch[0]
        if epoch >= self.on_total.size:
            return False, self.released
        last = self.tree.seen[0] + 1 == self.first << epoch  # then the one node that is complete now is the root
        self.tree.mechanism.factor[0] = self.on_total[epoch] if last else self.on_inside[epoch]
        self.tree.offer(feedback, query, rng)
        for i in range(self.released.size):
            self.released[i] = self.finished[i] + self.tree.released[i]
        if last:
            for i in range(self.released.size):
                self.finished[i] = self.released[i]
            self.tree.restart()
            self.epoch[0] += 1
        return True, self.released

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin anew. It costs no privacy if other rounds follow: none may be told again."""
        self.tree.restart()
        self.epoch[0] = 0
        self.finished[:] = 0.0

    def live(self) -> LiveEpochs:
        """Return the channel with exact noise: with restarts only, whose epochs are ordinary trees."""
        restarts = factors("restarts", np.arange(self.on_total.size) + self.first.bit_length() - 1, squared=self._squared)
        if not np.array_equal(restarts[0], self.on_total):
            raise DiscreetError(
                "sums of an unknown number of rounds can be used live with split='restarts' only, not hybrid or tapered."
            )
        if self.tree.seen[0] > 0 or self.epoch[0] > 0:
            raise DiscreetError("the channel has seen rounds already, but live use begins before the first.")
        return LiveEpochs(self.losses, self.mechanism, first=self.first, promise=self.guarantee)

    def variances(self, rounds: int) -> Floats:
        """Return the variance of each released sum in units of that of the mechanism's own noise, exactly.

        >>> from discreet.sets import Box
        >>> Epochs.over(Box([0.0], [1.0]), Gaussian(1.0, 1e-6), split="restarts").variances(7).round(6)
        array([1., 3., 3., 6., 6., 9., 6.])
        """
        times = np.arange(1, check_int("rounds", rounds, least=1) + 1)
        epochs = np.frexp((times + self.first - 1) // self.first)[1] - 1
        lengths = self.first << epochs.astype(np.int64)
        nodes, left = np.zeros(times.size), times + self.first - lengths  # rounds of the running epoch, in binary
        last = left == lengths
        while left.any():
            nodes += left & 1
            left >>= 1
        running: Floats = np.where(last, self.on_total[epochs] ** 2, self.on_inside[epochs] ** 2 * nodes)
        before: Floats = np.concatenate([[0.0], np.cumsum(self.on_total**2)])[epochs]
        return before + running

    @property
    def losses(self) -> Any:
        """The set of possible vectors: what comes is projected onto it first."""
        return self.tree.losses

    @property
    def mechanism(self) -> Any:
        """The noise before it is scaled."""
        return self.tree.mechanism.mechanism

    @property
    def _squared(self) -> bool:
        """Whether shares of the guarantee are shares of μ², and not of ε."""
        return isinstance(self.mechanism, Gaussian)

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves all nodes together, each in units of its factor: the most in any epoch."""
        levels = np.arange(self.on_total.size) + self.first.bit_length() - 1
        one = Tree.over(self.losses, self.mechanism, prefixes=1).sensitivity
        if self._squared:
            return float(one * math.sqrt((1.0 / self.on_total**2 + levels / self.on_inside**2).max()))
        return float(one * (1.0 / self.on_total + levels / self.on_inside).max())

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        if not is_known(self.mechanism):
            return unproved(self.mechanism)
        source = "doubling epochs of binary trees, adaptive inputs (docs/proofs.md: Unknown horizons)"
        promise: Guarantee = self.mechanism.guarantee(self.sensitivity, model="central", source=source)
        if isinstance(promise.curve, LaplaceNoise):  # that curve is proved for one number, and a round is in many
            promise = replace(promise, curve=Pure(promise.curve.epsilon))
        return promise

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """Two noises, in the running epoch: on its total and on every other node."""
        epoch = min(int(self.epoch[0]), self.on_total.size - 1)
        one = self.mechanism.noise()
        return tuple(one | {"scale": float(part[epoch]) * one["scale"]} for part in (self.on_total, self.on_inside))


def epoch_noise(losses: Any, *, epsilon: float, delta: float, noise: str) -> Any:
    """Return the mechanism that an ``Epochs`` channel scales for a guarantee: the least noise on one vector.

    ``noise`` is laplace, spherical, cube or gaussian.
    """
    if noise not in NOISES:
        raise unknown_name("noise", noise, NOISES)
    return tree_noise(losses, prefixes=1, epsilon=epsilon, delta=delta, noise=noise)


def factors(split: str, levels: Integers, *, squared: bool) -> tuple[Floats, Floats]:
    """Return by how much the noise on totals, and on nodes inside, is larger than that on one release, rounded up.

    ``levels`` is the number of levels inside of each epoch. Shares of ε add up, and those of μ² for Gaussian noise
    (``squared``): a release with the share s of it has 1 / s times the noise, or 1 / sqrt(s) times.
    """
    if split not in SPLITS:
        raise unknown_name("split", split, SPLITS)
    falling = -1.0 if split == "restarts" else -1.0 / 2.0 if squared else -2.0 / 3.0
    total: Floats = np.where(levels > 0, 0.5, 1.0) if split == "hybrid" else np.power(levels + 1.0, falling)
    each: Floats = np.where(levels > 0, (1.0 - total) / np.maximum(levels, 1), 1.0)
    power = -0.5 if squared else -1.0
    up = 1.0 + 1e-14
    return total**power * up, each**power * up
