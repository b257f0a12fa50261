"""Fits of a linear model: their times, the shift of the matrix, the width of confidence."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.contexts.linear_ucb import NO_LOOKS, FitSchedule, Looks

Constants = Literal["practice", "theory"]
FAILURE = 0.05  # the probability α that the confidence fails
GROWTH = 1.03  # factor of the rounds from one fit to the next
# reports per look, at a variance of 1: a difference of 0.3 is then four standard deviations
LOOK = (4.0 / 0.3) ** 2
# shares of all rounds: when looks begin, and how long they last at most
LOOK_AFTER, LOOK_FOR = 1.0 / 8.0, 1.0 / 8.0
# largest number of features that are looked at one by one; with more, each matters little, and
# looks cost more than they save
FEW = 20
HARDLY = 2.5  # a feature reported below this many standard deviations was hardly played
SHARE = 0.5  # and below this share of the most played feature
TRIAL, WORTH = 1.0 / 4.0, 0.3  # after this part, a look ends if the mean of x(i)² is smaller
UNPROVED = "none is proved: the constants are chosen by measurements"


class Factors(NamedTuple):
    """Constants: the shift in Υ, a factor of the width β, the reach ω in shifts, the recency.

    ``recency`` is how fast the weight of old reports falls. ``look`` is the number of reports, at a
    variance of 1, for which a feature that was hardly played is looked at.
    """

    shift: float
    width: float
    reach: float
    recency: float
    look: float

    def checked(self) -> Factors:
        """Return the same, or refuse a constant below 0 or a shift of 0."""
        check_positive("shift", self.shift)
        return Factors(
            *(check_range(name, value, 0.0, 1e9) for name, value in self._asdict().items())
        )


THEORY = Factors(2.0, 1.0, 0.0, 0.0, 0.0)  # those of the analysis
PRACTICE = Factors(1.5, 0.0, 0.3, 1.0, LOOK)  # chosen by measurements


class Deviations(NamedTuple):
    """Standard deviations of the noise in sums: in an entry on the diagonal, and in the vector."""

    matrix: Floats
    vector: Floats


class Shape(NamedTuple):
    """The blocks of features: how many are shared, how many per block, and how many blocks."""

    shared: int
    block: int
    blocks: int


def fit_times(rounds: int, *, growth: float = GROWTH, first: int = 1) -> Integers:
    """Return the numbers of reports at which to fit the model: often at first, then ever rarer.

    The first fit is after ``first`` reports, or a tenth of all rounds if that is less.

    >>> fit_times(10).tolist(), len(fit_times(2**18))
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], 355)
    >>> fit_times(200, growth=2.0, first=25).tolist()
    [20, 40, 80, 160]
    """
    check_range("growth", growth, 1.001, 1e3)
    times = [min(check_int("first", first, minimum=1), max(1, rounds // 10))]
    while times[-1] < rounds:
        times.append(max(times[-1] + 1, int(times[-1] * growth)))
    return np.array(times[:-1] or [1], dtype=np.int64)


def effective_reports(times: Integers, recency: float) -> Floats:
    """Return the sum over s ≤ t of (s / t)^(2 recency): so many unweighted reports are as noisy.

    >>> times = np.array([1, 10])
    >>> effective_reports(times, 0.0).tolist(), effective_reports(times, 1.0).round(9).tolist()
    ([1.0, 10.0], [1.0, 3.85])
    """
    t = times.astype(np.float64)
    return t if recency == 0.0 else t / (2.0 * recency + 1.0) + 0.5 + recency / (6.0 * t)


def plain_schedule(dimension: int, times: Integers, factor: float) -> FitSchedule:
    """Return the schedule of LinUCB: shift 1, and β = sqrt(2 ln(1/α) + d ln(1 + t/d)) + 1."""
    t = times.astype(np.float64)
    check_range("width", factor, 0.0, 1e9)
    widths = np.sqrt(2.0 * math.log(1.0 / FAILURE) + dimension * np.log1p(t / dimension)) + 1.0
    return FitSchedule(times, np.ones(t.size), factor * widths, np.zeros(t.size))


def upsilon(
    dimension: int,
    rounds: int,
    matrix: Floats,
    *,
    events: float = 6.0,
    shape: Shape | None = None,
) -> Floats:
    """Return Υ, which no eigenvalue of the noise exceeds in any round, except with chance α / 3.

    Υ = σ (sqrt(2 d) + sqrt(2 ln(6 T / α))) for symmetric Gaussian noise with deviation σ on the
    diagonal and σ / sqrt(2) off it. For reports of fixed length it is checked by measurement, and
    not proved. With ``events`` k instead of 6, the chance is 2 α / k.

    With K blocks of n features and s shared ones, the noise is that of K + 1 squares on the
    diagonal and of an s by K n rectangle: Υ = σ (sqrt(2 max(s, n)) + l) + σ (sqrt(s) + sqrt(K n) +
    l) / sqrt(2), with l = sqrt(2 ln(6 T (K + 2) / α)), and no rectangle if s = 0.
    """
    if shape is None:
        rare = math.log(events * rounds / FAILURE)
        return matrix * (math.sqrt(2.0 * dimension) + math.sqrt(2.0 * rare))
    shared, block, blocks = shape
    rare = math.sqrt(2.0 * math.log(events * rounds * (blocks + 2 * (shared > 0)) / FAILURE))
    most = math.sqrt(2.0 * max(shared, block)) + rare
    if shared > 0:
        most += (math.sqrt(shared) + math.sqrt(blocks * block) + rare) / math.sqrt(2.0)
    return matrix * most


def noisy_schedule(
    dimension: int,
    rounds: int,
    times: Integers,
    noise: Deviations,
    factors: Factors,
    shape: Shape | None = None,
) -> FitSchedule:
    """Return the schedule for noisy moments, both c and β times a factor.

    c = 2 Υ; β = sqrt(2 ln(3 T/α) + d ln(1 + t / (d Υ))) + sqrt(3 Υ) + σ_ξ (sqrt(d) + sqrt(2 ln(3
    T/α))) / sqrt(Υ). The three terms are the noise of rewards, the shift, and the noise on y x.
    With a reach, which covers the other two, the width is the first term alone.
    With blocks, a prediction depends on the shared features and one block only: d is then their
    number in practice (factors of the width below 1), and all features in theory.
    """
    most = upsilon(dimension, rounds, noise.matrix, shape=shape)
    log = math.log(3.0 * rounds / FAILURE)
    if shape is not None and factors.width < 1.0:
        dimension = shape.shared + shape.block
    rewards = np.sqrt(2.0 * log + dimension * np.log1p(times / (dimension * most)))
    vector = noise.vector * (math.sqrt(dimension) + math.sqrt(2.0 * log)) / np.sqrt(most)
    width = rewards if factors.reach > 0.0 else rewards + np.sqrt(3.0 * most) + vector
    shifts, widths = factors.shift * most, factors.width * width
    return FitSchedule(times, shifts, widths, factors.reach * shifts)


def plan_looks(
    dimension: int, rounds: int, matrix: float, vector: float, factors: Factors
) -> Looks:
    """Return the plan for looks at features that were hardly played.

    ``matrix`` and ``vector`` are standard deviations of a single report. The sums of a look are
    weighted so that they have as much noise as everything before.

    >>> plan_looks(10, 2**17, 4.34, 3.07, PRACTICE)
    Looks(after=16384, reports=1638, weight=1.8..., hardly=801.8..., share=0.5, trial=410,
          worth=123.0)
    """
    after = int(LOOK_AFTER * rounds)
    variance = 1.0 + vector**2  # that of a reward from -1 to 1 is at most 1
    reports = int(min(factors.look * variance, LOOK_FOR * rounds / dimension))
    if after < 1 or reports < 1 or dimension > FEW:
        return NO_LOOKS
    before = float(effective_reports(np.array([after]), factors.recency)[0])
    weight, trial = math.sqrt(before / reports), math.ceil(TRIAL * reports)
    hardly = HARDLY * matrix * math.sqrt(before)
    return Looks(after, reports, weight, hardly, SHARE, trial, WORTH * trial)
