"""How regularised leaders on running sums are tuned: rates from public numbers, and the bound that they give."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.algorithms.points.running_sums import Candidate
from discreet.algorithms.registry import Setting
from discreet.contracts import Floats
from discreet.errors import check_range
from discreet.learners.points.rates import Rates
from discreet.problems import Points
from discreet.sets import Geometry

HEAD_START = (
    0.5  # an eighth more bound; chosen on gaps of 0.05 and 0.02, alternating and drifting losses
)


class Tuning(NamedTuple):
    """A leader whose regret is at most D / η + κ η τ at a fixed rate, τ = T ``step`` + ``weight`` · variance.

    The variance is that of a coordinate of a sum. Where the rate falls with time, docs/regret.md
    (Falling rates) has the proof, for Gaussian noise whose variance never falls.
    """

    size: float  # D
    curvature: float  # κ
    step: float
    weight: float

    @classmethod
    def of_entropy(cls, setting: Setting[Points]) -> Tuning:
        """Return that of exponential weights."""
        return cls(math.log(setting.problem.dimension), 1.0 / 8.0, setting.bounds.width**2, 4.0)

    @classmethod
    def of_squares(cls, sets: Geometry) -> Tuning:
        """Return that of the leader with squared distances."""
        return cls(sets.radius**2, 1.0 / 4.0, sets.norm**2, float(sets.dimension))

    def rates(
        self,
        setting: Setting[Points],
        found: Candidate | None,
        learning_rate: float | None,
        head_start: float | None,
    ) -> Rates:
        """Return the rates: as given; falling, if the horizon is unknown; with a head start, if that is proved; fixed."""
        if learning_rate is not None:
            return Rates.fixed(learning_rate)
        size, curvature, step, _ = self
        if setting.unknown_horizon:
            return Rates.anytime(
                size=size, curvature=curvature, step=step, noise=self._noise(found)
            )
        start = (HEAD_START if proved(found) else 0.0) if head_start is None else head_start
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
        """Return the bound for rates that fall, where one is proved."""
        if not proved(found):
            return None
        best = 2.0 * math.sqrt(self.size * self.curvature * rates.paid(setting.rounds))
        if rates.least == 0.0:
            return math.sqrt(2.0) * best
        return (
            best
            * rates.least
            / math.sqrt(self.size / (self.curvature * rates.paid(setting.rounds)))
        )

    def _noise(self, found: Candidate | None) -> Floats:
        return np.zeros(1) if found is None else self.weight * found.variances_by_digits()


def proved(found: Candidate | None) -> bool:
    """Return whether falling rates have a proof: without noise, or where it is Gaussian and never falls."""
    return found is None or (found.is_gaussian and found.steady)


def rates_told(setting: Setting[Points], rates: Rates) -> dict[str, float | int | str]:
    """Return what is said of the rates: one, or how they fall."""
    if not rates.falls:
        return {"learning_rate": rates.least}
    if rates.least == 0.0:
        return {"learning_rate": f"falls with time: {rates.at(1000):.3g} in round 1,000"}
    return {"learning_rate": rates.at(setting.rounds), "first_learning_rate": rates.at(1)}
