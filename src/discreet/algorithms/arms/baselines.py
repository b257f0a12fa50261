"""Ordinary bandit algorithms, without privacy: the floor that private ones are measured against."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms import bounds
from discreet.algorithms.papers import EXP3, NONE, TSALLIS_INF
from discreet.algorithms.registry import ROOT, Instance, Setting, register_algorithm
from discreet.channels import Constant, Open
from discreet.learners import Exp3, TsallisInf, Uniform
from discreet.private import Private
from discreet.problems import Arms

Estimator = Literal["importance-weighted", "reduced-variance"]


@register_algorithm(
    name="uniform", title="uniform play, learns nothing", problem=Arms(), citation=NONE
)
def uniform(setting: Setting[Arms]) -> Instance:
    """Play every arm with the same probability; feedback is never used."""
    private = Private(Constant.like(Open(setting.bounds), 0.5), Uniform(setting.problem.arms))
    bound = setting.rounds * (1.0 - 1.0 / setting.problem.arms) * setting.bounds.width
    source = "the best arm is missed in all rounds but one in K"
    return Instance(private=private, parameters={}, regret_bound=bound, bound_source=source)


@register_algorithm(
    name="exp3", title="EXP3 for losses", problem=Arms(), growth=ROOT, citation=EXP3, one_point=True
)
def exp3(
    setting: Setting[Arms], *, learning_rate: float | None = None, mixing: float = 0.0
) -> Instance:
    """Exponential weights; η = sqrt(2 ln K / (T K)) and no mixing, unless set."""
    arms, rounds = setting.problem.arms, setting.rounds
    rate = (
        math.sqrt(2.0 * math.log(arms) / (rounds * arms))
        if learning_rate is None
        else learning_rate
    )
    learner = Exp3.start(arms=arms, learning_rate=rate, mixing=mixing)
    bound = bounds.exp3(arms, rounds, rate=rate, mixing=mixing)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"learning_rate": rate, "mixing": mixing},
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="Bubeck & Cesa-Bianchi 2012, Theorem 3.1, for any mixing (docs/regret.md: EXP3)",
    )


@register_algorithm(
    name="tsallis-inf",
    title="Tsallis-INF, best of both worlds",
    problem=Arms(),
    growth=ROOT,
    citation=TSALLIS_INF,
    one_point=True,
)
def tsallis_inf(
    setting: Setting[Arms],
    *,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
) -> Instance:
    """Tsallis-INF; c = 2 for the importance-weighted estimator and 4 for the reduced-variance one, unless set."""
    arms, rounds = setting.problem.arms, setting.rounds
    reduced = estimator == "reduced-variance"
    tuned = 4.0 if reduced else 2.0
    rate = tuned if learning_rate is None else learning_rate
    learner = TsallisInf.start(arms=arms, learning_rate=rate, baseline=0.5 if reduced else 0.0)
    bound = (bounds.tsallis_inf if reduced else bounds.weighted_tsallis_inf)(arms, rounds)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"learning_rate": rate, "estimator": estimator},
        regret_bound=min(bound, rounds) * setting.bounds.width if rate == tuned else None,
        bound_source="docs/regret.md: Tsallis-INF"
        if rate == tuned
        else "no bound proved for this learning rate",
    )
