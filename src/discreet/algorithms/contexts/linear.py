"""LinUCB without privacy, from reports of devices, and at a trusted server."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.contexts.widths import (
    FAILURE,
    PRACTICE,
    THEORY,
    UNPROVED,
    Constants,
    Deviations,
    Factors,
    effective,
    fit_times,
    looks_for,
    with_noise,
    without_noise,
)
from discreet.algorithms.papers import ABBASI_YADKORI, PRIV_UNIT, SHARIFF, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Moments, RunningMoments
from discreet.channels.moments import moment_size
from discreet.contracts import Noise
from discreet.errors import DiscreetError
from discreet.learners.contexts.linear_ucb import LinearUcb, LinearUcbOnSums, Schedule
from discreet.mechanisms import Cap, Gaussian, Hemisphere, Silent
from discreet.on_device import OnDevice
from discreet.policies import Optimistic
from discreet.problems import Contexts

ReportNoise = Literal["cap", "hemisphere", "gaussian"]
JOINT_PRACTICE = Factors(0.5, 0.1, 0.0, 0.0, 0.0)


@register_algorithm(
    name="linucb",
    title="optimism for linear rewards",
    problem=Contexts(),
    citation=ABBASI_YADKORI,
    stochastic=True,
)
def linucb(setting: Setting[Contexts], *, width: float = 1.0) -> Instance:
    """Least squares and a confidence ellipsoid, without privacy; the model is fitted ever more rarely."""
    problem = setting.problem
    schedule = without_noise(problem.dimension, fit_times(setting.rounds), width)
    channel = Moments.calibrated(
        dimension=problem.dimension, noise=Silent(), bounds=setting.bounds, norm=problem.norm
    )
    return Instance(
        private=OnDevice(
            channel=channel,
            policy=Optimistic(),
            learner=LinearUcb.start(dimension=problem.dimension, schedule=schedule),
        ),
        parameters={"fits": len(schedule.times), "width": float(schedule.widths[-1])},
        regret_bound=None,
        bound_source="of order d sqrt(T) (Abbasi-Yadkori et al. 2011); no number is stated for rare fits",
    )


@register_algorithm(
    name="local-linucb",
    twin="linucb",
    title="LinUCB from one noisy report of moments a round",
    problem=Contexts(),
    citation=ZHENG,
    builds_on=(ABBASI_YADKORI, PRIV_UNIT),
    stochastic=True,
)
def local_linucb(
    setting: Setting[Contexts],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoise | None = None,
    constants: Constants = "practice",
    balance: float = 2.0,
    shift: float | None = None,
    width: float | None = None,
    reach: float | None = None,
    recency: float | None = None,
    look: float | None = None,
) -> Instance:
    """Zheng et al. 2020, Algorithm 5, with corrected widths: a device reports x x' and y x together, once.

    The paper's calibration is Gaussian noise as printed, on all entries alike, with its own shifts
    and widths.
    """
    problem, times = setting.problem, fit_times(setting.rounds)
    if calibration == "paper":
        return _printed(setting)
    channel = reporting(setting, noise or "cap", balance)
    factors = _factors(constants, PRACTICE, shift, width, reach, recency, look)
    single = channel.noise.deviation(channel.release_size())
    spread = single * np.sqrt(effective(times, factors.recency))
    schedule = with_noise(
        problem.dimension,
        setting.rounds,
        times,
        Deviations(spread / channel.diagonal, spread / channel.linear),
        factors,
    )
    looks = looks_for(
        problem.dimension,
        setting.rounds,
        single / channel.diagonal,
        single / channel.linear,
        factors,
    )
    learner = LinearUcb.start(
        dimension=problem.dimension, schedule=schedule, recency=factors.recency, looks=looks
    )
    private = OnDevice(channel=channel, policy=Optimistic(), learner=learner)
    return _instance(
        private,
        schedule,
        channel.noise.kind,
        balance,
        constants if factors == THEORY else "practice",
    )


@register_algorithm(
    name="joint-linucb",
    twin="linucb",
    title="LinUCB on noisy running sums of moments, at a trusted server",
    problem=Contexts(),
    citation=SHARIFF,
    builds_on=(ABBASI_YADKORI,),
    stochastic=True,
)
def joint_linucb(
    setting: Setting[Contexts],
    *,
    constants: Constants = "practice",
    balance: float = 1.0,
    shift: float | None = None,
    width: float | None = None,
    reach: float | None = None,
) -> Instance:
    """Shariff & Sheffet 2018 with less noise: buffers in the place of a tree, or a tree where delta is 0."""
    problem, times = setting.problem, fit_times(setting.rounds)
    channel = RunningMoments.calibrated(
        dimension=problem.dimension,
        prefixes=max(setting.rounds - 1, 1),
        epsilon=setting.epsilon,
        delta=setting.delta,
        balance=balance,
        bounds=setting.bounds,
        norm=problem.norm,
    )
    running = channel.running
    single = (
        running.noise.deviation(channel.release_size()) * running.factorisation.noise_spread().most
    )
    spread = np.full(times.size, single)
    factors = _factors(constants, JOINT_PRACTICE, shift, width, reach, None, None)
    schedule = with_noise(
        problem.dimension,
        setting.rounds,
        times,
        Deviations(spread / channel.diagonal, spread / channel.linear),
        factors,
    )
    learner = LinearUcbOnSums.start(dimension=problem.dimension, schedule=schedule)
    private = OnDevice(channel=channel, policy=Optimistic(), learner=learner)
    kind = f"{running.noise.kind}, {running.factorisation.name}"
    return _instance(
        private, schedule, kind, balance, constants if factors == THEORY else "practice"
    )


def reporting(setting: Setting[Contexts], noise: ReportNoise, balance: float) -> Moments:
    """Return the channel of devices with noise of this name."""
    problem, bounds = setting.problem, setting.bounds
    size = problem.dimension
    if noise == "gaussian":
        return Moments.gaussian(
            dimension=size,
            epsilon=setting.epsilon,
            delta=_delta(setting),
            balance=balance,
            bounds=bounds,
            norm=problem.norm,
        )
    found = direction_noise(noise, moment_size(size), setting.epsilon)
    return Moments.calibrated(
        dimension=size, noise=found, balance=balance, bounds=bounds, norm=problem.norm
    )


def direction_noise(noise: ReportNoise, dimension: int, epsilon: float) -> Noise:
    """Return cap or hemisphere; in one dimension both are the same."""
    kind = Cap if noise == "cap" and dimension > 1 else Hemisphere
    return kind.calibrate(dimension=dimension, epsilon=epsilon)


def _delta(setting: Setting[Contexts]) -> float:
    if setting.delta <= 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use cap or hemisphere."
        )
    return setting.delta


def _factors(constants: Constants, practice: Factors, *given: float | None) -> Factors:
    usual = THEORY if constants == "theory" else practice
    return Factors(
        *(mine if other is None else other for mine, other in zip(usual, given, strict=True))
    ).checked()


def _instance(
    private: OnDevice, schedule: Schedule, noise: str, balance: float, constants: str
) -> Instance:
    gaussian = private.channel.has_gaussian_noise
    proved = (
        "of order (d T)^(3/4) / sqrt(ε) in the local model (docs/departures.md), and no number "
        "is stated"
    )
    measured = f"{UNPROVED} (constants=theory has those of the analysis)"
    checked = "none is proved: the shift is checked for this noise by measurement"
    return Instance(
        private=private,
        parameters={
            "noise": noise,
            "balance": balance,
            "constants": constants,
            "fits": len(schedule.times),
            "shift": float(schedule.shifts[-1]),
            "width": float(schedule.widths[-1]),
            "reach": float(schedule.reaches[-1]),
        },
        regret_bound=None,
        bound_source=measured if constants == "practice" else proved if gaussian else checked,
    )


def _printed(setting: Setting[Contexts]) -> Instance:
    """Return Algorithm 5 as it is printed."""
    problem, rounds, delta = setting.problem, setting.rounds, _delta(setting)
    d, times = problem.dimension, fit_times(rounds)
    sigma = 6.0 * math.sqrt(2.0 * math.log(2.5 / delta)) / setting.epsilon
    ready = Moments.gaussian(
        dimension=d, epsilon=setting.epsilon, delta=delta, bounds=setting.bounds, norm=problem.norm
    )
    channel = ready._replace(
        diagonal=1.0, off_diagonal=1.0, linear=1.0, noise=Gaussian(sigma, delta)
    )
    t = times.astype(np.float64)
    most = sigma * np.sqrt(t) * (4.0 * math.sqrt(d) + 2.0 * math.log(2.0 * rounds / FAILURE))
    inner = np.sqrt(3.0 * most) + sigma * np.sqrt(d * t / most)
    widths = 2.0 * sigma * math.sqrt(d * math.log(rounds)) + inner * d * math.log(rounds)
    schedule = Schedule(times, 2.0 * most, widths, np.zeros(t.size))
    learner = LinearUcb.start(dimension=d, schedule=schedule)
    private = OnDevice(channel=channel, policy=Optimistic(), learner=learner)
    printed = _instance(private, schedule, "gaussian", 1.0, "paper")
    return replace(
        printed, bound_source="none is stated for the printed constants: see discreet errata"
    )
