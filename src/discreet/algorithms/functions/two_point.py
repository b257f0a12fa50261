"""Two values per round: only their difference is used, which is small and needs little noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from discreet.algorithms.functions.common import (
    GradientSum,
    GradientSumName,
    NoiseTuning,
    Proposal,
    WhenVacuous,
    check_batch,
    decide,
    difference_square,
    least_bound,
    least_noise,
    looking_cost,
    mean_square,
    noise_on_reports,
    place_with,
    require_declared,
    steepest,
)
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import DifferenceSums, OpenDifference, PerDifference
from discreet.contracts import Noise
from discreet.errors import check_positive
from discreet.learners import SumCentre, TwoPoint, TwoPointLeader
from discreet.learners.functions.descent import descent_bound
from discreet.mechanisms import NoiseName, ReportNoiseName
from discreet.problems import Functions
from discreet.ranges import Range
from discreet.sets import Projecting

SOURCE = "descent on estimated gradients, and exploration (see discreet.learners.functions.descent)"
LEADER = (
    "a leader on noisy sums of estimates, and exploration (see discreet.learners.functions.sums)"
)
ONCE = "a leader on noisy sums of estimates, noise paid once (docs/proofs.md: Noise paid once)"
CLIPPED = "no bound proved: differences are clipped below what the slope allows"
NEAREST = 1e-6  # least radius, in inner radii: below it, differences would be rounding errors
TWO = Functions(evaluations=2)


@register_algorithm(
    name="two-point",
    title="gradient descent from two values per round",
    problem=TWO,
    fixed=("evaluations",),
    citation="agarwal2010optimal",
    growth=ROOT,
)
def two_point(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    lazy: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Agarwal et al. 2010, with the step length of the least proved bound.

    ``lazy`` steps are summed, then projected.
    """
    return descend_two_points(setting, None, radius=radius, lazy=lazy, when_vacuous=when_vacuous)


