"""LinUCB without privacy and from reports of devices; uniform play."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from discreet.algorithms.contexts.confidence import confident_regret, frequent_times
from discreet.algorithms.contexts.widths import (
    PRACTICE,
    THEORY,
    UNPROVED,
    Constants,
    Deviations,
    Factors,
    effective_reports,
    fit_times,
    noisy_schedule,
    plain_schedule,
    plan_looks,
    upsilon,
)
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Constant, Moments
from discreet.channels.moments import moment_size
from discreet.contracts import Noise
from discreet.errors import DiscreetError
from discreet.learners import LinearUcb, Unmoved
from discreet.learners.contexts.linear_ucb import FitSchedule
from discreet.mechanisms import Cap, Hemisphere, Silent
from discreet.on_device import OnDevice
from discreet.policies import Optimistic, UniformChoice
from discreet.problems import Contexts

ReportNoise = Literal["cap", "hemisphere", "gaussian"]
LINEAR = "rewards that are linear in the features, |θ| ≤ 1"
LOCAL_PROVED = (
    "none without a probability, of order (d T)^(3/4) / sqrt(ε) "
    "(docs/regret.md: Linear and generalised linear rewards)"
)
MEANINGS = {  # of parameters, for the description; those that change are of the last fit
    "balance": "how the noise is split between the matrix of features and the rewards",
    "fits": "how often the model is fitted",
    "shift": "added to the diagonal of the noisy matrix at the last fit, to make it invertible",
    "width": "of confidence bounds at the last fit",
    "reach": "how wide the confidence for noise and shift is at the last fit",
}


@register_algorithm(
    name="uniform-contexts",
    title="uniform play, regardless of contexts",
    problem=Contexts(),
    stochastic=True,
)
def uniform_contexts(setting: Setting[Contexts]) -> Instance:
    """Play every arm with the same probability: the baseline."""
    channel = Constant.example()._replace(value=0.0, rounds=1)
    return Instance(
        private=OnDevice(
            channel=channel, policy=UniformChoice(setting.problem.arms), learner=Unmoved.start()
        ),
        parameters={},
        regret_bound=setting.rounds * setting.problem.blind_regret(setting.bounds),
        bound_source="it plays every arm as often as the best",
    )


@register_algorithm(
    name="linucb",
    title="optimism for linear rewards",
    problem=Contexts(),
    citation="abbasiyadkori2011improved",
    stochastic=True,
)
def linucb(setting: Setting[Contexts], *, width: float = 1.0) -> Instance:
    """Least squares and a confidence ellipsoid; fits become ever rarer."""
    problem = setting.problem
    schedule = plain_schedule(problem.dimension, fit_times(setting.rounds), width)
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
        bound_source="of order d sqrt(T) (Abbasi-Yadkori et al. 2011); no number is stated for "
        "rare fits",
        meanings=MEANINGS,
    )


@register_algorithm(
    name="local-linucb",
    twin="linucb",
    title="LinUCB from one noisy report of moments per round",
    problem=Contexts(),
    citation="zheng2020locally",
    builds_on=("abbasiyadkori2011improved", "asi2022optimal"),
    stochastic=True,
)
def local_linucb(
    setting: Setting[Contexts],
    *,
    noise: ReportNoise | None = None,
    constants: Constants = "practice",
    balance: float = 2.0,
    shift: float | None = None,
    width: float | None = None,
    reach: float | None = None,
    recency: float | None = None,
    look: float | None = None,
) -> Instance:
    """Zheng et al. 2020, Algorithm 5, with corrected widths.

    A device reports x x' and y x together, once.
    """
    problem = setting.problem
    channel = report_channel(setting, noise or "cap", balance)
    factors = factors_of(constants, PRACTICE, shift, width, reach, recency, look)
    single = channel.noise.deviation(channel.release_size())
    proved = factors == THEORY and channel.has_gaussian_noise
    times = fit_times(setting.rounds)
    if proved:
        first = upsilon(problem.dimension, setting.rounds, np.array([single / channel.diagonal]))
        times = frequent_times(setting.rounds, float(first[0]))
    spread = single * np.sqrt(effective_reports(times, factors.recency))
    schedule = noisy_schedule(
        problem.dimension,
        setting.rounds,
        times,
        Deviations(spread / channel.diagonal, spread / channel.linear),
        factors,
    )
    looks = plan_looks(
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
    found = linear_instance(
        private,
        schedule,
        balance=balance,
        constants=constants if factors == THEORY else "practice",
    )
    if not proved:
        return found
    bound = confident_regret(
        problem.dimension, setting.rounds, schedule, 0.5, setting.bounds.width, LINEAR
    )
    return replace(found, confident_bound=bound, bound_source=LOCAL_PROVED)


def report_channel(setting: Setting[Contexts], noise: ReportNoise, balance: float) -> Moments:
    """Return the channel of devices with noise of this name."""
    problem, bounds = setting.problem, setting.bounds
    size = problem.dimension
    if noise == "gaussian":
        return Moments.gaussian(
            dimension=size,
            epsilon=setting.epsilon,
            delta=need_delta(setting),
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


def need_delta(setting: Setting[Contexts]) -> float:
    """Return the delta that Gaussian noise needs, or refuse 0."""
    if setting.delta <= 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use cap or hemisphere."
        )
    return setting.delta


def factors_of(constants: Constants, practice: Factors, *given: float | None) -> Factors:
    """Return the factors of the analysis or of practice, overridden by those given."""
    usual = THEORY if constants == "theory" else practice
    return Factors(
        *(mine if other is None else other for mine, other in zip(usual, given, strict=True))
    ).checked()


def linear_instance(
    private: OnDevice,
    schedule: FitSchedule,
    *,
    balance: float,
    constants: str,
    running_sum: str = "",
    order: str = "(d T)^(3/4) / sqrt(ε) in the local model",
) -> Instance:
    """Return LinUCB on noisy moments; all but the first two arguments are for the description."""
    gaussian = private.channel.has_gaussian_noise
    proved = f"of order {order} (docs/departures.md), and no number is stated"
    measured = f"{UNPROVED} (constants=theory has those of the analysis)"
    checked = "none is proved: the shift is checked for this noise by measurement"
    return Instance(
        private=private,
        parameters={
            **({"running_sum": running_sum} if running_sum else {}),
            "balance": balance,
            "constants": constants,
            "fits": len(schedule.times),
            "shift": float(schedule.shifts[-1]),
            "width": float(schedule.widths[-1]),
            "reach": float(schedule.reaches[-1]),
        },
        regret_bound=None,
        bound_source=measured if constants == "practice" else proved if gaussian else checked,
        meanings=MEANINGS,
    )
