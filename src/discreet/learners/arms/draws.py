"""Drawing an arm: the trace it leaves, exponential weights to draw from, and uniform play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from componentjit import as_list, compiled_as, helper
from discreet.components import Component
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int

# Up to this many arms, one pass over all weights is faster than walking down a tree.
FEW = 512


class Draw(NamedTuple):
    """The trace of a draw: the arm and its importance 1 / p, p the probability of drawing it.

    A loss estimate is the loss times the importance.
    """

    arm: int
    importance: float

    @property
    def probability(self) -> float:
        """The probability of drawing the arm."""
        return 1.0 / self.importance


@compiled_as(lambda arm, importance: Draw(arm, importance), record=Draw)
def new_draw(arm: int, importance: float) -> Draw:
    """Return a draw; in plain Python this takes half the time of calling the class."""
    return tuple.__new__(Draw, (arm, importance))


@helper
def draw_evenly(point: float, share: float, arms: int) -> int:
    """Return a uniform arm from a uniform point of [0, share).

    Rounding must not lead beyond the last arm. The quotient is the same in every round, so compiled
    code divides once. Below a share of 2^-53 the only point is 0.

    >>> [draw_evenly(point, 0.3, 3) for point in (0.0, 0.15, 0.2999)]
    [0, 1, 2]
    """
    # Bounded below: for a share of 0 the factor would be infinite, and 0 times it is not a number.
    return min(int(point * (arms / max(share, 2.0**-60))), arms - 1)


@helper
def draw_compiled(weights: Sequence[float] | Floats, mass: float) -> int:
    """Return the same as ``draw``, without branches that a processor could not predict."""
    arms = len(weights)
    arm = 0
    while arm + 4 <= arms:
        one = weights[arm]
        two = one + weights[arm + 1]
        three = two + weights[arm + 2]
        four = two + (weights[arm + 2] + weights[arm + 3])
        if mass < four:
            return arm + (mass >= one) + (mass >= two) + (mass >= three)
        mass -= four
        arm += 4
    while arm < arms:
        mass -= weights[arm]
        if mass < 0.0:
            return arm
        arm += 1
    arm = arms - 1
    while weights[arm] == 0.0 and arm > 0:
        arm -= 1
    return arm


@compiled_as(draw_compiled)
def draw(weights: Sequence[float] | Floats, mass: float) -> int:
    """Return the arm at which the running sum of the weights passes ``mass``, from [0, their sum).

    The loop takes four arms at a time. An arm of weight 0 is never drawn; if rounding keeps the sum
    below ``mass``, the result is the last arm with a positive weight. In plain Python a list is
    much faster (``as_list``), and so is a branch for each arm.
    """
    arms = len(weights)
    arm = 0
    while arm + 4 <= arms:
        one = weights[arm]
        if mass < one:
            return arm
        two = one + weights[arm + 1]
        if mass < two:
            return arm + 1
        if mass < two + weights[arm + 2]:
            return arm + 2
        four = two + (weights[arm + 2] + weights[arm + 3])
        if mass < four:
            return arm + 3
        mass -= four
        arm += 4
    while arm < arms:
        mass -= weights[arm]
        if mass < 0.0:
            return arm
        arm += 1
    arm = arms - 1
    while weights[arm] == 0.0 and arm > 0:
        arm -= 1
    return arm


class FewWeights(Component):
    """Weights w(i) = exp(logs(i) - reference), one of which changes per round; for few arms.

    A draw is one pass over all weights. The logarithms are the state; they never overflow. The
    weights are kept relative to a reference, and are rebuilt from the logarithms before their sum
    has moved by a factor that could cost precision. Changing a weight costs one exponential.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference

    def draw(self, mixing: float, rng: Generator) -> Draw:
        """Draw an arm uniformly with probability ``mixing``, else by weight.

        One uniform number decides both.
        """
        values, total, point = as_list(self.values), float(self.scale[0]), rng.random()
        arms = len(values)
        if point < mixing:
            arm = draw_evenly(point, mixing, arms)
        else:
            arm = draw(values, (point - mixing) * (1.0 / (1.0 - mixing)) * total)
        return new_draw(arm, total / ((1.0 - mixing) * values[arm] + mixing / arms * total))

    def chance(self, mixing: float, arm: int) -> float:
        """Return the probability of an arm."""
        return (1.0 - mixing) * float(self.values[arm] / self.scale[0]) + mixing / self.values.size

    def add(self, arm: int, change: float) -> None:
        """Multiply the weight of one arm by exp(change)."""
        logs, values, scale = self.logs, self.values, self.scale
        log_weight = float(logs[arm]) + change
        weight = bounded_exp(log_weight - float(scale[1]))
        total = float(scale[0]) + (weight - float(values[arm]))
        logs[arm] = log_weight
        values[arm] = weight
        scale[0] = total
        if not 0.25 < total < 4.0 * values.size:  # a factor of 4 costs two bits of precision
            scale[0] = rebuild(logs, values, scale)


