"""The worst case of Tsallis-INF with two arms, over adversaries that see all its draws."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats
from discreet.errors import check_int

STEEP = 7.0  # the grid extends to sinh of this, times sqrt(T) / 8


def worst_reacting(plays: int, *, contrast: float = 1.0, points: int = 801) -> float:
    """Return the largest regret against arm 0 that an adversary who sees every draw can cause.

    The learner is that of ``tsallis-inf``. It receives bits whose means are within ``contrast`` / 2
    of 1/2. The difference d of its two sums and the round t determine what it does next. So the
    worst case is computed backwards on a grid of differences, with linear interpolation:

        V_t(d) = max over both means of  w(1) (mean(1) - mean(0)) + E V_{t+1}(d + estimate).

    V is linear in each mean, so the ends of their ranges suffice. Regret is in units of the losses:
    it is divided by the contrast. Because of the interpolation this is a computation, not a proof;
    finer grids change it by less than 0.2 %.

    >>> round(worst_reacting(64), 1)
    7.5
    """
    count = check_int("plays", plays, minimum=1)
    grid = np.sinh(np.linspace(-STEEP, STEEP, points)) * math.sqrt(count) / 8.0
    ends = (0.5 - contrast / 2.0, 0.5 + contrast / 2.0)
    value = np.zeros(points)
    for t in range(count, 0, -1):
        rate = 4.0 / math.sqrt(t)
        weights = _weights(grid, rate)
        based = [np.where(each >= rate * rate / 4.0, 0.5, 0.0) for each in weights]
        after = [
            [
                np.interp(
                    grid + based[0] - based[1] + sign * (bit - based[arm]) / weights[arm],
                    grid,
                    value,
                )
                for bit in (0.0, 1.0)
            ]
            for arm, sign in ((0, 1.0), (1, -1.0))
        ]
        options = [
            weights[1] * (second - first) / contrast
            + weights[0] * ((1.0 - first) * after[0][0] + first * after[0][1])
            + weights[1] * ((1.0 - second) * after[1][0] + second * after[1][1])
            for first in ends
            for second in ends
        ]
        value = np.max(options, axis=0)
    return float(np.interp(0.0, grid, value))


def _weights(differences: Floats, rate: float) -> list[Floats]:
    """Return the weights of both arms for these differences of their sums, by bisection."""
    apart = np.abs(differences)
    low, high = np.full_like(apart, 2.0 / rate), np.full_like(apart, math.sqrt(8.0) / rate)
    for _ in range(50):
        middle = (low + high) / 2.0
        beyond = middle**-2.0 + (middle + apart) ** -2.0 > rate * rate / 4.0
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    less = np.maximum(4.0 / (rate * (low + apart)) ** 2, 1e-12)  # of the arm with more loss
    behind = differences > 0.0  # arm 0 is
    return [np.where(behind, less, 1.0 - less), np.where(behind, 1.0 - less, less)]
