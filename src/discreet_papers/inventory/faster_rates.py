"""Numbers of Asi, Raman & Talwar 2025 (Faster rates)."""

from __future__ import annotations

import functools
import math

import numpy as np

from discreet import Guarantee
from discreet.algorithms import arms as on_arms
from discreet.environments import Drop
from discreet.guarantee import compose
from discreet.problems import Advice, Arms, Points
from discreet_papers.inventory.agarwal_singh import exact_share_beyond, share_beyond
from discreet_papers.inventory.measuring import Case, epsilon_of, regret_of
from discreet_papers.inventory.registry import Compared, Numbers
from discreet_papers.reproduce.faster_rates_figure_1 import RATE, ForcedGame, force_game

ROUNDS, ARMS, EPSILON, DELTA = 1 << 16, 4, 0.1, 1e-6
PLAYS = EPSILON * ROUNDS  # batches of 1 / ε rounds
EXPERTS = 10
SWITCH = Drop(2, ROUNDS, alternate=True).switches_after()  # the τ of Lemma 15
AT = "4 arms, one better by 0.05, T = 2^16, ε = 0.1"
EXP3 = Case("batched-exp3", Arms(ARMS), epsilon=EPSILON)
HTINF = EXP3._replace(name="batched-htinf")
FTPL = EXP3._replace(name="batched-ftpl")
BITS = EXP3._replace(name="one-bit-tsallis-inf")
MEANS = Case("exp3-tau", Arms(ARMS), epsilon=1e6, delta=DELTA, options=(("batch_size", 10),))
ADVICE = "4 arms, 10 experts, T = 2^16, ε = 0.1"
FOLLOW = Case("expert-arms", Advice(ARMS, EXPERTS), epsilon=EPSILON)
OPEN_FOLLOW = FOLLOW._replace(options=(("base", "tsallis-inf"),))
LOCAL = Case("local-exp4", Advice(ARMS, EXPERTS))
BATCHED = Case("batched-exp4", Advice(ARMS, EXPERTS), delta=DELTA)
FITTED = BATCHED._replace(name="improved-batched-exp4")
WITH_ADVICE = "4 arms, 10 experts, T = 2^16, ε = 1"
NOISY_FTPL = Case("batched-ftpl", Arms(ARMS), options=(("batch_size", 1),))
SMALL = Guarantee(epsilon=0.1, delta=0.0, model="central", status="proved", source="an example")


def noisy_exp3(plays: float, spread: float) -> float:
    """Return 2 sqrt(2 T K ln K (1 + 10 max(λ², λ) ln² K T)) + 1, of appendix D.1."""
    square = 1.0 + 10.0 * max(spread**2, spread) * math.log(ARMS * plays) ** 2
    return 2.0 * math.sqrt(2.0 * plays * ARMS * math.log(ARMS) * square) + 1.0


def theorem_1() -> float:
    """Return (2 / ε) R(ε T, K, 1) + 2 / ε for EXP3."""
    return 2.0 / EPSILON * noisy_exp3(PLAYS, 1.0) + 2.0 / EPSILON


def corollary_1() -> float:
    """Return the printed bound of EXP3 on batches."""
    root = math.sqrt(ROUNDS * ARMS * math.log(ARMS) / EPSILON)
    return 36.0 * root * math.log(ARMS * ROUNDS) + 4.0 / EPSILON


def corollary_2(arms: int = ARMS) -> float:
    """Return the printed bound of HTINF on batches, or with that many experts."""
    return 208.0 * math.sqrt(ROUNDS * arms / EPSILON) + 2.0 / EPSILON


def corollary_3() -> float:
    """Return the printed bound of FTPL on batches."""
    root = math.sqrt(ARMS * ROUNDS / EPSILON)
    return 32.0 * root * math.log(ARMS) * math.log(ARMS * ROUNDS) + 2.0 / EPSILON


