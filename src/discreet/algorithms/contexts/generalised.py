"""Generalised linear rewards: optimism, and greedy choices, from reports of devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from discreet.algorithms.contexts.confidence import (
    SingleReport,
    Steepness,
    confident_regret,
    glm_schedule,
    rough_regret,
)
from discreet.algorithms.contexts.linear import (
    ReportNoise,
    direction_noise,
    need_delta,
    report_channel,
)
from discreet.algorithms.contexts.widths import (
    PRACTICE,
    UNPROVED,
    Constants,
    Factors,
    effective_reports,
    fit_times,
    plan_looks,
    upsilon,
)
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import GlmMoments, Moments, Residuals
from discreet.channels.glm_moments import IdentityLink, Link, LogisticLink, PoissonLink
from discreet.contracts import Noise
from discreet.errors import DiscreetError, check_int, check_range
from discreet.learners import GlmDescent, GlmUcb, ResidualDescent
from discreet.learners.contexts.linear_ucb import NO_LOOKS, FitSchedule, Looks
from discreet.mechanisms import Gaussian, Silent
from discreet.on_device import OnDevice
from discreet.policies import Greedy, Optimistic
from discreet.problems import Contexts

LinkName = Literal["logistic", "poisson", "identity"]
GLM_PROVED = "none without a probability (docs/regret.md: Linear and generalised linear rewards)"
RATIOS = np.logspace(-1.0, 1.0, 41)  # candidate ratios of the noise on residuals to that on x x'
AVERAGING = 16.0  # how much more late models count in the mean of models, chosen by measurement
# rounds per feature, at a variance of 1: means of 0.5 and 0.2 are then 4.9 deviations apart
SWEEP = 264.0
LONGEST_SWEEP = 1.0 / 8.0  # of all rounds
# virtual rounds per feature before the first, and the weight of a round of the sweep
FIRST, TRUST = 8, 2
RESIDUAL = 0.75  # the variance of a reward of ±1 with mean 0.5


def link_named(name: str) -> Link:
    """Return the link of this name."""
    kinds: dict[str, Callable[[], Link]] = {
        "logistic": LogisticLink.start,
        "poisson": PoissonLink.start,
        "identity": IdentityLink.start,
    }
    return kinds[name]()


@register_algorithm(
    name="glm-ucb",
    title="optimism for generalised linear rewards",
    problem=Contexts(),
    citation="jun2017scalable",
    stochastic=True,
)
def glm_ucb(
    setting: Setting[Contexts], *, link: LinkName = "logistic", width: float = 1.0
) -> Instance:
    """GLOC, with the published model as its online learner, without privacy."""
    problem, found = setting.problem, link_named(link)
    plain = Moments.calibrated(
        dimension=problem.dimension, noise=Silent(), bounds=setting.bounds, norm=problem.norm
    )
    times = fit_times(setting.rounds)
    ones = np.ones(times.size)
    schedule = FitSchedule(
        times,
        ones,
        check_range("width", width, 0.0, 1e9) * math.sqrt(problem.dimension) * ones,
        np.zeros(times.size),
    )
    return _instance(setting, plain, found, schedule, NO_LOOKS, recency=0.0)


@register_algorithm(
    name="local-glm",
    twin="glm-ucb",
    title="optimism for generalised linear rewards, from noisy reports",
    problem=Contexts(),
    citation="zheng2020locally",
    builds_on=("jun2017scalable", "asi2022optimal"),
    stochastic=True,
)
def local_glm(
    setting: Setting[Contexts],
    *,
    link: LinkName = "logistic",
    noise: ReportNoise | None = None,
    constants: Constants = "practice",
    balance: float | None = None,
    shift: float = PRACTICE.shift,
    reach: float = PRACTICE.reach,
    recency: float = PRACTICE.recency,
    look: float = PRACTICE.look,
) -> Instance:
    """Zheng et al. 2020, Algorithm 3, corrected: x x' and the residual times x are one report.

    ``constants=theory`` is the paper's algorithm with the least Gaussian noise and a proved step
    and width. The default has no gradient descent: reports correct the model itself, with constants
    chosen by measurement, which gives less regret.
    """
    problem, found = setting.problem, link_named(link)
    if constants == "theory":
        if (shift, 0.0, reach, recency, look) != PRACTICE:
            raise DiscreetError("constants=theory fixes shift, reach, recency and look: omit them.")
        return descend_generalised(setting, found, noise or "gaussian", balance)
    plain = report_channel(setting, noise or "cap", 2.0 if balance is None else balance)
    factors = Factors(shift, 0.0, reach, recency, look).checked()
    times = fit_times(setting.rounds)
    spread = plain.noise.deviation(plain.release_size())
    shifts = shift * upsilon(
        problem.dimension,
        setting.rounds,
        spread / plain.diagonal * np.sqrt(effective_reports(times, recency)),
    )
    schedule = FitSchedule(times, shifts, np.zeros(times.size), reach / found.slope * shifts)
    looks = plan_looks(
        problem.dimension, setting.rounds, spread / plain.diagonal, spread / plain.linear, factors
    )
    return _instance(setting, plain, found, schedule, looks, recency=recency)


def descend_generalised(
    setting: Setting[Contexts], link: Link, noise: ReportNoise, balance: float | None
) -> Instance:
    """Return Algorithm 3 with one joint report and proved constants, and its bound."""
    if noise != "gaussian":
        raise DiscreetError(
            f"noise is {noise}, but constants=theory is proved for gaussian noise only: omit noise."
        )
    problem, rounds = setting.problem, setting.rounds
    size, steep = problem.dimension, Steepness.of(link)
    if balance is None:
        shares = [float((link.largest_error() / ratio) ** 2) for ratio in RATIOS]
        reports = [report_channel(setting, "gaussian", share) for share in shares]
        plain = min(reports, key=lambda each: rough_regret(size, rounds, _spread(each), steep))
    else:
        plain = report_channel(setting, "gaussian", balance)
    single = _spread(plain)
    schedule, step = glm_schedule(size, rounds, single, steep)
    learner = GlmDescent.descending(dimension=size, schedule=schedule, step=step)
    name = _link_name(link)
    return Instance(
        private=OnDevice(
            channel=GlmMoments.over(plain, link), policy=Optimistic(), learner=learner
        ),
        parameters={
            "link": name,
            "noise": plain.noise.kind,
            "constants": "theory",
            "balance": (plain.linear / plain.diagonal) ** 2,
            "matrix_noise": single.matrix,
            "residual_noise": single.vector,
            "fits": len(schedule.times),
            "step": step,
            "shift": float(schedule.shifts[-1]),
            "width": float(schedule.widths[-1]),
        },
        regret_bound=None,
        bound_source=GLM_PROVED,
        confident_bound=confident_regret(
            size,
            rounds,
            schedule,
            link.slopes()[1],
            setting.bounds.width,
            f"rewards with this {name} mean, |θ| ≤ 1",
        ),
    )


def _spread(plain: Moments) -> SingleReport:
    """Return the deviations of the noise in one report."""
    spread = plain.noise.deviation(plain.release_size())
    return SingleReport(spread / plain.diagonal, spread / plain.linear)


def _link_name(link: Link) -> str:
    return type(link).__name__.removesuffix("Link").lower()


def _instance(
    setting: Setting[Contexts],
    plain: Moments,
    link: Link,
    schedule: FitSchedule,
    looks: Looks,
    *,
    recency: float,
) -> Instance:
    """Return the algorithm on these reports; no bound on its regret is proved."""
    size = setting.problem.dimension
    learner = GlmUcb.correcting(
        dimension=size, schedule=schedule, slope=link.slope, recency=recency, looks=looks
    )
    return Instance(
        private=OnDevice(
            channel=GlmMoments.over(plain, link), policy=Optimistic(), learner=learner
        ),
        parameters={
            "link": _link_name(link),
            "noise": plain.noise.kind,
            "fits": len(schedule.times),
        },
        regret_bound=None,
        bound_source=UNPROVED,
    )


@register_algorithm(
    name="local-greedy",
    twin="linucb",
    title="greedy choices, learned from one noisy residual per round",
    problem=Contexts(),
    citation="han2021generalized",
    builds_on=("asi2022optimal",),
    stochastic=True,
)
def local_greedy(
    setting: Setting[Contexts],
    *,
    noise: ReportNoise | None = None,
    gain: float | None = None,
    offset: float | None = None,
    averaging: float = AVERAGING,
    sweep: int | None = None,
) -> Instance:
    """Take gradient steps on residuals in the unit ball, after a sweep over the features.

    Without the sweep, greedy choices could stay with the wrong arm forever.
    """
    problem = setting.problem
    size = problem.dimension
    found: Noise
    if noise == "gaussian":
        delta = need_delta(setting)
        found = Gaussian.calibrate(sensitivity=2.0, epsilon=setting.epsilon, delta=delta)
    else:
        found = direction_noise(noise or "cap", size, setting.epsilon)
    channel = Residuals.calibrated(
        noise=found, dimension=size, bounds=setting.bounds, norm=problem.norm
    )
    looking = (
        _sweep(setting, found.deviation(size))
        if sweep is None
        else check_int("sweep", sweep, minimum=0)
    )
    learner = ResidualDescent.start(
        dimension=size,
        gain=float(size) if gain is None else gain,
        offset=float(size * (FIRST + TRUST * looking)) if offset is None else offset,
        averaging=averaging,
        sweep=looking,
    )
    return Instance(
        private=OnDevice(channel=channel, policy=Greedy(), learner=learner),
        parameters={
            "noise": found.kind,
            "gain": learner.gain,
            "offset": learner.offset,
            "averaging": averaging,
            "sweep": learner.sweep,
        },
        regret_bound=None,
        bound_source=UNPROVED,
    )


def _sweep(setting: Setting[Contexts], deviation: float) -> int:
    """Return the rounds for each feature: more with more noise, up to a share of all rounds.

    The variance is that of the noise and of the reward itself.
    """
    longest = LONGEST_SWEEP * setting.rounds / setting.problem.dimension
    return int(min(SWEEP * (RESIDUAL + deviation**2), longest))
