"""Track-and-Stop: pull arms in the proportions that distinguish them soonest."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator
from discreet.errors import check_positive
from discreet.learners.search.evidence import UNIT_GAINS, Rule
from discreet.learners.search.searching import (
    EVERY_ROUND,
    NONE,
    Batches,
    Pull,
    Searching,
    start_search,
)

STEPS = 60  # of a bisection: to the last bits of a double
# Weights are recomputed when the rounds have grown by this share: about 50 ln t times in t rounds.
RECOMPUTED = 0.02
TIE = 1e-9  # smaller gaps count as none


class TrackAndStop(Searching):
    """Tracks the optimal proportions w of the current means (Garivier & Kaufmann 2016).

    Pulls the arm with the largest t w(i) - n(i); arms with fewer than c sqrt(t) - K / 2 pulls come
    first, c the ``exploration``. It stops when the leader is better than every other arm with
    evidence of (K - 1) / ν. Which arms are pulled does not depend on ν, so one run gives the
    stopping times for several ν, the ``errors``. A round costs O(K), and the proportions O(60 K)
    each time the rounds have grown by 2 %.
    """

    rule: Rule
    exploration: float
    needed: Floats  # log evidence at every level, the least first
    weights: Floats
    means: Floats
    due: Floats  # the round after which the weights are recomputed

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        errors: Sequence[float] = (0.1,),
        rule: Rule = UNIT_GAINS,
        exploration: float = 2.0,
        batches: Batches = EVERY_ROUND,
    ) -> TrackAndStop:
        """Return the learner before the first round.

        ``errors`` decrease. The default rule is for gains in [0, 1].
        """
        begin = start_search(arms, errors, batches)
        count = begin.gains.size
        needed = np.log((count - 1) / begin.errors)
        floor = check_positive("exploration", exploration)
        return cls(
            **begin._asdict(),
            rule=rule,
            exploration=floor,
            needed=needed,
            weights=np.full(count, 1.0 / count),
            means=np.zeros(count),
            due=np.zeros(1),
        )

    @classmethod
    def example(cls) -> TrackAndStop:
        """Return an example for the contract tests."""
        return cls.start(arms=4, errors=(0.1, 0.01))

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull an arm that was pulled too rarely, or the one farthest behind its proportion."""
        least, total = 0, 0.0
        for i in range(self.begun.size):
            total += self.begun[i]
            if self.begun[i] < self.begun[least]:
                least = i
        arm = least
        if (
            self.begun[least] > 0.0
            and self.begun[least] >= self.exploration * math.sqrt(total) - 0.5 * self.begun.size
        ):
            arm = 0
            for i in range(1, self.begun.size):
                if (
                    total * self.weights[i] - self.begun[i]
                    > total * self.weights[arm] - self.begun[arm]
                ):
                    arm = i
        return arm, self.next_pull(arm)

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; check which levels are reached, and recompute the proportions if due."""
        self.count_release(trace, released)
        if not self.all_released():
            return
        rounds = 0.0
        for i in range(self.means.size):
            self.means[i] = self.mean_gain(i)
            rounds += self.pulls[i]
        best = self.leading_arm()
        self.reach_levels(best)
        if rounds >= self.due[0]:
            optimal_weights(self.means, best, self.weights)
            self.due[0] = rounds * (1.0 + RECOMPUTED)

    def reach_levels(self, best: int) -> None:
        """Answer with the leader at all levels with enough evidence."""
        level = 0
        while level < self.found.size and self.found[level] != NONE:
            level += 1
        if level == self.found.size:
            return
        found = self.evidence_against(self.hardest_rival(best), best, self.needed[level])
        for i in range(self.means.size):
            if found < self.needed[level]:
                return
            if i != best:
                found = min(found, self.evidence_against(i, best, self.needed[level]))
        while level < self.found.size and found >= self.needed[level]:
            self.conclude(level, best)
            level += 1

    def hardest_rival(self, best: int) -> int:
        """Return the arm that is hardest to exclude: the least gap² n n' / (n + n')."""
        rival = NONE
        least = 0.0
        for i in range(self.means.size):
            if i != best:
                gap = self.means[best] - self.means[i]
                both = self.pulls[best] + self.pulls[i]
                cost = gap * gap * self.pulls[best] * self.pulls[i] / both
                if rival == NONE or cost < least:
                    rival, least = i, cost
        return rival

    def evidence_against(self, arm: int, best: int, needed: float) -> float:
        """Return the log evidence that the leader is better than an arm.

        If that is less than ``needed``, an upper bound below ``needed`` may be returned.
        """
        gap = self.means[best] - self.means[arm]
        counts = self.pulls[best], self.releases[best], self.pulls[arm], self.releases[arm]
        most = self.rule.most_evidence(gap, counts[0], counts[1], counts[2], counts[3])
        if most < needed:
            return most
        return self.rule.log_evidence(gap, counts[0], counts[1], counts[2], counts[3])


@helper
def optimal_weights(means: Floats, best: int, weights: Floats) -> float:
    """Write the proportions that identify the best arm soonest, for Gaussian rewards.

    Returns 1 / T* for variance 1. With g(i) = gap² / 2 and z(i) = y / (g(i) - y), the ratio of w(i)
    to that of the best arm, y solves Σ z(i)² = 1. Without a gap nothing is written, and 0 is
    returned.

    >>> shares = np.zeros(3)
    >>> inverse = optimal_weights(np.array([0.3, 0.21, 0.2]), 0, shares)
    >>> round(float(inverse), 6), shares.round(3).tolist()
    (0.000762, [0.418, 0.342, 0.24])
    """
    least = math.inf
    for i in range(means.size):
        if i != best:
            gap = means[best] - means[i]
            if gap < TIE:
                return 0.0
            least = min(least, 0.5 * gap * gap)
    low, high = 0.0, least * (1.0 - 1e-12)
    for _ in range(STEPS):
        y = 0.5 * (low + high)
        total = 0.0
        for i in range(means.size):
            if i != best:
                ratio = y / (0.5 * (means[best] - means[i]) ** 2 - y)
                total += ratio * ratio
        if total > 1.0:
            high = y
        else:
            low = y
    total = 1.0
    for i in range(means.size):
        if i != best:
            weights[i] = low / (0.5 * (means[best] - means[i]) ** 2 - low)
            total += weights[i]
    weights[best] = 1.0
    for i in range(means.size):
        weights[i] /= total
    return low / total
