"""Proved confidence widths and regret bounds for reports with Gaussian noise.

The proofs are in docs/regret.md: Linear and generalised linear rewards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.algorithms.confident import ConfidentBound
from discreet.algorithms.contexts.widths import FAILURE, GROWTH, upsilon
from discreet.channels.glm_moments import Link
from discreet.contracts import Floats, Integers
from discreet.learners.contexts.linear_ucb import FitSchedule

EVENTS = 8.0  # shares of α: four events have two each, the largest and least eigenvalue one each
# rounds between two fits, as a share of Υ: the bound then grows by half of it at most
FRESH = 0.01
MOST_FITS = 200_000  # more rounds than about 2^31 have longer gaps


class Steepness(NamedTuple):
    """Properties of a reported residual (g(z) - y) / w, with w from ``least`` to ``most``.

    ``slope`` is the least derivative of g, and ``largest`` bounds the residual.
    """

    slope: float
    least: float
    most: float
    largest: float

    @classmethod
    def of(cls, link: Link) -> Steepness:
        """Return the properties of residuals divided by the largest possible error."""
        return cls(link.slopes()[0], 0.5, link.largest_error(), 1.0)


class DescentStep(NamedTuple):
    """The step of gradient descent, and the sums of squares of its prediction errors."""

    step: float
    errors: Floats


def descent(
    dimension: int, rounds: int, times: Integers, deviation: float, steep: Steepness
) -> DescentStep:
    """Return the step η, and bounds on Q = Σ ⟨x, θ̂ - θ⟩² at all times together.

    ``deviation`` is that of the noise in one entry of a reported residual.
    """
    log, t = math.log(4.0 * rounds / FAILURE), times.astype(np.float64)
    squares = (
        rounds * (steep.largest**2 + dimension * deviation**2)
        + deviation**2 * 2.0 * (math.sqrt(rounds * dimension * log) + log)
        + 2.0 * steep.largest * deviation * math.sqrt(2.0 * rounds * log)
    )
    cost = math.sqrt(squares) + 2.0 * deviation * np.sqrt(2.0 * t * log)
    part = np.minimum(1.0, np.sqrt(log / (2.0 * steep.slope * steep.least * cost)))
    rewards = log / (4.0 * steep.slope * steep.least * part)
    errors = steep.most * (cost + rewards) / (steep.slope * (1.0 - part / 2.0))
    return DescentStep(1.0 / math.sqrt(squares), errors)


class SingleReport(NamedTuple):
    """Standard deviations of the noise in a report: on the diagonal of x x', and on a residual."""

    matrix: float
    vector: float


def first_upsilon(dimension: int, rounds: int, single: SingleReport) -> float:
    """Return Υ after one report; it grows with the root of their number."""
    return float(upsilon(dimension, rounds, np.array([single.matrix]), events=EVENTS)[0])


def glm_schedule(
    dimension: int,
    rounds: int,
    single: SingleReport,
    steep: Steepness,
    times: Integers | None = None,
) -> tuple[FitSchedule, float]:
    """Return the times, shifts and widths of fits, and the step of the descent.

    c = 2 Υ; β = sqrt(Q) + σ sqrt(t) (sqrt(d) + sqrt(2 ln(4 T/α))) / sqrt(Υ) + sqrt(3 Υ).
    """
    first = first_upsilon(dimension, rounds, single)
    fits = frequent_times(rounds, first) if times is None else times
    most = first * np.sqrt(fits)
    found = descent(dimension, rounds, fits, single.vector, steep)
    log = math.log(4.0 * rounds / FAILURE)
    noise = single.matrix * np.sqrt(fits) * (math.sqrt(dimension) + math.sqrt(2.0 * log))
    widths = np.sqrt(found.errors) + noise / np.sqrt(most) + np.sqrt(3.0 * most)
    return FitSchedule(fits, 2.0 * most, widths, np.zeros(fits.size)), found.step


def rough_regret(dimension: int, rounds: int, single: SingleReport, steep: Steepness) -> float:
    """Return a number proportional to the bound, as if the model were fitted every round."""
    end, _ = glm_schedule(dimension, rounds, single, steep, np.array([rounds]))
    seen = math.log1p(rounds / (dimension * first_upsilon(dimension, rounds, single)))
    return float(end.widths[0]) * math.sqrt(seen)


def frequent_times(rounds: int, first: float) -> Integers:
    """Return the times of fits: those of ``fit_times``, but at least every Υ / 100 rounds.

    ``first`` is Υ after one report; it grows with the root of their number.

    >>> len(frequent_times(2**15, 45.0)), len(frequent_times(2**20, 45.0))
    (866, 4622)
    """
    times = [1]
    share = max(FRESH * first, 2.0 * math.sqrt(rounds) / MOST_FITS)
    while times[-1] < rounds:
        last = times[-1]
        gap = min((GROWTH - 1.0) * last, share * math.sqrt(last))
        times.append(last + max(1, int(gap)))
    return np.array(times[:-1] or [1], dtype=np.int64)


def confident_regret(
    dimension: int, rounds: int, schedule: FitSchedule, slope: float, width: float, holds_for: str
) -> ConfidentBound:
    """Return the bound 1 + 2 G β sqrt(2 d T f ln(1 + T / (d Υ₁))), in units of the losses.

    ``schedule`` has shifts of 2 Υ. G, the ``slope``, bounds the derivative of mean rewards, which
    are fractions of the range; f is the cost of fitting the model rarely.
    """
    most = schedule.shifts / 2.0
    gaps = np.diff(schedule.times, append=rounds) - 1
    rarely = float((1.0 + gaps / most).max()) * max(1.0, 1.0 / float(most[0]))
    seen = math.log1p(rounds / (dimension * float(most[0])))
    total = math.sqrt(2.0 * dimension * rounds * rarely * seen)
    regret = width * (1.0 + 2.0 * slope * float(schedule.widths.max()) * total)
    return ConfidentBound(regret=regret, failure=FAILURE, holds_for=holds_for)
