"""Bandit algorithms without privacy, for comparison with private ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from discreet.algorithms.arms import bounds, summed_bounds
from discreet.algorithms.confident import FAILURE, ConfidentBound
from discreet.algorithms.registry import ROOT, Instance, Setting, register_algorithm
from discreet.channels import Constant, Open
from discreet.contracts import Learner
from discreet.errors import DiscreetError, check_share
from discreet.learners import (
    Exp3,
    Exp3Gain,
    Exp3IX,
    Exp3P,
    Ftpl,
    Htinf,
    KlUcb,
    TsallisInf,
    Ucb,
    Uniform,
)
from discreet.private import Private
from discreet.problems import Arms

Estimator = Literal["importance-weighted", "reduced-variance"]
LIKELY = 0.25  # κ of Tsallis-INF, above which a baseline is used (docs/regret.md: Tsallis-INF)
MOST_CLIPPED = math.sqrt(5.0) - 2.0  # Θ of HTINF that clips, with the least bound
ONLY_STOCHASTIC = (
    "logarithmic against independent, identically distributed losses; no bound otherwise"
)


@register_algorithm(name="uniform", title="uniform play, learns nothing", problem=Arms())
def uniform(setting: Setting[Arms]) -> Instance:
    """Play every arm with the same probability; feedback is never used."""
    private = Private(Constant.like(Open(setting.bounds), 0.5), Uniform(setting.problem.arms))
    bound = setting.rounds * (1.0 - 1.0 / setting.problem.arms) * setting.bounds.width
    source = "the best arm is missed in all rounds but one in K"
    return Instance(private=private, parameters={}, regret_bound=bound, bound_source=source)


@register_algorithm(
    name="exp3",
    title="EXP3 for losses",
    problem=Arms(),
    growth=ROOT,
    citation="auer2002nonstochastic",
    one_point=True,
)
def exp3(
    setting: Setting[Arms], *, learning_rate: float | None = None, mixing: float = 0.0
) -> Instance:
    """Exponential weights; η = sqrt(2 ln K / (T K)) and no mixing, unless set."""
    arms, rounds = setting.problem.arms, setting.rounds
    tuned = math.sqrt(2.0 * math.log(arms) / (rounds * arms))
    rate = tuned if learning_rate is None else learning_rate
    return _instance(
        setting,
        Exp3.start(arms=arms, learning_rate=rate, mixing=mixing),
        bounds.exp3(arms, rounds, rate=rate, mixing=mixing),
        "Bubeck & Cesa-Bianchi 2012, Theorem 3.1, for any mixing (docs/regret.md: EXP3)",
        learning_rate=rate,
        mixing=mixing,
    )


@register_algorithm(
    name="exp2",
    title="EXP2 with uniform exploration",
    problem=Arms(),
    growth=ROOT,
    citation="bubeck2012towards",
    one_point=True,
)
def exp2(
    setting: Setting[Arms], *, learning_rate: float | None = None, mixing: float | None = None
) -> Instance:
    """EXP2 on the unit vectors, whose optimal exploration is uniform: EXP3 with mixing.

    η = sqrt(ln K / (3 K T)), γ = η K, as for losses in [-1, 1] (Bubeck et al. 2012, Theorem 4): the
    regret is at most 2.6 sqrt(K T ln K) in widths of the range.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    tuned = math.sqrt(math.log(arms) / (3.0 * arms * rounds))
    rate = tuned if learning_rate is None else learning_rate
    share = min(rate * arms, 1.0) if mixing is None else mixing
    return _instance(
        setting,
        Exp3.start(arms=arms, learning_rate=rate, mixing=share),
        bounds.exp3(arms, rounds, rate=rate, mixing=share),
        "docs/regret.md: EXP3",
        learning_rate=rate,
        mixing=share,
    )


