"""EXP4.P: expert advice with a bound that holds with high probability (Beygelzimer et al. 2011)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import DiscreetError, check_int, check_range
from discreet.learners.advice.expert_weights import ExpertWeights, equal_experts, share_of
from discreet.lengths import check_arms


class AdvisedWidely(NamedTuple):
    """The trace of a draw, with Σ μ / Q of each expert."""

    arm: int
    importance: float
    column: Floats
    spread: Floats


class Exp4P(Learner[int, AdvisedWidely, float, float, Floats]):
    """EXP4 on rewards with a bonus for experts whose estimates vary.

    With p = sqrt(ln N / (K T)) the least probability of an arm, Q(i) = (1 - K p) Σ P(j) μ(j, i) +
    p, r the reward 1 - y:

        log w(j) ← log w(j) + (p / 2) (r μ(j, I) / Q(I) + b Σ_i μ(j, i) / Q(i)),   b = sqrt(ln(N / failure) / (K T))

    ``least`` is p, ``bonus`` is b. The bonus needs the advice for all arms: a round costs O(N K).
    """

    least_share: float
    bonus: float
    weights: ExpertWeights
    chances: Floats  # Q
    spread: Floats  # Σ μ / Q, of each expert
    change: Floats

    @classmethod
    def start(cls, *, experts: int, arms: int, rounds: int, failure: float = 0.01) -> Exp4P:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        if not 0.0 < check_range("failure", failure, 0.0, 1.0) < 1.0:
            raise DiscreetError(f"failure is {failure!r}, but must be above 0 and below 1.")
        size = arms * check_int("rounds", rounds, minimum=1)
        least = min(math.sqrt(math.log(experts) / size), 1.0 / count)
        bonus = math.sqrt(math.log(experts / failure) / size)
        return cls(
            least,
            bonus,
            equal_experts(experts),
            np.zeros(count),
            np.zeros(experts),
            np.zeros(experts),
        )

    @classmethod
    def example(cls) -> Exp4P:
        """Return one to check the contract with."""
        return cls.start(experts=5, arms=3, rounds=1000)

    def act(self, observation: Floats, rng: Generator) -> tuple[int, AdvisedWidely]:
        """Draw an arm from the advice, and note how much the estimates of each expert vary."""
        arms, experts = observation.shape
        check_arms(arms, self.chances.size)
        trace = self.weights.consult(observation, self.least_share * arms, rng)
        for j in range(experts):
            self.spread[j] = 0.0
        for i in range(arms):
            share = share_of(i, observation, self.weights.values) / float(self.weights.scale[0])
            self.chances[i] = (1.0 - self.least_share * arms) * share + self.least_share
            importance = 1.0 / float(self.chances[i])
            for j in range(experts):
                self.spread[j] += observation[i, j] * importance
        return trace.arm, AdvisedWidely(trace.arm, trace.importance, trace.column, self.spread)

    def learn(self, trace: AdvisedWidely, released: float) -> None:
        """Move all weights."""
        reward = (1.0 - released) * trace.importance
        for j in range(self.change.size):
            self.change[j] = reward * trace.column[j] + self.bonus * trace.spread[j]
        self.weights.shift(self.change, 0.5 * self.least_share)
