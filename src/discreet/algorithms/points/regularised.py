"""Agarwal & Singh 2017, Theorem 3.1 with squared distances: the leader on any convex set.

On a set with a projection, the leader is exact. On other sets, a linear oracle finds it to within a
distance that adds 1 % to the bound without noise.
"""

from __future__ import annotations

import functools

from discreet.algorithms.points.leaders import (
    OUR_FTRL,
    cap_bound,
    make_instance,
    name_source,
    noise_length,
)
from discreet.algorithms.points.running_sums import Candidate, Pick, RunningSumName, choose
from discreet.algorithms.points.tuning import Tuning, describe_rates, handicap
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import OpenSum
from discreet.learners import OracleFtrl, QuadraticFtrl
from discreet.learners.points.rates import Rates
from discreet.mechanisms import NoiseName
from discreet.private import Private
from discreet.problems import Points
from discreet.problems.points import ANY_SET
from discreet.sets import Geometry, Projecting


def _register_leaders(example: Points, place: str) -> None:
    """Register the regularised leaders on one kind of points, without and with privacy."""
    geometry = example.geometry

    @register_algorithm(
        name=f"ftrl-{geometry}",
        title=f"regularised leader on {place}",
        problem=example,
        fixed=("geometry",),
        citation="shalevshwartz2012online",
        anytime=True,
    )
    def leader(
        setting: Setting[Points],
        *,
        learning_rate: float | None = None,
        head_start: float | None = None,
    ) -> Instance:
        """FTRL with |x|²; η = 2 R / (G sqrt(T)).

        If a delta is given, early rounds have larger rates, as in its private version.
        """
        sets = setting.problem.sets(setting.bounds)
        rates = Tuning.of_squares(sets).rates(setting, None, learning_rate, head_start)
        return Instance(
            private=Private(OpenSum.over(sets.losses), leader_on(sets, rates)),
            parameters=describe_rates(setting, rates),
            regret_bound=cap_bound(setting, sets, _quadratic_bound(setting, sets, rates, None)),
            bound_source=name_source(
                rates, "R² / η + η T G² / 4 (see discreet.learners.points.ftrl)"
            ),
        )

    @register_algorithm(
        name=f"private-ftrl-{geometry}",
        twin=f"ftrl-{geometry}",
        title=f"regularised leader on {place}, on private running sums",
        problem=example,
        fixed=("geometry",),
        citation="agarwal2017price",
        builds_on=("shalevshwartz2012online",),
        anytime=True,
    )
    def private_leader(
        setting: Setting[Points],
        *,
        sums: RunningSumName | None = None,
        noise: NoiseName | None = None,
        padding: bool | None = None,
        learning_rate: float | None = None,
        head_start: float | None = None,
    ) -> Instance:
        """Theorem 3.1 with |x|²; η = 2 R / sqrt(T G² + v²), v the length of the noise in a sum."""
        sets = setting.problem.sets(setting.bounds)
        pick = functools.partial(choose, setting, sets, sums=sums, noise=noise, padding=padding)
        return lead_quadratic(setting, pick, learning_rate=learning_rate, head_start=head_start)


_register_leaders(Points("ball"), "the unit ball")
_register_leaders(Points("cube"), "the cube")
_register_leaders(Points(domain="k-sets(10,3)"), "any set")


def lead_quadratic(
    setting: Setting[Points],
    pick: Pick,
    *,
    learning_rate: float | None = None,
    head_start: float | None = None,
) -> Instance:
    """Return the leader with squared distances on the running sum with the best bound."""
    sets = setting.problem.sets(setting.bounds)
    tuning = Tuning.of_squares(sets)

    def bound(found: Candidate) -> float | None:
        rates = tuning.rates(setting, found, learning_rate, 0.0)
        least = _quadratic_bound(setting, sets, rates, found)
        return None if least is None else least * handicap(setting, found, head_start)

    found = pick(bound)
    rates = tuning.rates(setting, found, learning_rate, head_start)
    learner = leader_on(sets, rates)
    proved, source = (
        _quadratic_bound(setting, sets, rates, found),
        name_source(rates, _source(sets)),
    )
    told = describe_rates(setting, rates)
    return make_instance(setting, sets, found, learner, told, proved, source)


def _source(sets: Geometry) -> str:
    return f"{OUR_FTRL}; docs/regret.md: Any set" if sets.name == ANY_SET else OUR_FTRL


def leader_on(sets: Geometry, rates: Rates) -> QuadraticFtrl | OracleFtrl:
    """Return the leader before the first round: by projection, or else by the linear oracle."""
    if isinstance(sets.points, Projecting):
        centre = sets.points.centre()
        return QuadraticFtrl.start(set=sets.points, learning_rate=rates, centre=centre)
    return OracleFtrl.start(set=sets.points, learning_rate=rates)


def _quadratic_bound(
    setting: Setting[Points], sets: Geometry, rates: Rates, found: Candidate | None
) -> float | None:
    """Return the bound of the leader, including noise and oracle errors."""
    extra = 0.0
    if not isinstance(sets.points, Projecting):
        extra = OracleFtrl.extra_bound(radius=sets.radius, rounds=setting.rounds, norm=sets.norm)
    if rates.falls:
        proved = Tuning.of_squares(sets).falling_bound(setting, found, rates)
        return None if proved is None else proved + extra
    if found is not None and not found.steady:
        return None
    noise = 0.0 if found is None else noise_length(sets, found)
    return extra + QuadraticFtrl.regret_bound(
        radius=sets.radius,
        rounds=setting.rounds,
        norm=sets.norm,
        learning_rate=rates.least,
        noise=noise,
    )
