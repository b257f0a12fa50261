"""Zheng et al. 2020, as printed: Gaussian noise of the classical scale on every report."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from discreet import OnDevice
from discreet.algorithms import Instance, Setting, arms, contexts, functions, search
from discreet.channels import Moments
from discreet.contracts import Noise
from discreet.errors import DiscreetError
from discreet.learners import LinearUcb
from discreet.mechanisms import Gaussian, ReportNoiseName
from discreet.policies import Optimistic
from discreet.problems import Arms, BestArm, Contexts, Functions
from discreet.ranges import Range
from discreet_papers.calibrations.claims import check_noise, classical_scale, printed

NO_DELTA = "delta is {!r}, but the paper's Gaussian noise needs delta above 0."


@printed("local-tsallis-inf")
def local_tsallis_inf(
    setting: Setting[Arms],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    estimator: arms.Estimator = "reduced-variance",
) -> Instance:
    """Theorem 11, with the learning rate of Tsallis-INF: 4, or 2 if it is importance-weighted."""
    found = _noise(setting, noise)
    tuned = 4.0 if estimator == "reduced-variance" else 2.0
    rate = tuned if learning_rate is None else learning_rate
    return arms.noisy_tsallis_inf(
        setting, found, learning_rate=rate, estimator=estimator, likely=1.0
    )


@printed("local-lil-ucb")
def local_lil_ucb(
    setting: Setting[BestArm],
    *,
    noise: Literal["response", "gaussian"] | None = None,
    constants: search.LilPreset = "practice",
) -> Instance:
    """Theorem 12."""
    check_noise(noise, "gaussian")
    reports = search.reports_with(setting, _noise(setting, noise), search.GAP)
    return search.run_lil_ucb(setting, reports, constants)


def _noise(setting: Setting[Arms] | Setting[BestArm], noise: str | None) -> Noise:
    if setting.delta <= 0.0:
        raise DiscreetError(NO_DELTA.format(setting.delta))
    check_noise(noise, "gaussian")
    scale = classical_scale(setting.bounds.width, setting.epsilon, setting.delta)
    return Gaussian(scale, setting.delta)


@printed("local-linucb")
def local_linucb(
    setting: Setting[Contexts],
    *,
    noise: Literal["cap", "hemisphere", "gaussian"] | None = None,
) -> Instance:
    """Algorithm 5, with noise on all entries alike, and its own shifts and widths."""
    check_noise(noise, "gaussian")
    problem, rounds, delta = setting.problem, setting.rounds, contexts.need_delta(setting)
    d, times = problem.dimension, contexts.fit_times(rounds)
    sigma = 6.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / setting.epsilon
    ready = Moments.gaussian(
        dimension=d, epsilon=setting.epsilon, delta=delta, bounds=setting.bounds, norm=problem.norm
    )
    channel = ready._replace(
        diagonal=1.0, off_diagonal=1.0, linear=1.0, noise=Gaussian(sigma, delta)
    )
    t = times.astype(np.float64)
    rare = math.log(2.0 * rounds / contexts.FAILURE)
    most = sigma * np.sqrt(t) * (4.0 * math.sqrt(d) + 2.0 * rare)
    inner = np.sqrt(3.0 * most) + sigma * np.sqrt(d * t / most)
    widths = 2.0 * sigma * math.sqrt(d * math.log(rounds)) + inner * d * math.log(rounds)
    schedule = contexts.FitSchedule(times, 2.0 * most, widths, np.zeros(t.size))
    learner = LinearUcb.start(dimension=d, schedule=schedule)
    found = contexts.linear_instance(
        OnDevice(channel=channel, policy=Optimistic(), learner=learner),
        schedule,
        balance=1.0,
        constants="paper",
    )
    source = "none is stated for the printed constants: see discreet errata"
    return replace(found, bound_source=source)


@printed("local-stochastic-convex")
def local_stochastic_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    certainty: float | None = None,
) -> Instance:
    """Corollary 4."""
    return functions.search_interval(
        setting, _noise_on_values(setting, setting.bounds, noise), certainty
    )


@printed("local-convex")
def local_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    damping: float | None = None,
    baseline: bool = False,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Algorithm 1, tuned to the largest range that noise reaches in T rounds."""
    found = _noise_on_values(setting, setting.bounds, noise)
    return functions.descend_one_point(
        setting,
        found,
        tuned_by=_reached_square(setting, found),
        radius=radius,
        damping=damping,
        baseline=baseline,
        when_vacuous=when_vacuous,
    )


