"""Searching an interval for the minimum of a convex function, from noisy values at three points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Learner
from discreet.errors import DiscreetError, check_positive, check_range
from discreet.sets import L2Ball, LinearOracle

SIDES = 1e-9  # shorter projections of an axis onto the hull count as zero
KEPT = 0.75  # the largest share of an interval that remains after a cut
POINTS = 3  # at 1/4, 1/2 and 3/4 of the interval


class Quarter(NamedTuple):
    """The trace of a decision: which of the three points was played, and in which epoch."""

    point: int
    epoch: int


class IntervalSearch(Learner[Floats, Quarter, float]):
    """Stochastic convex functions on an interval (Agarwal et al. 2011, Algorithm 1).

    An epoch plays the points x1, x2, x3 at 1/4, 1/2 and 3/4 of the interval in turn, and keeps the
    means m1, m2, m3 of the releases. With n values at each, v the ``spread``, a the ``tail`` and κ
    the ``certainty``,

        k(n) = 2 sqrt(v κ / n) + a κ / n:
        m1 - min(m2, m3) > k  cuts off what is left of x1,
        m3 - min(m1, m2) > k  cuts off what is right of x3,

    and a new epoch begins, until the interval is a ``finest`` part of the first. v and a mean that
    E exp(θ (released - mean)) ≤ exp(θ² v / 2 (1 - a |θ|)); so the error of a difference exceeds k
    with probability at most exp(-κ). The paper waits for a larger margin before it cuts, and begins
    every round of halved confidence from scratch.

    Regret: see ``interval_bound``. It is at most of order sqrt(T ln T ln(T)) for functions that are
    drawn independently from one distribution. Nothing is proved for functions that change.

    >>> learner = IntervalSearch.start(set=L2Ball(1, 1.0), certainty=5.0, spread=0.25)
    >>> rng = np.random.default_rng(0)
    >>> for _ in range(90):
    ...     point, trace = learner.act(0, rng)
    ...     learner.learn(trace, abs(point[0] - 0.7))
    >>> learner.ends.round(3).tolist(), point.round(2).tolist()
    ([0.438, 1.0], [0.72])
    """

    start_point: Floats  # one end of the set
    across: Floats  # from there to the other
    certainty: float  # κ
    spread: float  # v
    tail: float  # a
    finest: float
    ends: Floats  # of the interval, as shares of the way across
    sums: Floats  # of the releases of this epoch, for each point
    counts: Floats
    turn: Integers  # the next point, and the epoch
    played: Floats  # a buffer

    @classmethod
    def start(
        cls,
        *,
        set: LinearOracle,  # noqa: A002
        certainty: float,
        spread: float = 0.25,
        tail: float = 0.0,
        finest: float = 1e-9,
    ) -> IntervalSearch:
        """Return the learner before the first round."""
        one, other = ends_of(set)
        return cls(
            one,
            other - one,
            check_positive("certainty", certainty),
            check_positive("spread", spread),
            check_range("tail", tail, 0.0, 1e100),
            check_range("finest", finest, 1e-12, 1.0),
            np.array([0.0, 1.0]),
            np.zeros(POINTS),
            np.zeros(POINTS),
            np.zeros(2, np.int64),
            one.copy(),
        )

    @classmethod
    def example(cls) -> IntervalSearch:
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(1, 1.0), certainty=3.0, tail=0.1)

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.played.size

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Quarter]:
        """Play the next of the three points."""
        point = int(self.turn[0])
        self.turn[0] = (point + 1) % 3
        share = self.ends[0] + (self.ends[1] - self.ends[0]) * 0.25 * (point + 1)
        for i in range(self.played.size):
            self.played[i] = self.start_point[i] + share * self.across[i]
        return self.played, Quarter(point, int(self.turn[1]))

    def learn(self, trace: Quarter, released: float) -> None:
        """Count a value of this epoch, and cut off a side that cannot have the minimum."""
        if trace.epoch != self.turn[1]:
            return
        self.sums[trace.point] += released
        self.counts[trace.point] += 1.0
        least = min(self.counts[0], self.counts[1], self.counts[2])
        if least < 1.0 or self.ends[1] - self.ends[0] <= self.finest:
            return
        limit = (
            2.0 * math.sqrt(self.spread * self.certainty / least)
            + self.tail * self.certainty / least
        )
        left, middle, right = (
            self.sums[0] / self.counts[0],
            self.sums[1] / self.counts[1],
            self.sums[2] / self.counts[2],
        )
        quarter = 0.25 * (self.ends[1] - self.ends[0])
        cut = False
        if left - min(middle, right) > limit:
            self.ends[0] += quarter
            cut = True
        if right - min(left, middle) > limit:
            self.ends[1] -= quarter
            cut = True
        if cut:
            self.begin_epoch()

    def begin_epoch(self) -> None:
        """Forget the values of this epoch."""
        self.turn[0] = 0
        self.turn[1] += 1
        for i in range(self.sums.size):
            self.sums[i] = 0.0
            self.counts[i] = 0.0


def ends_of(segment: LinearOracle) -> tuple[Floats, Floats]:
    """Return both ends of a one-dimensional set, or refuse the set.

    >>> [end.tolist() for end in ends_of(L2Ball(1, 2.0))]
    [[-2.0], [2.0]]
    """
    if segment.flat != 1:
        raise DiscreetError(
            f"the set of type {type(segment).__name__} has a hull of dimension {segment.flat}, "
            "but it must be 1."
        )
    one, other = np.empty(segment.dimension), np.empty(segment.dimension)
    for side in np.eye(segment.dimension):
        segment.tangent(side)
        if np.linalg.norm(side) > SIDES:
            segment.minimise_linear(side, one)
            segment.minimise_linear(-side, other)
            break
    return one, other


def most_epochs(rounds: int) -> int:
    """Return the epochs after which an interval is below 1 / T of the first: log T / log(4/3)."""
    return math.ceil(math.log(rounds) / -math.log(KEPT))


def certainty_for(rounds: int) -> float:
    """Return κ = ln(6 J T sqrt(T)), J the number of epochs.

    So all errors of three differences, of both signs, after T rounds of each epoch are within k,
    except with probability 1 / sqrt(T).
    """
    return math.log(6.0 * most_epochs(rounds) * rounds**1.5)


def interval_bound(
    *, rounds: int, outer: float, slope: float, widest: float, spread: float, tail: float
) -> float:
    """Return a bound on the expected regret for functions drawn from one distribution.

    The comparator is the best fixed point. With G the ``slope``, R the ``outer`` radius, ``widest``
    the largest cost of a round, κ = ``certainty_for`` T, and the number of epochs e that minimises
    it, the bound is the lesser of

        40 sqrt(v κ e (T / 3 + e)) + 10 a κ e (1 + ln T) + (3/2) G R (3/4)^e T + 12 G R
        and   G R T + 16 G R,

    plus ``widest`` sqrt(T) + 2 G R sqrt(T).

    *Proof.* Let F be the mean function, x* its minimum in the set. All comparisons are right within
    k, except for an event of probability 1 / sqrt(T), which is the first of the last two terms. So
    no cut loses x*: F(x1) > min(F(x2), F(x3)) means that it is right of x1. While nothing was cut
    with n values at each point, F(x1) - F(x3), F(x1) - F(x2) and the same with x1 and x3 exchanged
    are at most 2 k. If x* is left of x1, then by convexity F(x1) - F(x*) ≤ (F(x3) - F(x1)) / 2 ≤ k,
    F(x3) - F(x*) ≤ 3 k, and F(x2) is at most their mean: 6 k for the three. If it is between x1 and
    x2, a share s of the way from x2 to x1, then F(x2) - F(x*) ≤ s (F(x3) - F(x2)) ≤ 2 s k, and
    F(x1), F(x3) are at most 2 k above F(x2): (4 + 6 s) k ≤ 10 k. The other half is alike. So an
    epoch with m values at each costs at most 10 Σ k(n) ≤ 40 sqrt(v κ m) + 10 a κ (1 + ln m) after
    its first three rounds, which cost 3 G R (3/4)^j in epoch j; roots of m add up to at most
    sqrt(e Σ m). After e epochs points are within (3/2) R (3/4)^e of x*. Otherwise: the distances of
    the three points from any point of the interval add up to at most 3 R, and at most one turn per
    epoch is incomplete. The best fixed point of a game is better than x* by at most
    2 R |Σ (g - E g)| in total, g a slope of each function at x* whose mean E g does not fall
    towards any point of the set: 2 R G sqrt(T) on average. ∎
    """
    certain, reach = certainty_for(rounds), slope * outer

    def learned(epochs: int) -> float:
        own = 40.0 * math.sqrt(spread * certain * epochs * (rounds / POINTS + epochs))
        heavy = 10.0 * tail * certain * epochs * (1.0 + math.log(rounds))
        return own + heavy + 1.5 * reach * KEPT**epochs * rounds + 12.0 * reach

    best = min(learned(epochs) for epochs in range(1, most_epochs(rounds) + 1))
    return min(best, reach * (rounds + 16.0)) + (widest + 2.0 * reach) * math.sqrt(rounds)
