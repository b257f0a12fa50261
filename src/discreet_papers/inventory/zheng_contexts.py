"""Numbers of Zheng et al. 2020 on contexts: linear and generalised linear rewards."""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import gammainc

from discreet.algorithms import contexts
from discreet.contracts import Record
from discreet.curves import gaussian_sigma
from discreet.learners import GlmDescent
from discreet.problems import Contexts
from discreet.sensitivities import predicted_moments
from discreet_papers.inventory.measuring import Case, epsilon_of
from discreet_papers.inventory.registry import Compared

ROUNDS, DELTA, FEATURES = 1 << 14, 1e-5, 10
AT = "10 arms, 10 features, T = 2^14, ε = 1, δ = 1e-5"
MOST = Case("local-linucb", Contexts(), rounds=ROUNDS, delta=DELTA, trials=2)
PROVED = MOST.with_options(constants="theory", noise="gaussian")
UNIFORM = MOST._replace(name="uniform-contexts")
LOGISTIC = MOST._replace(name="local-glm", epsilon=2.0, environment="contexts-logistic")
LOGISTIC_PROVED = LOGISTIC.with_options(constants="theory")
LOGISTIC_PAPER = LOGISTIC.with_options(calibration="paper")
LOGISTIC_UNIFORM = LOGISTIC._replace(name="uniform-contexts")
ON_LOGISTIC = "10 arms, 10 features, logistic, T = 2^14, ε = 2, δ = 1e-5"
SMALL = LOGISTIC_PROVED._replace(problem=Contexts(3, 4), rounds=1024)
SMALL_PAPER = SMALL._replace(options=(("calibration", "paper"),))


def order(epsilon: float, extra: float = 1.0) -> float:
    """Return sqrt(ln(1/δ) ln(1/α)) (d T)^(3/4) / ε, d = 10 and α = 0.05."""
    logs = math.log(1.0 / DELTA) * math.log(20.0) * extra
    return float(math.sqrt(logs) * (FEATURES * ROUNDS) ** 0.75 / epsilon)


def share_of_uniform(case: Case, uniform: Case) -> float:
    """Return regret as a share of that of uniform play."""
    return case.regret() / uniform.regret()


def shares(paper: Case, proved: Case, ours: Case, uniform: Case, at: str) -> tuple[Compared, ...]:
    """Return the shares of the algorithm as printed, with proved constants, and by default."""
    return tuple(
        Compared(
            what=f"share of the regret of uniform play, {words}",
            at=at,
            measured=functools.partial(share_of_uniform, case, uniform),
        )
        for words, case in (("as printed", paper), ("proved", proved), ("ours", ours))
    )


def needed_noise() -> float:
    """Return the deviation needed on all three reports, for means of at most 1."""
    moved = predicted_moments(
        dimension=FEATURES, largest=1.0, matrix_scale=1.0, prediction_scale=1.0, vector_scale=1.0
    )
    return moved * gaussian_sigma(2.0, DELTA)


@functools.cache
def error_of_model() -> float:
    """Return the largest |θ̃ - θ| in the norm of W at the last fit, in four games."""
    link, found = contexts.link_named("logistic"), 0.0
    for seed in range(4):
        private, rng = SMALL.build().private, np.random.default_rng(seed)
        theta = rng.standard_normal(4)
        theta /= np.linalg.norm(theta)
        for _ in range(SMALL.rounds - 1):
            x = rng.standard_normal((3, 4)) / 2.0
            x /= np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
            arm, trace = private.act(x, rng)
            gain = float(rng.random() < link.mean(float(x[arm] @ theta)))
            private.tell(trace, Record(x[arm], 1.0 - gain), rng)
        server = private.learner
        assert isinstance(server, GlmDescent)
        lower = np.tril(server.matrix)
        shifted = lower + np.tril(lower, -1).T + server.schedule.shifts[-1] * np.eye(4)
        error = server.model.estimate - theta
        found = max(found, float(np.sqrt(error @ shifted @ error)))
    return found


@functools.cache
def share_of_short_noise() -> float:
    """Return how often ten normal numbers have a square length of at most 10: 100,000 draws."""
    draws = np.random.default_rng(2).standard_normal((100_000, FEATURES))
    return float(((draws**2).sum(axis=1) <= FEATURES).mean())


LINEAR = Compared(
    what="contexts, linear: regret with probability 0.95",
    at=AT,
    there=lambda: order(1.0),
    here=PROVED.confident_bound,
    measured=PROVED.regret,
    order=True,
)
LINK = Compared(
    what="contexts, generalised linear: regret with probability 0.95",
    at=ON_LOGISTIC,
    there=lambda: order(2.0, math.log(ROUNDS / FEATURES)),
    here=LOGISTIC_PROVED.confident_bound,
    measured=LOGISTIC_PROVED.regret,
    order=True,
)
SHARES = shares(MOST.with_options(calibration="paper"), PROVED, MOST, UNIFORM, AT)
LINK_SHARES = shares(LOGISTIC_PAPER, LOGISTIC_PROVED, LOGISTIC, LOGISTIC_UNIFORM, ON_LOGISTIC)
MOMENTS = Compared(
    what="deviation on y x",
    at="|y| ≤ 2, ε = 1, δ = 1e-5",
    there=lambda: 6.0 * math.sqrt(2.0 * math.log(2.5 / DELTA)),
    here=lambda: 4.0 * gaussian_sigma(1.0, DELTA),
)
THREE_REPORTS = (
    epsilon_of(
        LOGISTIC_PAPER,
        "three reports, logistic, claimed ε = 2, δ = 1e-5",
        lambda: 2.0,
        what="epsilon of the printed noise",
    ),
    Compared(
        what="deviation on three reports together",
        at="means of at most 1, 10 features, ε = 2, δ = 1e-5",
        there=lambda: 6.0 * math.sqrt(2.0 * math.log(3.75 / DELTA)) / 2.0,
        here=needed_noise,
    ),
)
LENGTHS = Compared(
    what="probability that the noise of a round is as short as assumed",
    at="10 features, 100,000 draws; paper: high probability for all rounds together",
    there=lambda: 1.0,
    here=lambda: float(gammainc(FEATURES / 2.0, FEATURES / 2.0)),
    measured=share_of_short_noise,
)
WIDTH = Compared(
    what="width β at the last fit",
    at="3 arms, 4 features, logistic, T = 1,024, ε = 2, δ = 1e-5; measured: the largest of 4 games",
    there=lambda: SMALL_PAPER.parameter("width"),
    here=lambda: SMALL.parameter("width"),
    measured=error_of_model,
    order=True,
)
