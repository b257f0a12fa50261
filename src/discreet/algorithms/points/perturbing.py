"""What Gaussian perturbations cost a leader on each set, and what they save: what the perturbed leader is tuned with."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from discreet.sets import Geometry


class Smoothing(NamedTuple):
    """E regret ≤ penalty s + T curvature / s, s the deviation of the perturbation (docs/regret.md: Perturbed points).

    ``penalty`` is what the perturbed leader is behind before the first round, ``curvature`` what a
    round costs, at s = 1.
    """

    penalty: float
    curvature: float

    @classmethod
    def of(cls, sets: Geometry) -> Smoothing:
        """Return the constants of a set of points and its losses."""
        if sets.name == "experts":
            largest = largest_normal(sets.dimension)
            return cls(largest, sets.bounds.width**2 / 4.0 * largest)
        per_coordinate = sets.radius / math.sqrt(sets.dimension)
        if sets.name == "cube":
            sides = per_coordinate * sets.dimension * math.sqrt(2.0 / math.pi)
            return cls(sides, per_coordinate * sets.norm**2 / math.sqrt(2.0 * math.pi))
        return cls(
            sets.radius * math.sqrt(sets.dimension),
            sets.radius * sets.norm**2 / math.sqrt(2.0 * math.pi),
        )

    def bound(self, rounds: int, least: float, most: float) -> float:
        """Return the bound if all perturbations have standard deviations from ``least`` to ``most``."""
        return self.penalty * most + rounds * self.curvature / least

    def best_spread(self, rounds: int, noise: float) -> float:
        """Return the σ with which σ² + ``noise``² is the best s²; 0 if the noise of the sums alone is as large."""
        return math.sqrt(max(rounds * self.curvature / self.penalty - noise * noise, 0.0))


@functools.cache
def largest_normal(count: int) -> float:
    """Return the mean of the largest of that many standard normal variables, rounded up in the ninth digit.

    >>> round(largest_normal(2), 6), round(1 / math.sqrt(math.pi), 6)
    (0.56419, 0.56419)
    """
    x = np.linspace(-12.0, 12.0, 48_001)
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in x])
    density = count * below ** (count - 1) * np.exp(-x * x / 2.0) / math.sqrt(2.0 * math.pi)
    return float((x * density).sum() * (x[1] - x[0])) * (1.0 + 1e-9)
