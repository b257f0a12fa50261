"""lil' UCB: upper bounds by the law of the iterated logarithm (Jamieson et al. 2014)."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import check_positive
from discreet.learners.search.searching import (
    EVERY_ROUND,
    NONE,
    Batches,
    Pull,
    Searching,
    start_search,
)

LilPreset = Literal["practice", "theory"]


class LilConstants(NamedTuple):
    """The constants of lil' UCB: a, β, κ, the failure ω, and the summand of n in logarithms."""

    slack: float  # a, the paper's ε
    bonus: float  # β
    ratio: float  # κ, the paper's λ
    failure: float  # ω, the paper's δ
    guard: float

    @classmethod
    def theory(cls, error: float, arms: int) -> LilConstants:
        """Return a and ω of Theorem 2, and a κ that keeps the error within ``error``.

        The proof is in docs/proofs.md (Best-arm search, Theorem 42.6). Theorem 2 has 4 sqrt(c ω) +
        4 c ω for the error.

        >>> constants = LilConstants.theory(0.1, 10)
        >>> round(coverage_factor(constants.slack), 3), f"{constants.failure:.6e}"
        (21153.399, '2.815509e-08')
        >>> round(constants.ratio, 3), round(LilConstants.theory(0.1, 1000).ratio, 3)
        (12.912, 25.824)
        """
        slack = 0.01
        cover = coverage_factor(slack)
        failure = (math.sqrt(1.0 + error) - 1.0) ** 2 / (4.0 * cover)
        few = (arms + 1.0) * cover * failure <= error
        return cls(slack, 1.0, (1.0 if few else 2.0) * pull_ratio(slack, failure), failure, 0.0)

    @classmethod
    def practice(cls, error: float, arms: int) -> LilConstants:
        """Return the constants of the paper's experiments, for which nothing is proved."""
        return cls(0.0, 0.5, 1.0 + 10.0 / arms, error / 5.0, 2.0)


def pull_ratio(slack: float, failure: float) -> float:
    """Return the r with r = 9 (ℓ(r) + L) / (ℓ(1) + L), ℓ(n) = ln ln((1 + a) n), L = ln(1 / ω).

    With it, ℓ(s) + L ≤ 9 s (ℓ(t) + m L) / t only if t < m r s (docs/proofs.md: Best-arm search).
    """

    def logs(count: float) -> float:
        return math.log(math.log((1.0 + slack) * count) / failure)

    ratio = 1000.0
    for _ in range(100):  # a contraction that converges from above
        ratio = 9.0 * logs(ratio) / logs(1.0)
    return ratio * (1.0 + 1e-9)


def coverage_factor(slack: float) -> float:
    """Return c = (2 + a) / a · (1 / ln(1 + a))^(1 + a), a the slack."""
    return float((2.0 + slack) / slack * (1.0 / math.log1p(slack)) ** (1.0 + slack))


class LilUcb(Searching):
    """Pulls the arm with the largest mean plus a radius by the law of the iterated logarithm.

        radius = (1 + β) (1 + √a) sqrt(2 v (1 + a) ln(ln((1 + a) n) / ω) / n)

    It stops when one arm has been pulled at least o + κ times as often as all others together, and
    answers with that arm (Jamieson, Malloy, Nowak & Bubeck 2014). o is the largest number of its
    pulls that were open at once: 1, unless outcomes come late. v is the ``variance`` of a released
    number; on batches each release adds ``noise_variance``.
    """

    constants: LilConstants
    variance: float
    noise_variance: float
    backlog: Floats  # o, of every arm

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        error: float = 0.1,
        constants: LilPreset = "practice",
        variance: float = 0.25,
        noise_variance: float = 0.0,
        batches: Batches = EVERY_ROUND,
    ) -> LilUcb:
        """Return the learner before the first round."""
        begin = start_search(arms, (error,), batches)
        size = begin.gains.size
        chosen = (
            LilConstants.theory(error, size)
            if constants == "theory"
            else LilConstants.practice(error, size)
        )
        return cls(
            **begin._asdict(),
            constants=chosen,
            variance=check_positive("variance", variance),
            noise_variance=float(noise_variance),
            backlog=np.zeros(size),
        )

    @classmethod
    def example(cls) -> LilUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=4)

    def act(self, observation: object, rng: Generator) -> tuple[int, Pull]:
        """Pull an arm that was never pulled, or the one with the largest index.

        Ties go to the first.
        """
        arm = self.unasked_arm()
        if arm == NONE:
            arm = 0
            most = self.upper_index(0)
            for i in range(1, self.pulls.size):
                index = self.upper_index(i)
                if index > most:
                    arm, most = i, index
        pull = self.next_pull(arm)
        waiting = self.begun[arm] - (pull.rounds - 1)  # before every arm has a release
        if self.all_released():
            waiting -= self.pulls[arm]
        self.backlog[arm] = max(self.backlog[arm], waiting)
        return arm, pull

    def learn(self, trace: Pull, released: float) -> None:
        """Count it; stop if this arm was pulled much more often than all others."""
        self.count_release(trace, released)
        others = 0.0
        for i in range(self.pulls.size):
            if i != trace.arm:
                others += self.pulls[i]
        enough = self.backlog[trace.arm] + self.constants.ratio * others
        if self.pulls[trace.arm] >= enough and self.all_released():
            self.conclude(0, trace.arm)

    def upper_index(self, arm: int) -> float:
        """Return the upper bound of an arm's mean."""
        count = max(float(self.pulls[arm]), 1.0)
        variance = self.variance + self.noise_variance * float(self.releases[arm]) / count
        slack, bonus = self.constants.slack, self.constants.bonus
        inner = math.log((1.0 + slack) * count + self.constants.guard) / self.constants.failure
        radius = math.sqrt(2.0 * variance * (1.0 + slack) * math.log(inner) / count)
        return self.mean_gain(arm) + (1.0 + bonus) * (1.0 + math.sqrt(slack)) * radius
