"""Exponential weights over experts, all of which may change in a round: the EXP4 family's state."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from componentjit import as_list, helper
from discreet.components import Component
from discreet.contracts import Floats, Generator
from discreet.errors import check_int
from discreet.learners.arms.draws import bounded_exp, draw, draw_evenly, rebuild
from discreet.lengths import check_experts

SMALL = 0.125  # smaller changes of logarithms, nearly all of them, need only a short series
# Smaller weights are computed from logarithms: products could lose digits or underflow.
FAINT = 1e-250


@helper
def exp_small(change: float) -> float:
    """Return exp(change) for a change of less than 1/8, by its series.

    Compiled code evaluates the series for many at a time, unlike the exponential function.
    """
    square = change * change
    fourth = square * square
    low = (1.0 + change) + square * (1.0 / 2.0 + change * (1.0 / 6.0))
    middle = (1.0 / 24.0 + change * (1.0 / 120.0)) + square * (
        1.0 / 720.0 + change * (1.0 / 5040.0)
    )
    high = (1.0 / 40320.0 + change * (1.0 / 362880.0)) + square * (1.0 / 3628800.0)
    return low + fourth * (middle + fourth * high)


@helper
def share_of(arm: int, advice: Floats, values: Floats) -> float:
    """Return the total weight that all experts give to an arm.

    Four partial sums at a time are faster.
    """
    count = values.size
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    rest = count - count % 4
    for j in range(0, rest, 4):
        one += values[j] * advice[arm, j]
        two += values[j + 1] * advice[arm, j + 1]
        three += values[j + 2] * advice[arm, j + 2]
        four += values[j + 3] * advice[arm, j + 3]
    for j in range(rest, count):
        one += values[j] * advice[arm, j]
    return float((one + two) + (three + four))


class Advised(NamedTuple):
    """The trace of a draw: the arm, 1 / Q with Q its probability, and its share in each advice."""

    arm: int
    importance: float
    column: Floats


class ExpertWeights(Component):
    """Weights w(j) = exp(logs(j) - reference).

    The logarithms are the state. Weights follow them by multiplication, so a round costs at most
    one exponential for each *different* large change, and a short series for all others. They are
    rebuilt before their sum could lose precision.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference
    column: Floats  # of advice, for the arm that was drawn last

    def consult(self, advice: Floats, mixing: float, rng: Generator) -> Advised:
        """Draw an arm: uniformly with probability ``mixing``, else from a drawn expert's advice.

        The expert is drawn by weight. ``advice`` is arms by experts. Only one of its rows and one
        of its columns are read: O(N + K).
        """
        arms, experts = advice.shape
        check_experts(experts, self.values.size)
        total = float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = draw_evenly(point, mixing, arms)
        else:
            expert = draw(as_list(self.values), (point - mixing) / (1.0 - mixing) * total)
            left, arm = rng.random(), 0
            for i in range(arms):
                given = advice[i, expert]
                # Rounding may leave some mass at the end: it goes to the last arm that was advised.
                if given > 0.0:
                    arm = i
                    left -= given
                    if left < 0.0:
                        break
        for j in range(experts):
            self.column[j] = advice[arm, j]
        chance = (1.0 - mixing) * share_of(arm, advice, self.values) / total + mixing / arms
        return Advised(arm, 1.0 / chance, self.column)

    def shift(self, vector: Floats, factor: float) -> None:
        """Multiply every weight by exp(factor · vector)."""
        for j in range(self.values.size):
            change = factor * vector[j]
            self.logs[j] += change
            self.values[j] *= exp_small(change if abs(change) < SMALL else 0.0)
        total, last, ratio = 0.0, 0.0, 1.0
        for j in range(self.values.size):
            change = factor * vector[j]
            if not abs(change) < SMALL:
                if change != last:
                    last, ratio = change, bounded_exp(change)
                self.values[j] *= ratio if self.values[j] > FAINT else 0.0
            if self.values[j] < FAINT:
                self.values[j] = bounded_exp(self.logs[j] - self.scale[1])
            total += self.values[j]
        self.scale[0] = total
        if not 0.25 < total < 4.0 * self.values.size:  # a factor of 4 costs two bits
            self.scale[0] = rebuild(self.logs, self.values, self.scale)


def equal_experts(experts: int) -> ExpertWeights:
    """Return equal weights."""
    count = check_int("experts", experts, minimum=2, maximum=10_000_000)
    return ExpertWeights(
        np.zeros(count), np.ones(count), np.array([float(count), 0.0]), np.zeros(count)
    )
