"""Tuning of leaders on running sums: rates, perturbations and their bounds."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from discreet.algorithms.points.running_sums import Candidate
from discreet.algorithms.registry import Setting
from discreet.contracts import Floats
from discreet.errors import check_range
from discreet.learners.points.rates import Rates
from discreet.problems import Points
from discreet.sets import GEOMETRIES, Geometry

# an eighth more bound; chosen by measurements with gaps of 0.05 and 0.02, and alternating and
# drifting losses
HEAD_START = 0.5


class Tuning(NamedTuple):
    """A leader whose regret is at most D / η + κ η A at a fixed rate η.

    A = T ``step`` + ``weight`` · variance, that of a coordinate of a sum. If the rate falls with
    time, docs/regret.md (Falling rates) has the proof, for Gaussian noise whose variance never
    falls.
    """

    size: float  # D
    curvature: float  # κ
    step: float
    weight: float

    @classmethod
    def of_entropy(cls, setting: Setting[Points]) -> Tuning:
        """Return the constants of exponential weights."""
        return cls(math.log(setting.problem.dimension), 1.0 / 8.0, setting.bounds.width**2, 4.0)

    @classmethod
    def of_squares(cls, sets: Geometry) -> Tuning:
        """Return the constants of the leader with squared distances."""
        return cls(sets.radius**2, 1.0 / 4.0, sets.norm**2, float(sets.flat))

    def rates(
        self,
        setting: Setting[Points],
        found: Candidate | None,
        learning_rate: float | None,
        head_start: float | None,
    ) -> Rates:
        """Return the rates: as given, falling if the horizon is unknown, larger early, or fixed."""
        if learning_rate is not None:
            return Rates.fixed(learning_rate)
        size, curvature, step, _ = self
        if setting.unknown_horizon:
            return Rates.anytime(
                size=size, curvature=curvature, step=step, noise=self._noise(found)
            )
        start = usual_start(setting, found) if head_start is None else head_start
        check_range("head_start", start, 0.0, 10.0)
        if start > 0.0:
            return Rates.early(
                size=size,
                curvature=curvature,
                step=step,
                rounds=setting.rounds,
                head_start=start,
                noise=self._noise(found),
            )
        variance = 0.0 if found is None else found.most**2
        return Rates.fixed(
            math.sqrt(size / (curvature * (setting.rounds * step + self.weight * variance)))
        )

    def falling_bound(
        self, setting: Setting[Points], found: Candidate | None, rates: Rates
    ) -> float | None:
        """Return the bound for rates that fall, if one is proved."""
        if not proved(found):
            return None
        paid = rates.paid(setting.rounds)
        best = 2.0 * math.sqrt(self.size * self.curvature * paid)
        if rates.least == 0.0:
            return math.sqrt(2.0) * best
        return best * rates.least / math.sqrt(self.size / (self.curvature * paid))

    def _noise(self, found: Candidate | None) -> Floats:
        return np.zeros(1) if found is None else self.weight * found.variances_by_digits()


def usual_start(setting: Setting[Points], found: Candidate | None) -> float:
    """Return the default head start, which only Gaussian noise has.

    Without privacy it is that of a private leader at this delta, so that both are tuned alike.
    """
    gaussian = setting.delta > 0.0 if found is None else proved(found)
    return HEAD_START if gaussian else 0.0


def handicap(setting: Setting[Points], found: Candidate, head_start: float | None) -> float:
    """Return the factor of a bound in comparisons of running sums.

    If a delta is given, noise without a head start must be better by the cost of a head start.
    """
    if head_start is not None or setting.delta == 0.0 or proved(found):
        return 1.0
    return math.sqrt(1.0 + HEAD_START**2)


def proved(found: Candidate | None) -> bool:
    """Return whether falling rates have a proof: without noise, or if it is steady and Gaussian."""
    return found is None or (found.is_gaussian and found.steady)


def describe_rates(setting: Setting[Points], rates: Rates) -> dict[str, float | int | str]:
    """Describe the rates: one number, or how they fall."""
    if not rates.falls:
        return {"learning_rate": rates.least}
    if rates.least == 0.0:
        return {"learning_rate": f"falls with time: {rates.at(1000):.3g} in round 1,000"}
    return {"learning_rate": rates.at(setting.rounds), "first_learning_rate": rates.at(1)}


class Smoothing(NamedTuple):
    """A perturbed leader: E regret ≤ penalty s + T curvature / s, s the perturbation's deviation.

    At s = 1, ``penalty`` is how far the perturbed leader is behind before the first round, and
    ``curvature`` is the cost of a round. The proof is in docs/regret.md: Perturbed points.
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
        if sets.name not in GEOMETRIES:
            width = float(sets.points.gaussian_width())
            return cls(width, sets.radius * sets.norm**2 / math.sqrt(2.0 * math.pi))
        if sets.name == "cube":
            sides = per_coordinate * sets.dimension * math.sqrt(2.0 / math.pi)
            return cls(sides, per_coordinate * sets.norm**2 / math.sqrt(2.0 * math.pi))
        return cls(
            sets.radius * math.sqrt(sets.dimension),
            sets.radius * sets.norm**2 / math.sqrt(2.0 * math.pi),
        )

    def bound(self, rounds: int, least: float, most: float) -> float:
        """Return the bound if all deviations are between ``least`` and ``most``."""
        return self.penalty * most + rounds * self.curvature / least

    def best_spread(self, rounds: int, noise: float) -> float:
        """Return the σ with which σ² + ``noise``² is the best s², or 0 if the noise is enough."""
        return math.sqrt(max(rounds * self.curvature / self.penalty - noise * noise, 0.0))


@functools.cache
def largest_normal(count: int) -> float:
    """Return the mean of the largest of ``count`` standard normal variables, rounded up.

    >>> round(largest_normal(2), 6), round(1 / math.sqrt(math.pi), 6)
    (0.56419, 0.56419)
    """
    x = np.linspace(-12.0, 12.0, 48_001)  # a sum at this step is exact to nine digits: hence 1e-9
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in x])
    density = count * below ** (count - 1) * np.exp(-x * x / 2.0) / math.sqrt(2.0 * math.pi)
    return float((x * density).sum() * (x[1] - x[0])) * (1.0 + 1e-9)