@printed("local-strongly-convex")
def local_strongly_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    baseline: bool = False,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Algorithm 1 with steps of 1 / (α t)."""
    curvature = functions.require_declared(setting, "curvature", "local-strongly-convex")
    found = _noise_on_values(setting, setting.bounds, noise)
    return functions.descend_one_point(
        setting,
        found,
        tuned_by=_reached_square(setting, found),
        radius=radius,
        baseline=baseline,
        curvature=curvature,
        when_vacuous=when_vacuous,
    )


@printed("local-smooth")
def local_smooth(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    learning_rate: float | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Corollary 4, over Saha & Tewari."""
    found = _noise_on_values(setting, setting.bounds, noise)
    return functions.lead_smooth(
        setting,
        found,
        name="local-smooth",
        tuned_by=_reached_square(setting, found),
        radius=radius,
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


@printed("local-smooth-strongly-convex")
def local_smooth_strongly_convex(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Corollary 4, over Hazan & Levy."""
    found = _noise_on_values(setting, setting.bounds, noise)
    return functions.lead_smooth_strongly_convex(
        setting,
        found,
        name="local-smooth-strongly-convex",
        tuned_by=_reached_square(setting, found),
        learning_rate=learning_rate,
        when_vacuous=when_vacuous,
    )


@printed("local-two-point")
def local_two_point(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    lazy: bool | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Algorithm 2 with steps R / (G sqrt(T)), which are projected one by one."""
    outer, slope = setting.problem.place.outer, functions.clipped_slope(setting, clip)
    return functions.descend_two_points(
        setting,
        lambda bounds, _: _noise_on_values(setting, bounds, noise),
        radius=_looking(setting, radius),
        clip=clip,
        damping=slope * math.sqrt(setting.rounds) / outer,
        lazy=bool(lazy),
        when_vacuous=when_vacuous,
    )


@printed("local-strongly-convex-two-point")
def local_strongly_convex_two_point(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    radius: float | None = None,
    clip: float | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Algorithm 2 with steps of 1 / (α t)."""
    return functions.descend_two_points(
        setting,
        lambda bounds, _: _noise_on_values(setting, bounds, noise),
        curvature=functions.require_declared(
            setting, "curvature", "local-strongly-convex-two-point"
        ),
        radius=_looking(setting, radius),
        clip=clip,
        when_vacuous=when_vacuous,
    )


def _looking(setting: Setting[Functions], radius: float | None) -> float:
    """Return how far Algorithm 2 looks: ln T / T, unless set."""
    return math.log(setting.rounds) / setting.rounds if radius is None else radius


def _noise_on_values(
    setting: Setting[Functions], bounds: Range, noise: ReportNoiseName | None
) -> Noise:
    """Return the noise on each report, a number in ``bounds``."""
    if setting.delta <= 0.0:
        raise DiscreetError(NO_DELTA.format(setting.delta))
    check_noise(noise, "gaussian")
    return Gaussian(classical_scale(bounds.width, setting.epsilon, setting.delta), setting.delta)


def _reached_square(setting: Setting[Functions], noise: Noise) -> float:
    """Return what the paper tunes by: the square of a range that noise rarely leaves."""
    rare = math.sqrt(2.0 * math.log(2.0 * setting.rounds**2))
    return float((0.5 + noise.scale / setting.bounds.width * rare) ** 2)
