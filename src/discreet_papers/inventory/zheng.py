"""Numbers of Zheng et al. 2020."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from functools import partial

import numpy as np

from discreet.algorithms import halving
from discreet.auditing import attacked
from discreet.contracts import Floats
from discreet.curves import gaussian_epsilon
from discreet.problems import Arms, BestArm, Functions
from discreet_papers.errata.zheng import classical_sigma
from discreet_papers.inventory.measuring import Case, epsilon_of, regret_of
from discreet_papers.inventory.registry import Compared, Numbers
from discreet_papers.inventory.zheng_contexts import (
    LENGTHS,
    LINEAR,
    LINK,
    LINK_SHARES,
    MOMENTS,
    SHARES,
    THREE_REPORTS,
    WIDTH,
)

ROUNDS, DELTA = 1 << 16, 1e-5
AT = "ball(3), T = 2^16, ε = 1"
PLAY = (("when_vacuous", "play"),)
CURVED = Functions("ball(3)", curvature=0.5, smoothness=0.5)
ABSOLUTE = Functions("ball(3)", lipschitz=0.64)
SCENE = (("drift", 0.0),)


def _functions(name: str, problem: Functions, environment: str) -> Case:
    return Case(
        name,
        problem,
        rounds=ROUNDS,
        environment=environment,
        trials=2,
        options=PLAY,
        scene=SCENE if environment == "quadratics" else (),
    )


CONVEX = _functions("local-convex", ABSOLUTE, "absolute")
SMOOTH = _functions("local-smooth", replace(CURVED, curvature=0.0), "quadratics")
STRONG = _functions("local-strongly-convex", replace(CURVED, smoothness=0.0), "quadratics")
BOTH = _functions("local-smooth-strongly-convex", CURVED, "quadratics")
TWO = _functions("local-two-point", replace(ABSOLUTE, evaluations=2), "absolute")
TWO_STRONG = _functions(
    "local-strongly-convex-two-point",
    replace(CURVED, smoothness=0.0, evaluations=2),
    "quadratics",
)
OPEN_TWO = _functions("two-point", replace(ABSOLUTE, evaluations=2), "absolute")
PRICES = Case(
    "local-stochastic-convex",
    Functions("cube(1)"),
    rounds=ROUNDS,
    environment="pricing",
    trials=2,
    scene=SCENE,
)
ARMS = Case("local-tsallis-inf", Arms(4))
RESPONSE = Case("tsallis-inf", Arms(4), options=(("noise", "response"),))
SURE = Case("exp3-ix", Arms(4), options=(("noise", "response"),))
PLANE = BOTH._replace(problem=replace(CURVED, domain="ball(2)"))
PAPER_ARMS = ARMS._replace(delta=1e-6, options=(("calibration", "paper"),))
MEANS = (0.4, *(0.6 for _ in range(9)))
SEARCH = Case(
    "local-lil-ucb", BestArm(10, 0.1), rounds=1 << 22, trials=4, scene=(("means", MEANS),)
)


HALVING = SEARCH._replace(
    name="local-sequential-halving", rounds=16_000, trials=200, options=(("budget", 16_000),)
)


def halving_error() -> float:
    """Return the proved error of sequential halving on randomised responses."""
    tail = partial(halving.subgaussian_tail, variance=HALVING.parameter("variance"))
    return halving.halving_error([0.2] * 9, HALVING.rounds, tail)


def power(exponent: float, in_epsilon: float = 0.0, epsilon: float = 1.0) -> float:
    """Return T^exponent / ε^in_epsilon."""
    return float(float(ROUNDS) ** exponent / epsilon**in_epsilon)


def _one_report(deviation: float, side: int, trials: int, series: int) -> Floats:
    """Return a number at either end of [0, 1], with Gaussian noise."""
    return side + np.random.default_rng([side, series]).normal(0.0, deviation, trials)


@functools.cache
def found_in_report(epsilon: float, delta: float, width: float = 1.0) -> float:
    """Return the epsilon that an attack finds in a number with classical Gaussian noise."""
    deviation = classical_sigma(epsilon, delta) / width
    return float(attacked(partial(_one_report, deviation), 1_000_000, delta=delta, gaussian=True))


def report(epsilon: float, delta: float, at: str) -> Compared:
    """Return the claimed epsilon of classical Gaussian noise, the exact one, and that found."""
    return Compared(
        what="epsilon of the printed noise",
        at=at,
        there=lambda: epsilon,
        here=lambda: gaussian_epsilon(1.0 / classical_sigma(epsilon, delta), delta),
        measured=lambda: found_in_report(epsilon, delta),
    )


def neu(arms: int, failure: float) -> float:
    """Return the bound of EXP3-IX with high probability, as Neu 2015 prints it."""
    size = 2.0 * arms * ROUNDS
    more = (math.sqrt(size / math.log(arms)) + 1.0) * math.log(2.0 / failure)
    return 2.0 * math.sqrt(size * math.log(arms)) + more


def equation_21() -> float:
    """Return the order ln(T / δ) / ε times the regret of EXP3-IX, for δ = 1e-6."""
    return math.log(ROUNDS / 1e-6) * neu(4, 0.05)


CONVEX_ROW = regret_of(CONVEX, AT, lambda: power(0.75), what="convex: regret", order=True)
ROWS = (
    CONVEX_ROW,
    regret_of(SMOOTH, AT, lambda: power(2 / 3), what="smooth: regret", order=True),
    regret_of(STRONG, AT, lambda: power(2 / 3), what="strongly convex: regret", order=True),
    regret_of(BOTH, AT, lambda: power(0.5), what="both: regret", order=True),
)
TWO_ROWS = (
    regret_of(TWO, AT, lambda: 27.0 * power(0.5), what="two values: regret", order=True),
    regret_of(
        TWO_STRONG,
        AT,
        lambda: 27.0 * math.log(ROUNDS) / 0.5,
        what="two values, strongly convex: regret",
        order=True,
    ),
)
WITH_CONFIDENCE = Compared(
    what="regret with probability 0.95",
    at="4 arms, EXP3-IX, T = 2^16, ε = 1; paper: δ = 1e-6, here: randomised response",
    there=equation_21,
    here=SURE.confident_bound,
    measured=SURE.regret,
    order=True,
)

NUMBERS: Numbers = {
    "Table 1": (*ROWS, *TWO_ROWS, LINEAR, LINK),
    "Algorithm 1": (
        Compared(
            what="mean square of a noisy loss around 1/2",
            at="losses in [0, 1], ε = 1, δ = 1e-6; here: randomised response",
            there=lambda: 0.25 + classical_sigma(1.0, 1e-6) ** 2,
            here=lambda: 0.25 / math.tanh(0.5) ** 2,
        ),
        report(10.0, 1e-6, "losses in [0, 1], claimed ε = 10, δ = 1e-6"),
    ),
    "Theorem 1": (
        epsilon_of(ARMS, "4 arms, Laplace noise on every loss, claimed ε = 1", lambda: 1.0),
    ),
    "Theorem 2": (report(1.0, 1e-6, "losses in [0, 1], claimed ε = 1, δ = 1e-6"),),
    "Theorem 3": (CONVEX_ROW, WITH_CONFIDENCE),
    "Corollary 4": (
        ROWS[1],
        ROWS[3],
        Compared(
            what="stochastic: regret",
            at="prices in one dimension, T = 2^16, ε = 1",
            there=lambda: power(0.5),
            measured=PRICES.regret,
            order=True,
        ),
        regret_of(
            PLANE,
            "ball(2), smooth and strongly convex, drawn from one law, T = 2^16, ε = 1",
            lambda: power(0.5),
            what="stochastic, 2 dimensions: regret",
            order=True,
        ),
    ),
    "Algorithm 2": TWO_ROWS,
    "Theorem 5": (report(1.0, 1e-6, "differences in widths, claimed ε = 1, δ = 1e-6"),),
    "Theorem 6": TWO_ROWS,
    "Theorem 7": (MOMENTS,),
    "Theorem 8": (LINEAR,),
    "Algorithm 3": (*LINK_SHARES, LINK),
    "Theorem 9": THREE_REPORTS,
    "Theorem 10": (LINK,),
    "Section E, equations (20) and (21)": (WITH_CONFIDENCE,),
    "Lemma 1": (LENGTHS,),
    "Lemma 2": (WIDTH,),
    "Theorem 11": (
        Compared(
            what="adversarial: regret, Gaussian noise as printed",
            at="4 arms, T = 2^16, ε = 1, δ = 1e-6",
            there=lambda: math.sqrt(1 << 16),
            measured=PAPER_ARMS.regret,
            order=True,
        ),
        regret_of(
            RESPONSE,
            "4 arms, T = 2^16, ε = 1",
            lambda: math.sqrt(1 << 16),
            what="regret, randomised response",
            order=True,
        ),
        Compared(
            what="stochastic: regret, Laplace noise",
            at="4 arms, one better by 0.05, T = 2^16, ε = 1",
            there=lambda: 3.0 * math.log(1 << 16) / 0.05,
            measured=ARMS.regret,
            order=True,
        ),
    ),
    "Theorem 12": (
        Compared(
            what="samples, printed noise",
            at="one of 10 arms better by 0.2, γ = 0.1, ε = 1, δ = 1e-5",
            measured=SEARCH._replace(delta=DELTA, options=(("calibration", "paper"),)).samples,
        ),
        Compared(
            what="samples, randomised response",
            at="one of 10 arms better by 0.2, γ = 0.1, ε = 1, δ = 0",
            measured=SEARCH.samples,
        ),
        Compared(
            what="variance of a sample",
            at="ε = 1, δ = 1e-5; here: randomised response",
            there=lambda: 0.25 + classical_sigma(1.0, DELTA) ** 2,
            here=lambda: SEARCH.parameter("variance"),
        ),
        Compared(
            what="probability of a wrong answer, fixed budget",
            at="one of 10 arms better by 0.2, 16,000 rounds, ε = 1; 200 searches",
            here=halving_error,
            measured=HALVING.wrong,
        ),
    ),
    "Algorithm 4": (
        regret_of(
            OPEN_TWO,
            "ball(3), T = 2^16",
            lambda: 9.0 * power(0.5),
            what="regret without noise",
            order=True,
        ),
    ),
    "Algorithm 5": (
        MOMENTS,
        *SHARES,
    ),
}
