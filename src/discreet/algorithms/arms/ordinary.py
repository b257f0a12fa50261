"""More ordinary bandit algorithms, for comparison."""

from __future__ import annotations

import math

from discreet.algorithms.arms import bounds
from discreet.algorithms.papers import EXP3, EXP3_IX, FTPL_ARMS, HTINF, KL_UCB, UCB1
from discreet.algorithms.registry import ROOT, Instance, Setting, register_algorithm
from discreet.channels import Open
from discreet.errors import DiscreetError
from discreet.learners import Exp3IX, Exp3P, Ftpl, Htinf, KlUcb, Ucb
from discreet.private import Private
from discreet.problems import Arms

ONLY_STOCHASTIC = (
    "logarithmic against independent, identically distributed losses; no bound otherwise"
)


@register_algorithm(
    name="exp3-ix",
    title="EXP3 with implicit exploration",
    problem=Arms(),
    growth=ROOT,
    citation=EXP3_IX,
    one_point=True,
)
def exp3_ix(
    setting: Setting[Arms], *, learning_rate: float | None = None, bias: float | None = None
) -> Instance:
    """EXP3-IX; η = 2 γ = sqrt(2 ln K / (K T)), as in the paper: at most 2.2 sqrt(K T ln K) in expectation."""
    arms, rounds = setting.problem.arms, setting.rounds
    tuned = math.sqrt(2.0 * math.log(arms) / (arms * rounds))
    learner = Exp3IX.start(
        arms=arms, learning_rate=tuned if learning_rate is None else learning_rate, bias=bias
    )
    bound = bounds.exp3_ix(arms, rounds, rate=learner.learning_rate, bias=learner.bias)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"learning_rate": learner.learning_rate, "bias": learner.bias},
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="docs/regret.md: EXP3-IX",
    )


@register_algorithm(
    name="exp3-p",
    title="EXP3 with a confidence bonus",
    problem=Arms(),
    growth=ROOT,
    citation=EXP3,
    one_point=True,
)
def exp3_p(setting: Setting[Arms], *, failure: float = 0.01) -> Instance:
    """EXP3.P, tuned to hold with probability 1 - ``failure``; the bound is on the expected regret, and needs none."""
    arms, rounds = setting.problem.arms, setting.rounds
    if not 0.0 < failure < 1.0:
        raise DiscreetError(f"failure is {failure!r}, but must be above 0 and below 1.")
    learner = Exp3P.start(
        arms=arms,
        learning_rate=0.95 * math.sqrt(math.log(arms) / (rounds * arms)),
        mixing=min(1.0, 1.05 * math.sqrt(arms * math.log(arms) / rounds)),
        bonus=math.sqrt(math.log(arms / failure) / (rounds * arms)),
    )
    bound = bounds.exp3_p(
        arms, rounds, rate=learner.learning_rate, mixing=learner.mixing, bonus=learner.bonus
    )
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={
            "learning_rate": learner.learning_rate,
            "mixing": learner.mixing,
            "bonus": learner.bonus,
        },
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="docs/regret.md: EXP3 on gains",
    )


@register_algorithm(
    name="htinf",
    title="HTINF, for heavy tails",
    problem=Arms(),
    growth=ROOT,
    citation=HTINF,
    one_point=True,
)
def htinf(setting: Setting[Arms], *, moment: float = 1.0, tail: float = 2.0) -> Instance:
    """HTINF; losses in [0, 1] have all moments at most 1."""
    arms, rounds = setting.problem.arms, setting.rounds
    learner = Htinf.start(arms=arms, moment=moment, tail=tail)
    bound = 30.0 * moment * arms ** (1.0 - 1.0 / tail) * (rounds + 1.0) ** (1.0 / tail)
    if tail == 2.0:
        bound = bounds.htinf(
            arms,
            rounds,
            deviation=1.0,
            moment=moment,
            threshold=learner.threshold,
            clips=learner.clips,
        )
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"moment": moment, "tail": tail},
        regret_bound=min(bound, rounds) * setting.bounds.width if moment >= 1.0 else None,
        bound_source=("docs/regret.md: HTINF" if tail == 2.0 else "Huang et al. 2022, Theorem 4.1")
        if moment >= 1.0
        else "no bound proved: moment is below 1",
    )


@register_algorithm(
    name="ftpl",
    title="follow the perturbed leader",
    problem=Arms(),
    growth=ROOT,
    citation=FTPL_ARMS,
    one_point=True,
)
def ftpl(
    setting: Setting[Arms], *, learning_rate: float | None = None, cap: int | None = None
) -> Instance:
    """FTPL with Laplace perturbation and geometric resampling: M = sqrt(K T) copies, and the best rate for the bound."""
    arms, rounds = setting.problem.arms, setting.rounds
    copies = math.ceil(math.sqrt(arms * rounds)) if cap is None else cap
    tuned = math.sqrt(bounds.largest_perturbation(arms) / (2.0 * arms * rounds))
    rate = tuned if learning_rate is None else learning_rate
    bound = bounds.ftpl(arms, rounds, rate=rate, cap=copies)
    return Instance(
        private=Private(
            Open(setting.bounds), Ftpl.start(arms=arms, learning_rate=rate, cap=copies)
        ),
        parameters={"learning_rate": rate, "cap": copies},
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="docs/regret.md: FTPL",
    )


@register_algorithm(
    name="ucb",
    title="upper confidence bounds (UCB1)",
    problem=Arms(),
    stochastic=True,
    citation=UCB1,
    one_point=True,
)
def ucb(setting: Setting[Arms], *, exploration: float = 2.0) -> Instance:
    """UCB1, for independent, identically distributed losses."""
    return Instance(
        private=Private(
            Open(setting.bounds), Ucb.start(arms=setting.problem.arms, exploration=exploration)
        ),
        parameters={"exploration": exploration},
        regret_bound=None,
        bound_source=ONLY_STOCHASTIC,
    )


@register_algorithm(
    name="kl-ucb",
    title="upper confidence bounds (KL-UCB)",
    problem=Arms(),
    stochastic=True,
    citation=KL_UCB,
    one_point=True,
)
def kl_ucb(setting: Setting[Arms], *, extra: float = 0.0) -> Instance:
    """KL-UCB, for independent, identically distributed losses."""
    return Instance(
        private=Private(Open(setting.bounds), KlUcb.start(arms=setting.problem.arms, extra=extra)),
        parameters={"extra": extra},
        regret_bound=None,
        bound_source=ONLY_STOCHASTIC,
    )
