"""Numbers of Agarwal & Singh 2017."""

from __future__ import annotations

import functools
import math
from functools import partial

import numpy as np

from discreet.auditing import attacked
from discreet.contracts import Floats
from discreet.curves import gaussian_sigma
from discreet.problems import Arms, Functions, Points, SemiBandit
from discreet.sensitivities import ftrl_prefixes, tree_levels
from discreet_papers.counters import compare
from discreet_papers.errata.agarwal_singh import TRIALS, largest_node, tree_epsilon
from discreet_papers.inventory.measuring import Case, epsilon_of, noise_range, regret_of
from discreet_papers.inventory.registry import Compared, Numbers

ROUNDS, SIZE, DELTA = 1 << 16, 10, 1e-6
LOG, LEVELS = math.log(ROUNDS), 16
AT = "N = 10, T = 2^16, ε = 1"
EXPERTS = Case("private-ftrl-experts", Points("experts", SIZE), low=-1.0, trials=4)
BALL = Case("private-ftrl-ball", Points("ball", SIZE), trials=4)
CUBE = Case("private-ftrl-cube", Points("cube", SIZE), trials=4)
PERTURBED = Case("private-ftpl", Points("cube", SIZE), delta=DELTA, trials=4)
SLATES, SHOWN = Points(domain="k-sets(10,3)"), 3
ANY = Case("private-ftrl-set", SLATES, trials=4)
PERTURBED_ANY = PERTURBED._replace(problem=SLATES)
ON_SLATES = "slates of 3 of 10 items, losses in [0, 1], T = 2^16, ε = 1"
ITEMS = Case("private-slate-ftrl", SemiBandit(SIZE, SHOWN))
LOSSES = "losses in [-1, 1]"
ARMS = Case("noisy-exp2", Arms(4), low=-1.0)
OPEN_ARMS = Case("exp2", Arms(4), low=-1.0)
LINEAR = Functions("ball(5)", lipschitz=0.5, form="linear")
BARRIER = Case(
    "private-scrible", LINEAR, rounds=1 << 18, trials=4, options=(("when_vacuous", "play"),)
)
OPEN_BARRIER = BARRIER._replace(name="scrible")
ON_BALL = "linear functions on ball(5) of length 1/2, T = 2^18"


def experts_order() -> float:
    """Return row 1 of Table 1, without its constant."""
    return math.sqrt(ROUNDS * math.log(SIZE)) + SIZE * math.log(SIZE) * LOG**2


def ball_order() -> float:
    """Return row 2."""
    return math.sqrt(ROUNDS) + SIZE * LOG**2


def cube_order() -> float:
    """Return row 3."""
    return math.sqrt(SIZE * ROUNDS) + SIZE * LOG**2


def any_order() -> float:
    """Return row 4, which hides what depends on the sets as well."""
    return math.sqrt(ROUNDS) + LOG**2


@functools.cache
def theorem_3_1_on_slates() -> float:
    """Return the same for slates of 3 of 10 items, R(x) = |x - c|² / 2 and losses in [0, 1].

    D_R = k (1 - k / N) / 2, |Y|₂² = |Y|₁ = N; the range of the noise is that of sums of 3 items.
    """
    size = SHOWN * (1.0 - SHOWN / SIZE) / 2.0
    draws = np.random.default_rng(1).laplace(0.0, SIZE * LEVELS, (4000, LEVELS, SIZE))
    total = np.sort(draws.sum(axis=1), axis=1)
    spread = total[:, -SHOWN:].sum(axis=1) - total[:, :SHOWN].sum(axis=1)
    return math.sqrt(size * ROUNDS * SIZE) + float(spread.mean())


def theorem_3_1() -> float:
    """Return sqrt(D_R Σ ..) + D_Lap for experts: λ = N log₂ T, and one noise for each level."""
    return math.sqrt(ROUNDS * math.log(SIZE)) + noise_range(SIZE, float(SIZE * LEVELS), LEVELS)


@functools.cache
def theorem_3_4() -> float:
    """Return the same with the Gaussian noise of Theorem A.1, for losses of length sqrt(N)."""
    spread = math.sqrt(SIZE * LEVELS) * LEVELS * math.log(LEVELS / DELTA)
    draws = np.random.default_rng(1).normal(0.0, spread, (20_000, SIZE))
    return math.sqrt(ROUNDS * math.log(SIZE)) + float(np.ptp(draws, axis=1).mean())


def theorem_3_5(points: float = math.sqrt(SIZE), losses: float = 1.0) -> float:
    """Return the order for |X|₂ and |Y|₂; the usual ones are those of the cube."""
    noise = SIZE * points * LOG**1.5 * math.log(LOG / DELTA)
    return float(SIZE**0.25 * points * losses * math.sqrt(ROUNDS) + noise)


