"""What all searches for the best arm have in common: means, how long an arm is pulled, and the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Integers, Learner
from discreet.errors import DiscreetError, check_int, check_range, check_share

NONE = -1  # the answer before there is one


class Pull(NamedTuple):
    """An arm, and for how many rounds it is pulled."""

    arm: int
    rounds: int


class Batches(NamedTuple):
    """How long an arm is pulled: ``first`` rounds, then each time as long as ``growth`` times all of its rounds so far.

    With ``first`` 0 every round is released by itself. The length of an arm's r-th batch is fixed
    in advance.
    """

    first: int = 0
    growth: float = 0.0

    def checked(self) -> Batches:
        """Return it, or refuse its numbers."""
        return Batches(
            check_int("batch_size", self.first, minimum=1),
            check_range("growth", self.growth, 0.01, 100.0),
        )


EVERY_ROUND = Batches()


class Searching(Learner[int, Pull, float]):
    """Searches for the arm with the largest mean gain; a gain is 1 - loss.

    A subclass chooses arms in ``act``, and says in ``learn`` when it has found the answer. There
    may be several levels of confidence, the least first: the game may stop when the last is
    reached. Everything here is computed from releases, so when a search stops is as private as they
    are.
    """

    first: int
    growth: float
    gains: Floats  # of every arm, summed over its rounds
    pulls: Floats  # rounds that were released
    releases: Floats
    begun: Floats  # rounds that were asked for
    errors: Floats  # the allowed probability of a wrong answer at every level
    found: Integers  # the answer at every level, or NONE
    stopped: Floats  # the pulls of all arms when it was found, a row a level

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    def patience(self, trace: Pull) -> int:
        """Hold an arm as long as it was to be pulled."""
        return trace.rounds if self.first > 0 else 0

    def is_done(self) -> bool:
        """Stop when the last level is reached."""
        return bool(self.found[self.found.size - 1] != NONE)

    def pull_of(self, arm: int) -> Pull:
        """Return the next pull of an arm, and note that it is asked for."""
        rounds = 1
        if self.first > 0:
            rounds = max(self.first, math.ceil(self.growth * self.begun[arm]))
        self.begun[arm] += rounds
        return Pull(arm, rounds)

    def count_release(self, trace: Pull, released: float) -> None:
        """Count what was released."""
        self.gains[trace.arm] += trace.rounds * (1.0 - released)
        self.pulls[trace.arm] += trace.rounds
        self.releases[trace.arm] += 1.0

    def conclude(self, level: int, arm: int) -> None:
        """Answer with an arm at a level, once."""
        if self.found[level] == NONE:
            self.found[level] = arm
            for i in range(self.pulls.size):
                self.stopped[level, i] = self.pulls[i]

    def mean_gain(self, arm: int) -> float:
        """Return the mean of what was released of an arm; 0 before anything was."""
        return float(self.gains[arm]) / max(float(self.pulls[arm]), 1.0)

    def leading_arm(self) -> int:
        """Return the arm with the largest mean; the first of several."""
        best = 0
        for i in range(1, self.pulls.size):
            if self.mean_gain(i) > self.mean_gain(best):
                best = i
        return best

    def unasked_arm(self) -> int:
        """Return the first arm that was never asked for, or NONE."""
        for i in range(self.begun.size):
            if self.begun[i] == 0.0:
                return i
        return NONE

    def all_released(self) -> bool:
        """Return whether something was released of every arm."""
        missing = 0
        for i in range(self.releases.size):
            if self.releases[i] == 0.0:
                missing += 1
        return missing == 0


class Start(NamedTuple):
    """The fields that every search begins with, in their order."""

    first: int
    growth: float
    gains: Floats
    pulls: Floats
    releases: Floats
    begun: Floats
    errors: Floats
    found: Integers
    stopped: Floats


def start_of(arms: int, errors: Sequence[float], batches: Batches) -> Start:
    """Return what a search begins with; the errors that are allowed at its levels fall."""
    count = check_int("arms", arms, minimum=2)
    levels = [check_share("error", error) for error in errors]
    if not levels or sorted(set(levels), reverse=True) != levels:
        raise DiscreetError(
            f"errors is {errors!r}, but must be some numbers, each smaller than the one before."
        )
    plan = EVERY_ROUND if batches == EVERY_ROUND else batches.checked()
    return Start(
        first=plan.first,
        growth=plan.growth,
        gains=np.zeros(count),
        pulls=np.zeros(count),
        releases=np.zeros(count),
        begun=np.zeros(count),
        errors=np.array(levels),
        found=np.full(len(levels), NONE),
        stopped=np.zeros((len(levels), count)),
    )
