"""Agarwal & Singh 2017, section 3: leaders on running sums of loss vectors.

Privacy costs them an additive term.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from discreet.algorithms.points.running_sums import Candidate, Pick, RunningSumName, choose
from discreet.algorithms.points.tuning import Smoothing, Tuning, describe_rates, handicap
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import OpenSum
from discreet.contracts import Learner
from discreet.learners import EntropyFtrl, Hedge, LinearFtpl
from discreet.learners.points.rates import Rates
from discreet.mechanisms import NoiseName
from discreet.private import Private
from discreet.problems import Points
from discreet.sets import Geometry

OUR_FTRL = "Agarwal & Singh 2017, Theorem 3.1, constants re-derived"
OUR_FTPL = (
    "Agarwal & Singh 2017, Theorem 3.5, constants re-derived (docs/regret.md: Perturbed points)"
)


@register_algorithm(
    name="ftrl-experts",
    title="exponential weights on all losses",
    problem=Points("experts"),
    fixed=("geometry",),
    citation="shalevshwartz2012online",
    anytime=True,
)
def ftrl_experts(
    setting: Setting[Points], *, learning_rate: float | None = None, head_start: float | None = None
) -> Instance:
    """FTRL with entropy; η = sqrt(8 ln N / T), in units of the range.

    If a delta is given, early rounds have larger rates, as in private-ftrl-experts.
    """
    experts = setting.problem.sets(setting.bounds)
    rates = Tuning.of_entropy(setting).rates(setting, None, learning_rate, head_start)
    return Instance(
        private=Private(
            OpenSum.over(experts.losses),
            EntropyFtrl.start(dimension=setting.problem.dimension, learning_rate=rates),
        ),
        parameters=describe_rates(setting, rates),
        regret_bound=cap_bound(setting, experts, _entropy_bound(setting, rates, None)),
        bound_source=name_source(
            rates, "exponential weights with Hoeffding's lemma (see discreet.learners.points.ftrl)"
        ),
    )


@register_algorithm(
    name="hedge",
    title="exponential weights for an unknown number of rounds",
    problem=Points("experts"),
    fixed=("geometry",),
    citation="freund1997decision",
    anytime=True,
)
def hedge(setting: Setting[Points], *, learning_rate: float | None = None) -> Instance:
    """Hedge with η = c sqrt(ln N / t), c = 2 in units of the range."""
    experts, width = setting.problem.sets(setting.bounds), setting.bounds.width
    tuned = Hedge.recommended_rate(width=width)
    rate = tuned if learning_rate is None else learning_rate
    bound = Hedge.regret_bound(
        dimension=setting.problem.dimension, rounds=setting.rounds, width=width
    )
    return Instance(
        private=Private(
            OpenSum.over(experts.losses),
            Hedge.start(dimension=setting.problem.dimension, learning_rate=rate),
        ),
        parameters={"learning_rate": rate},
        regret_bound=cap_bound(setting, experts, bound) if rate == tuned else None,
        bound_source="w sqrt(T ln N), for every T at once (see discreet.learners.points.hedge)"
        if rate == tuned
        else "no bound proved for this learning rate",
    )


@register_algorithm(
    name="ftpl-olo",
    title="perturbed leader, with a linear oracle only",
    problem=Points("cube"),
    citation="abernethy2014online",
)
def ftpl_olo(setting: Setting[Points], *, spread: float | None = None) -> Instance:
    """FTPL with Gaussian perturbations; their σ has the least bound (see ``Smoothing``)."""
    sets = setting.problem.sets(setting.bounds)
    deviation = _spread(setting, sets, 0.0) if spread is None else spread
    return Instance(
        private=Private(
            OpenSum.over(sets.losses),
            LinearFtpl.start(set=sets.points, spread=deviation, fresh=True),
        ),
        parameters={"geometry": name_points(setting), "spread": deviation},
        regret_bound=cap_bound(setting, sets, _perturbed_bound(setting, sets, deviation, None)),
        bound_source="docs/regret.md: Perturbed points",
    )


@register_algorithm(
    name="private-ftrl-experts",
    twin="ftrl-experts",
    title="exponential weights on private running sums",
    problem=Points("experts"),
    fixed=("geometry",),
    citation="agarwal2017price",
    builds_on=("shalevshwartz2012online",),
    anytime=True,
)
def private_ftrl_experts(
    setting: Setting[Points],
    *,
    sums: RunningSumName | None = None,
    noise: NoiseName | None = None,
    padding: bool | None = None,
    learning_rate: float | None = None,
    head_start: float | None = None,
) -> Instance:
    """Theorem 3.1 with entropy; η = sqrt(8 ln N / (T w² + 4 s²)), s the noise in a coordinate.

    With Gaussian noise, early rounds have larger rates (docs/departures.md); for an unknown
    horizon, rates fall with time.
    """
    pick = functools.partial(
        choose,
        setting,
        setting.problem.sets(setting.bounds),
        sums=sums,
        noise=noise,
        padding=padding,
    )
    return lead_experts(setting, pick, learning_rate=learning_rate, head_start=head_start)


def lead_experts(
    setting: Setting[Points],
    pick: Pick,
    *,
    learning_rate: float | None = None,
    head_start: float | None = None,
) -> Instance:
    """Return exponential weights on the running sum with the best bound."""
    experts, tuning = setting.problem.sets(setting.bounds), Tuning.of_entropy(setting)

    def bound(found: Candidate) -> float | None:
        rates = tuning.rates(setting, found, learning_rate, 0.0)
        least = _entropy_bound(setting, rates, found)
        return None if least is None else least * handicap(setting, found, head_start)

    found = pick(bound)
    rates = tuning.rates(setting, found, learning_rate, head_start)
    learner = EntropyFtrl.start(dimension=setting.problem.dimension, learning_rate=rates)
    proved, source = _entropy_bound(setting, rates, found), name_source(rates, OUR_FTRL)
    told = describe_rates(setting, rates)
    return make_instance(setting, experts, found, learner, told, proved, source)


@register_algorithm(
    name="private-ftpl",
    twin="ftpl-olo",
    title="perturbed leader on private running sums",
    problem=Points("cube"),
    citation="agarwal2017price",
    builds_on=("abernethy2014online",),
)
def private_ftpl(
    setting: Setting[Points],
    *,
    sums: RunningSumName | None = None,
    noise: NoiseName | None = None,
    padding: bool | None = None,
    spread: float | None = None,
) -> Instance:
    """Theorem 3.5: Gaussian noise of the sums perturbs the leader, which adds only the rest.

    Other noise comes on top of the whole perturbation. The paper's claim of pure privacy is wrong:
    its noise is Gaussian.
    """
    sets = setting.problem.sets(setting.bounds)
    pick = functools.partial(choose, setting, sets, sums=sums, noise=noise, padding=padding)
    return lead_perturbed(setting, pick, spread=spread)


def lead_perturbed(
    setting: Setting[Points], pick: Pick, *, spread: float | None = None
) -> Instance:
    """Return the perturbed leader on the running sum with the best bound."""
    sets = setting.problem.sets(setting.bounds)

    def perturbation(found: Candidate) -> float:
        shared = found.least if found.is_gaussian else 0.0
        return _spread(setting, sets, shared) if spread is None else spread

    def bound(found: Candidate) -> float | None:
        return _perturbed_bound(setting, sets, perturbation(found), found)

    found = pick(bound)
    deviation = perturbation(found)
    learner = LinearFtpl.start(set=sets.points, spread=deviation, fresh=True)
    told: dict[str, float | int | str] = {"geometry": name_points(setting), "spread": deviation}
    return make_instance(setting, sets, found, learner, told, bound(found), OUR_FTPL)


def make_instance(
    setting: Setting[Points],
    sets: Geometry,
    found: Candidate,
    learner: Learner,
    parameters: dict[str, float | int | str],
    proved: float | None,
    source: str,
) -> Instance:
    """Return a learner on a running sum, with its bound if one is proved."""
    missing = (
        "no bound proved: this noise changes from round to round (with a delta, blt and "
        "unbounded have one)"
    )
    return Instance(
        private=Private(found.channel, learner),
        parameters=found.parameters | parameters,
        regret_bound=None if proved is None else cap_bound(setting, sets, proved),
        bound_source=missing if proved is None else source,
    )


def name_source(rates: Rates, source: str) -> str:
    """Return the source of the bound; falling rates have another proof."""
    return f"{source}; docs/regret.md: Falling rates" if rates.falls else source


def _entropy_bound(setting: Setting[Points], rates: Rates, found: Candidate | None) -> float | None:
    """Return the bound of exponential weights, including the noise of the sums."""
    if rates.falls:
        return Tuning.of_entropy(setting).falling_bound(setting, found, rates)
    rate = rates.least
    numbers: dict[str, Any] = {
        "dimension": setting.problem.dimension,
        "rounds": setting.rounds,
        "width": setting.bounds.width,
    }
    if found is None:
        return EntropyFtrl.regret_bound(**numbers, learning_rate=rate)
    if found.is_gaussian:
        return EntropyFtrl.regret_bound(
            **numbers, learning_rate=rate, noise=found.most, uneven=not found.steady
        )
    if not found.steady:
        return None
    cost = EntropyFtrl.noise_cost(
        dimension=setting.problem.dimension,
        learning_rate=rate,
        moment=found.moment,
        reach=found.reach,
    )
    return EntropyFtrl.regret_bound(**numbers, learning_rate=rate) + cost


def _perturbed_bound(
    setting: Setting[Points], sets: Geometry, spread: float, found: Candidate | None
) -> float | None:
    """Return the bound of the perturbed leader; noise that is not Gaussian comes on top, once."""
    if found is not None and not found.steady:
        return None
    deviations, extra = (spread, spread), 0.0
    if found is not None and found.is_gaussian:
        deviations = math.hypot(spread, found.least), math.hypot(spread, found.most)
    elif found is not None:
        extra = sets.radius * noise_length(sets, found)
    if deviations[0] <= 0.0:
        return None
    first = 0.0 if found is None else 2.0 * sets.radius * sets.norm
    return Smoothing.of(sets).bound(setting.rounds, *deviations) + first + extra


def name_points(setting: Setting[Points]) -> str:
    """Return the set of points in a word."""
    return setting.problem.domain or setting.problem.geometry


def _spread(setting: Setting[Points], sets: Geometry, noise: float) -> float:
    return Smoothing.of(sets).best_spread(setting.rounds, noise)


def noise_length(sets: Geometry, found: Candidate) -> float:
    """Return the largest root mean square length of the noise in a sum, within the hull."""
    return found.most * math.sqrt(sets.flat)


def cap_bound(setting: Setting[Points], sets: Geometry, bound: float | None) -> float | None:
    """Return a bound that is at most the largest possible regret."""
    return None if bound is None else min(bound, setting.rounds * sets.widest)