@register_algorithm(
    name="strongly-convex-two-point",
    title="gradient descent from two values per round, for strongly convex functions",
    problem=Functions(evaluations=2, curvature=0.5),
    fixed=("evaluations",),
    citation="agarwal2010optimal",
    growth=Growth(0.0),
)
def strongly_convex_two_point(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Take steps of 1 / (α t), α the declared curvature: regret of order ln T."""
    return descend_two_points(
        setting,
        None,
        curvature=require_declared(setting, "curvature", "strongly-convex-two-point"),
        radius=radius,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-two-point",
    twin="two-point",
    title="gradient descent from noisy differences of two values per round",
    problem=TWO,
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("agarwal2010optimal",),
    growth=ROOT,
)
def local_two_point(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    lazy: bool | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 2: every difference, clamped to ±2 ζ G, gets its own noise (local model).

    ``lazy`` steps, the default, are summed before projecting: noise averages out in their sum, and
    the bound is the same. Other steps adapt faster to functions that change. With ``clip`` κ,
    differences are clamped to κ / sqrt(d) of that, which few of them exceed: less noise, and a bias
    without a proved bound.
    """
    return descend_two_points(
        setting,
        lambda bounds, square: noise_on_reports(setting, bounds, noise, square),
        radius=radius,
        clip=clip,
        lazy=lazy is not False,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-strongly-convex-two-point",
    twin="strongly-convex-two-point",
    title="gradient descent from noisy differences of two values, for strongly convex functions",
    problem=Functions(evaluations=2, curvature=0.5),
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("agarwal2010optimal",),
    growth=Growth(0.0, shows_at=10.0),
)
def local_strongly_convex_two_point(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 2 with steps of 1 / (α t), α the declared curvature."""
    return descend_two_points(
        setting,
        lambda bounds, square: noise_on_reports(setting, bounds, noise, square),
        curvature=require_declared(setting, "curvature", "local-strongly-convex-two-point"),
        radius=radius,
        clip=clip,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="private-two-point",
    twin="two-point",
    title="leader on private running sums of estimates from two values per round",
    problem=TWO,
    fixed=("evaluations",),
    builds_on=("agarwal2010optimal",),
    growth=ROOT,
)
def private_two_point(
    setting: Setting[Functions],
    *,
    tuning: NoiseTuning = "proved",
    sums: GradientSumName | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    clip: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Lead by a private running sum of estimates, regularised (central model).

    The learning rate is the one with the least proved bound. If functions are declared linear,
    estimates do not depend on the points, and noise is paid for once; ``tuning=once`` uses that
    rate for other functions too, without a proof. Batches of a few rounds cost little and leave
    fewer sums to release; the size with the least cost is chosen. If noise on every difference has
    the smaller bound, it is used unless an option asks for sums: local privacy implies central
    privacy.
    """
    if batch_size is not None:
        check_batch(setting, batch_size)
    place, rounds, slope = (
        place_with(setting, Projecting),
        setting.rounds,
        clipped_slope(setting, clip),
    )
    around = cast(Projecting, place.set)
    looking, factor = _radius(setting, radius), 2.0 * place.flat * slope
    square = difference_square(place.flat, steepest(setting) / slope)
    linear = setting.problem.form == "linear" and clip is None

    def cost(size: int, found: GradientSum, in_all: bool) -> float:
        """Return the cost of estimates and noise per learning rate; in total, or per batch."""
        batches, sharpest = -(-rounds // size), size * steepest(setting)
        own = batches * (size * factor**2 * square + sharpest**2) / 4.0
        noise = factor * found.length
        return own + (noise**2 / 4.0 if in_all else rounds * steepest(setting) * noise / 2.0)

    def hoped(size: int, found: GradientSum) -> float:
        return cost(size, found, tuning == "once" or (linear and found.is_steady))

    usual_sizes = [size for size in (1, 4, 16, 64) if 2 * size <= rounds]
    candidates = [
        (size, least_noise(setting, size=size, sums=sums, noise=noise, padding=linear))
        for size in (usual_sizes if batch_size is None else [batch_size])
    ]
    size, found = min(candidates, key=lambda candidate: hoped(*candidate))
    once = linear and found.is_steady
    channel = DifferenceSums.over(
        found.channel, size=size, bounds=_differences(setting, looking, slope)
    )
    usual = place.outer / math.sqrt(hoped(size, found))
    rate = usual if learning_rate is None else check_positive("learning_rate", learning_rate)
    learner = TwoPointLeader.start(
        set=around, inner=place.inner, radius=looking, slope=slope, learning_rate=rate
    )
    bound = (
        place.outer**2 / rate
        + rate * cost(size, found, once)
        + rounds * looking_cost(setting, looking)
    )
    proposal = Proposal(
        channel=channel,
        learner=learner,
        parameters={
            **found.parameters,
            "batch_size": size,
            "radius": looking,
            "learning_rate": rate,
            "tuning": tuning,
        },
        bound=bound if clip is None else None,
        source=CLIPPED if clip is not None else ONCE if once else LEADER,
        centre=SumCentre,
    )
    central = decide(setting, proposal, when_vacuous)
    asked = (sums, noise, batch_size, radius, clip, learning_rate)
    if tuning != "proved" or any(each is not None for each in asked):
        return central
    local = local_two_point(setting, when_vacuous=when_vacuous)
    known = {"channel": "local, which has the smaller bound", **local.parameters}
    return least_bound(central, replace(local, parameters=known))


def descend_two_points(
    setting: Setting[Functions],
    noise_for: Callable[[Range, float], Noise] | None,
    *,
    radius: float | None = None,
    clip: float | None = None,
    damping: float | None = None,
    curvature: float = 0.0,
    lazy: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Return gradient descent with noise on every difference; without ``noise_for``, not private.

    ``noise_for`` makes the noise for the range of differences and their mean square.
    """
    place, rounds = place_with(setting, Projecting), setting.rounds
    slope, looking = clipped_slope(setting, clip), _radius(setting, radius)
    bounds = _differences(setting, looking, slope)
    own = difference_square(place.flat, steepest(setting) / slope)
    noise = None if noise_for is None else noise_for(bounds, own)
    square = (2.0 * place.flat * slope) ** 2 * mean_square(noise, bounds, own)
    if damping is None:
        damping = 0.0 if curvature > 0.0 else math.sqrt(rounds * square) / place.outer
    learner = TwoPoint.start(
        set=cast(Projecting, place.set),
        inner=place.inner,
        radius=looking,
        slope=slope,
        damping=damping,
        curvature=curvature,
        lazy=lazy,
    )
    bound = descent_bound(
        outer=place.outer, rounds=rounds, square=square, damping=damping, curvature=curvature
    )
    steps = {"curvature": curvature} if curvature > 0.0 else {"damping": damping}
    proposal = Proposal(
        channel=OpenDifference(bounds) if noise is None else PerDifference(bounds, noise),
        learner=learner,
        parameters={
            "radius": looking,
            **steps,
            **({"steps": "lazy"} if lazy else {}),
            **({} if clip is None else {"clip": clip}),
        },
        bound=bound + rounds * looking_cost(setting, looking) if clip is None else None,
        source=SOURCE if clip is None else CLIPPED,
    )
    return decide(setting, proposal, when_vacuous)


def _radius(setting: Setting[Functions], radius: float | None) -> float:
    """Return the exploration radius: as small as rounding errors allow, which costs nothing."""
    if radius is not None:
        return check_positive("radius", radius)
    return setting.problem.place.inner * max(NEAREST, 0.5 / setting.rounds)


def clipped_slope(setting: Setting[Functions], clip: float | None) -> float:
    """Return the steepest slope, or ``clip`` / sqrt(d) of it."""
    known = steepest(setting)
    if clip is None:
        return known
    return known * min(1.0, check_positive("clip", clip) / math.sqrt(setting.problem.place.flat))


def _differences(setting: Setting[Functions], radius: float, slope: float) -> Range:
    """Return the range of differences, in the units of the losses."""
    reach = 2.0 * radius * slope * setting.bounds.width
    return Range(-reach, reach)
