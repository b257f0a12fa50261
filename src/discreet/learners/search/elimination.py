"""Successive elimination: pull all arms in turn, and drop those that are surely not the best (Even-Dar et al. 2006)."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.learners.search.evidence import Mixture, Rule
from discreet.learners.search.searching import EVERY_ROUND, Batches, Pull, Searching, start_of


class SuccessiveElimination(Searching):
    """Pulls all arms that are left in turn; drops those of which the leader is better with evidence of (K - 1) / ν.

    Arms are compared when all that are left have as many releases, by the differences of what was
    released in turn, and not by two intervals: that takes half as many samples. The best arm is
    dropped with a probability of at most ν.
    """

    rule: Rule
    needed: float  # log evidence
    active: Floats  # 1 for arms that are left

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        error: float = 0.1,
        rule: Rule | None = None,
        batches: Batches = EVERY_ROUND,
    ) -> SuccessiveElimination:
        """Return the learner before the first round; ``error`` is ν, and gains lie in [0, 1] without a rule."""
        begin = start_of(arms, (error,), batches)
        needed = math.log((begin.gains.size - 1) / error)
        usual = Mixture.for_gap(0.1, variance=0.25) if rule is None else rule
        return cls(*begin, usual, needed, np.ones(begin.gains.size))

    @classmethod
    def example(cls) -> SuccessiveElimination:
        """Return one to check the contract with."""
        return cls.start(arms=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull the arm with the fewest releases of those that are left, and of several the one asked for least."""
        arm = -1
        for i in range(self.active.size):
            if self.active[i] > 0.0 and (arm < 0 or self.is_behind(i, arm)):
                arm = i
        return arm, self.pull_of(arm)

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; compare when all that are left have as many releases."""
        self.count_release(trace, released)
        if not self.is_even(self.releases[trace.arm]):
            return
        best = self.leading_active()
        left = 0
        for i in range(self.active.size):
            if i != best and self.active[i] > 0.0:
                gap = self.mean_gain(best) - self.mean_gain(i)
                pulls = min(
                    self.pulls[i], self.pulls[best]
                )  # they are as many, unless a batch was given up
                if self.rule.even_evidence(gap, pulls, self.releases[i]) >= self.needed:
                    self.active[i] = 0.0
                else:
                    left += 1
        if left == 0:
            self.conclude(0, best)

    def is_behind(self, arm: int, other: int) -> bool:
        """Return whether an arm is to be pulled before another."""
        if self.releases[arm] != self.releases[other]:
            return bool(self.releases[arm] < self.releases[other])
        return bool(self.begun[arm] < self.begun[other])

    def is_even(self, releases: float) -> bool:
        """Return whether all arms that are left have this many releases."""
        odd = 0
        for i in range(self.active.size):
            if self.active[i] > 0.0 and self.releases[i] != releases:
                odd += 1
        return odd == 0

    def leading_active(self) -> int:
        """Return the arm with the largest mean among those that are left."""
        best = -1
        for i in range(self.active.size):
            if self.active[i] > 0.0 and (best < 0 or self.mean_gain(i) > self.mean_gain(best)):
                best = i
        return best
