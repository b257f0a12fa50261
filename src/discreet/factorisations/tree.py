"""Prefix sums by binary trees, and Honaker's better use of the same noise."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw, helper
from discreet.contracts import Floats, Integers, Noise
from discreet.errors import DiscreetError, check_int
from discreet.factorisations.contract import Factorisation, Shares, Spread


class Tree(Factorisation):
    """The binary tree: prefix t is the sum of one node for each binary digit 1 of t.

    A node gets noise once, when all its rounds are over. With m prefixes, a round is in at most
    k = floor(log2 m) + 1 nodes. So the joint sensitivity is k times that of one vector (pure noise)
    or sqrt(k) times (Gaussian), even when later vectors depend on earlier releases (docs/proofs.md:
    Tree levels, Adaptive trees).

    ``padding`` adds noise to every prefix until it has as many draws as the largest (Agarwal &
    Singh 2017, Algorithm 2). This does not improve pure privacy and is never counted (Tree levels).
    On a grid, nodes are exact (Sums on a grid).

    The node that ends in round t is on the level of the lowest binary digit 1 of t. The previous
    value on that level is not read again, so a round overwrites it, and ``advance`` does nothing.
    """

    name: ClassVar[str] = "tree"
    proof: ClassVar[str] = "binary tree, adaptive inputs"
    sections: ClassVar[str] = "Tree levels, Adaptive trees"
    splits: ClassVar[tuple[str, ...]] = ("restarts", "hybrid", "tapered")
    adds_up_vectors: ClassVar[bool] = True

    padding: bool
    sums: Raw[Floats]  # level, coordinate: sums of complete nodes
    # Level, coordinate: the estimated sum of this node and all larger ones of the same prefix.
    towers: Raw[Floats]

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the tree before the first round."""
        shape = prefixes.bit_length(), dimension
        return cls(prefixes=prefixes, padding=padding, sums=np.zeros(shape), towers=np.zeros(shape))

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Add up the node that is complete: the vector, and one node of each smaller size."""
        level = lowest_digit(time)
        for i in range(vector.size):
            self.sums[level, i] = vector[i]
        for smaller in range(level):
            for i in range(vector.size):
                self.sums[level, i] += self.sums[smaller, i]
        for i in range(vector.size):
            noisy[i] = self.sums[level, i]

    def prefix(self, time: int, noisy: Floats, released: Floats) -> None:
        """Add the node to the larger ones of the prefix."""
        level = lowest_digit(time)
        larger = level + 1
        while larger < self.towers.shape[0] and (time >> larger) & 1 == 0:
            larger += 1
        for i in range(noisy.size):
            above = self.towers[larger, i] if larger < self.towers.shape[0] else 0.0
            self.towers[level, i] = noisy[i] + above
            released[i] = self.towers[level, i]

    def raw_sums(self, rounds: int) -> Floats:
        """Return all nodes, including those that are not read again."""
        return self.sums

    def forget(self) -> None:
        """Empty the nodes, although they would be overwritten before they are read."""
        self.sums[:] = 0.0

    def pads(self, time: int) -> int:
        """Return how many draws the prefix lacks compared to the largest."""
        if not self.padding:
            return 0
        digits = 0
        while time > 0:
            digits += time & 1
            time >>= 1
        return int(self.towers.shape[0]) - digits

    def without_padding(self) -> Self:
        """Return the tree without padding."""
        return self._replace(padding=False)

    def sensitivity(self, noise: Noise | type[Noise], rounds: int) -> float:
        """Return the cost of a round that is in a node on each level."""
        return noise.combined(rounds.bit_length())

    def noise_spread(self) -> Spread:
        """Return the spread of sums of 1 to k nodes, or of k with padding."""
        levels = self.towers.shape[0]
        most = math.sqrt(levels)
        return Spread(most if self.padding else 1.0, most, levels, self.padding)

    def variances_by_digits(self) -> Floats:
        """Return the largest number of nodes in a sum: one for each digit."""
        levels = self.towers.shape[0]
        return np.array(
            [0.0, *(float(levels if self.padding else each) for each in range(1, levels + 1))]
        )

    def variances(self, rounds: int) -> Floats:
        """Return the number of nodes of every prefix."""
        nodes: Floats = digits_of(rounds).sum(axis=1).astype(np.float64)
        return nodes

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return k times the number of nodes of every prefix."""
        nodes = digits_of(check_int("rounds", rounds, minimum=1))
        found: Floats = nodes.sum(axis=1).astype(np.float64) * nodes.shape[1]
        return found

    def shares(self, split: str, noise: Noise, lengths: list[int]) -> Shares:
        """Return the noise on the total of every epoch, its root, and on the nodes inside.

        With k levels inside, the total gets the share 1 / (k + 1) of the guarantee (restarts), 1 /
        2 (hybrid) or (k + 1)^(-2 / (2 + p)) (tapered). The levels inside get equal parts of the
        rest. Shares of ε add up (p = 1); for Gaussian noise, shares of μ² do (p = 2). A release
        with share s has s^(-1 / p) times the noise. Everything is rounded up.
        """
        if split not in self.splits:
            return Factorisation.shares(self, split, noise, lengths)
        levels: Integers = np.array([length.bit_length() - 1 for length in lengths])
        falling = -1.0 if split == "restarts" else -2.0 / (2.0 + noise.across)
        total: Floats = (
            np.where(levels > 0, 0.5, 1.0) if split == "hybrid" else np.power(levels + 1.0, falling)
        )
        each: Floats = np.where(levels > 0, (1.0 - total) / np.maximum(levels, 1), 1.0)
        power = -1.0 / noise.across
        up = 1.0 + 1e-14
        return Shares(total**power * up, each**power * up)

    def epoch_cost(self, noise: Noise, lengths: list[int], shares: Shares) -> float:
        """Return the cost of a round in the total of its epoch and in one node per level inside."""
        levels = np.array([length.bit_length() - 1 for length in lengths])
        power = noise.across
        most = float((1.0 / shares.on_total**power + levels / shares.on_inside**power).max())
        return math.sqrt(most) if power == 2.0 else most

    def input_grid(self, largest: float, step: float) -> float:
        """Return the finest power of two that makes nodes exact and is not below the noise step."""
        return max(step, exact_grid(largest, self.prefixes))


