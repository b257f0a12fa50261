"""DP successive elimination (Sajed & Sheffet 2019), for losses that do not change."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.holding import LONGEST
from discreet.learners.arms.ties import tie_chances

# Entries of the clock: the current epoch, the length of its batches, the arms it began with.
EPOCH, LENGTH, RIVALS = 0, 1, 2
FINEST = 60.0  # epochs after which the gap is no longer halved: 2^-60 is far below any real gap


class EpochHold(NamedTuple):
    """The trace of a batch: the arm, its rounds, the epoch, and its probability."""

    arm: int
    rounds: int
    epoch: int
    likely: float


class DpSuccessiveElimination(Learner[int, EpochHold, float]):
    """Plays all remaining arms equally often per epoch, and drops the clearly worse ones.

    In epoch e = 1, 2, ... each of the s remaining arms is held for τ rounds. With the gap Δ = 2^-e
    and ``failure`` α,

        τ = max(32 ln(8 s e² / α) / Δ², 8 ln(4 s e² / α) / (ε Δ)) + 1,

    and an arm is dropped if its noisy mean gain is below the largest by more than 2 h + 2 c, where
    h = sqrt(ln(8 s e² / α) / (2 τ)) and c = ln(4 s e² / α) / (ε τ). Means of earlier epochs are
    forgotten.

    Regret against independent, identically distributed losses: of order Σ ln T / Δ + K ln T / ε for
    α = 1 / T (Sajed & Sheffet 2019). Departure: an arm's rounds in an epoch are consecutive instead
    of in turns; for losses that do not change this is the same.
    """

    predictable: ClassVar[bool] = True

    epsilon: float
    failure: float
    left: Floats  # 1 for an arm that is left, else 0
    asked: Floats  # how often an arm was requested in this epoch
    heard: Floats  # 1 if its mean of this epoch has arrived
    means: Floats  # mean gains of this epoch
    clock: Floats
    chances: Floats  # of each arm at the last draw

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
            chances=np.zeros(count),
        )
        learner.begin_epoch()
        return learner

    @classmethod
    def example(cls) -> DpSuccessiveElimination:
        """Return an example for the contract tests."""
        return cls.start(arms=5, epsilon=0.5, failure=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[int, EpochHold]:
        """Choose the remaining arm that was requested least in this epoch; break ties at random.

        A game may end within the first batch, and no arm should be favoured.
        """
        arm, start = -1, int(rng.random() * self.left.size)
        for step in range(self.left.size):
            i = (start + step) % self.left.size
            self.chances[i] = -float(self.asked[i]) if self.left[i] > 0.0 else -math.inf
            if self.left[i] > 0.0 and (arm < 0 or self.asked[i] < self.asked[arm]):
                arm = i
        likely = tie_chances(self.chances, arm)
        self.asked[arm] += 1.0
        return arm, EpochHold(arm, int(self.clock[LENGTH]), int(self.clock[EPOCH]), likely)

    def chance(self, trace: EpochHold, action: int) -> float:
        """Return the probability of an arm."""
        return trace.likely if action == trace.arm else float(self.chances[action])

    def patience(self, trace: EpochHold) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def learn(self, trace: EpochHold, released: float) -> None:
        """Keep the mean of the arm; after the last mean, drop arms and begin the next epoch."""
        if trace.epoch != int(self.clock[EPOCH]):
            return  # too late: its epoch is over
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
        """Compute the batch length of the next epoch, and forget the last epoch's means."""
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
