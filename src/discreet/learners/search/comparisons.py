"""Searches that compare the leader with its rivals: successive elimination and LUCB."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.learners.search.evidence import Mixture, Rule
from discreet.learners.search.searching import EVERY_ROUND, NONE, Batches, Pull, Searching, start_of


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


WIDE = 1e9  # the radius of an arm of which nothing was released


class Lucb(Searching):
    """Pulls in turn the arm with the largest mean, and among the others that with the largest upper bound.

    On batches, which grow, it pulls the one of both that was pulled less: else the leader's would
    grow without need. It stops when the lower bound of the former is above the upper bound of the
    latter. Each bound fails with a probability of at most ν / K, ``failure``, at any time: so the
    answer is wrong with at most ν, whatever the means.

    >>> learner = Lucb.start(arms=3, error=0.1)
    >>> [learner.act(0, np.random.default_rng(1))[0] for _ in range(3)], learner.is_done()
    ([0, 1, 2], False)
    """

    rule: Rule
    failure: float
    radii: Floats
    waiting: Integers  # the rival that is pulled next, or NONE

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        error: float = 0.1,
        rule: Rule | None = None,
        batches: Batches = EVERY_ROUND,
    ) -> Lucb:
        """Return the learner before the first round; ``error`` is ν, and gains lie in [0, 1] without a rule."""
        begin = start_of(arms, (error,), batches)
        failure = error / begin.gains.size
        usual = Mixture.for_gap(0.1, variance=0.25) if rule is None else rule
        return cls(*begin, usual, failure, np.full(begin.gains.size, WIDE), np.full(1, NONE))

    @classmethod
    def example(cls) -> Lucb:
        """Return one to check the contract with."""
        return cls.start(arms=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull what was never pulled, the leader, or its rival."""
        arm = self.unasked_arm()
        if arm == NONE:
            arm = int(self.waiting[0])
            self.waiting[0] = NONE
        if arm == NONE:
            arm = self.leading_arm()
            rival = self.nearest_rival(arm)
            if self.first == 0:
                self.waiting[0] = rival
            elif self.begun[rival] < self.begun[arm]:
                arm = rival
        return arm, self.pull_of(arm)

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; stop if the leader's interval is above all others."""
        self.count_release(trace, released)
        arm = trace.arm
        self.radii[arm] = self.rule.mean_radius(self.pulls[arm], self.releases[arm], self.failure)
        best = self.leading_arm()
        rival = self.nearest_rival(best)
        if self.mean_gain(best) - self.radii[best] > self.mean_gain(rival) + self.radii[rival]:
            self.conclude(0, best)

    def nearest_rival(self, best: int) -> int:
        """Return the arm with the largest upper bound among all but one."""
        rival = NONE
        most = 0.0
        for i in range(self.radii.size):
            if i != best:
                upper = self.mean_gain(i) + self.radii[i]
                if rival == NONE or upper > most:
                    rival, most = i, upper
        return rival
