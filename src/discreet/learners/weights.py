"""Exponential weights over arms: the state that the EXP3 family shares."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import whole
from discreet.kernel import compiled, helper
from discreet.learners.draws import Draw, draw

FEW = 64  # arms up to which a pass over all of them is faster than walking down a tree


@compiled
class Weights(NamedTuple):
    """Weights w(i) = exp(logs(i) - reference), of which one changes a round.

    The logarithms are the state; they never overflow. The weights are kept relative to a reference, and rebuilt from the
    logarithms before their sum has moved by a factor that could cost precision. Changing a weight costs one exponential.
    Up to 64 arms are drawn by a pass over the weights; more are drawn by walking down a tree of sums, in O(log K), whose
    nodes are always computed from their children, so that rounding errors cannot add up.
    """

    logs: Floats
    values: Floats
    tree: Floats  # tree[1] is the sum of all, tree[i] = tree[2 i] + tree[2 i + 1]; the values follow; empty for few arms
    scale: Floats  # sum of the values, and the reference

    @classmethod
    def uniform(cls, arms: int) -> Weights:
        """Return equal weights."""
        count = whole("arms", arms, least=2)
        size = 0 if count <= FEW else 1 << (count - 1).bit_length()
        fresh = cls(np.zeros(count), np.ones(count), np.zeros(size), np.zeros(2))
        rebuild(fresh.logs, fresh.values, fresh.tree, fresh.scale)
        return fresh

    def draw(self, mixing: float, rng: Generator) -> Draw:
        """Draw an arm uniformly with probability ``mixing``, else by weight; one uniform number decides both."""
        arms = self.values.size
        total = float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = int(point / mixing * arms)
        elif self.tree.size == 0:
            arm = draw(self.values, (point - mixing) / (1.0 - mixing) * total)
        else:
            arm = descend(self.tree, self.values, (point - mixing) / (1.0 - mixing) * total)
        return Draw(arm, total / ((1.0 - mixing) * float(self.values[arm]) + mixing / arms * total))

    def add(self, arm: int, change: float) -> None:
        """Multiply the weight of one arm by exp(change)."""
        log_weight = float(self.logs[arm]) + change
        exponent = log_weight - float(self.scale[1])
        if exponent > 700.0:  # the exponential would overflow; all weights are rebuilt below
            exponent = 700.0
        weight = math.exp(exponent)
        total = float(self.scale[0]) + (weight - float(self.values[arm]))
        self.logs[arm] = log_weight
        self.values[arm] = weight
        if self.tree.size > 0:
            total = ascend(self.tree, self.values, arm)
        self.scale[0] = total
        if not 0.25 < total < 4.0 * self.values.size:
            rebuild(self.logs, self.values, self.tree, self.scale)


@helper
def rebuild(logs: Floats, values: Floats, tree: Floats, scale: Floats) -> None:
    """Compute all weights and sums from the logarithms, relative to the largest one."""
    scale[0] = 0.0
    scale[1] = -math.inf
    for arm in range(values.size):
        scale[1] = max(scale[1], logs[arm])
    for arm in range(values.size):
        values[arm] = math.exp(logs[arm] - scale[1])
        scale[0] += values[arm]
    if tree.size > 0:
        for node in range(tree.size - 1, 0, -1):
            tree[node] = below(tree, values, 2 * node) + below(tree, values, 2 * node + 1)
        scale[0] = tree[1]


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


@helper
def ascend(tree: Floats, values: Floats, arm: int) -> float:
    """Compute the sums above an arm anew; return the sum of all."""
    node = (arm + tree.size) // 2
    while node > 0:
        tree[node] = below(tree, values, 2 * node) + below(tree, values, 2 * node + 1)
        node //= 2
    return float(tree[1])