@register_algorithm(
    name="exp3-ix",
    title="EXP3 with implicit exploration",
    problem=Arms(),
    growth=ROOT,
    citation="neu2015explore",
    one_point=True,
)
def exp3_ix(
    setting: Setting[Arms],
    *,
    learning_rate: float | None = None,
    bias: float | None = None,
    failure: float = FAILURE,
) -> Instance:
    """EXP3-IX with the paper's η = 2 γ = sqrt(2 ln K / (K T)): at most 2.2 sqrt(K T ln K).

    A second bound holds with probability 1 - ``failure``, which affects nothing else.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    tuned = math.sqrt(2.0 * math.log(arms) / (arms * rounds))
    rate = tuned if learning_rate is None else learning_rate
    learner = Exp3IX.start(arms=arms, learning_rate=rate, bias=bias)
    share, width = check_share("failure", failure), setting.bounds.width

    def at(failure: float) -> float:
        rates = learner.learning_rate, learner.bias
        return width * min(bounds.confident_exp3_ix(arms, rounds, *rates, failure), rounds)

    found = _instance(
        setting,
        learner,
        bounds.exp3_ix(arms, rounds, rate=learner.learning_rate, bias=learner.bias),
        "docs/regret.md: EXP3-IX",
        learning_rate=learner.learning_rate,
        bias=learner.bias,
    )
    bound = ConfidentBound(
        regret=at(share), failure=share, holds_for="losses fixed in advance", at=at
    )
    return replace(found, confident_bound=bound)


@register_algorithm(
    name="exp3-p",
    title="EXP3 with a confidence bonus",
    problem=Arms(),
    growth=ROOT,
    citation="auer2002nonstochastic",
    one_point=True,
)
def exp3_p(setting: Setting[Arms], *, failure: float = 0.01) -> Instance:
    """EXP3.P, tuned to hold with probability 1 - ``failure``; the bound holds in expectation."""
    arms, rounds = setting.problem.arms, setting.rounds
    if not 0.0 < failure < 1.0:
        raise DiscreetError(f"failure is {failure!r}, but must be above 0 and below 1.")
    # 0.95 and 1.05 are the constants of Bubeck & Cesa-Bianchi 2012, Theorem 3.3
    learner = Exp3P.start(
        arms=arms,
        learning_rate=0.95 * math.sqrt(math.log(arms) / (rounds * arms)),
        mixing=min(1.0, 1.05 * math.sqrt(arms * math.log(arms) / rounds)),
        bonus=math.sqrt(math.log(arms / failure) / (rounds * arms)),
    )
    rate, mixing, bonus = learner.learning_rate, learner.mixing, learner.bonus
    return _instance(
        setting,
        learner,
        bounds.exp3_p(arms, rounds, rate=rate, mixing=mixing, bonus=bonus),
        "docs/regret.md: EXP3 on gains",
        learning_rate=rate,
        mixing=mixing,
        bonus=bonus,
    )


def gain_mixing(arms: int, plays: float) -> float:
    """Return γ = min(1, sqrt(K ln K / ((e - 1) T)))."""
    return min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1.0) * plays)))


@register_algorithm(
    name="exp3-gain",
    title="EXP3 for gains",
    problem=Arms(),
    growth=ROOT,
    citation="auer2002nonstochastic",
    one_point=True,
)
def exp3_gain(setting: Setting[Arms], *, mixing: float | None = None) -> Instance:
    """EXP3 as Auer et al. and Tossou & Dimitrakakis define it: η = γ / K.

    The regret on gains in [0, 1] is at most 2 sqrt((e - 1) T K ln K).
    """
    arms, rounds = setting.problem.arms, setting.rounds
    tuned = gain_mixing(arms, rounds)
    share = tuned if mixing is None else mixing
    learner = Exp3Gain.start(arms=arms, mixing=share)
    known = share == tuned
    return _instance(
        setting,
        learner,
        2.0 * math.sqrt((math.e - 1.0) * rounds * arms * math.log(arms)) if known else None,
        "Auer et al. 2002, Corollary 3.2" if known else "no bound proved for this mixing",
        learning_rate=learner.learning_rate,
        mixing=share,
    )


@register_algorithm(
    name="tsallis-inf",
    title="Tsallis-INF, best of both worlds",
    problem=Arms(),
    growth=ROOT,
    citation="zimmert2021tsallis",
    one_point=True,
)
def tsallis_inf(
    setting: Setting[Arms],
    *,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
) -> Instance:
    """Tsallis-INF; c = 2 for the importance-weighted estimator, 4 for the reduced-variance one.

    Its baseline begins at w = η²/4, and not at η² as in the paper: the bound is smaller.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    reduced = estimator == "reduced-variance"
    tuned = 4.0 if reduced else 2.0
    rate = tuned if learning_rate is None else learning_rate
    bound, proved = bounds.weighted_tsallis_inf(arms, rounds), "docs/regret.md: Tsallis-INF"
    if reduced:
        bound, proved = summed_bounds.tsallis_inf(arms, rounds), summed_bounds.SOURCE
    known = rate == tuned
    return _instance(
        setting,
        TsallisInf.start(
            arms=arms, learning_rate=rate, baseline=0.5 if reduced else 0.0, likely=LIKELY
        ),
        bound if known else None,
        proved if known else "no bound proved for this learning rate",
        learning_rate=rate,
        estimator=estimator,
    )


