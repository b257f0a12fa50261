"""Two values a round: only their difference is used, which is small, and so is the noise that hides it."""

from __future__ import annotations

import math
from typing import cast

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.checking import batch_of
from discreet.algorithms.functions.running import Found, Sums, Tuning, least_noise
from discreet.algorithms.functions.tuning import (
    WITHOUT_NOISE,
    Plan,
    WhenVacuous,
    declared,
    instance,
    looking_cost,
    mean_square,
    noise_on_reports,
    place_with,
    steepest,
)
from discreet.algorithms.papers import TWO_POINT, ZHENG
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

SOURCE = (
    "descent on estimated gradients, and looking around (see discreet.learners.functions.descent)"
)
LEADER = (
    "a leader on noisy sums of estimates, and looking around (see discreet.learners.functions.sums)"
)
ONCE = "a leader on noisy sums of estimates, noise paid once (docs/proofs.md: Noise paid once)"
CLIPPED = "no bound proved: differences are clipped below what the slope allows"
NEAREST = (
    1e-6  # inner radii that points are apart at least: nearer, differences would be rounding errors
)
TWO = Functions(evaluations=2)


@register_algorithm(
    name="two-point",
    title="gradient descent from two values a round",
    problem=TWO,
    fixed=("evaluations",),
    citation=TWO_POINT,
    growth=ROOT,
)
def two_point(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    lazy: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Agarwal et al. 2010, with the step length of the least proved bound; ``lazy`` steps are summed, then projected."""
    return _descent(setting, None, None, radius, None, 0.0, when_vacuous, lazy=lazy)


@register_algorithm(
    name="strongly-convex-two-point",
    title="gradient descent from two values a round, for strongly convex functions",
    problem=Functions(evaluations=2, curvature=0.5),
    fixed=("evaluations",),
    citation=TWO_POINT,
    growth=Growth(0.0),
)
def strongly_convex_two_point(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Take steps of 1 / μ t, μ the declared curvature: regret of order ln T."""
    curvature = declared(setting, "curvature", "strongly-convex-two-point")
    return _descent(setting, None, None, radius, None, curvature, when_vacuous)


@register_algorithm(
    name="local-two-point",
    twin="two-point",
    title="gradient descent from noisy differences of two values a round",
    problem=TWO,
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(TWO_POINT,),
    growth=ROOT,
)
def local_two_point(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    lazy: bool | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 2: every difference, clamped to ±2 ρ G, gets noise by itself (local model).

    Steps are ``lazy`` by default, that is summed before projecting, with the same bound: noise
    averages out in their sum. The paper's are not, which follow functions that change faster. With
    ``clip`` κ differences are clamped to κ / sqrt(n) of that, which most of them do not reach: less
    noise, and a bias of which nothing is proved. The paper's noise is Gaussian with the classical
    scale, its steps R / G sqrt(T).
    """
    late = calibration == "tight" if lazy is None else lazy
    return _descent(setting, noise, calibration, radius, clip, 0.0, when_vacuous, lazy=late)


@register_algorithm(
    name="local-strongly-convex-two-point",
    twin="strongly-convex-two-point",
    title="gradient descent from noisy differences of two values, for strongly convex functions",
    problem=Functions(evaluations=2, curvature=0.5),
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(TWO_POINT,),
    growth=Growth(0.0, shows_at=10.0),
)
def local_strongly_convex_two_point(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 2 with steps of 1 / μ t, μ the declared curvature."""
    curvature = declared(setting, "curvature", "local-strongly-convex-two-point")
    return _descent(setting, noise, calibration, radius, clip, curvature, when_vacuous)


@register_algorithm(
    name="private-two-point",
    twin="two-point",
    title="leader on private running sums of estimates from two values a round",
    problem=TWO,
    fixed=("evaluations",),
    citation=TWO_POINT,
    growth=ROOT,
)
def private_two_point(
    setting: Setting[Functions],
    *,
    tuning: Tuning = "proved",
    sums: Sums | None = None,
    noise: NoiseName | None = None,
    batch_size: int | None = None,
    radius: float | None = None,
    clip: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Ours: the differences times their directions in a private running sum (central model), and a regularised leader.

    The learning rate is that with the least proved bound. If functions are declared linear,
    estimates do not depend on where they are taken, and noise is paid for once; ``tuning=once``
    takes that rate for other functions too, of which nothing is proved. Batches of a few rounds
    cost little and leave fewer sums to release; those with the least cost are chosen.
    """
    if batch_size is not None:
        batch_of(setting, batch_size)
    place, rounds, slope = place_with(setting, Projecting), setting.rounds, _slope(setting, clip)
    around = cast(Projecting, place.set)
    looking, factor = _radius(setting, radius), 2.0 * place.flat * slope
    linear = setting.problem.form == "linear" and clip is None

    def cost(size: int, found: Found, in_all: bool) -> float:
        """Return what estimates and noise cost, both times the learning rate; noise in all, or in every batch."""
        batches, sharpest = -(-rounds // size), size * steepest(setting)
        own = batches * (size * factor**2 * WITHOUT_NOISE + sharpest**2) / 4.0
        noise = factor * found.length
        return own + (noise**2 / 4.0 if in_all else rounds * steepest(setting) * noise / 2.0)

    def hoped(size: int, found: Found) -> float:
        return cost(size, found, tuning == "once" or (linear and found.is_steady))

    sizes = (
        [4**power for power in range(4) if 2 * 4**power <= rounds]
        if batch_size is None
        else [batch_size]
    )
    options = [
        (size, least_noise(setting, size=size, sums=sums, noise=noise, padding=linear))
        for size in sizes
    ]
    size, found = min(options, key=lambda option: hoped(*option))
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
    plan = Plan(
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
    return instance(setting, plan, when_vacuous)


def _descent(
    setting: Setting[Functions],
    noise: ReportNoiseName | None,
    calibration: Calibration | None,
    radius: float | None,
    clip: float | None,
    curvature: float,
    when_vacuous: WhenVacuous,
    *,
    lazy: bool = False,
) -> Instance:
    """Return gradient descent; without a calibration, without privacy."""
    place, rounds, slope = place_with(setting, Projecting), setting.rounds, _slope(setting, clip)
    around = cast(Projecting, place.set)
    looking = math.log(rounds) / rounds if calibration == "paper" and radius is None else radius
    looking = _radius(setting, looking)
    bounds = _differences(setting, looking, slope)
    found: Noise | None = (
        None if calibration is None else noise_on_reports(setting, bounds, noise, calibration)
    )
    square = (2.0 * place.flat * slope) ** 2 * mean_square(found, bounds)
    damping = 0.0 if curvature > 0.0 else math.sqrt(rounds * square) / place.outer
    if calibration == "paper" and curvature == 0.0:
        damping = slope * math.sqrt(rounds) / place.outer
    learner = TwoPoint.start(
        set=around,
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
    plan = Plan(
        channel=OpenDifference(bounds) if found is None else PerDifference(bounds, found),
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
    return instance(setting, plan, when_vacuous)


def _radius(setting: Setting[Functions], radius: float | None) -> float:
    """Return how far to look: as near as rounding errors allow, since nothing is lost by it."""
    inner = setting.problem.place.inner
    return (
        inner * max(NEAREST, 0.5 / setting.rounds)
        if radius is None
        else check_positive("radius", radius)
    )


def _slope(setting: Setting[Functions], clip: float | None) -> float:
    """Return the steepest slope that is believed: all of it, or less."""
    known = steepest(setting)
    if clip is None:
        return known
    return known * min(1.0, check_positive("clip", clip) / math.sqrt(setting.problem.place.flat))


def _differences(setting: Setting[Functions], radius: float, slope: float) -> Range:
    """Return the range of differences, in the units of the losses."""
    reach = 2.0 * radius * slope * setting.bounds.width
    return Range(-reach, reach)
