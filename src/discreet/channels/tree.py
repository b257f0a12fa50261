"""Running sums of vectors by a binary tree of noisy nodes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.channels.live import Live
from discreet.channels.rounding import Checked, affordable, check_precise, exact_grid
from discreet.contracts import Channel, Floats, Generator, Integers
from discreet.curves import LaplaceNoise, Pure
from discreet.errors import DiscreetError, check_int
from discreet.factorisations import reduction
from discreet.guarantee import Guarantee
from discreet.kernel import copy
from discreet.mechanisms import CubeLaplace, ExactCube, ExactGaussian, ExactLaplace, Gaussian, Laplace, SphericalLaplace

PURE = ((Laplace | ExactLaplace, 1.0), (SphericalLaplace, 2.0), (CubeLaplace | ExactCube, math.inf))  # and their norms
NORMAL = Gaussian | ExactGaussian


class Tree(Channel):
    """Releases every prefix sum of a stream of vectors, from noisy sums of dyadic blocks of rounds.

    Prefix t is the sum of one node for each binary digit 1 of t. A node gets noise once, when all its rounds are over,
    and a round is in at most k = floor(log2 m) + 1 nodes, m the number of released prefixes; so the joint sensitivity is
    k times that of one vector (pure noise), sqrt(k) times (Gaussian), also when later vectors depend on earlier
    releases (docs/proofs.md: Tree levels, Adaptive trees). After m rounds nothing more is released.

    ``weights`` turn the noisy nodes at and below a node into its best estimate (Honaker's reduction from below); ones use
    the node alone. ``padding`` adds noise to every prefix until it holds as many draws as the largest (Agarwal & Singh
    2017, Algorithm 2), which buys no pure privacy and is never counted (Tree levels). In live use vectors, and so nodes,
    are on a grid, and so is their noise (Sums on a grid); what is computed from noisy nodes is as private as they are.
    """

    one_stream = True

    losses: Any  # the set of possible vectors: what comes is projected onto it first
    mechanism: Any
    prefixes: int
    padding: bool
    grid: float  # in live use vectors are rounded to multiples of it, so that sums are exact; 0 in simulation
    weights: Floats  # of a node's own noisy sum, level by level
    seen: Integers
    sums: Floats  # level, coordinate: sums of complete nodes
    estimates: Floats  # level, coordinate: the same, noisy
    towers: Floats  # level, coordinate: estimates of this node and of all larger ones of the same prefix
    vector: Floats
    node: Floats
    released: Floats

    @classmethod
    def over(cls, losses: Any, mechanism: Any, *, prefixes: int, reduced: bool = False, padding: bool = False) -> Tree:
        """Return the channel before the first round."""
        rounds = check_int("prefixes", prefixes, least=1)
        if hasattr(mechanism, "step"):
            raise DiscreetError("mechanism is exact noise, but must be noise for simulation: live() makes it exact.")
        check_precise(losses, rounds)
        levels = rounds.bit_length()
        shape = levels, losses.dimension
        return cls(
            losses,
            mechanism,
            rounds,
            padding,
            0.0,
            reduction(levels) if reduced else np.ones(levels),
            np.zeros(1, np.int64),
            *(np.zeros(shape) for _ in range(3)),
            *(np.zeros(losses.dimension) for _ in range(3)),
        )

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with the noise of its nodes."""
        if self.seen[0] >= self.prefixes:
            return False, self.released
        time = self.seen[0] + 1
        size = self.vector.size
        for i in range(size):
            self.vector[i] = feedback[i]
        self.losses.project(self.vector)  # in place; now it holds the sum of the node that grows from level to level
        if self.grid > 0.0:
            for i in range(size):
                self.vector[i] = np.rint(self.vector[i] / self.grid) * self.grid
        reduced = self.weights[self.weights.size - 1] < 1.0
        level = 0
        while True:
            last = (time >> level) & 1 == 1
            if last or reduced:
                for i in range(size):
                    self.node[i] = self.vector[i]
                self.mechanism.perturb(self.node, rng)
            if reduced:
                weight = self.weights[level]
                for i in range(size):
                    below = 0.0 if level == 0 else self.estimates[level - 1, i] + self.released[i]
                    self.released[i] = weight * self.node[i] + (1.0 - weight) * below
                    self.node[i] = self.released[i]
            if last:
                break
            for i in range(size):
                self.vector[i] += self.sums[level, i]
            level += 1
        larger = level + 1
        while larger < self.weights.size and (time >> larger) & 1 == 0:
            larger += 1
        for i in range(size):
            self.sums[level, i] = self.vector[i]
            self.estimates[level, i] = self.node[i]
            above = self.towers[larger, i] if larger < self.weights.size else 0.0
            self.towers[level, i] = self.node[i] + above
            self.released[i] = self.towers[level, i]
        self.seen[0] = time  # only now: a round that fails before leaves no trace, and its place to the next one
        if self.padding:
            digits = 0
            while time > 0:
                digits += time & 1
                time >>= 1
            for _ in range(self.weights.size - digits):
                self.mechanism.perturb(self.released, rng)
        return True, self.released

    def rounds_seen(self) -> int:
        """Return how many rounds came."""
        return int(self.seen[0])

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin anew. It costs no privacy if other rounds follow: none may be told again."""
        self.seen[0] = 0  # nodes are written before they are read

    def live(self) -> LiveTree:
        """Return the channel with exact noise, before the first round."""
        promise, sensitivity = self.guarantee, self.sensitivity
        step = 2.0 * self.mechanism.exact_for(promise, sensitivity).step  # more noise may need twice the step
        losses = Checked.of(self.losses)
        grid = max(step, exact_grid(losses.largest(math.inf), self.prefixes))
        rounded = copy(self)._replace(losses=losses, grid=grid)
        rounded.restart()
        affordable(rounded.sensitivity / sensitivity - 1.0, self.prefixes)
        return LiveTree(*rounded._replace(mechanism=self.mechanism.exact_for(promise, rounded.sensitivity)))

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves all nodes together, in the norm of the noise."""
        levels = self.weights.size
        for kind, norm in PURE:
            if isinstance(self.mechanism, kind):
                return float(levels * self._reach(norm))
        if isinstance(self.mechanism, NORMAL):
            return float(math.sqrt(levels) * self._reach(2.0))
        raise DiscreetError(
            f"mechanism is a {type(self.mechanism).__name__}, but must be Laplace, SphericalLaplace, CubeLaplace or "
            "Gaussian noise: of no other it is known what several nodes cost together."
        )

    def _reach(self, norm: float) -> float:
        """Return by how much a replaced vector moves; on a grid every coordinate may move by one step more."""
        return float(self.losses.diameter(norm)) + self.grid * math.pow(self.losses.dimension, 1.0 / norm)

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        if not is_known(self.mechanism):
            return unproved(self.mechanism)
        sections = "Tree levels, Adaptive trees" if self.grid == 0.0 else "Tree levels, Adaptive trees, Sums on a grid"
        source = f"binary tree, adaptive inputs (docs/proofs.md: {sections})"
        promise: Guarantee = self.mechanism.guarantee(self.sensitivity, model="central", source=source)
        if isinstance(promise.curve, LaplaceNoise):  # that curve is proved for one number, and a round is in many
            promise = replace(promise, curve=Pure(promise.curve.epsilon))
        return promise

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each node."""
        return (self.mechanism.noise(),)


class LiveTree(Live, Tree):
    """A tree in live use."""

    __slots__ = ()


def is_known(mechanism: object) -> bool:
    """Return whether it is proved what noise of this kind on several nodes costs together."""
    return isinstance(mechanism, NORMAL) or any(isinstance(mechanism, kind) for kind, _ in PURE)


def unproved(mechanism: object) -> Guarantee:
    """Return no guarantee, and why."""
    return Guarantee.none(f"nothing is proved of running sums with {type(mechanism).__name__} noise")


def tree_noise(losses: Any, *, prefixes: int, epsilon: float, delta: float, noise: str) -> Any:
    """Return the least noise on the nodes for a guarantee; ``noise`` is laplace, spherical, cube or gaussian."""
    levels = check_int("prefixes", prefixes, least=1).bit_length()
    if noise == "gaussian":
        reach = math.sqrt(levels) * losses.diameter(2.0)
        return Gaussian.calibrate(sensitivity=reach, epsilon=epsilon, delta=delta)
    kinds: dict[str, tuple[Any, float]] = {
        "laplace": (Laplace, 1.0),
        "spherical": (SphericalLaplace, 2.0),
        "cube": (CubeLaplace, math.inf),
    }
    kind, norm = kinds[noise]
    return kind.calibrate(sensitivity=levels * losses.diameter(norm), epsilon=epsilon)
