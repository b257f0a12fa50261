"""One value per round of smooth functions: leaders inside a barrier."""

from __future__ import annotations

import math
from typing import cast

from discreet.algorithms.functions.common import (
    Parameters,
    Proposal,
    WhenVacuous,
    check_given,
    decide,
    mean_square,
    noise_on_reports,
    place_with,
    require_declared,
)
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.contracts import Noise
from discreet.learners import DikinLeader, Scrible
from discreet.learners.functions.dikin import barrier_of, smooth_bound, smooth_strongly_convex_bound
from discreet.mechanisms import ReportNoiseName
from discreet.problems import Functions
from discreet.sets import Barrier

SOURCE = "a leader inside a barrier, and exploration (see discreet.learners.functions.dikin)"
UNBOUNDED = "no bound proved: the estimates must be bounded, and this noise is not (response is)"


@register_algorithm(
    name="smooth-bandit",
    title="leader inside a barrier, for smooth functions",
    problem=Functions(smoothness=0.5),
    fixed=("evaluations",),
    citation="saha2011improved",
    growth=Growth(2.0 / 3.0),
    one_point=True,
)
def smooth_bandit(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Saha & Tewari 2011, with the radius and the rate of the least proved bound."""
    return lead_smooth(
        setting,
        None,
        name="smooth-bandit",
        radius=radius,
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="smooth-strongly-convex-bandit",
    title="leader inside a barrier, for smooth and strongly convex functions",
    problem=Functions(curvature=0.5, smoothness=0.5),
    fixed=("evaluations",),
    citation="hazan2014bandit",
    growth=ROOT,
    one_point=True,
)
def smooth_strongly_convex_bandit(
    setting: Setting[Functions],
    *,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Hazan & Levy 2014, with the rate of the least proved bound."""
    return lead_smooth_strongly_convex(
        setting,
        None,
        name="smooth-strongly-convex-bandit",
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-smooth",
    twin="smooth-bandit",
    title="leader inside a barrier, for smooth functions, with noise on every value",
    problem=Functions(smoothness=0.5),
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("saha2011improved",),
    growth=Growth(2.0 / 3.0, shows_at=10.0),
)
def local_smooth(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Saha & Tewari."""
    return lead_smooth(
        setting,
        noise_on_reports(setting, setting.bounds, noise),
        name="local-smooth",
        radius=radius,
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-smooth-strongly-convex",
    twin="smooth-strongly-convex-bandit",
    title="leader inside a barrier, for smooth and strongly convex functions, with noise on "
    "every value",
    problem=Functions(curvature=0.5, smoothness=0.5),
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("hazan2014bandit",),
    growth=Growth(0.5, shows_at=10.0),
)
def local_smooth_strongly_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Hazan & Levy."""
    return lead_smooth_strongly_convex(
        setting,
        noise_on_reports(setting, setting.bounds, noise),
        name="local-smooth-strongly-convex",
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


def lead_smooth(
    setting: Setting[Functions],
    noise: Noise | None,
    *,
    name: str,
    tuned_by: float | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Return the leader for smooth functions with this noise on every value.

    It is tuned to the mean square of a release around 1/2, or to ``tuned_by`` if given; messages
    use the ``name`` of the algorithm.
    """
    check_given(radius=radius, learning_rate=learning_rate)
    place, rounds = place_with(setting, Barrier), setting.rounds
    barrier, size = cast(Barrier, place.set), place.flat
    bend = require_declared(setting, "smoothness", name) * place.outer**2
    square = mean_square(noise, setting.bounds)
    q = square if tuned_by is None else tuned_by
    growth = barrier.complexity * math.log(rounds)
    usual = (2.0 * size * math.sqrt(q * growth * rounds) / (3.0 * bend * rounds)) ** (1.0 / 3.0)
    look = min(1.0, usual) if radius is None else radius
    fastest = look / (4.0 * size * _largest(setting, noise))
    rate = min(fastest, look * math.sqrt(growth / (size**2 * q * rounds)))
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
    parameters: Parameters = {"radius": look, "learning_rate": rate}
    proposal = _propose(setting, noise, learner, parameters, bound, proved=rate <= fastest)
    return decide(setting, proposal, when_vacuous)


def lead_smooth_strongly_convex(
    setting: Setting[Functions],
    noise: Noise | None,
    *,
    name: str,
    tuned_by: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Return the leader for smooth, strongly convex functions; see ``lead_smooth``."""
    check_given(learning_rate=learning_rate)
    place, rounds = place_with(setting, Barrier), setting.rounds
    curvature = require_declared(setting, "curvature", name)
    barrier, size = barrier_of(place.set), place.dimension
    ratio = require_declared(setting, "smoothness", name) / curvature
    square = mean_square(noise, setting.bounds)
    q = square if tuned_by is None else tuned_by
    growth = barrier.complexity * math.log(rounds) + 1.5 * ratio * (1.0 + math.log(rounds))
    fastest = 1.0 / (4.0 * size * _largest(setting, noise))
    usual = min(fastest, math.sqrt(growth / (size**2 * q * rounds)))
    rate = usual if learning_rate is None else learning_rate
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
    parameters: Parameters = {"learning_rate": rate}
    proposal = _propose(setting, noise, learner, parameters, bound, proved=rate <= fastest)
    return decide(setting, proposal, when_vacuous)


def _largest(setting: Setting[Functions], noise: Noise | None) -> float:
    """Return the largest distance of a release from 1/2.

    Unbounded noise has none: the result is then three standard deviations, without a bound.
    """
    if noise is None or noise.is_bounded:
        return math.sqrt(mean_square(noise, setting.bounds))
    return 0.5 + 3.0 * noise.deviation(1) / setting.bounds.width


def _propose(
    setting: Setting[Functions],
    noise: Noise | None,
    learner: DikinLeader | Scrible,
    parameters: Parameters,
    bound: float,
    *,
    proved: bool,
) -> Proposal:
    bounded = noise is None or noise.is_bounded
    slow = SOURCE if proved else "no bound proved for such a large learning rate"
    return Proposal(
        channel=Open(setting.bounds) if noise is None else PerRound(setting.bounds, noise),
        learner=learner,
        parameters=parameters,
        bound=bound if bounded and proved else None,
        source=slow if bounded else UNBOUNDED,
    )
