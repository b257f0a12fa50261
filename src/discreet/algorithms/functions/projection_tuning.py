"""The parameters of leaders by a linear oracle with the least proved bound."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from discreet.algorithms.functions.common import (
    WITHOUT_NOISE,
    NoiseTuning,
    check_given,
    least_radius,
    looking_cost,
    steepest,
)
from discreet.algorithms.registry import Setting
from discreet.errors import check_positive
from discreet.learners.functions.mirror_maps import error_after, steps_for
from discreet.learners.functions.noisy_oco import noisy_oco_bound
from discreet.problems import Functions

MOST_STEPS = 10**15
OracleBudget = Literal["tolerance", "rounds"]


class Tuned(NamedTuple):
    """The parameters of a leader, and its bound in widths of the range."""

    radius: float
    rate: float
    tolerance: float
    most: int  # oracle calls per batch
    bound: float


def tune_leader(
    setting: Setting[Functions],
    *,
    rounds: int,
    size: int,
    length: float,
    tuning: NoiseTuning = "proved",
    once: bool = False,
    radius: float | None = None,
    learning_rate: float | None = None,
    budget: OracleBudget = "tolerance",
    square: float = WITHOUT_NOISE,
    exact: bool = False,
) -> Tuned:
    """Return the parameters with the least bound for that many rounds, unless they are given.

    ``length`` is that of the noise in sums, and ``square`` the mean square of a value, with its own
    noise, around the middle of the range. An ``exact`` leader is a projection.
    """
    place, slope = setting.problem.place, steepest(setting)
    batches = -(-rounds // size)
    check_given(radius=radius, learning_rate=learning_rate)

    def own(looking: float) -> float:
        spread = size * (place.flat / looking) ** 2 * square
        return batches * (spread + (size * slope) ** 2) / 4.0

    def paid(looking: float, in_all: bool) -> float:
        noise = place.flat / looking * length
        return noise**2 / 4.0 if in_all else rounds * slope * noise / 2.0

    def tuned_by(looking: float) -> float:
        return own(looking) + paid(looking, once or tuning == "once")

    def rate(looking: float) -> float:
        if learning_rate is not None:
            return learning_rate
        return place.outer / math.sqrt(tuned_by(looking))

    def cost(looking: float) -> float:
        steps = place.outer**2 / rate(looking) + rate(looking) * tuned_by(looking)
        return steps + rounds * looking_cost(setting, looking)

    chosen = least_radius(cost, place.inner) if radius is None else radius
    near = rounds**-0.5  # a fixed tolerance would leave a linear term in the bound
    most = size if budget == "rounds" else min(steps_for(near), MOST_STEPS)
    far = 0.0 if exact else max(near, error_after(most))
    bound = noisy_oco_bound(
        width=place.outer**2,
        rate=rate(chosen),
        squares=4.0 * (own(chosen) + paid(chosen, once)),
        errors=rounds * (looking_cost(setting, chosen) + slope * far * place.outer),
    )
    found = check_positive("learning_rate", rate(chosen))
    return Tuned(chosen, found, near * place.outer, most, bound)
