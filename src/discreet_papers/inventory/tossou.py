"""Numbers of Tossou & Dimitrakakis 2017."""

from __future__ import annotations

import functools
import math

import numpy as np

from discreet.problems import Arms
from discreet.simulation import median_of_means
from discreet_papers.errata.tossou import measure_rival_leak
from discreet_papers.inventory.measuring import Case, epsilon_of, regret_of
from discreet_papers.inventory.registry import Compared, Numbers
from discreet_papers.reproduce.tossou_figure_1 import paper_batch, paper_delta, paper_epsilon

ROUNDS, ARMS = 1 << 16, 4
SIZE = ARMS * math.log(ARMS)
AT = "4 arms, one better by 0.05, T = 2^16, ε = 1"
LAPLACE = Case("dp-exp3-lap", Arms(ARMS))
BATCHES = Case("exp3-tau", Arms(ARMS), delta=1e-6)
GAINS = Case("exp3-gain", Arms(ARMS))
# the setting of the paper's experiments, in shorter games
PRINTED_EPSILON, PRINTED_DELTA = paper_epsilon(ROUNDS), paper_delta(ROUNDS)
PRINTED_BATCH = paper_batch(ROUNDS)
FIGURE = "4 arms, T = 2^16, the printed ε (237) and τ (12)"


def bound_of_exp3(rounds: float = ROUNDS) -> float:
    """Return 2 sqrt((e - 1) T K ln K)."""
    return 2.0 * math.sqrt((math.e - 1.0) * rounds * SIZE)


def theorem_3_1() -> float:
    """Return the bound for EXP3, b = ln T and ε = 1: scaled rewards have 2 b + 1 times it."""
    width = 2.0 * math.log(ROUNDS) + 1.0
    return width * bound_of_exp3() + 2.0 * ARMS + math.sqrt(32.0 * ROUNDS)


def corollary_3_1() -> float:
    """Return the printed bound at ε = 1."""
    root = math.sqrt((math.e - 1.0) * ROUNDS * SIZE)
    return 4.0 * math.log(ROUNDS) * root + 2.0 * ARMS + math.sqrt(32.0 * ROUNDS)


def theorem_3_4(size: float, memory: int) -> float:
    """Return the printed bound of EXP3_τ against losses with this memory."""
    return math.sqrt(7.0 * ROUNDS * size * SIZE) + ROUNDS * memory / size + size


def theorem_3_5(case: Case) -> float:
    """Return the printed privacy loss at δ = 1e-6, with T / τ³ under the root."""
    ratio = case.rounds / case.parameter("batch_size") ** 3
    return 4.0 * ratio + math.sqrt(8.0 * math.log(1e6) * ratio)


def corollary_3_2() -> float:
    """Return the printed bound for switching costs."""
    cube = (7.0 * SIZE) ** (1.0 / 3.0)
    return float(2.0 * cube * ROUNDS ** (2.0 / 3.0) + ROUNDS ** (1.0 / 3.0) / cube)


def corollary_3_3() -> float:
    """Return the order of the regret, without its constant, at ε = 1 and δ = 1e-6."""
    return float(ROUNDS ** (2.0 / 3.0) * math.sqrt(SIZE) * math.log(1e6) ** (1.0 / 6.0))


@functools.cache
def error_of_median_of_means() -> float:
    """Return the 99.5 % quantile of its error on 720 exponential variables in 24 groups."""
    rng = np.random.default_rng(1)
    errors = [
        abs(median_of_means(rng.exponential(1.0, 720), groups=24).value - 1.0) for _ in range(2000)
    ]
    return float(np.quantile(errors, 0.995))


def _panel(environment: str, letter: str) -> tuple[Compared, ...]:
    lap = LAPLACE._replace(
        epsilon=PRINTED_EPSILON, delta=PRINTED_DELTA, environment=environment, trials=4
    )
    tau = BATCHES._replace(
        epsilon=PRINTED_EPSILON,
        delta=PRINTED_DELTA,
        environment=environment,
        trials=4,
        options=(("batch_size", PRINTED_BATCH),),
    )
    return tuple(
        Compared(
            what=f"({letter}) {environment}: regret of {label}",
            at=FIGURE,
            here=each.bound,
            measured=each.regret,
        )
        for label, each in (("DP-EXP3-Lap", lap), ("EXP3_τ", tau))
    )


