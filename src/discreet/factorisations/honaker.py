"""The binary tree with Honaker's reduction from below."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.contracts import Floats, Noise
from discreet.errors import DiscreetError, check_int
from discreet.factorisations.contract import Factorisation, Shares, Spread
from discreet.factorisations.tree import Tree, digits_of, lowest_digit


class Honaker(Tree):
    """A binary tree whose nodes all get noise, each estimated from its own noisy sum and from all below it.

    The best estimate of a node on level j has the variance v(j), v(0) = 1, 1 / v(j) = 1 + 1 / (2
    v(j - 1)), in units of that of one noise; v(j) is also the weight of its own noisy sum.
    Guarantees are those of the tree: the same nodes get noise once, and estimates are computed from
    noisy nodes alone.
    """

    name: ClassVar[str] = "honaker"
    splits: ClassVar[tuple[str, ...]] = ("restarts",)  # its weights are for equal noise

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
        """Return that of the largest node alone, and of one node of each size."""
        return Spread(
            math.sqrt(float(self.weights[-1])),
            math.sqrt(float(self.weights.sum())),
            self.weights.size,
            False,
        )

    def variances(self, rounds: int) -> Floats:
        """Return the variances of the nodes of every prefix, added up."""
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
        """Return what a round costs that is in a node on each level of its epoch."""
        return Factorisation.epoch_cost(self, noise, lengths, shares)


def reduction(levels: int) -> Floats:
    """Return the variance of the best estimate of a node from the noise at and below it, level by level.

    >>> reduction(3).round(4)
    array([1.    , 0.6667, 0.5714])
    """
    variances = [1.0]
    for _ in range(levels - 1):
        variances.append(1.0 / (1.0 + 1.0 / (2.0 * variances[-1])))
    return np.array(variances)
