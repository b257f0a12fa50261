"""One value a round of functions that are drawn from one law, on an interval: without privacy and with noise."""

from __future__ import annotations

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.tuning import mean_square, noise_on_reports, place_with, steepest
from discreet.algorithms.papers import STOCHASTIC_CONVEX, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.contracts import Noise
from discreet.errors import check_positive
from discreet.learners import IntervalSearch
from discreet.learners.functions.interval import KEPT, certainty_for, interval_bound, most_epochs
from discreet.mechanisms import Laplace, ReportNoiseName
from discreet.private import Private
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import LinearOracle

INTERVAL = Functions("cube(1)")


@register_algorithm(
    name="stochastic-convex",
    title="search of an interval by three points, for functions drawn from one law",
    problem=INTERVAL,
    fixed=("evaluations",),
    citation=STOCHASTIC_CONVEX,
    stochastic=True,
    one_point=True,
)
def stochastic_convex(setting: Setting[Functions], *, certainty: float | None = None) -> Instance:
    """Agarwal et al. 2011, Algorithm 1, with confidence widths that are no wider than its proof needs.

    Larger ``certainty`` cuts later and errs less; by default all cuts are right but for a
    probability of 1 / sqrt(T). It is played even where its bound is vacuous: in the worst case it
    costs no more than staying at the centre.
    """
    return _search(setting, None, certainty)


@register_algorithm(
    name="local-stochastic-convex",
    twin="stochastic-convex",
    title="search of an interval by three points, for functions drawn from one law, with noise on "
    "every value",
    problem=INTERVAL,
    fixed=("evaluations",),
    citation=ZHENG,
    builds_on=(STOCHASTIC_CONVEX,),
    stochastic=True,
)
def local_stochastic_convex(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    certainty: float | None = None,
) -> Instance:
    """Corollary 4: Algorithm 1 over that of Agarwal et al.: every value gets noise by itself (local model).

    By default values are answered by randomised response; the paper's noise is Gaussian with the
    classical scale.
    """
    return _search(
        setting, noise_on_reports(setting, setting.bounds, noise, calibration), certainty
    )


def _search(setting: Setting[Functions], noise: Noise | None, certainty: float | None) -> Instance:
    """Return the search with the confidence widths for this noise."""
    place, rounds, bounds = place_with(setting, LinearOracle), setting.rounds, setting.bounds
    spread = mean_square(noise, bounds)
    tail = noise.scale / bounds.width if isinstance(noise, Laplace) else 0.0
    usual = certainty_for(rounds)
    chosen = usual if certainty is None else check_positive("certainty", certainty)
    learner = IntervalSearch.start(
        set=place.set,
        certainty=chosen,
        spread=spread,
        tail=tail,
        finest=max(KEPT ** most_epochs(rounds), 1e-12),
    )
    bound = interval_bound(
        rounds=rounds,
        outer=place.outer,
        slope=steepest(setting),
        widest=setting.problem.widest(make_range()),
        spread=spread,
        tail=tail,
    )
    proved = (
        f"at most {bounds.width * min(bound, rounds):,.0f} for functions that are drawn "
        "independently from one law"
    )
    return Instance(
        private=Private(Open(bounds) if noise is None else PerRound(bounds, noise), learner),
        parameters={"certainty": chosen, "spread": spread} | ({"tail": tail} if tail > 0.0 else {}),
        regret_bound=None,
        bound_source=f"{proved if chosen == usual else 'no bound proved for this certainty'}; no bound "
        "otherwise (see discreet.learners.functions.interval)",
    )
