"""Sequential halving: a fixed number of samples, in phases that drop half of the arms."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, check_int
from discreet.learners.search.searching import EVERY_ROUND, Batches, Pull, Searching, start_search


class SequentialHalving(Searching):
    """Pulls all remaining arms equally often in each phase, and keeps the better half.

    There are ceil(log2 K) phases with equal shares of the ``budget`` (Karnin et al. 2013). A phase
    with k arms gives each of them floor(budget / (k phases)) pulls, and only these count when it
    ends, so the compared means are fresh. With batches, the pulls of an arm in a phase are one
    batch. The last arm is the answer.

    Wrong answers: docs/proofs.md, Sequential halving.

    >>> learner = SequentialHalving.start(arms=10, budget=1000)
    >>> learner.phase_pulls()
    25
    """

    budget: int
    phases: int
    active: Floats  # 1 for remaining arms, else 0
    fresh: Floats  # the gains of every arm in this phase
    counted: Floats  # its rounds in this phase whose outcomes were released

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        budget: int,
        error: float = 0.1,
        batched: bool = False,
    ) -> SequentialHalving:
        """Return the learner before the first round; ``error`` is a label only."""
        begin = start_search(arms, (error,), Batches(1, 1.0) if batched else EVERY_ROUND)
        count = begin.gains.size
        phases, rounds = (count - 1).bit_length(), check_int("budget", budget, minimum=1)
        if rounds < count * phases:
            raise DiscreetError(
                f"budget is {rounds:,}, but {count:,} arms in {phases} phases need at least "
                f"{count * phases:,} rounds."
            )
        return cls(
            **begin._asdict(),
            budget=rounds,
            phases=phases,
            active=np.ones(count),
            fresh=np.zeros(count),
            counted=np.zeros(count),
        )

    @classmethod
    def example(cls) -> SequentialHalving:
        """Return an example for the contract tests."""
        return cls.start(arms=4, budget=200)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull the remaining arm with the fewest outcomes; ties go to the least requested."""
        arm = -1
        for i in range(self.active.size):
            if self.active[i] > 0.0 and (arm < 0 or self.is_behind(i, arm)):
                arm = i
        rounds = self.phase_pulls() if self.first > 0 else 1
        self.begun[arm] += rounds
        return arm, Pull(arm, rounds)

    def is_behind(self, arm: int, other: int) -> bool:
        """Return whether an arm should be pulled before another."""
        if self.counted[arm] != self.counted[other]:
            return bool(self.counted[arm] < self.counted[other])
        return bool(self.begun[arm] < self.begun[other])

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; keep the better half when all remaining arms have all their pulls."""
        self.count_release(trace, released)
        self.fresh[trace.arm] += trace.rounds * (1.0 - released)
        self.counted[trace.arm] += trace.rounds
        needed, missing = self.phase_pulls(), 0
        for i in range(self.active.size):
            if self.active[i] > 0.0 and self.counted[i] < needed:
                missing += 1
        if missing == 0:
            self.halve()

    def halve(self) -> None:
        """Drop all but the better half, rounded up; the last arm is the answer."""
        left = self.remaining()
        drops = left // 2
        for _ in range(drops):
            worst = -1
            for i in range(self.active.size):
                if self.active[i] > 0.0 and (
                    worst < 0 or self.fresh_mean(i) <= self.fresh_mean(worst)
                ):
                    worst = i
            self.active[worst] = 0.0
        for i in range(self.active.size):
            self.fresh[i] = 0.0
            self.counted[i] = 0.0
        if left - drops == 1:
            for i in range(self.active.size):
                if self.active[i] > 0.0:
                    self.conclude(0, i)

    def fresh_mean(self, arm: int) -> float:
        """Return the mean gain of an arm in this phase."""
        return float(self.fresh[arm]) / max(float(self.counted[arm]), 1.0)

    def remaining(self) -> int:
        """Return how many arms remain."""
        left = 0
        for i in range(self.active.size):
            if self.active[i] > 0.0:
                left += 1
        return left

    def phase_pulls(self) -> int:
        """Return how often each remaining arm is pulled in this phase."""
        return max(1, self.budget // (max(self.remaining(), 1) * self.phases))
