"""What algorithms on functions share: what looking around costs, noise on reports, and what a vacuous bound means.

All numbers here are in widths of the declared range; only the bound of an instance is in the units
of the losses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.registry import Instance, Setting
from discreet.contracts import Channel, Learner, Noise
from discreet.errors import DiscreetError
from discreet.learners import Centre
from discreet.mechanisms import Gaussian, ReportNoiseName, report_noise
from discreet.private import Private
from discreet.problems import Domain, Functions
from discreet.ranges import Range, make_range
from discreet.sets import LinearOracle, check_ability, check_room

WhenVacuous = Literal["centre", "play"]
WITHOUT_NOISE = 0.25  # the largest square of a loss around the middle of its range
MOST_OF_INNER = 0.9  # how far a learner looks at most, in inner radii
CLASSICAL = "calibration is paper, whose Gaussian noise needs a delta above 0, but delta is {!r}."


@dataclass(frozen=True, kw_only=True)
class Plan:
    """An algorithm of which it is still to be decided whether it is worth playing."""

    channel: Channel
    learner: Learner
    parameters: dict[str, float | int | str]
    bound: float | None  # in widths of the range; None where none is proved
    source: str
    centre: type[Centre] = Centre  # what is played behind the channel if the bound is vacuous


def instance(setting: Setting[Functions], plan: Plan, when_vacuous: WhenVacuous) -> Instance:
    """Return the algorithm; where its bound is no less than what staying at the centre costs, the centre is played."""
    problem = setting.problem
    width, staying = setting.bounds.width, setting.rounds * problem.blind_regret(make_range())
    if plan.bound is None or plan.bound < staying or when_vacuous == "play":
        return Instance(
            private=Private(plan.channel, plan.learner),
            parameters=plan.parameters,
            regret_bound=None if plan.bound is None else width * min(plan.bound, setting.rounds),
            bound_source=plan.source,
        )
    return Instance(
        private=Private(
            plan.channel, plan.centre.start(set=problem.place.set, points=problem.evaluations)
        ),
        parameters={"plays": "the centre"},
        regret_bound=width * staying,
        bound_source="the centre is played: its regret "
        "is at "
        "most "
        f"{width * staying:,.0f}, "
        "and the "
        "bound for learning is "
        f"{width * plan.bound:,.0f} (when_vacuous=play learns all the same)",
    )


def place_with(
    setting: Setting[Functions], ability: type[LinearOracle], *, least: int = 1
) -> Domain:
    """Return the domain, or refuse a set that has no room or lacks the ability that an algorithm needs."""
    place = setting.problem.place
    check_ability(place.set, ability)
    check_room(place.set, minimum=least)
    return place


def steepest(setting: Setting[Functions]) -> float:
    """Return a slope that no function exceeds: the declared one, and 1 / 2 r for linear functions.

    They are within their range on a ball of radius r, across which a slope of G makes a difference
    of 2 r G.
    """
    slope = setting.problem.lipschitz
    return (
        min(slope, 0.5 / setting.problem.place.inner) if setting.problem.form == "linear" else slope
    )


def looking_cost(setting: Setting[Functions], radius: float) -> float:
    """Return what a round costs at most when a learner looks ``radius`` around: (2 + R / r) G ζ, or β ζ² + (R / r) G ζ.

    The second holds for functions of smoothness β: playing, and smoothing the rival's function,
    cost β ζ² / 2 each. For linear functions only the smaller set costs anything.
    """
    problem, place, slope = setting.problem, setting.problem.place, steepest(setting)
    smaller_set = place.outer / place.inner * slope * radius
    plain = 2.0 * slope * radius
    if problem.form == "linear":
        return smaller_set
    smooth = problem.smoothness * radius**2 if problem.smoothness > 0.0 else math.inf
    return smaller_set + min(plain, smooth)


def least(cost: Callable[[float], float], inner: float) -> float:
    """Return the radius with the least cost, which falls and then rises."""
    from scipy.optimize import minimize_scalar

    top = math.log(MOST_OF_INNER * inner)
    found = minimize_scalar(
        lambda power: cost(math.exp(power)), bounds=(top - 25.0, top), method="bounded"
    )
    ends = math.exp(float(found.x)), MOST_OF_INNER * inner
    return min(ends, key=cost)


def noise_on_reports(
    setting: Setting[Functions],
    bounds: Range,
    noise: ReportNoiseName | None,
    calibration: Calibration,
) -> Noise:
    """Return the noise on each report, a number in ``bounds``: by default that with the least proved regret bound.

    That is randomised response, whose mean square around the middle is the least for every epsilon
    and delta.
    """
    if calibration == "tight":
        return report_noise(
            noise or "response", bounds=bounds, epsilon=setting.epsilon, delta=setting.delta
        )
    if setting.delta <= 0.0:
        raise DiscreetError(CLASSICAL.format(setting.delta))
    if noise not in (None, "gaussian"):
        raise DiscreetError(
            f"calibration is paper, which has gaussian noise, but noise is {noise}: leave it out."
        )
    scale = bounds.width * math.sqrt(2.0 * math.log(1.25 / setting.delta)) / setting.epsilon
    return Gaussian(scale, setting.delta)


def mean_square(noise: Noise | None, bounds: Range) -> float:
    """Return the mean square of what is released around 1/2, as a fraction of the range."""
    return (
        WITHOUT_NOISE
        if noise is None
        else noise.square_around_middle(bounds.width) / bounds.width**2
    )


def paper_square(setting: Setting[Functions], noise: Noise, bounds: Range) -> float:
    """Return what Zheng et al. tune by: the square of a range that noise leaves rarely in T rounds."""
    return float(
        (0.5 + noise.scale / bounds.width * math.sqrt(2.0 * math.log(2.0 * setting.rounds**2))) ** 2
    )


def declared(
    setting: Setting[Functions], name: Literal["curvature", "smoothness"], algorithm: str
) -> float:
    """Return what is declared of the functions' second derivatives, or say that it is needed."""
    value = setting.problem.curvature if name == "curvature" else setting.problem.smoothness
    if not value > 0.0:
        raise DiscreetError(
            f"{name} is 0, but {algorithm} is for "
            "functions of "
            "which "
            "it is "
            "declared: "
            "give one "
            "above 0."
        )
    return value
