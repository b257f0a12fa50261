"""UCB1: the arm with the highest upper confidence bound (Auer, Cesa-Bianchi & Fischer 2002)."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import Draw


class Ucb(Learner[int, Draw, float]):
    """Plays each arm once, then the one with the largest mean gain + sqrt(ψ ln t / n).

    ``exploration`` is ψ; 2 is UCB1 for gains in [0, 1]. n counts the gains of an arm that have come
    in.

    Regret against independent, identically distributed gains with gaps Δ: at most 8 Σ ln T / Δ + (1
    + π²/3) Σ Δ. Nothing is promised against other adversaries.
    """

    exploration: float
    gains: Floats
    counts: Floats
    clock: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    @classmethod
    def start(cls, *, arms: int, exploration: float = 2.0) -> Ucb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("exploration", exploration),
            np.zeros(count),
            np.zeros(count),
            np.zeros(1),
        )

    @classmethod
    def example(cls) -> Ucb:
        """Return one to check the contract with."""
        return cls.start(arms=5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Choose the arm of the largest index; the first of several."""
        self.clock[0] += 1.0
        arm = int(self.clock[0]) - 1
        if arm < self.gains.size:
            return arm, Draw(arm, 1.0)
        bonus = self.exploration * math.log(float(self.clock[0]))
        arm = 0
        most = -math.inf
        for i in range(self.gains.size):
            share = 1.0 / max(float(self.counts[i]), 1.0)
            index = float(self.gains[i]) * share + math.sqrt(bonus * share)
            if index > most:
                arm, most = i, index
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Count the gain."""
        self.gains[trace.arm] += 1.0 - released
        self.counts[trace.arm] += 1.0