class ManyWeights(Component):
    """The same weights for many arms: a draw walks down a tree of sums, in O(log K).

    Nodes are always computed from their children, so rounding errors cannot accumulate.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference
    # tree[1] is the total, tree[i] = tree[2 i] + tree[2 i + 1]; the leaves below are the values
    tree: Floats

    def draw(self, mixing: float, rng: Generator) -> Draw:
        """Draw an arm uniformly with probability ``mixing``, else by weight.

        One uniform number decides both.
        """
        arms = self.values.size
        total = float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = draw_evenly(point, mixing, arms)
        else:
            arm = descend(self.tree, self.values, (point - mixing) / (1.0 - mixing) * total)
        return Draw(arm, total / ((1.0 - mixing) * float(self.values[arm]) + mixing / arms * total))

    def chance(self, mixing: float, arm: int) -> float:
        """Return the probability of an arm."""
        return (1.0 - mixing) * float(self.values[arm] / self.scale[0]) + mixing / self.values.size

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
        if not 0.25 < self.tree[1] < 4.0 * self.values.size:  # as for few weights
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
    """Return exp(exponent), at most exp(700): weights that large are rebuilt at once."""
    return math.exp(exponent) if exponent < 700.0 else math.exp(700.0)


@helper
def rebuild(logs: Floats, values: Floats, scale: Floats) -> float:
    """Compute all weights from the logarithms, relative to the largest; return their sum."""
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
    """Compute all sums of a tree; return the total."""
    for node in range(tree.size - 1, 0, -1):
        tree[node] = below(tree, values, 2 * node) + below(tree, values, 2 * node + 1)
    return float(tree[1])


@helper
def below(tree: Floats, values: Floats, node: int) -> float:
    """Return the sum at a node or the weight at a leaf; leaves are numbered after the nodes."""
    if node < tree.size:
        return float(tree[node])
    arm = node - tree.size
    return float(values[arm]) if arm < values.size else 0.0


@helper
def descend(tree: Floats, values: Floats, mass: float) -> int:
    """Return the arm at which the running sum of the weights passes ``mass``.

    An arm of weight 0 is never drawn.
    """
    node = 1
    while node < tree.size:
        left = below(tree, values, 2 * node)
        if mass < left or below(tree, values, 2 * node + 1) <= 0.0:
            node = 2 * node
        else:
            mass -= left
            node = 2 * node + 1
    return node - tree.size


class Uniform(Learner[int, Draw, float]):
    """Draws uniformly from ``arms`` arms and learns nothing: the baseline."""

    arms: int

    def __new__(cls, arms: int) -> Self:
        """Return the learner for at least two arms."""
        return cls._make((check_int("arms", arms, minimum=2),))

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.arms

    @classmethod
    def example(cls) -> Uniform:
        """Return an example for the contract tests."""
        return cls(5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        arm = int(rng.random() * self.arms)
        return arm, Draw(arm, float(self.arms))

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm."""
        return 1.0 / self.arms

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""