def theorem_2() -> float:
    """Return τ R(T / τ) + τ for EXP3 on exact means of 10 rounds."""
    return 10.0 * 2.0 * math.sqrt((math.e - 1.0) * ROUNDS / 10.0 * ARMS * math.log(ARMS)) + 10.0


def theorem_5() -> float:
    """Return the printed bound at ε = 1."""
    log = math.log(ARMS * ROUNDS)
    return 16.0 * math.sqrt(ROUNDS * ARMS * math.log(EXPERTS)) * log + 1.0


def theorem_6() -> float:
    """Return the printed bound at ε = 1."""
    log, failure, entropy = math.log(EXPERTS * ROUNDS), math.log(1.0 / DELTA), math.log(EXPERTS)
    first = 100.0 * EXPERTS ** (1 / 6) * math.sqrt(ARMS) * ROUNDS ** (2 / 3)
    first *= failure ** (1 / 6) * log ** (1 / 3) * entropy ** (1 / 3)
    return float(first + math.sqrt(EXPERTS * failure) * log * entropy)


def theorem_8() -> float:
    """Return the smaller of both printed bounds at ε = 1."""
    log = math.log(EXPERTS * ROUNDS)
    inner = EXPERTS * math.log(1.0 / DELTA) * log * math.log(EXPERTS)
    return float(min(theorem_6(), 18.0 * inner**0.4 * (ARMS * ROUNDS) ** 0.6))


def lemma_12() -> float:
    """Return 2 γ T + ln K / η + η K T at the parameters of EXP3 without mixing."""
    rate = OPEN_EXP3.parameter("learning_rate")
    return math.log(ARMS) / rate + rate * ARMS * ROUNDS


def lemma_13() -> float:
    """Return the printed bound of FTPL on losses with noise of scale 1."""
    root = math.sqrt(ARMS * ROUNDS)
    return 11.0 * root * math.log(ARMS) * math.log(ARMS * ROUNDS) + 10.0 * root


def lemma_14() -> float:
    """Return ln N / η + η T at the rate of exponential weights."""
    rate = WEIGHTS.parameter("learning_rate")
    return math.log(EXPERTS) / rate + rate * ROUNDS


OPEN_EXP3 = Case("exp3", Arms(ARMS))
OPEN_HTINF = Case("htinf", Arms(ARMS))
WEIGHTS = Case("ftrl-experts", Points("experts", EXPERTS), trials=4)


@functools.cache
def probability(neighbour: bool) -> float:
    """Return the second arm's probability at the end of the figure, for EXP3 on losses."""
    return float(force_game(ForcedGame("losses", neighbour, 1_000_000))[-1])


@functools.cache
def largest_hazard() -> float:
    """Return the largest hazard rate of Laplace noise with λ = 2, on a grid."""
    x = np.linspace(-30.0, 30.0, 60_001)
    density = np.exp(-np.abs(x) / 2.0) / 4.0
    above = np.where(x <= 0.0, 1.0 - 0.5 * np.exp(x / 2.0), 0.5 * np.exp(-x / 2.0))
    return float((density / above).max())


@functools.cache
def least_truncated() -> float:
    """Return the minimum E[y; |y| > M] for y = ℓ + Z, Z of scale 1, on a grid of ℓ and M."""
    z = np.linspace(-40.0, 40.0, 80_001)
    density = np.exp(-np.abs(z)) / 2.0 * (z[1] - z[0])
    found = [
        float(((z + loss) * density)[np.abs(z + loss) > cut].sum())
        for loss in np.linspace(0.0, 1.0, 11)
        for cut in np.linspace(0.0, 5.0, 11)
    ]
    return abs(round(min(found), 12))


def advanced() -> float:
    """Return the printed epsilon of 100 releases of 0.1 at δ = 1e-6."""
    total = 100.0 * 0.1**2
    return 1.5 * total + math.sqrt(6.0 * total * math.log(1e6))


