"""Exponential weights over experts, of which all may change in a round: the state that the EXP4 family shares."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, whole
from discreet.kernel import compiled
from discreet.learners.draws import draw
from discreet.learners.weights import rebuild


class Advised(NamedTuple):
    """The trace of a draw: the arm, 1 / Q where Q is its probability, and what each expert gave to it."""

    arm: int
    importance: float
    column: Floats


@compiled
class ExpertWeights(NamedTuple):
    """Weights w(j) = exp(logs(j) - reference).

    The logarithms are the state; weights follow them by multiplication, so that a round costs one exponential for each
    *different* change and none for experts that did not advise the arm; they are rebuilt before their sum could lose
    precision.
    """

    logs: Floats
    values: Floats
    scale: Floats  # sum of the values, and the reference
    column: Floats  # of advice, for the arm that was drawn last

    def consult(self, advice: Floats, mixing: float, rng: Generator) -> Advised:
        """Draw an arm: uniformly with probability ``mixing``, else an expert by weight and an arm from its advice.

        ``advice`` is arms by experts. Only one of its rows and one of its columns are read: O(N + K).
        """
        arms, experts = advice.shape
        if experts != self.values.size:
            raise DiscreetError("the advice is of another number of experts than the learner was made for.")
        total = float(self.scale[0])
        point = rng.random()
        if point < mixing:
            arm = int(point / mixing * arms)
        else:
            expert = draw(self.values, (point - mixing) / (1.0 - mixing) * total)
            left = rng.random()
            arm = 0
            while arm < arms - 1:
                left -= advice[arm, expert]
                if left < 0.0:
                    break
                arm += 1
        share = 0.0
        for j in range(experts):
            given = advice[arm, j]
            self.column[j] = given
            share += float(self.values[j]) * given
        chance = (1.0 - mixing) * share / total + mixing / arms
        return Advised(arm, 1.0 / chance, self.column)

    def shift(self, vector: Floats, factor: float) -> None:
        """Multiply every weight by exp(factor · vector)."""
        total, last, ratio = 0.0, 0.0, 1.0
        for j in range(self.values.size):
            change = factor * float(vector[j])
            if change != 0.0:
                self.logs[j] += change
                if change != last:
                    last, ratio = change, math.exp(min(change, 700.0))
                self.values[j] *= ratio
            total += float(self.values[j])
        self.scale[0] = total
        if not 0.25 < total < 4.0 * self.values.size:
            self.scale[0] = rebuild(self.logs, self.values, self.scale)


def equal_experts(experts: int) -> ExpertWeights:
    """Return equal weights."""
    count = whole("experts", experts, least=2, most=10_000_000)
    return ExpertWeights(np.zeros(count), np.ones(count), np.array([float(count), 0.0]), np.zeros(count))