@helper
def lowest_digit(time: int) -> int:
    """Return the position of the lowest binary digit 1."""
    level = 0
    while (time >> level) & 1 == 0:
        level += 1
    return level


def digits_of(rounds: int) -> Integers:
    """Return the binary digits of 1, 2, .. in rows, the lowest first."""
    return (np.arange(1, rounds + 1)[:, None] >> np.arange(rounds.bit_length())) & 1


def exact_grid(largest: float, rounds: int) -> float:
    """Return the finest power-of-two grid on which that many rounded doubles sum exactly.

    >>> exact_grid(1.0, 2**20) == 2.0**-32
    True
    """
    grid = math.ldexp(1.0, math.frexp(largest)[1] - 53 + rounds.bit_length() - 1)
    while (largest / grid + 1.0) * rounds > 2.0**53 * (1.0 - 2.0**-40):
        grid *= 2.0
    return grid


class Honaker(Tree):
    """A binary tree that estimates a node from its own noisy sum and from all nodes below it.

    In units of one draw, the best estimate of a node on level j has variance v(j): v(0) = 1 and
    1 / v(j) = 1 + 1 / (2 v(j - 1)). v(j) is also the weight of the node's own noisy sum. Guarantees
    are those of the tree: the same nodes get noise once, and estimates use only noisy nodes.
    """

    name: ClassVar[str] = "honaker"
    splits: ClassVar[tuple[str, ...]] = ("restarts",)  # its weights assume equal noise

    weights: Floats  # of a node's own noisy sum, level by level
    estimates: Raw[Floats]  # level, coordinate

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the tree before the first round."""
        if padding:
            raise DiscreetError("padding is for tree, but sums is honaker.")
        levels = prefixes.bit_length()
        return cls(
            prefixes=prefixes,
            padding=False,
            sums=np.zeros((levels, dimension)),
            towers=np.zeros((levels, dimension)),
            weights=reduction(levels),
            estimates=np.zeros((levels, dimension)),
        )

    def rows_due(self, time: int) -> int:
        """Return how many nodes end in this round."""
        return lowest_digit(time) + 1

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Add up the node on the next level."""
        level = lowest_digit(time)
        for i in range(vector.size):
            before = self.sums[level, i] + self.sums[row - 1, i] if row > 0 else vector[i]
            self.sums[level, i] = before
            noisy[i] = before

    def decode(self, time: int, row: int, noisy: Floats) -> None:
        """Replace the noisy node by its best estimate."""
        level = lowest_digit(time)
        weight = self.weights[row]
        for i in range(noisy.size):
            below = 0.0 if row == 0 else self.estimates[row - 1, i] + self.estimates[level, i]
            noisy[i] = weight * noisy[i] + (1.0 - weight) * below
            self.estimates[level, i] = noisy[i]

    def noise_spread(self) -> Spread:
        """Return the spread from the largest node alone to one node of each size."""
        return Spread(
            math.sqrt(float(self.weights[-1])),
            math.sqrt(float(self.weights.sum())),
            self.weights.size,
            False,
        )

    def variances(self, rounds: int) -> Floats:
        """Return the sum of the variances of the nodes of every prefix."""
        nodes = digits_of(rounds)
        found: Floats = nodes @ self.weights[: nodes.shape[1]]
        return found

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return k times the variances of the nodes of every prefix."""
        nodes = digits_of(check_int("rounds", rounds, minimum=1))
        found: Floats = nodes @ (nodes.shape[1] * reduction(nodes.shape[1]))
        return found

    def shares(self, split: str, noise: Noise, lengths: list[int]) -> Shares:
        """Return the noise of a tree for each epoch."""
        return Factorisation.shares(self, split, noise, lengths)

    def epoch_cost(self, noise: Noise, lengths: list[int], shares: Shares) -> float:
        """Return the cost of a round that is in a node on each level of its epoch."""
        return Factorisation.epoch_cost(self, noise, lengths, shares)


def reduction(levels: int) -> Floats:
    """Return, for each level, the variance of a node's best estimate from nodes up to its level.

    >>> reduction(3).round(4)
    array([1.    , 0.6667, 0.5714])
    """
    variances = [1.0]
    for _ in range(levels - 1):
        variances.append(1.0 / (1.0 + 1.0 / (2.0 * variances[-1])))
    return np.array(variances)