LAMBDA = LAPLACE._replace(name="dp-lambda-lap")
FOUR = BATCHES.with_options(memory=4)._replace(environment="remembering", scene=(("memory", 4),))
SWITCHING = BATCHES.with_options(memory=1)._replace(environment="switching-costs")
PRINTED_SWITCHING = SWITCHING._replace(
    epsilon=PRINTED_EPSILON, delta=PRINTED_DELTA, trials=4
).with_options(batch_size=PRINTED_BATCH)
SHORT = BATCHES._replace(problem=Arms(2), rounds=2000)
WITH_EXP3 = regret_of(LAPLACE, AT, theorem_3_1, what="regret with EXP3")
OWN = regret_of(LAPLACE, AT, corollary_3_1)
WITHOUT_MEMORY = regret_of(
    BATCHES,
    f"{AT}, δ = 1e-6, our τ",
    lambda: theorem_3_4(BATCHES.parameter("batch_size"), 0),
    what="regret, m = 0",
)

NUMBERS: Numbers = {
    "Section 2.1, equation (2.1)": (regret_of(GAINS, AT.removesuffix(", ε = 1"), bound_of_exp3),),
    "Section 3.1, DP-Λ-Lap": (
        WITH_EXP3,
        regret_of(LAMBDA, AT, what="regret with Tsallis-INF, beyond=move"),
    ),
    "Algorithm 1": (
        Compared(
            what="noise scale",
            at="gains in [0, 1], ε = 1",
            there=lambda: 1.0,
            here=LAPLACE.noise_scale,
        ),
        OWN,
    ),
    "Theorem 3.1": (WITH_EXP3,),
    "Corollary 3.1": (OWN,),
    "Theorem 3.2": (epsilon_of(LAPLACE, "gains in [0, 1], claimed ε = 1", lambda: 1.0),),
    "Theorem 3.3": (
        Compared(
            what="epsilon of EXP3 on gains",
            at="2 arms, γ = 0.02, T = 3,001; measured on one sequence of actions",
            there=lambda: 2.0 * 3001.0,
            here=lambda: 3000.0,
            measured=lambda: measure_rival_leak(3001, 0.02, 405),
        ),
    ),
    "Section 3.2, EXP3_τ": (WITHOUT_MEMORY,),
    "Theorem 3.4": (
        WITHOUT_MEMORY,
        regret_of(
            FOUR,
            "4 arms, remembering, T = 2^16, ε = 1, δ = 1e-6, our τ",
            lambda: theorem_3_4(FOUR.parameter("batch_size"), 4),
            what="policy regret, m = 4",
        ),
    ),
    "Theorem 3.5": (
        epsilon_of(
            SHORT,
            "2 arms, T = 2,000, δ = 1e-6, our τ for ε = 1; the attack is weak",
            lambda: theorem_3_5(SHORT),
        ),
    ),
    "Corollary 3.2": (
        Compared(
            what="epsilon of the printed τ",
            at="4 arms, T = 2^16, δ = T^-2",
            there=lambda: PRINTED_EPSILON,
            here=BATCHES._replace(
                epsilon=1e4, delta=PRINTED_DELTA, options=(("batch_size", PRINTED_BATCH),)
            ).epsilon_proved,
        ),
        regret_of(
            PRINTED_SWITCHING, FIGURE, corollary_3_2, what="policy regret with switching costs"
        ),
    ),
    "Corollary 3.3": (
        Compared(
            what="batch size",
            at="T = 2^16, ε = 1, δ = 1e-6",
            there=lambda: BATCHES.with_options(calibration="paper").parameter("batch_size"),
            here=lambda: BATCHES.parameter("batch_size"),
        ),
        regret_of(BATCHES, f"{AT}, δ = 1e-6", corollary_3_3, what="regret, m = 0", order=True),
        regret_of(
            SWITCHING,
            "4 arms, switching costs, T = 2^16, ε = 1, δ = 1e-6",
            corollary_3_3,
            what="policy regret, m = 1",
            order=True,
        ),
    ),
    "Proposition 4.1": (
        Compared(
            what="error with probability 0.995, in standard deviations",
            at="720 exponential variables, 24 groups; measured in 2,000 draws",
            there=lambda: math.sqrt(6.0 * 24.0 / 720.0),
            here=lambda: math.sqrt(6.0 * 24.0 / 720.0),
            measured=error_of_median_of_means,
        ),
    ),
    "Figure 1": (
        *_panel("deterministic", "a"),
        *_panel("stochastic", "b"),
        *_panel("fully-oblivious", "c"),
        *_panel("oblivious", "d"),
        Compared(
            what="(e) switching-costs: policy regret of DP-EXP3-Lap",
            at=FIGURE,
            measured=LAPLACE._replace(
                epsilon=PRINTED_EPSILON,
                delta=PRINTED_DELTA,
                environment="switching-costs",
                trials=4,
            ).regret,
        ),
        regret_of(PRINTED_SWITCHING, FIGURE, what="(e) switching-costs: policy regret of EXP3_τ"),
    ),
}