def theorem_4_1() -> float:
    """Return the order for 4 arms."""
    return math.sqrt(4.0 * ROUNDS * LOG * math.log(4.0))


def lemma_4_4() -> float:
    """Return 2 γ T + ln N / η + η N T at the parameters of exp2, for losses in [-1, 1]."""
    rate, share = OPEN_ARMS.parameter("learning_rate"), OPEN_ARMS.parameter("mixing")
    # its rate is for losses in widths of their range, which is 2
    return 2.0 * (2.0 * share * ROUNDS + math.log(4.0) / rate + 4.0 * rate * ROUNDS)


def theorem_4_5() -> float:
    """Return the order for balls: ν = 1, M = 1/2, |X|₂ = 1, |Y|₁ = sqrt(5) / 2."""
    rounds, size = float(BARRIER.rounds), 5.0
    square = 0.25 + size * 1.25
    return math.sqrt(rounds * math.log(rounds)) * math.sqrt(size**2 * square)


def theorem_d_1() -> float:
    """Return the printed bound at our rate: its first term lacks a factor N."""
    rounds, rate = float(OPEN_BARRIER.rounds), OPEN_BARRIER.parameter("learning_rate")
    return 2.0 * rate * 5.0 * rounds * 0.25 + math.log(rounds) / rate + 1.0


@functools.cache
def found_in_tree() -> float:
    """Return the epsilon that an attack finds in the printed tree of 8 rounds."""
    levels = tree_levels(ftrl_prefixes(8))
    attack = partial(largest_node, levels, math.log2(8))
    return float(attacked(attack, TRIALS, delta=0.0, gaussian=False))


def _sum_of_nodes(side: int, trials: int, series: int) -> Floats:
    """Return the sum of 16 noisy nodes, with our deviation; each moves by 2."""
    deviation = 2.0 * math.sqrt(LEVELS) * gaussian_sigma(1.0, DELTA)
    noise = np.random.default_rng([side, series]).normal(0.0, math.sqrt(LEVELS) * deviation, trials)
    return noise + LEVELS * (2.0 * side - 1.0)


@functools.cache
def found_in_gaussian_tree() -> float:
    """Return the epsilon that an attack finds with our deviation."""
    return float(attacked(_sum_of_nodes, TRIALS, delta=DELTA, gaussian=True))


@functools.cache
def difference_of_regrets() -> float:
    """Return the mean of Σ (Z_t(I_t) - Z_t(1)), in standard errors, for EXP3 on noisy losses.

    It is the difference of regrets on noisy and on true losses: 2,000 games of 4 arms and 100
    rounds.
    """
    rng, games = np.random.default_rng(1), 2000
    weights, total = np.zeros((games, 4)), np.zeros(games)
    for _ in range(100):
        chances = np.exp(weights - weights.max(axis=1, keepdims=True))
        chances = 0.9 * chances / chances.sum(axis=1, keepdims=True) + 0.025
        arms = (chances.cumsum(axis=1) < rng.random((games, 1))).sum(axis=1).clip(max=3)
        noise = rng.laplace(0.0, 1.0, (games, 4))
        rows = np.arange(games)
        total += noise[rows, arms] - noise[:, 0]
        weights[rows, arms] -= 0.05 * (0.5 + noise[rows, arms]) / chances[rows, arms]
    return float(total.mean() / (total.std() / math.sqrt(games)))


@functools.cache
def share_beyond() -> float:
    """Return how often |Z|∞² exceeds 10 λ² ln²(T N), for N = T = 2, in a million draws."""
    draws = np.abs(np.random.default_rng(1).laplace(0.0, 1.0, (1_000_000, 2))).max(axis=1)
    return float((draws**2 >= 10.0 * math.log(4.0) ** 2).mean())


def exact_share_beyond() -> float:
    """Return the same probability exactly."""
    return float(1.0 - (1.0 - 4.0 ** -math.sqrt(10.0)) ** 2)


def tree_error() -> float:
    """Return the squared error of a padded tree with μ = 1 and 1,023 sums: levels squared."""
    return float(tree_levels(1023) ** 2)


@functools.cache
def measured_error() -> float:
    """Return the largest squared error of BLT sums, on 2,000 streams."""
    found = compare("blt", 1023, copies=2000).simulated
    assert found is not None
    return found.largest


