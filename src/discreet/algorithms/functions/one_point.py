"""One value per round: gradient descent on estimates, and the search of an interval."""

from __future__ import annotations

import math
from typing import cast

from discreet.algorithms.functions.common import (
    Proposal,
    WhenVacuous,
    check_given,
    decide,
    least_radius,
    looking_cost,
    mean_square,
    noise_on_reports,
    place_with,
    require_declared,
    steepest,
)
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.contracts import Noise
from discreet.errors import DiscreetError, check_positive
from discreet.learners import Fkm, IntervalSearch
from discreet.learners.functions.descent import descent_bound
from discreet.learners.functions.interval import KEPT, certainty_for, interval_bound, most_epochs
from discreet.mechanisms import Laplace, ReportNoiseName
from discreet.private import Private
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import LinearOracle, Projecting

SOURCE = "descent on estimated gradients, and exploration (see discreet.learners.functions.descent)"
INTERVAL = Functions("cube(1)")


@register_algorithm(
    name="fkm",
    title="gradient descent from one value per round",
    problem=Functions(),
    fixed=("evaluations",),
    citation="flaxman2005online",
    growth=Growth(0.75),
    one_point=True,
)
def fkm(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Flaxman et al. 2005, with the radius and the damping of the least proved bound."""
    return descend_one_point(
        setting,
        None,
        radius=radius,
        damping=damping,
        baseline=baseline,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="strongly-convex-bandit",
    title="gradient descent from one value per round, for strongly convex functions",
    problem=Functions(curvature=0.5),
    fixed=("evaluations",),
    citation="agarwal2010optimal",
    builds_on=("flaxman2005online",),
    growth=Growth(2.0 / 3.0),
    one_point=True,
)
def strongly_convex_bandit(
    setting: Setting[Functions],
    *,
    radius: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Take steps of 1 / (α t), α the declared curvature."""
    return descend_one_point(
        setting,
        None,
        curvature=require_declared(setting, "curvature", "strongly-convex-bandit"),
        radius=radius,
        baseline=baseline,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-convex",
    twin="fkm",
    title="gradient descent from one noisy value per round",
    problem=Functions(),
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("flaxman2005online",),
    growth=Growth(0.75, shows_at=10.0),
)
def local_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 1 over gradient descent: every value gets its own noise (local model).

    The default noise has the least bound; parameters are tuned to its mean square.
    """
    return descend_one_point(
        setting,
        noise_on_reports(setting, setting.bounds, noise),
        radius=radius,
        damping=damping,
        baseline=baseline,
        when_vacuous=when_vacuous,
    )


@register_algorithm(
    name="local-strongly-convex",
    twin="strongly-convex-bandit",
    title="gradient descent from one noisy value per round, for strongly convex functions",
    problem=Functions(curvature=0.5),
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("agarwal2010optimal", "flaxman2005online"),
    growth=Growth(2.0 / 3.0, shows_at=10.0),
)
def local_strongly_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    baseline: bool = False,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 1 over gradient descent with steps of 1 / (α t), α the declared curvature."""
    return descend_one_point(
        setting,
        curvature=require_declared(setting, "curvature", "local-strongly-convex"),
        noise=noise_on_reports(setting, setting.bounds, noise),
        radius=radius,
        baseline=baseline,
        when_vacuous=when_vacuous,
    )


def descend_one_point(
    setting: Setting[Functions],
    noise: Noise | None,
    *,
    tuned_by: float | None = None,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    curvature: float = 0.0,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Return gradient descent with this noise on every value.

    It is tuned to the mean square of a release around 1/2, or to ``tuned_by`` if that is given.
    """
    square = mean_square(noise, setting.bounds)
    q = square if tuned_by is None else tuned_by
    check_given(radius=radius, damping=damping)
    place, rounds = place_with(setting, Projecting), setting.rounds
    size = place.flat

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

    chosen = radius
    if chosen is None:
        chosen = least_radius(lambda looking: bound(looking, q), place.inner)
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
    proposal = Proposal(
        channel=Open(setting.bounds) if noise is None else PerRound(setting.bounds, noise),
        learner=learner,
        parameters={"radius": chosen, **steps, "baseline": "mean so far" if baseline else "middle"},
        bound=bound(chosen, worst),
        source=SOURCE,
    )
    return decide(setting, proposal, when_vacuous)


@register_algorithm(
    name="stochastic-convex",
    title="search of an interval by three points, for functions drawn from one distribution",
    problem=INTERVAL,
    fixed=("evaluations",),
    citation="agarwal2011stochastic",
    stochastic=True,
    one_point=True,
)
def stochastic_convex(setting: Setting[Functions], *, certainty: float | None = None) -> Instance:
    """Agarwal et al. 2011, Algorithm 1, with confidence widths no wider than its proof needs.

    A larger ``certainty`` cuts later and errs less often; by default all cuts are correct except
    with probability 1 / sqrt(T). It plays even if its bound is vacuous: in the worst case it costs
    no more than staying at the centre.
    """
    return search_interval(setting, None, certainty)


@register_algorithm(
    name="local-stochastic-convex",
    twin="stochastic-convex",
    title="search of an interval by three points, for functions from one distribution, with noise "
    "on every value",
    problem=INTERVAL,
    fixed=("evaluations",),
    citation="zheng2020locally",
    builds_on=("agarwal2011stochastic",),
    stochastic=True,
)
def local_stochastic_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    certainty: float | None = None,
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Agarwal et al.: noise on every value (local model)."""
    return search_interval(setting, noise_on_reports(setting, setting.bounds, noise), certainty)


def search_interval(
    setting: Setting[Functions], noise: Noise | None, certainty: float | None
) -> Instance:
    """Return the search of an interval, with the confidence widths for this noise."""
    place, rounds, bounds = place_with(setting, LinearOracle), setting.rounds, setting.bounds
    if place.set.flat > 1:
        model = "" if noise is None else "local-"
        name = "smooth-strongly-convex-bandit" if noise is None else "local-smooth-strongly-convex"
        raise DiscreetError(
            f"domain is {setting.problem.domain}, of dimension {place.set.flat}, but "
            f"{model}stochastic-convex searches one dimension: use {name} and declare curvature "
            "and smoothness (docs/departures.md)."
        )
    spread = mean_square(noise, bounds)
    tail = noise.scale / bounds.width if isinstance(noise, Laplace) else 0.0
    usual = certainty_for(rounds)
    chosen = usual if certainty is None else check_positive("certainty", certainty)
    learner = IntervalSearch.start(
        set=place.set,
        certainty=chosen,
        spread=spread,
        tail=tail,
        finest=max(KEPT ** most_epochs(rounds), 1e-12),  # finer cuts would be rounding errors
    )
    bound = interval_bound(
        rounds=rounds,
        outer=place.outer,
        slope=steepest(setting),
        widest=setting.problem.widest(make_range()),
        spread=spread,
        tail=tail,
    )
    proved = "no bound proved for this certainty"
    if chosen == usual:
        most = bounds.width * min(bound, rounds)
        proved = f"at most {most:,.0f} for functions drawn independently from one distribution"
    return Instance(
        private=Private(Open(bounds) if noise is None else PerRound(bounds, noise), learner),
        parameters={"certainty": chosen, "spread": spread} | ({"tail": tail} if tail > 0.0 else {}),
        regret_bound=None,
        bound_source=f"{proved}; no bound otherwise (see discreet.learners.functions.interval)",
    )
