"""The common base of best-arm searches: means, lengths of pulls, and the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Integers, Learner
from discreet.errors import DiscreetError, check_int, check_range, check_share

NONE = -1  # the answer before there is one


class Pull(NamedTuple):
    """The trace of a pull: the arm, and its number of rounds."""

    arm: int
    rounds: int


class Batches(NamedTuple):
    """The length of pulls: ``first`` rounds, then ``growth`` times all rounds of the arm so far.

    With ``first`` 0 every round is released by itself. The length of an arm's r-th batch is fixed
    in advance.
    """

    first: int = 0
    growth: float = 0.0

    def checked(self) -> Batches:
        """Return the lengths, or refuse invalid numbers."""
        return Batches(
            check_int("batch_size", self.first, minimum=1),
            check_range("growth", self.growth, 0.01, 100.0),
        )


EVERY_ROUND = Batches()


class Searching(Learner[int, Pull, float]):
    """Searches for the arm with the largest mean gain; a gain is 1 - loss.

    A subclass chooses arms in ``act``, and decides in ``learn`` when it has found the answer. There
    may be several levels of confidence, the lowest first; the game may stop when the last is
    reached. Everything here is computed from releases, so the stopping time is as private as they
    are.
    """

    first: int
    growth: float
    gains: Floats  # of every arm, summed over its rounds
    pulls: Floats  # rounds whose outcomes were released
    releases: Floats
    begun: Floats  # rounds that were requested
    errors: Floats  # the allowed probability of a wrong answer at every level
    found: Integers  # the answer at every level, or NONE
    stopped: Floats  # the pulls of all arms when it was found, one row per level

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    def patience(self, trace: Pull) -> int:
        """Hold an arm for the length of its pull."""
        return trace.rounds if self.first > 0 else 0

    def is_done(self) -> bool:
        """Stop when the last level is reached."""
        return bool(self.found[self.found.size - 1] != NONE)

    def next_pull(self, arm: int) -> Pull:
        """Return the next pull of an arm, and record the request."""
        rounds = 1
        if self.first > 0:
            rounds = max(self.first, math.ceil(self.growth * self.begun[arm]))
        self.begun[arm] += rounds
        return Pull(arm, rounds)

    def count_release(self, trace: Pull, released: float) -> None:
        """Count a release."""
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
        """Return the mean of an arm's releases; 0 before the first."""
        return float(self.gains[arm]) / max(float(self.pulls[arm]), 1.0)

    def leading_arm(self) -> int:
        """Return the arm with the largest mean; ties go to the first."""
        best = 0
        for i in range(1, self.pulls.size):
            if self.mean_gain(i) > self.mean_gain(best):
                best = i
        return best

    def unasked_arm(self) -> int:
        """Return the first arm that was never requested, or NONE."""
        for i in range(self.begun.size):
            if self.begun[i] == 0.0:
                return i
        return NONE

    def all_released(self) -> bool:
        """Return whether every arm has a release."""
        missing = 0
        for i in range(self.releases.size):
            if self.releases[i] == 0.0:
                missing += 1
        return missing == 0


def start_search(arms: int, errors: Sequence[float], batches: Batches) -> Searching:
    """Return the fields that every search begins with; the errors of its levels decrease."""
    count = check_int("arms", arms, minimum=2)
    levels = [check_share("error", error) for error in errors]
    if not levels or sorted(set(levels), reverse=True) != levels:
        raise DiscreetError(
            f"errors is {errors!r}, but must be at least one number, in strictly decreasing order."
        )
    plan = EVERY_ROUND if batches == EVERY_ROUND else batches.checked()
    return Searching(
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
