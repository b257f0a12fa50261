"""One value a round of smooth functions: leaders inside a barrier, without privacy and with noise on every report."""

from __future__ import annotations

import math
from typing import cast

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.checking import check_given
from discreet.algorithms.functions.tuning import (
    Plan,
    WhenVacuous,
    declared,
    instance,
    mean_square,
    noise_on_reports,
    paper_square,
    place_with,
)
from discreet.algorithms.papers import SMOOTH_BANDIT, SMOOTH_STRONGLY_CONVEX, ZHENG
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.contracts import Noise
from discreet.learners import DikinLeader, Scrible
from discreet.learners.functions.barriers import barrier_of
from discreet.learners.functions.dikin import smooth_bound, smooth_strongly_convex_bound
from discreet.mechanisms import ReportNoiseName
from discreet.problems import Functions
from discreet.sets import Barrier

SOURCE = "a leader inside a barrier, and looking around (see discreet.learners.functions.dikin)"
UNBOUNDED = "no bound proved: the estimates must be bounded, and this noise is not (response is)"


@register_algorithm(
    name="smooth-bandit",
    title="leader inside a barrier, for smooth functions",
    problem=Functions(smoothness=0.5),
    fixed=("evaluations",),
    citation=SMOOTH_BANDIT,
    growth=Growth(2.0 / 3.0),
    one_point=True,
)
def smooth_bandit(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Saha & Tewari 2011, with the radius and the rate of the least proved bound."""
    return instance(
        setting,
        _smooth(setting, "smooth-bandit", None, "tight", radius, learning_rate),
        when_vacuous,
    )


@register_algorithm(
    name="smooth-strongly-convex-bandit",
    title="leader inside a barrier, for smooth and strongly convex functions",
    problem=Functions(curvature=0.5, smoothness=0.5),
    fixed=("evaluations",),
    citation=SMOOTH_STRONGLY_CONVEX,
    growth=ROOT,
    one_point=True,
)
def smooth_strongly_convex_bandit(
    setting: Setting[Functions],
    *,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Hazan & Levy 2014, with the rate of the least proved bound."""
    plan = _strongly_convex(setting, "smooth-strongly-convex-bandit", None, "tight", learning_rate)
    return instance(setting, plan, when_vacuous)


@register_algorithm(
    name="local-smooth",
    twin="smooth-bandit",
    title="leader inside a barrier, for smooth functions, with noise on every value",
    problem=Functions(smoothness=0.5),
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(SMOOTH_BANDIT,),
    growth=Growth(2.0 / 3.0, shows_at=10.0),
)
def local_smooth(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Saha & Tewari."""
    found = noise_on_reports(setting, setting.bounds, noise, calibration)
    return instance(
        setting,
        _smooth(setting, "local-smooth", found, calibration, radius, learning_rate),
        when_vacuous,
    )


@register_algorithm(
    name="local-smooth-strongly-convex",
    twin="smooth-strongly-convex-bandit",
    title="leader inside a barrier, for smooth and strongly convex functions, with noise on every "
    "value",
    problem=Functions(curvature=0.5, smoothness=0.5),
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(SMOOTH_STRONGLY_CONVEX,),
    growth=Growth(0.5, shows_at=10.0),
)
def local_smooth_strongly_convex(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Hazan & Levy."""
    found = noise_on_reports(setting, setting.bounds, noise, calibration)
    plan = _strongly_convex(
        setting, "local-smooth-strongly-convex", found, calibration, learning_rate
    )
    return instance(setting, plan, when_vacuous)


def _smooth(
    setting: Setting[Functions],
    name: str,
    noise: Noise | None,
    calibration: Calibration,
    radius: float | None,
    learning_rate: float | None,
) -> Plan:
    check_given(radius=radius, learning_rate=learning_rate)
    place, rounds = place_with(setting, Barrier), setting.rounds
    barrier, size = cast(Barrier, place.set), place.flat
    bend = declared(setting, "smoothness", name) * place.outer**2
    square, tuned_by, largest = _sizes(setting, noise, calibration)
    growth = barrier.complexity * math.log(rounds)
    usual = (2.0 * size * math.sqrt(tuned_by * growth * rounds) / (3.0 * bend * rounds)) ** (
        1.0 / 3.0
    )
    look = min(1.0, usual) if radius is None else radius
    fastest = look / (4.0 * size * largest)
    rate = min(fastest, look * math.sqrt(growth / (size**2 * tuned_by * rounds)))
    rate = rate if learning_rate is None else learning_rate
    bound = smooth_bound(
        complexity=barrier.complexity,
        dimension=size,
        rounds=rounds,
        square=square,
        learning_rate=rate,
        radius=look,
        bend=bend,
    )
    learner = Scrible.start(set=barrier, learning_rate=rate, radius=look)
    return _plan(
        setting,
        noise,
        learner,
        {"radius": look, "learning_rate": rate},
        bound,
        proved=rate <= fastest,
    )


def _strongly_convex(
    setting: Setting[Functions],
    name: str,
    noise: Noise | None,
    calibration: Calibration,
    learning_rate: float | None,
) -> Plan:
    check_given(learning_rate=learning_rate)
    place, rounds, curvature = (
        place_with(setting, Barrier),
        setting.rounds,
        declared(setting, "curvature", name),
    )
    barrier, size = barrier_of(place.set), place.dimension
    ratio = declared(setting, "smoothness", name) / curvature
    square, tuned_by, largest = _sizes(setting, noise, calibration)
    growth = barrier.complexity * math.log(rounds) + 1.5 * ratio * (1.0 + math.log(rounds))
    fastest = 1.0 / (4.0 * size * largest)
    rate = (
        min(fastest, math.sqrt(growth / (size**2 * tuned_by * rounds)))
        if learning_rate is None
        else learning_rate
    )
    bound = smooth_strongly_convex_bound(
        complexity=barrier.complexity,
        dimension=size,
        rounds=rounds,
        square=square,
        learning_rate=rate,
        ratio=ratio,
    )
    learner = DikinLeader.start(
        barrier=barrier, dimension=size, learning_rate=rate, curvature=curvature
    )
    return _plan(setting, noise, learner, {"learning_rate": rate}, bound, proved=rate <= fastest)


def _sizes(
    setting: Setting[Functions], noise: Noise | None, calibration: Calibration
) -> tuple[float, float, float]:
    """Return the mean square of releases around 1/2, what to tune by in its place, and their largest distance from 1/2.

    Noise that is not bounded has no largest distance; that of three deviations is taken, and no
    bound is stated.
    """
    square = mean_square(noise, setting.bounds)
    paper = noise is not None and calibration == "paper"
    tuned_by = (
        paper_square(setting, noise, setting.bounds) if noise is not None and paper else square
    )
    if noise is None or noise.is_bounded:
        return square, tuned_by, math.sqrt(square)
    return square, tuned_by, 0.5 + 3.0 * noise.deviation(1) / setting.bounds.width


def _plan(
    setting: Setting[Functions],
    noise: Noise | None,
    learner: DikinLeader | Scrible,
    parameters: dict[str, float | int | str],
    bound: float,
    *,
    proved: bool,
) -> Plan:
    bounded = noise is None or noise.is_bounded
    slow = SOURCE if proved else "no bound proved for so fast a learning rate"
    return Plan(
        channel=Open(setting.bounds) if noise is None else PerRound(setting.bounds, noise),
        learner=learner,
        parameters=parameters,
        bound=bound if bounded and proved else None,
        source=slow if bounded else UNBOUNDED,
    )
