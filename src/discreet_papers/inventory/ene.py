"""Numbers of Ene, Nguyen & Vladu 2021."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from discreet.problems import Functions
from discreet_papers.errata.ene import (
    draw_batch_norms,
    exploration_radius,
    needed_noise,
    printed_gaussian,
    printed_laplace,
)
from discreet_papers.errata.ene_regret import measure_leader_error
from discreet_papers.inventory.agarwal_singh import IN_TREE, ONE_SUM
from discreet_papers.inventory.measuring import Case, regret_of
from discreet_papers.inventory.registry import Compared, Numbers

ROUNDS, SIZE, DELTA = 1 << 16, 5, 1e-6
PLAY = (("when_vacuous", "play"),)
BALL = Functions("ball(5)", lipschitz=0.5)
AT = "ball(5), functions of slope 1/2 (L D = 1), T = 2^16, ε = 1"
PURE = Case("private-projection-free", BALL, trials=2, environment="linear", options=PLAY)
NORMAL = PURE._replace(delta=DELTA)
# one running sum, also where local noise would have the smaller bound
SUMS = PURE.with_options(sums="tree")
NORMAL_SUMS = NORMAL.with_options(sums="blt")
OPEN = PURE._replace(name="projection-free")
PROJECTED = NORMAL._replace(name="private-fkm")
SLATES = NORMAL_SUMS._replace(problem=Functions("k-sets(10,3)", form="linear"))
ON_SLATES = "linear functions on k-sets(10,3), T = 2^16, ε = 1, δ = 1e-6"
CURVED = NORMAL._replace(
    problem=Functions("ball(5)", curvature=0.5, smoothness=0.5),
    environment="quadratics",
    scene=(("drift", 0.0),),
)
UNKNOWN = SLATES._replace(options=(), unknown_horizon=True)
PRINTED = PURE._replace(options=(*PLAY, ("calibration", "paper")))
PRINTED_NORMAL = PRINTED._replace(delta=DELTA)


def without_noise() -> float:
    """Return T^(3/4) sqrt(n) L D, the order without noise."""
    return float(ROUNDS**0.75 * math.sqrt(SIZE))


def with_laplace() -> float:
    """Return T^(3/4) sqrt(n) + T^(3/4) n^(3/2) ln² T / ε, the order of Lemma 5.2."""
    return float(without_noise() + ROUNDS**0.75 * SIZE**1.5 * math.log(ROUNDS) ** 2)


def with_gaussian() -> float:
    """Return the order of Lemma 5.5."""
    rare, log = math.log((SIZE + ROUNDS) / DELTA), math.log(ROUNDS) ** 2
    tail = log * math.log(ROUNDS / DELTA)
    second = math.sqrt(ROUNDS) * SIZE * tail * rare
    return float(without_noise() + second + ROUNDS**0.75 * math.sqrt(SIZE) * tail * math.sqrt(rare))


def theorem_1_1(delta: float) -> float:
    """Return the order of Theorem 1.1, which hides logarithms."""
    if delta == 0.0:
        return float(ROUNDS**0.75 * SIZE**1.5)
    return float(ROUNDS**0.75 * math.sqrt(SIZE) + math.sqrt(ROUNDS) * SIZE)


@functools.cache
def smoothed_distance() -> float:
    """Return how much smoothing over ζ = 0.1 adds to |x| at 0, in 10 dimensions: 100,000 draws."""
    rng = np.random.default_rng(1)
    return float(0.1 * (rng.random(100_000) ** 0.1).mean())


@functools.cache
def gradient_error() -> float:
    """Return the distance of the mean of (n / ζ) f u from the gradient, in standard errors.

    f is linear, n = 5, ζ = 0.1: 200,000 draws.
    """
    rng = np.random.default_rng(1)
    slope = np.array([0.5, 0.0, 0.0, 0.0, 0.0])
    u = rng.standard_normal((200_000, SIZE))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    found = SIZE / 0.1 * (0.1 * (u @ slope))[:, None] * u
    errors = found.std(axis=0) / math.sqrt(len(u))
    return float(np.abs((found.mean(axis=0) - slope) / errors).max())


@functools.cache
def largest_matrix() -> float:
    """Return the 99 % quantile of the norm of 100 unit vectors in 10 dimensions: 400 draws."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(400):
        u = rng.standard_normal((10, 100))
        found.append(np.linalg.norm(u / np.linalg.norm(u, axis=0), 2))
    return float(np.quantile(found, 0.99))


def lemma_5_3() -> float:
    """Return the printed bound for n = 10, k = 100, δ = 0.01 and Δ = 1."""
    rare = math.log(110.0 / 0.01)
    return 10.0 * (rare + math.sqrt(11.0 * rare))


