"""Searches that compare the leader with its rivals: successive elimination and LUCB."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.learners.search.evidence import UNIT_GAINS, Rule
from discreet.learners.search.searching import (
    EVERY_ROUND,
    NONE,
    Batches,
    Pull,
    Searching,
    start_search,
)

WIDE = 1e9  # the radius of an arm without a release


class SuccessiveElimination(Searching):
    """Pulls all remaining arms in turn, and drops those surely worse than the leader.

    Dropping an arm takes evidence of (K - 1) / ν (Even-Dar et al. 2006). Arms are compared when all
    remaining ones have equally many releases, by the differences of releases in turn instead of by
    two intervals: that takes half as many samples. The best arm is dropped with probability at most
    ν.
    """

    rule: Rule
    needed: float  # log evidence
    active: Floats  # 1 for remaining arms, else 0

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        error: float = 0.1,
        rule: Rule = UNIT_GAINS,
        batches: Batches = EVERY_ROUND,
    ) -> SuccessiveElimination:
        """Return the learner before the first round.

        ``error`` is ν. The default rule is for gains in [0, 1].
        """
        begin = start_search(arms, (error,), batches)
        needed = math.log((begin.gains.size - 1) / error)
        active = np.ones(begin.gains.size)
        return cls(**begin._asdict(), rule=rule, needed=needed, active=active)

    @classmethod
    def example(cls) -> SuccessiveElimination:
        """Return an example for the contract tests."""
        return cls.start(arms=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull the remaining arm with the fewest releases; ties go to the least requested."""
        arm = -1
        for i in range(self.active.size):
            if self.active[i] > 0.0 and (arm < 0 or self.is_behind(i, arm)):
                arm = i
        return arm, self.next_pull(arm)

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; compare when all remaining arms have equally many releases."""
        self.count_release(trace, released)
        if not self.is_even(self.releases[trace.arm]):
            return
        best = self.leading_active()
        left = 0
        for i in range(self.active.size):
            if i != best and self.active[i] > 0.0:
                gap = self.mean_gain(best) - self.mean_gain(i)
                # They are equal, unless a batch was abandoned.
                pulls = min(self.pulls[i], self.pulls[best])
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
        """Return whether all remaining arms have this many releases."""
        odd = 0
        for i in range(self.active.size):
            if self.active[i] > 0.0 and self.releases[i] != releases:
                odd += 1
        return odd == 0

    def leading_active(self) -> int:
        """Return the remaining arm with the largest mean."""
        best = -1
        for i in range(self.active.size):
            if self.active[i] > 0.0 and (best < 0 or self.mean_gain(i) > self.mean_gain(best)):
                best = i
        return best


class Lucb(Searching):
    """Pulls the arm with the largest mean and its most likely rival in turn.

    The rival is the arm with the largest upper bound among the others (Kalyanakrishnan, Tewari,
    Auer & Stone 2012). On batches, which grow, it pulls the one of the two that was pulled less;
    otherwise the leader's batches would grow needlessly. It stops when the lower bound of the
    leader is above the upper bound of the rival. Each bound fails at any time with probability at
    most ν / K, the ``failure``, so the answer is wrong with probability at most ν, for all means.

    >>> learner = Lucb.start(arms=3, error=0.1)
    >>> [learner.act(0, np.random.default_rng(1))[0] for _ in range(3)], learner.is_done()
    ([0, 1, 2], False)
    """

    rule: Rule
    failure: float
    radii: Floats
    waiting: Integers  # the rival to pull next, or NONE

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        error: float = 0.1,
        rule: Rule = UNIT_GAINS,
        batches: Batches = EVERY_ROUND,
    ) -> Lucb:
        """Return the learner before the first round.

        ``error`` is ν. The default rule is for gains in [0, 1].
        """
        begin = start_search(arms, (error,), batches)
        failure = error / begin.gains.size
        return cls(
            **begin._asdict(),
            rule=rule,
            failure=failure,
            radii=np.full(begin.gains.size, WIDE),
            waiting=np.full(1, NONE),
        )

    @classmethod
    def example(cls) -> Lucb:
        """Return an example for the contract tests."""
        return cls.start(arms=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull an arm that was never pulled, the leader, or its rival."""
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
        return arm, self.next_pull(arm)

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
