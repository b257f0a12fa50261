"""Exponential weights over arms: the state that the EXP3 family shares."""

from __future__ import annotations

import math

import numpy as np

from componentjit import as_list, helper
from discreet.components import Component
from discreet.contracts import Floats, Generator
from discreet.errors import check_int
from discreet.learners.arms.draws import Draw, draw, draw_evenly, new_draw

FEW = 512  # arms up to which a pass over all of them is faster than walking down a tree


class FewWeights(Component):
    """Weights w(i) = exp(logs(i) - reference), of which one changes a round; drawn by a pass over all of them.

    The logarithms are the state; they never overflow. The weights are kept relative to a reference,
    and rebuilt from the logarithms before their sum has moved by a factor that could cost
    precision. Changing a weight costs one exponential.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference

    def draw(self, mixing: float, rng: Generator) -> Draw:
        """Draw an arm uniformly with probability ``mixing``, else by weight; one uniform number decides both."""
        values = as_list(self.values)
        arms, total = len(values), float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = draw_evenly(point, mixing, arms)
        else:
            arm = draw(values, (point - mixing) * (1.0 / (1.0 - mixing)) * total)
        return new_draw(arm, total / ((1.0 - mixing) * values[arm] + mixing / arms * total))

    def add(self, arm: int, change: float) -> None:
        """Multiply the weight of one arm by exp(change)."""
        logs, values, scale = self.logs, self.values, self.scale
        log_weight = float(logs[arm]) + change
        weight = bounded_exp(log_weight - float(scale[1]))
        total = float(scale[0]) + (weight - float(values[arm]))
        logs[arm] = log_weight
        values[arm] = weight
        scale[0] = total
        if not 0.25 < total < 4.0 * values.size:
            scale[0] = rebuild(logs, values, scale)


class ManyWeights(Component):
    """The same for many arms, drawn in O(log K) by walking down a tree of sums.

    Nodes are always computed from their children, so that rounding errors cannot add up.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference
    # tree[1] is the sum of all, tree[i] = tree[2 i] + tree[2 i + 1]; the values follow on as leaves
    tree: Floats

    def draw(self, mixing: float, rng: Generator) -> Draw:
        """Draw an arm uniformly with probability ``mixing``, else by weight; one uniform number decides both."""
        arms = self.values.size
        total = float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = draw_evenly(point, mixing, arms)
        else:
            arm = descend(self.tree, self.values, (point - mixing) / (1.0 - mixing) * total)
        return Draw(arm, total / ((1.0 - mixing) * float(self.values[arm]) + mixing / arms * total))

    def add(self, arm: int, change: float) -> None:
        """Multiply the weight of one arm by exp(change)."""
        self.logs[arm] += change
        self.values[arm] = bounded_exp(float(self.logs[arm]) - float(self.scale[1]))
        node = (arm + self.tree.size) // 2
        while node > 0:
            self.tree[node] = below(self.tree, self.values, 2 * node) + below(
                self.tree, self.values, 2 * node + 1
            )
            node //= 2
        self.scale[0] = self.tree[1]
        if not 0.25 < self.tree[1] < 4.0 * self.values.size:
            rebuild(self.logs, self.values, self.scale)
            self.scale[0] = grow(self.tree, self.values)


Weights = FewWeights | ManyWeights


def equal_weights(arms: int) -> Weights:
    """Return equal weights for a number of arms."""
    count = check_int("arms", arms, minimum=2)
    state = np.zeros(count), np.ones(count), np.array([float(count), 0.0])
    if count <= FEW:
        return FewWeights(*state)
    leaves = np.zeros(1 << (count - 1).bit_length())
    leaves[:count] = 1.0
    tree, level = np.zeros(leaves.size), leaves
    while level.size > 1:
        level = level[::2] + level[1::2]
        tree[level.size : 2 * level.size] = level
    return ManyWeights(*state, tree)


@helper
def bounded_exp(exponent: float) -> float:
    """Return exp(exponent), but no more than exp(700): weights that large are rebuilt at once."""
    return math.exp(exponent) if exponent < 700.0 else math.exp(700.0)


@helper
def rebuild(logs: Floats, values: Floats, scale: Floats) -> float:
    """Compute all weights from the logarithms, relative to the largest one; return their sum."""
    scale[1] = -math.inf
    for arm in range(values.size):
        scale[1] = max(scale[1], logs[arm])
    total = 0.0
    for arm in range(values.size):
        values[arm] = math.exp(logs[arm] - scale[1])
        total += values[arm]
    return total


@helper
def grow(tree: Floats, values: Floats) -> float:
    """Compute all sums of a tree; return the sum of all."""
    for node in range(tree.size - 1, 0, -1):
        tree[node] = below(tree, values, 2 * node) + below(tree, values, 2 * node + 1)
    return float(tree[1])


@helper
def below(tree: Floats, values: Floats, node: int) -> float:
    """Return the sum at a node, or the weight at a leaf: leaves are numbered on after the nodes."""
    if node < tree.size:
        return float(tree[node])
    arm = node - tree.size
    return float(values[arm]) if arm < values.size else 0.0


@helper
def descend(tree: Floats, values: Floats, mass: float) -> int:
    """Return the arm at which the running sum of the weights passes ``mass``; one of weight 0 is never drawn."""
    node = 1
    while node < tree.size:
        left = below(tree, values, 2 * node)
        if mass < left or below(tree, values, 2 * node + 1) <= 0.0:
            node = 2 * node
        else:
            mass -= left
            node = 2 * node + 1
    return node - tree.size