class Frame(NamedTuple):
    """An instance of NoisyOCO: linear losses on the unit ball, and noise in every sum."""

    printed: float  # sqrt(T) κ D_ω + T κ γ
    proved: float
    regret: float  # the mean of 40 runs


@functools.cache
def play_frame() -> Frame:
    """Play mirror descent with |x|² / 2 on 1,000 unit vectors; noise has deviation 1 per entry."""
    rng, rounds, runs = np.random.default_rng(1), 1000, 40
    losses = rng.standard_normal((rounds, SIZE)) - [0.2, 0.0, 0.0, 0.0, 0.0]
    losses /= np.linalg.norm(losses, axis=1, keepdims=True)
    rate = 1.0 / math.sqrt(rounds)  # the best for D = 1/2, strength 1 and Σ |g|² = T
    sums = np.vstack([np.zeros(SIZE), losses.cumsum(axis=0)])
    noisy = rate * (sums[:-1] + rng.standard_normal((runs, rounds, SIZE)))
    lengths = np.maximum(1.0, np.linalg.norm(noisy, axis=2, keepdims=True))
    regret = (-noisy / lengths * losses).sum(axis=(1, 2)).mean() + np.linalg.norm(sums[-1])
    moved = rate * math.sqrt(SIZE)  # γ: noise moves a point by η |Z| at most
    root = math.sqrt(rounds)
    return Frame(root * math.sqrt(0.5) + rounds * moved, root + rounds * moved, float(regret))


def lemma_c_2() -> float:
    """Return T_batch (L D n / ζ)² + T_batch² L² for T = 10^4, n = 4, L = D = 1."""
    zeta, batch = exploration_radius(10**4, 4), 100.0
    return batch * (4.0 / zeta) ** 2 + batch**2


@functools.cache
def mean_square_of_batch() -> float:
    """Return the mean square of the length of 400 batches of distances."""
    return float((draw_batch_norms(10**4, 4, 2, 400) ** 2).mean())


def stale_error() -> float:
    """Return η κ in units of D for T = 10^4 and n = 4: the largest cost of a stale sum."""
    rate = 1.0 / (10**4) ** 0.75 / math.sqrt(4.0)
    return float(rate * math.sqrt(lemma_c_2()))


def looking(diameter: bool) -> float:
    """Return (2 + D / r) ζ L T, or with R in place of D, on a ball with R = r = L = 1, n = 10."""
    rounds = 10**6
    zeta = 2.0 * math.sqrt(10.0) / rounds**0.25
    return float((4.0 if diameter else 3.0) * zeta * rounds)


LAPLACE_SCALE = Compared(
    what="scale of Laplace noise on a node",
    at="T = 10^6, n = 10, L = D = 1, ε = 1",
    there=lambda: printed_laplace(10**6, 10),
    here=lambda: needed_noise(10**6, 10)[0],
)
GAUSSIAN_SCALE = Compared(
    what="deviation of Gaussian noise on a node",
    at="T = 10^6, n = 10, L = D = 1, ε = 1, δ = 1e-6",
    there=lambda: printed_gaussian(10**6, 10),
    here=lambda: needed_noise(10**6, 10)[1],
)
CALLS = (
    Compared(
        what="oracle calls per round, at most",
        at=f"{ON_SLATES}, budget=rounds",
        there=lambda: 1.0,
        here=lambda: 1.0,
        measured=SLATES.with_options(budget="rounds").oracle_calls,
    ),
    Compared(
        what="oracle calls per round, within R / sqrt(T) of the leader",
        at=ON_SLATES,
        there=lambda: 1.0,
        measured=SLATES.oracle_calls,
    ),
)
PAPER_EPSILON = Compared(
    what="epsilon of the printed noise, by our analysis",
    at=AT.replace("T = 2^16", "T = 2^16, claimed"),
    there=lambda: 1.0,
    here=PRINTED.epsilon_proved,
)

