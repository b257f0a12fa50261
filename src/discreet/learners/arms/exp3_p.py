"""EXP3.P: exponential weights with a bonus for what is seldom played (Auer et al. 2002)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.draws import draw


class AllDraw(NamedTuple):
    """An arm, and the probabilities of all arms when it was drawn."""

    arm: int
    probabilities: Floats


class Exp3P(Learner[int, AllDraw, float]):
    """Exponential weights on gains with an upper confidence bonus for every arm.

        p = (1 - γ) softmax(η G) + γ / K,   G(i) ← G(i) + (g 1[i = I] + β) / p(i) for all i,   g = 1 - y

    ``learning_rate`` is η, ``mixing`` is γ, ``bonus`` is β. Every arm changes every round: a round
    costs O(K).

    Regret for gains in [0, 1], with probability 1 - δ: at most 5.15 sqrt(T K ln(K / δ)) for β =
    sqrt(ln(K / δ) / (T K)), η = 0.95 sqrt(ln K / (T K)), γ = 1.05 sqrt(K ln K / T) (Bubeck &
    Cesa-Bianchi 2012, Theorem 3.2).
    """

    learning_rate: float
    mixing: float
    bonus: float
    gains: Floats  # G
    probabilities: Floats  # of the last draw

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, mixing: float, bonus: float) -> Exp3P:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("learning_rate", learning_rate),
            check_range("mixing", mixing, 0.0, 1.0),
            check_range("bonus", bonus, 0.0, 1e300),
            np.zeros(count),
            np.zeros(count),
        )

    @classmethod
    def example(cls) -> Exp3P:
        """Return one to check the contract with."""
        return cls.start(arms=5, learning_rate=0.05, mixing=0.1, bonus=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[int, AllDraw]:
        """Compute all probabilities and draw an arm."""
        arms = self.gains.size
        most = -math.inf
        for arm in range(arms):
            most = max(most, float(self.gains[arm]))
        total = 0.0
        for arm in range(arms):
            weight = math.exp(self.learning_rate * (float(self.gains[arm]) - most))
            self.probabilities[arm] = weight
            total += weight
        for arm in range(arms):
            self.probabilities[arm] = (1.0 - self.mixing) * float(
                self.probabilities[arm]
            ) / total + self.mixing / arms
        arm = draw(as_list(self.probabilities), rng.random())
        return arm, AllDraw(arm, self.probabilities)

    def learn(self, trace: AllDraw, released: float) -> None:
        """Add the bonus to every arm, and the gain to the one that was played."""
        for arm in range(self.gains.size):
            self.gains[arm] += self.bonus / float(trace.probabilities[arm])
        self.gains[trace.arm] += (1.0 - released) / float(trace.probabilities[trace.arm])
