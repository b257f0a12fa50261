"""One value a round: gradient descent on estimates, without privacy and with noise on every value."""

from __future__ import annotations

import math
from typing import cast

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.checking import check_given
from discreet.algorithms.functions.tuning import (
    WITHOUT_NOISE,
    Plan,
    WhenVacuous,
    declared,
    instance,
    least,
    looking_cost,
    mean_square,
    noise_on_reports,
    paper_square,
    place_with,
)
from discreet.algorithms.papers import FKM, TWO_POINT, ZHENG
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.contracts import Channel
from discreet.learners import Fkm
from discreet.learners.functions.descent import descent_bound
from discreet.mechanisms import ReportNoiseName
from discreet.problems import Functions
from discreet.sets import Projecting

SOURCE = (
    "descent on estimated gradients, and looking around (see discreet.learners.functions.descent)"
)


@register_algorithm(
    name="fkm",
    title="gradient descent from one value a round",
    problem=Functions(),
    fixed=("evaluations",),
    citation=FKM,
    growth=Growth(0.75),
    one_point=True,
)
def fkm(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Flaxman et al. 2005, with the radius and the damping of the least proved bound."""
    channel = Open(setting.bounds)
    plan = _plan(setting, channel, WITHOUT_NOISE, radius=radius, damping=damping, baseline=baseline)
    return instance(setting, plan, when_vacuous)


@register_algorithm(
    name="strongly-convex-bandit",
    title="gradient descent from one value a round, for strongly convex functions",
    problem=Functions(curvature=0.5),
    fixed=("evaluations",),
    citation=TWO_POINT,
    builds_on=(FKM,),
    growth=Growth(2.0 / 3.0),
    one_point=True,
)
def strongly_convex_bandit(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Take steps of 1 / μ t, μ the declared curvature."""
    curvature = declared(setting, "curvature", "strongly-convex-bandit")
    channel = Open(setting.bounds)
    plan = _plan(
        setting, channel, WITHOUT_NOISE, radius=radius, baseline=baseline, curvature=curvature
    )
    return instance(setting, plan, when_vacuous)


@register_algorithm(
    name="local-convex",
    twin="fkm",
    title="gradient descent from one noisy value a round",
    problem=Functions(),
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(FKM,),
    growth=Growth(0.75, shows_at=10.0),
)
def local_convex(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 1 over gradient descent: every value gets noise by itself (local model).

    Tight: the noise with the least bound, and parameters for its mean square. The paper's noise is
    Gaussian with the classical scale, and its parameters are those for the largest range that noise
    reaches in T rounds.
    """
    return _local(
        setting, calibration, noise, when_vacuous, radius=radius, damping=damping, baseline=baseline
    )


@register_algorithm(
    name="local-strongly-convex",
    twin="strongly-convex-bandit",
    title="gradient descent from one noisy value a round, for strongly convex functions",
    problem=Functions(curvature=0.5),
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(TWO_POINT, FKM),
    growth=Growth(2.0 / 3.0, shows_at=10.0),
)
def local_strongly_convex(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 1 over gradient descent with steps of 1 / μ t, μ the declared curvature."""
    curvature = declared(setting, "curvature", "local-strongly-convex")
    return _local(
        setting,
        calibration,
        noise,
        when_vacuous,
        radius=radius,
        baseline=baseline,
        curvature=curvature,
    )


def _local(
    setting: Setting[Functions],
    calibration: Calibration,
    noise: ReportNoiseName | None,
    when_vacuous: WhenVacuous,
    *,
    radius: float | None,
    baseline: bool,
    damping: float | None = None,
    curvature: float = 0.0,
) -> Instance:
    """Return gradient descent behind noise on every report."""
    bounds = setting.bounds
    found = noise_on_reports(setting, bounds, noise, calibration)
    tuned_by = (
        mean_square(found, bounds)
        if calibration == "tight"
        else paper_square(setting, found, bounds)
    )
    plan = _plan(
        setting,
        PerRound(bounds, found),
        mean_square(found, bounds),
        tuned_by=tuned_by,
        radius=radius,
        damping=damping,
        baseline=baseline,
        curvature=curvature,
    )
    return instance(setting, plan, when_vacuous)


def _plan(
    setting: Setting[Functions],
    channel: Channel,
    square: float,
    *,
    tuned_by: float | None = None,
    radius: float | None,
    damping: float | None = None,
    baseline: bool,
    curvature: float = 0.0,
) -> Plan:
    """Return gradient descent on releases with a mean square around 1/2 of at most ``square``."""
    check_given(radius=radius, damping=damping)
    place, rounds = place_with(setting, Projecting), setting.rounds
    size, q = place.flat, square if tuned_by is None else tuned_by

    def damp(looking: float) -> float:
        if damping is not None:
            return damping
        return 0.0 if curvature > 0.0 else size / looking * math.sqrt(rounds * q) / place.outer

    def bound(looking: float, true_square: float) -> float:
        steps = descent_bound(
            outer=place.outer,
            rounds=rounds,
            square=(size / looking) ** 2 * true_square,
            damping=damp(looking),
            curvature=curvature,
        )
        return steps + rounds * looking_cost(setting, looking)

    chosen = least(lambda looking: bound(looking, q), place.inner) if radius is None else radius
    learner = Fkm.start(
        set=cast(Projecting, place.set),
        inner=place.inner,
        radius=chosen,
        damping=damp(chosen),
        curvature=curvature,
        centred=baseline,
    )
    # a baseline between 0 and 1 is at most 1/2 from the middle
    worst = (math.sqrt(square) + 0.5) ** 2 if baseline else square
    steps = {"curvature": curvature} if curvature > 0.0 else {"damping": damp(chosen)}
    return Plan(
        channel=channel,
        learner=learner,
        parameters={"radius": chosen, **steps, "baseline": "mean so far" if baseline else "middle"},
        bound=bound(chosen, worst),
        source=SOURCE,
    )