FULL = (
    regret_of(EXPERTS, f"{AT}, {LOSSES}", experts_order, what="experts: regret", order=True),
    regret_of(BALL, AT, ball_order, what="ball: regret", order=True),
    regret_of(CUBE, AT, cube_order, what="cube: regret", order=True),
)
ANY_ROW = regret_of(ANY, ON_SLATES, any_order, what="any set: regret", order=True)
PERTURBED_ROWS = (
    regret_of(PERTURBED, f"the cube, {AT}, δ = 1e-6", theorem_3_5, order=True),
    regret_of(
        PERTURBED_ANY,
        f"{ON_SLATES}, δ = 1e-6",
        lambda: theorem_3_5(math.sqrt(SHOWN), math.sqrt(SIZE)),
        what="any set: regret",
        order=True,
    ),
)
ONE_SUM = Compared(
    what="largest squared error of a sum",
    at="numbers of sensitivity 1, Gaussian noise with μ = 1, 1,023 sums; here: BLT",
    there=tree_error,
    here=lambda: compare("blt", 1023).computed.largest,
    measured=measured_error,
)
IN_TREE = Compared(
    what="epsilon of the printed Laplace noise",
    at="losses in [-1, 1], T = 8, claimed ε = 1",
    there=lambda: 1.0,
    here=lambda: tree_epsilon(8),
    measured=found_in_tree,
)
LEADER = regret_of(EXPERTS, f"{AT}, experts with {LOSSES}", theorem_3_1)
ON_ARMS = regret_of(ARMS, f"4 arms, {LOSSES}, T = 2^16, ε = 1", theorem_4_1, order=True)
ON_SETS = regret_of(BARRIER, f"{ON_BALL}, ε = 1", theorem_4_5, order=True)
PAPER_NOISE = epsilon_of(
    ARMS.with_options(calibration="paper"),
    f"4 arms, {LOSSES}, noise of scale 1, claimed ε = 1",
    lambda: 1.0,
    what="epsilon of the printed noise",
)

NUMBERS: Numbers = {
    "Table 1": (*FULL, ANY_ROW),
    "Table 2": (ON_SETS, ON_ARMS),
    "Theorem 3.1": (
        LEADER,
        regret_of(ANY, ON_SLATES, theorem_3_1_on_slates, what="any set: regret"),
    ),
    "Algorithm 1": (LEADER,),
    "Corollary 3.2": FULL,
    "Algorithm 2": (ONE_SUM, IN_TREE),
    "Lemma 3.3": (IN_TREE,),
    "Theorem 3.4": (
        regret_of(
            EXPERTS._replace(delta=DELTA), f"{AT}, δ = 1e-6, experts with {LOSSES}", theorem_3_4
        ),
    ),
    "Algorithm 3": PERTURBED_ROWS,
    "Theorem 3.5": PERTURBED_ROWS,
    "Theorem 4.1": (ON_ARMS,),
    "Algorithm 4": (PAPER_NOISE, ON_ARMS),
    "Algorithm 5": (
        regret_of(OPEN_ARMS, f"4 arms, {LOSSES}, T = 2^16", lemma_4_4, what="regret of EXP2"),
    ),
    "Lemma 4.2": (PAPER_NOISE,),
    "Lemma 4.3": (
        Compared(
            what="regret on noisy losses minus that on true ones",
            at="EXP3, 4 arms, 100 rounds, 2,000 games; measured in standard errors",
            there=lambda: 0.0,
            here=lambda: 0.0,
            measured=difference_of_regrets,
        ),
    ),
    "Lemma 4.4": (
        regret_of(OPEN_ARMS, f"4 arms, {LOSSES}, T = 2^16", lemma_4_4, what="regret of EXP2"),
    ),
    "Theorem 4.5": (ON_SETS,),
    "Section 5": (regret_of(ITEMS, ON_SLATES, what="semi-bandit: regret"),),
    "Theorem A.1": (
        Compared(
            what="deviation of a node",
            at="the ball, T = 2^16, ε = 1, δ = 1e-6",
            there=lambda: LEVELS * math.log(LEVELS / DELTA),
            here=lambda: 2.0 * math.sqrt(LEVELS) * gaussian_sigma(1.0, DELTA),
        ),
        Compared(
            what="epsilon of our deviation",
            at="one node for each of 16 levels, claimed ε = 1, δ = 1e-6",
            there=lambda: 1.0,
            here=lambda: 1.0,
            measured=found_in_gaussian_tree,
        ),
    ),
    "Fact C.1": (
        Compared(
            what="probability of large noise",
            at="N = T = 2, a million draws",
            there=lambda: 0.25,
            here=exact_share_beyond,
            measured=share_beyond,
        ),
    ),
    "Theorem D.1": (regret_of(OPEN_BARRIER, ON_BALL, theorem_d_1, what="regret of SCRiBLe"),),
}
