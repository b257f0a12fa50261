"""Learners that hold an arm for a batch whose length they choose: their trace, and the arm of the largest index."""

from __future__ import annotations

import math
from typing import NamedTuple

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner

LONGEST = (
    2.0**40
)  # rounds of a batch: no game is that long, and whole numbers hold sums of many of them


class Hold(NamedTuple):
    """An arm, and for how many rounds it is held."""

    arm: int
    rounds: int


class IndexLearner(Learner[int, Hold, float]):
    """Plays every arm for a first batch, then the arm of the largest index for a batch that grows with its rounds.

    A subclass says what the index is. The length of a batch depends on earlier releases only.
    Outcomes may come late: as long as an arm has no release, the arms without one take turns.

    ``first`` is the length of an arm's first batch and the least of all; ``growth`` is how long the
    next one is, as a share of the rounds that the arm has had.
    """

    first: int
    growth: float
    asked: Floats  # rounds of an arm that were asked for
    counts: Floats  # rounds of an arm whose outcomes are part of a release
    gains: Floats  # of an arm, as the subclass adds them up
    clock: Floats  # rounds asked for; and a number of the subclass

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.asked.size

    def act(self, observation: object, rng: Generator) -> tuple[int, Hold]:
        """Choose an arm, and for how long."""
        arm = fresh_arm(self.counts, self.asked)
        if arm < 0:
            arm = self.best_arm(int(rng.random() * self.asked.size))
        trace = Hold(
            arm, max(self.first, math.ceil(min(self.growth * float(self.counts[arm]), LONGEST)))
        )
        self.asked[arm] += trace.rounds
        self.clock[0] += trace.rounds
        return arm, trace

    def best_arm(self, start: int) -> int:
        """Return the arm of the largest index; of several the first from ``start`` on, so that no arm is favoured.

        With much noise many indices are at the end of their range, and equal.
        """
        self.prepare()
        best = start
        most = -math.inf
        for step in range(self.asked.size):
            arm = (start + step) % self.asked.size
            index = self.index(arm)
            if index > most:
                best, most = arm, index
        return best

    def prepare(self) -> None:
        """Compute what the indices of all arms need."""

    def index(self, arm: int) -> float:
        """Return the index of an arm that has had a release."""
        raise NotImplementedError

    def patience(self, trace: Hold) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def learn(self, trace: Hold, released: float) -> None:
        """Add the noisy gains of the batch."""
        self.gains[trace.arm] += trace.rounds * (1.0 - released)
        self.counts[trace.arm] += trace.rounds

    def mean_of(self, arm: int) -> float:
        """Return the mean noisy gain of an arm, cut to [0, 1]."""
        return min(max(float(self.gains[arm]) / float(self.counts[arm]), 0.0), 1.0)


@helper
def fresh_arm(counts: Floats, asked: Floats) -> int:
    """Return, of the arms without a release, the one that was asked for least; -1 if every arm has one."""
    arm = -1
    for i in range(counts.size):
        if counts[i] == 0.0 and (arm < 0 or asked[i] < asked[arm]):
            arm = i
    return arm