BY_EXP3 = regret_of(EXP3, AT, corollary_1, what="regret with EXP3")
BY_HTINF = regret_of(HTINF, AT, corollary_2, what="regret with HTINF")
BY_FTPL = regret_of(FTPL, AT, corollary_3, what="regret with FTPL")
ON_BATCHES = regret_of(EXP3, AT, theorem_1, what="regret with EXP3")
AS_ARMS = regret_of(FOLLOW, ADVICE, lambda: corollary_2(EXPERTS))
LOCALLY = regret_of(LOCAL, WITH_ADVICE, theorem_5)
IN_BATCHES = regret_of(BATCHED, f"{WITH_ADVICE}, δ = 1e-6", theorem_6)
CENTRAL = regret_of(
    BATCHED.with_options(responses=False),
    f"{WITH_ADVICE}, δ = 1e-6",
    theorem_6,
    what="regret with central noise",
)
IMPROVED = regret_of(FITTED, f"{WITH_ADVICE}, δ = 1e-6", theorem_8)
EPSILON_OF_BATCHES = epsilon_of(
    EXP3._replace(epsilon=1.0), "4 arms, batches of 2 rounds, claimed ε = 1", lambda: 1.0
)


def lemma_15() -> float:
    """Return the printed bound at p = ceil(1 / (2 ε)), at the γ where both terms are equal."""
    pulls = math.ceil(0.5 / EPSILON)
    share = (math.sqrt(SWITCH**2 + 2.0 * ROUNDS * pulls) - SWITCH) / (2.0 * ROUNDS)
    return (1.0 - math.exp(EPSILON * pulls) / 2.0) * share * ROUNDS / 2.0


def larger_regret() -> float:
    """Return the larger mean regret of batched-exp3 in the games of the lemma."""
    games = ("drop", "drop-alternate")
    return max(EXP3._replace(problem=Arms(2), environment=game).regret() for game in games)


BASIC = Compared(
    what="epsilon of 10 releases of 0.1",
    at="each of them 0.1-private",
    there=lambda: 1.0,
    here=lambda: compose(SMALL, times=10).epsilon,
)

