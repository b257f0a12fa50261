"""Learners that hold the arm with the largest index for a batch that grows with its rounds."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.fresh import fresh_arm
from discreet.learners.arms.radius import batch_weight, radius
from discreet.learners.arms.ties import fresh_chances, lengths_differ, tie_chances

# Rounds of a batch. No game is that long, and sums of many such numbers are exact doubles.
LONGEST = 2.0**40


UNKNOWN = -1.0  # how likely an arm was


class Hold(NamedTuple):
    """The trace of a batch: the arm, its number of rounds, and its probability.

    The probability is unknown if tied arms would have batches of different lengths.
    """

    arm: int
    rounds: int
    likely: float


class IndexLearner(Learner[int, Hold, float]):
    """Plays every arm for a first batch, then the arm with the largest index for a longer one.

    A subclass defines the index. The length of a batch depends on earlier releases only.

    Outcomes may arrive late. While some arms have no release, those arms take turns, in an order
    that is drawn at random. Afterwards, means are over releases, but lengths and radii count all
    requested rounds, as if open ones had arrived. Otherwise the leading arm would be requested
    again and again in short batches, or an arm would be explored until its outcomes arrive. A batch
    that is given up no longer counts.

    ``first`` is τ₁, the length of an arm's first batch and the shortest of all. ``growth`` is the
    length of the next batch as a share of the rounds the arm has had.
    """

    predictable: ClassVar[bool] = True

    first: int
    growth: float
    asked: Floats  # rounds of an arm that were requested
    counts: Floats  # rounds of an arm whose outcomes were released
    gains: Floats  # of an arm, summed as the subclass defines it
    clock: Floats  # rounds asked for, and a number for the subclass
    chances: Floats  # of each arm at the last draw: 1 for the best, unless there was a tie

    @staticmethod
    def buffers(arms: int, first: int, growth: float) -> dict[str, Any]:
        """Return the fields above, before the first round."""
        count = check_int("arms", arms, minimum=2)
        return {
            "first": check_int("first", first, minimum=1),
            "growth": check_range("growth", growth, 0.0, 1e3),
            "asked": np.zeros(count),
            "counts": np.zeros(count),
            "gains": np.zeros(count),
            "clock": np.zeros(2),
            "chances": np.zeros(count),
        }

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.asked.size

    def act(self, observation: object, rng: Generator) -> tuple[int, Hold]:
        """Choose an arm, and for how long."""
        drawn = rng.random()
        arm = fresh_arm(self.counts, self.asked, drawn)
        if arm < 0:
            arm = self.best_arm(int(drawn * self.asked.size))
            likely = tie_chances(self.chances, arm)
            if likely < 1.0 and lengths_differ(self.chances, self.asked, arm):
                likely = UNKNOWN  # a batch still running would reveal more about its arm
        else:
            likely = fresh_chances(self.counts, self.asked, arm, self.chances)
        rounds = math.ceil(min(self.growth * float(self.asked[arm]), LONGEST))
        trace = Hold(arm, max(self.first, rounds), likely)
        self.asked[arm] += trace.rounds
        self.clock[0] += trace.rounds
        return arm, trace

    def best_arm(self, start: int) -> int:
        """Return the arm with the largest index; ties go to the first from ``start`` on.

        A random ``start`` favours no arm. With much noise, many indices are equal, at the end of
        their range.
        """
        self.prepare()
        best = start
        most = -math.inf
        for step in range(self.asked.size):
            arm = (start + step) % self.asked.size
            index = self.index(arm)
            self.chances[arm] = index
            if index > most:
                best, most = arm, index
        return best

    def prepare(self) -> None:
        """Compute what the indices of all arms have in common."""

    def index(self, arm: int) -> float:
        """Return the index of an arm that has had a release."""
        raise NotImplementedError

    def chance(self, trace: Hold, action: int) -> float:
        """Return the probability of an arm."""
        if trace.likely == UNKNOWN:
            return math.nan
        return trace.likely if action == trace.arm else float(self.chances[action])

    def patience(self, trace: Hold) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def learn(self, trace: Hold, released: float) -> None:
        """Add the noisy gains of the batch."""
        self.gains[trace.arm] += trace.rounds * (1.0 - released)
        self.counts[trace.arm] += trace.rounds

    def give_up(self, trace: Hold) -> None:
        """Remove a batch that will not be released from the counts."""
        self.asked[trace.arm] -= trace.rounds

    def requested(self, arm: int) -> float:
        """Return the rounds of an arm, including those whose outcomes are outstanding."""
        return max(float(self.asked[arm]), float(self.counts[arm]))

    def mean_of(self, arm: int) -> float:
        """Return the mean noisy gain of an arm, clipped to [0, 1]."""
        return min(max(float(self.gains[arm]) / float(self.counts[arm]), 0.0), 1.0)


class BatchedUcb(IndexLearner):
    """Upper confidence bounds on noisy means of batches, for losses that do not change.

    Plays the arm with the largest weighted mean gain + radius(β), for half as many rounds as it has
    had. A batch of τ rounds has the weight τ² / (τ / 4 + 2 Λ²), the inverse of the largest variance
    that its noisy mean can have; the radius is Chernoff's for such means (``radius.py``). β = c
    ln max(3, t / τ₁) + a, with t the rounds so far.

    ``noise`` is Λ, the scale of the Laplace noise on the sum of a batch; ``exploration`` is c, and
    ``caution`` is a.

    Regret against independent, identically distributed losses: with c = 0 and an a that covers all
    releases, the bound that ``batched-ucb`` computes (docs/proofs.md: Batched upper confidence
    bounds). No bound holds for other losses.
    """

    noise: float
    exploration: float
    caution: float
    weights: Floats  # Σ o
    laplace: Floats  # Σ (o Λ / τ)²
    widest: Floats  # max o Λ / τ

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        noise: float,
        first: int,
        growth: float = 0.5,
        exploration: float = 0.7,  # why: algorithms/arms/indices.py
        caution: float = 0.0,
    ) -> BatchedUcb:
        """Return the learner before the first round."""
        buffers = cls.buffers(arms, first, growth)
        count = buffers["asked"].size
        return cls(
            **buffers,
            noise=check_positive("noise", noise),
            exploration=check_range("exploration", exploration, 0.0, 1e3),
            caution=check_range("caution", caution, 0.0, 1e6),
            weights=np.zeros(count),
            laplace=np.zeros(count),
            widest=np.zeros(count),
        )

    @classmethod
    def example(cls) -> BatchedUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=5, noise=2.0, first=2)

    def prepare(self) -> None:
        """Compute β."""
        self.clock[1] = (
            self.exploration * math.log(max(3.0, float(self.clock[0]) / self.first)) + self.caution
        )

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm; open rounds count in proportion."""
        weight = float(self.weights[arm])
        more = self.requested(arm) / float(self.counts[arm])
        slack = radius(
            more * weight,
            more * float(self.laplace[arm]),
            float(self.widest[arm]),
            float(self.clock[1]),
        )
        return float(self.gains[arm]) / weight + slack

    def learn(self, trace: Hold, released: float) -> None:
        """Add the batch, weighted."""
        arm = trace.arm
        weight = batch_weight(float(trace.rounds), self.noise)
        scale = weight * self.noise / trace.rounds
        self.weights[arm] += weight
        self.gains[arm] += weight * (1.0 - released)
        self.laplace[arm] += scale * scale
        self.widest[arm] = max(float(self.widest[arm]), scale)
        self.counts[arm] += trace.rounds
