"""Widths and a regret bound for LinUCB on noisy running sums with Gaussian noise.

The proof is in docs/regret.md: Linear rewards at a trusted server.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.algorithms.confident import ConfidentBound
from discreet.algorithms.contexts.widths import FAILURE, THEORY, Deviations
from discreet.contracts import Floats, Integers
from discreet.learners.contexts.linear_ucb import FitSchedule

# Rounds between two fits as a share of λ: the bound grows by half of it at most.
FRESH = 0.1
MOST_FITS = 50_000


def fit_gap(dimension: int, rounds: int, single: float) -> int:
    """Return how many rounds there are between two fits, a tenth of λ.

    λ is estimated: ``single`` is the deviation of the noise in the matrix if there is one sum, and
    m sums have about 1 + ln(m) / π times as much.

    >>> fit_gap(10, 2**18, 8.96), fit_gap(10, 100, 8.96)
    (33, 12)
    """
    gap = 1
    for _ in range(4):  # λ changes slowly with the number of fits
        fits = max(1, rounds // gap)
        noise = single * (1.0 + math.log(fits) / math.pi)
        least = noise * (math.sqrt(2.0 * dimension) + rare(fits))
        gap = max(1, int(FRESH * (THEORY.shift - 1.0) * least), math.ceil(rounds / MOST_FITS))
    return gap


def rare(fits: int) -> float:
    """Return sqrt(2 ln(4 m / α)): a normal number exceeds it at one of m fits with chance α / 4."""
    return math.sqrt(2.0 * math.log(4.0 * fits / FAILURE))


def sums_schedule(dimension: int, times: Integers, noise: Deviations) -> FitSchedule:
    """Return shifts c = 2 Υ and the proved widths β for sums with this noise.

    Υ = σ (sqrt(2 d) + s), λ = Υ, s = sqrt(2 ln(4 m / α)), m the number of fits; β = sqrt(2 ln(4/α)
    + d ln(1 + t / (d λ₁))) + sqrt(c + σ s) + ς (sqrt(d) + s) / sqrt(λ).
    """
    s = rare(times.size)
    most = noise.matrix * (math.sqrt(2.0 * dimension) + s)
    shifts = THEORY.shift * most
    least = shifts - most
    log = 2.0 * math.log(4.0 / FAILURE)
    widths = (
        np.sqrt(log + dimension * np.log1p(times / (dimension * least.min())))
        + np.sqrt(shifts + noise.matrix * s)
        + noise.vector * (math.sqrt(dimension) + s) / np.sqrt(least)
    )
    return FitSchedule(times, shifts, widths, np.zeros(times.size))


def sums_regret(
    dimension: int, rounds: int, schedule: FitSchedule, width: float, holds_for: str
) -> ConfidentBound:
    """Return t₁ + sqrt(Σ g β² f) sqrt(a d ln(1 + T / (d λ₁))), in units of the losses.

    ``schedule`` is that of ``sums_schedule``; g rounds follow a fit, f = 1 + (g - 1) / λ.
    """
    gaps = np.maximum(np.diff(schedule.times, append=rounds), 0).astype(np.float64)
    least: Floats = schedule.shifts * (1.0 - 1.0 / THEORY.shift)
    rarely = 1.0 + np.maximum(gaps - 1.0, 0.0) / least
    first = float(least.min())
    seen = math.log1p(rounds / (dimension * first)) / (first * math.log1p(1.0 / first))
    total = float(np.sqrt((gaps * schedule.widths**2 * rarely).sum() * dimension * seen))
    regret = width * (float(schedule.times[0]) + total)
    return ConfidentBound(regret=regret, failure=FAILURE, holds_for=holds_for)
