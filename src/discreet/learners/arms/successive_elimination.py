"""DP successive elimination (Sajed & Sheffet 2019), for losses that do not change."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import LONGEST

EPOCH, LENGTH, RIVALS = (
    0,
    1,
    2,
)  # of the clock: the running epoch, how long its batches are, arms that it began with
FINEST = 60.0  # the gap is not halved any more after that many epochs


class EpochHold(NamedTuple):
    """An arm, for how many rounds it is held, and in which epoch."""

    arm: int
    rounds: int
    epoch: int


class DpSuccessiveElimination(Learner[int, EpochHold, float]):
    """Plays all arms that are left equally often in every epoch, and drops those that are clearly worse.

    In epoch e = 1, 2, ... each of the s arms that are left is held for R rounds, with Δ = 2^-e and
    failure β

        R = max(32 ln(8 s e² / β) / Δ², 8 ln(4 s e² / β) / (ε Δ)) + 1,

    and one is dropped if its noisy mean gain is below the largest by more than 2 h + 2 c, where h =
    sqrt(ln(8 s e² / β) / (2 R)) and c = ln(4 s e² / β) / (ε R). Means of earlier epochs are
    forgotten.

    Regret against independent, identically distributed losses: of order Σ ln T / Δ + K ln T / ε for
    β = 1 / T (Sajed & Sheffet 2019). Departure: the rounds of an arm in an epoch come in a row
    instead of in turns; for losses that do not change this is the same.
    """

    epsilon: float
    failure: float
    left: Floats  # 1 for an arm that is left
    asked: Floats  # whether an arm was asked for in this epoch: how often
    heard: Floats  # 1 if its mean of this epoch has come
    means: Floats  # gains
    clock: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.left.size

    @classmethod
    def start(cls, *, arms: int, epsilon: float, failure: float) -> DpSuccessiveElimination:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        learner = cls(
            epsilon=check_positive("epsilon", epsilon),
            failure=check_range("failure", check_positive("failure", failure), 0.0, 1.0),
            left=np.ones(count),
            asked=np.zeros(count),
            heard=np.zeros(count),
            means=np.zeros(count),
            clock=np.array([0.0, 1.0, float(count)]),
        )
        learner.begin_epoch()
        return learner

    @classmethod
    def example(cls) -> DpSuccessiveElimination:
        """Return one to check the contract with."""
        return cls.start(arms=5, epsilon=0.5, failure=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[int, EpochHold]:
        """Choose the arm that was asked for least in this epoch, of those that are left; of several any one.

        A game may end within the first batch, and no arm should be favoured.
        """
        arm, start = -1, int(rng.random() * self.left.size)
        for step in range(self.left.size):
            i = (start + step) % self.left.size
            if self.left[i] > 0.0 and (arm < 0 or self.asked[i] < self.asked[arm]):
                arm = i
        self.asked[arm] += 1.0
        return arm, EpochHold(arm, int(self.clock[LENGTH]), int(self.clock[EPOCH]))

    def patience(self, trace: EpochHold) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def learn(self, trace: EpochHold, released: float) -> None:
        """Keep the mean of the arm; after the last one drop arms, and begin the next epoch."""
        if trace.epoch != int(self.clock[EPOCH]):
            return  # it came late, and its epoch is over
        self.means[trace.arm] = 1.0 - released
        self.heard[trace.arm] = 1.0
        best = -math.inf
        for i in range(self.left.size):
            if self.left[i] > 0.0:
                if self.heard[i] == 0.0:
                    return
                best = max(best, float(self.means[i]))
        share = math.log(
            4.0 * float(self.clock[RIVALS]) * float(self.clock[EPOCH]) ** 2 / self.failure
        )
        length = float(self.clock[LENGTH])
        width = 2.0 * math.sqrt((share + math.log(2.0)) / (2.0 * length)) + 2.0 * share / (
            self.epsilon * length
        )
        for i in range(self.left.size):
            if best - float(self.means[i]) > width:
                self.left[i] = 0.0
        self.begin_epoch()

    def begin_epoch(self) -> None:
        """Compute how long the batches of the next epoch are, and forget the means of the last one."""
        rivals = 0.0
        for i in range(self.left.size):
            rivals += self.left[i]
            self.asked[i] = 0.0
            self.heard[i] = 0.0
        epoch = float(self.clock[EPOCH]) + 1.0
        gap = 2.0 ** -min(epoch, FINEST)
        share = math.log(4.0 * rivals * epoch * epoch / self.failure)
        length = (
            max(32.0 * (share + math.log(2.0)) / (gap * gap), 8.0 * share / (self.epsilon * gap))
            + 1.0
        )
        self.clock[EPOCH] = epoch
        self.clock[LENGTH] = math.floor(min(length, LONGEST))
        self.clock[RIVALS] = rivals