@register_algorithm(
    name="htinf",
    title="HTINF, for heavy tails",
    problem=Arms(),
    growth=ROOT,
    citation="huang2022adaptive",
    anytime=True,
    one_point=True,
)
def htinf(
    setting: Setting[Arms],
    *,
    moment: float | None = None,
    tail: float = 2.0,
    clips: bool | None = None,
) -> Instance:
    """HTINF; losses in [0, 1] have all moments at most 1.

    For ``tail`` 2 it clips losses beyond its threshold, with the parameters of the least bound,
    like batched-htinf. With ``clips`` false or another tail, it skips them, and threshold and
    moment are the paper's.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    clipping = tail == 2.0 if clips is None else clips
    threshold = MOST_CLIPPED if clipping else None
    usual = htinf_moment(arms, 1.0) if clipping else 1.0
    sigma = usual if moment is None else moment
    learner = Htinf.start(arms=arms, moment=sigma, tail=tail, threshold=threshold, clips=clipping)
    bound: float | None = None
    source = "no bound proved: moment is below 1, or losses are clipped"
    if tail == 2.0:
        source = "docs/regret.md: HTINF"
        numbers = {"deviation": 1.0, "moment": sigma, "threshold": learner.threshold}
        bound = bounds.htinf(arms, rounds, clips=clipping, **numbers)
        if clipping:
            source = summed_bounds.SOURCE
            bound = min(bound, summed_bounds.htinf(arms, rounds, fourth=1.0, **numbers))
    elif sigma >= 1.0 and not clipping:
        source = "Huang et al. 2022, Theorem 4.1"
        bound = 30.0 * sigma * arms ** (1.0 - 1.0 / tail) * (rounds + 1.0) ** (1.0 / tail)
    return _instance(
        setting, learner, bound, source, moment=sigma, threshold=learner.threshold, tail=tail
    )


def htinf_moment(arms: int, deviation: float) -> float:
    """Return the ς with the least bound of HTINF that clips: sqrt(κ sqrt(K) / (sqrt(K) - 1)) σ."""
    root = math.sqrt(arms)
    return deviation * math.sqrt(root / ((root - 1.0) * (1.0 - MOST_CLIPPED)))


@register_algorithm(
    name="ftpl",
    title="follow the perturbed leader",
    problem=Arms(),
    growth=ROOT,
    citation="neu2016importance",
    one_point=True,
)
def ftpl(
    setting: Setting[Arms], *, learning_rate: float | None = None, cap: int | None = None
) -> Instance:
    """FTPL with Laplace perturbation and geometric resampling.

    At most K T copies, more than are ever needed, and the learning rate with the least bound.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    copies = arms * rounds if cap is None else cap
    tuned = math.sqrt(bounds.largest_perturbation(arms) / (2.0 * arms * rounds))
    rate = tuned if learning_rate is None else learning_rate
    return _instance(
        setting,
        Ftpl.start(arms=arms, learning_rate=rate, cap=copies),
        bounds.ftpl(arms, rounds, rate=rate, cap=copies),
        "docs/regret.md: FTPL",
        learning_rate=rate,
        cap=copies,
    )


@register_algorithm(
    name="ucb",
    title="upper confidence bounds (UCB1)",
    problem=Arms(),
    stochastic=True,
    citation="auer2002finite",
    one_point=True,
)
def ucb(setting: Setting[Arms], *, exploration: float = 2.0) -> Instance:
    """UCB1, for independent, identically distributed losses."""
    learner = Ucb.start(arms=setting.problem.arms, exploration=exploration)
    return _instance(setting, learner, None, ONLY_STOCHASTIC, exploration=exploration)


@register_algorithm(
    name="kl-ucb",
    title="upper confidence bounds (KL-UCB)",
    problem=Arms(),
    stochastic=True,
    citation="garivier2011kl",
    one_point=True,
)
def kl_ucb(setting: Setting[Arms], *, extra: float = 0.0) -> Instance:
    """KL-UCB, for independent, identically distributed losses."""
    learner = KlUcb.start(arms=setting.problem.arms, extra=extra)
    return _instance(setting, learner, None, ONLY_STOCHASTIC, extra=extra)


def _instance(
    setting: Setting[Arms],
    learner: Learner,
    bound: float | None,
    source: str,
    **parameters: float | int | str,
) -> Instance:
    """Return a learner on plain losses; ``bound`` is for losses in [0, 1]."""
    width, rounds = setting.bounds.width, setting.rounds
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters=parameters,
        regret_bound=None if bound is None else min(bound, rounds) * width,
        bound_source=source,
    )
