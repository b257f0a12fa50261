"""Learners that hold the arm with the largest index for a batch that grows."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.radius import batch_weight, radius

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


class BatchedUcb(IndexLearner):
    """Plays the arm with the largest weighted mean gain + radius(β), for half as many rounds as it has had.

    A batch of b rounds has the weight b² / (b / 4 + 2 / ε²), the inverse of the largest variance
    that its noisy mean can have; the radius is Chernoff's for such means (``radius.py``). β = c ln
    max(3, t / b₁) + d, with t the rounds so far and b₁ the first batch.

    ``noise`` is the scale of the Laplace noise on the sum of a batch, 1 / ε; ``exploration`` is c
    and ``caution`` d.

    Regret against independent, identically distributed losses: with c = 0 and a d that covers all
    releases, the bound that ``batched-ucb`` computes (docs/proofs.md: Batched upper confidence
    bounds). Nothing is promised for other losses.
    """

    noise: float
    exploration: float
    caution: float
    weights: Floats  # Σ o
    laplace: Floats  # Σ (o noise / b)²
    widest: Floats  # max o noise / b

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        noise: float,
        first: int,
        growth: float = 0.5,
        exploration: float = 0.7,
        caution: float = 0.0,
    ) -> BatchedUcb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            first=check_int("first", first, minimum=1),
            growth=check_range("growth", growth, 0.0, 1e3),
            asked=np.zeros(count),
            counts=np.zeros(count),
            gains=np.zeros(count),
            clock=np.zeros(2),
            noise=check_positive("noise", noise),
            exploration=check_range("exploration", exploration, 0.0, 1e3),
            caution=check_range("caution", caution, 0.0, 1e6),
            weights=np.zeros(count),
            laplace=np.zeros(count),
            widest=np.zeros(count),
        )

    @classmethod
    def example(cls) -> BatchedUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5, noise=2.0, first=2)

    def prepare(self) -> None:
        """Compute β."""
        self.clock[1] = (
            self.exploration * math.log(max(3.0, float(self.clock[0]) / self.first)) + self.caution
        )

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm."""
        weight = float(self.weights[arm])
        slack = radius(
            weight, float(self.laplace[arm]), float(self.widest[arm]), float(self.clock[1])
        )
        return float(self.gains[arm]) / weight + slack

    def learn(self, trace: Hold, released: float) -> None:
        """Add the batch with its weight."""
        arm = trace.arm
        weight = batch_weight(float(trace.rounds), self.noise)
        scale = weight * self.noise / trace.rounds
        self.weights[arm] += weight
        self.gains[arm] += weight * (1.0 - released)
        self.laplace[arm] += scale * scale
        self.widest[arm] = max(float(self.widest[arm]), scale)
        self.counts[arm] += trace.rounds