NUMBERS: Numbers = {
    "Table 1": (
        regret_of(
            BITS,
            f"{AT}; here: one-bit-tsallis-inf",
            lambda: math.sqrt(ARMS * ROUNDS / EPSILON),
            what="arms: regret",
            order=True,
        ),
        regret_of(
            FOLLOW,
            ADVICE,
            lambda: math.sqrt(EXPERTS * ROUNDS / EPSILON),
            what="experts, row 1: regret",
            order=True,
        ),
        regret_of(
            LOCAL,
            WITH_ADVICE,
            lambda: math.sqrt(ARMS * ROUNDS * math.log(EXPERTS)) * math.log(ARMS * ROUNDS),
            what="experts, row 2: regret",
            order=True,
        ),
        regret_of(
            BATCHED,
            f"{WITH_ADVICE}, δ = 1e-6",
            lambda: theorem_6() / 100.0,
            what="experts, row 3: regret",
            order=True,
        ),
    ),
    "Theorem 1": (ON_BATCHES,),
    "Corollary 1": (BY_EXP3,),
    "Corollary 2": (BY_HTINF,),
    "Corollary 3": (BY_FTPL,),
    "Algorithm 1": (BY_EXP3, BY_HTINF, BY_FTPL),
    "Lemma 1": (EPSILON_OF_BATCHES,),
    "Lemma 2": (ON_BATCHES,),
    "Theorem 2": (
        regret_of(
            MEANS, "4 arms, T = 2^16, exact means of 10 rounds", theorem_2, what="regret of EXP3"
        ),
    ),
    "Theorem 3": (
        regret_of(
            OPEN_FOLLOW,
            "4 arms, 10 experts, T = 2^16, no privacy",
            Case("tsallis-inf", Arms(EXPERTS)).bound,
            what="regret with Tsallis-INF",
        ),
    ),
    "Theorem 4": (AS_ARMS,),
    "Corollary 4": (AS_ARMS,),
    "Theorem 5": (LOCALLY,),
    "Theorem 6": (IN_BATCHES, CENTRAL),
    "Algorithm 2": (IN_BATCHES,),
    "Lemma 4": (BASIC,),
    "Lemma 5": (BASIC,),
    "Lemma 6": (
        Compared(
            what="epsilon of 100 releases of 0.1",
            at="each of them 0.1-private, δ = 1e-6",
            there=advanced,
            here=lambda: compose(SMALL, times=100, delta=DELTA).epsilon,
        ),
    ),
    "Lemma 8": (
        Compared(
            what="epsilon of a person with 5 rounds",
            at="0.1-private for one round",
            there=lambda: 0.5,
            here=lambda: SMALL.for_user(rounds=5).epsilon,
        ),
    ),
    "Lemma 9": (
        Compared(
            what="largest hazard rate",
            at="Laplace noise of scale 2, on a grid",
            there=lambda: 0.5,
            here=lambda: 0.5,
            measured=largest_hazard,
        ),
    ),
    "Lemma 10": (
        Compared(
            what="minimum mean of a truncated loss, bounded from below",
            at="Laplace noise of scale 1, 11 losses and 11 cuts",
            there=lambda: 0.0,
            here=lambda: 0.0,
            measured=least_truncated,
        ),
    ),
    "Lemma 11": (
        Compared(
            what="probability of large noise in one round",
            at="N = T = 2, a million draws",
            there=lambda: 0.25,
            here=exact_share_beyond,
            measured=share_beyond,
        ),
    ),
    "Algorithm 3": (regret_of(OPEN_EXP3, "4 arms, T = 2^16", lemma_12, what="regret of EXP3"),),
    "Lemma 12": (regret_of(OPEN_EXP3, "4 arms, T = 2^16", lemma_12, what="regret of EXP3"),),
    "Theorem 7": (
        regret_of(
            OPEN_HTINF,
            "4 arms, losses in [0, 1], σ = 1, T = 2^16",
            lambda: 30.0 * math.sqrt(ARMS * (ROUNDS + 1.0)),
            what="regret of HTINF",
        ),
    ),
    "Algorithm 4": (
        regret_of(NOISY_FTPL, "4 arms, noise of scale 1 on every loss, T = 2^16", lemma_13),
    ),
    "Lemma 13": (
        regret_of(NOISY_FTPL, "4 arms, noise of scale 1 on every loss, T = 2^16", lemma_13),
    ),
    "Lemma 14": (
        regret_of(
            WEIGHTS,
            "10 experts, losses in [0, 1], T = 2^16",
            lemma_14,
            what="regret of exponential weights",
        ),
    ),
    "Algorithm 5": (AS_ARMS,),
    "Algorithm 6": (LOCALLY,),
    "Theorem 8": (IMPROVED,),
    "Algorithm 7": (IMPROVED,),
    "Lemma 15": (
        Compared(
            what="lower bound for a pair of games",
            at="2 arms, T = 2^16, ε = 0.1, τ = 128; measured: batched-exp3",
            there=lemma_15,
            here=lambda: on_arms.lower_bounds.quick_private(ROUNDS, EPSILON, SWITCH),
            measured=larger_regret,
        ),
        Compared(
            what="lower bound for any private algorithm",
            at="2 arms, T = 2^16, ε = 0.1; measured: batched-exp3",
            here=lambda: on_arms.lower_bounds.any_private(ROUNDS, EPSILON),
            measured=larger_regret,
        ),
    ),
    "Figure 1": (
        Compared(
            what="P_t(2) at the end, first data set",
            at="γ = η = 0.0001, T = 10^6, as printed",
            there=lambda: 1.0 - RATE / 2.0,
            measured=lambda: probability(False),
        ),
        Compared(
            what="P'_t(2) at the end, its neighbour",
            at="γ = η = 0.0001, T = 10^6, as printed",
            there=lambda: RATE / 2.0,
            measured=lambda: probability(True),
        ),
    ),
}