NUMBERS: Numbers = {
    "Theorem 1.1": (
        regret_of(PURE, AT, lambda: theorem_1_1(0.0), what="regret, δ = 0", order=True),
        regret_of(NORMAL, AT, lambda: theorem_1_1(DELTA), what="regret, δ = 1e-6", order=True),
        regret_of(SLATES, ON_SLATES, what="regret on a polytope"),
        regret_of(CURVED, f"quadratic functions on {AT}, δ = 1e-6", what="regret on quadratics"),
        regret_of(PROJECTED, f"{AT}, δ = 1e-6", what="regret of private-fkm, by projections"),
        *CALLS,
    ),
    "Section 2, parameters and assumptions": (
        Compared(
            what="epsilon if the number of rounds is unknown",
            at=ON_SLATES,
            there=lambda: math.log(ROUNDS),
            here=UNKNOWN.epsilon_proved,
            order=True,
        ),
        regret_of(UNKNOWN, ON_SLATES, what="regret if the number of rounds is unknown"),
    ),
    "Lemma 2.2": (
        Compared(
            what="increase by smoothing",
            at="|x| at 0, n = 10, ζ = 0.1; here exactly: ζ n / (n + 1)",
            there=lambda: 0.1,
            here=lambda: 0.1 * 10.0 / 11.0,
            measured=smoothed_distance,
        ),
    ),
    "Theorem 2.3": (IN_TREE,),
    "Algorithm 1": (
        regret_of(SUMS, AT, with_laplace, what="regret, our noise", order=True),
        Compared(
            what="regret, printed noise and parameters",
            at=AT,
            there=with_laplace,
            measured=PRINTED.regret,
            order=True,
        ),
        *CALLS,
    ),
    "Lemma 3.1": (
        regret_of(OPEN, AT.removesuffix(", ε = 1"), without_noise, what="no noise", order=True),
    ),
    "Algorithm 2": (
        regret_of(
            OPEN,
            AT.removesuffix(", ε = 1"),
            without_noise,
            what="regret as an instance of Algorithm 2, no noise",
            order=True,
        ),
        regret_of(PROJECTED, f"{AT}, δ = 1e-6", what="regret of NoisyOco by projections"),
    ),
    "Lemma 4.1": (
        Compared(
            what="regret with noise in every sum",
            at="1,000 unit vectors, the unit ball of 5 dimensions, deviation 1 per entry, 40 runs",
            there=lambda: play_frame().printed,
            here=lambda: play_frame().proved,
            measured=lambda: play_frame().regret,
            order=True,
        ),
        regret_of(
            NORMAL_SUMS, f"{AT}, δ = 1e-6", with_gaussian, what="regret of Algorithm 1", order=True
        ),
    ),
    "Lemma 5.1": (LAPLACE_SCALE, PAPER_EPSILON),
    "Lemma 5.2": (regret_of(SUMS, AT, with_laplace, order=True),),
    "Lemma 5.3": (
        Compared(
            what="norm of a matrix of unit vectors, with probability 0.99",
            at="100 vectors in 10 dimensions, 400 draws; the lemma is not used here",
            there=lemma_5_3,
            measured=largest_matrix,
        ),
    ),
    "Lemma 5.4": (GAUSSIAN_SCALE,),
    "Lemma 5.5": (
        regret_of(NORMAL_SUMS, f"{AT}, δ = 1e-6", with_gaussian, order=True),
        Compared(
            what="regret, printed noise and parameters",
            at=f"{AT}, δ = 1e-6",
            there=with_gaussian,
            measured=PRINTED_NORMAL.regret,
            order=True,
        ),
    ),
    "Algorithm 3": (ONE_SUM,),
    "Algorithm 4": (ONE_SUM,),
    "Algorithm 5": (ONE_SUM,),
    "Lemma C.1": (
        Compared(
            what="error of the mean estimate, in standard errors",
            at="a linear function, n = 5, ζ = 0.1, 200,000 draws, the largest of 5 coordinates",
            there=lambda: 0.0,
            here=lambda: 0.0,
            measured=gradient_error,
        ),
    ),
    "Lemma C.2": (
        Compared(
            what="mean square length of a batch",
            at="T = 10^4, n = 4, L = D = 1, distances from a point 1 away, 400 batches",
            there=lemma_c_2,
            measured=mean_square_of_batch,
        ),
    ),
    "Lemma C.3": (
        Compared(
            what="error of a sum that is one batch old, in D",
            at="T = 10^4, n = 4, no noise; here no sum is old",
            there=stale_error,
            here=lambda: 0.0,
        ),
    ),
    "Lemma C.4": (
        Compared(
            what="error of the leader after 100 steps, in D",
            at="cross(10), 50 sums",
            there=lambda: math.sqrt(20.0 / 100.0),
            here=lambda: 2.0 / math.sqrt(102.0),
            measured=lambda: measure_leader_error(100),
        ),
    ),
    "Corollary C.5": (
        Compared(
            what="error of the leader, in D",
            at="T = 10^4, n = 4, no noise, 100 oracle calls; here: no delay",
            there=lambda: stale_error() + math.sqrt(20.0 / 100.0),
            here=lambda: 2.0 / math.sqrt(102.0),
            measured=lambda: measure_leader_error(100),
        ),
        Compared(
            what="error of the leader, in D, with a tolerance",
            at="T = 10^4, n = 4, no noise; here: R / sqrt(T), in as many calls as that takes",
            there=lambda: stale_error() + math.sqrt(20.0 / 100.0),
            here=lambda: 0.5 / math.sqrt(10.0**4),
        ),
    ),
    "Section D": (
        Compared(
            what="cost of looking around",
            at="a ball, n = 10, R = r = L = 1, T = 10^6, the printed ζ",
            there=lambda: looking(True),
            here=lambda: looking(False),
        ),
    ),
}
