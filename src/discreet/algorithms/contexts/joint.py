"""LinUCB at a trusted server: noisy sums of moments, released when the model is fitted."""

from __future__ import annotations

from typing import Literal

import numpy as np

from discreet.algorithms.contexts.linear import factors_of, linear_instance
from discreet.algorithms.contexts.widths import (
    THEORY,
    Constants,
    Deviations,
    Factors,
    Shape,
    fit_times,
    noisy_schedule,
)
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import RunningMoments
from discreet.learners import LinearUcbOnSums
from discreet.least_squares import MomentPlaces
from discreet.on_device import OnDevice
from discreet.policies import OptimisticRandomly
from discreet.problems import Contexts

PRACTICE = Factors(0.5, 0.1, 0.0, 0.0, 0.0)  # chosen by measurements
# Rounds for which a run without a horizon is planned, after which it begins again. Fits become
# rare: only 171 releases are made in so many rounds. In longer runs rounding would cost noise.
ENDLESS = 2**30


Sums = Literal["early", "even"]


@register_algorithm(
    name="joint-linucb",
    twin="linucb",
    title="LinUCB on noisy sums of moments, released at fits, at a trusted server",
    problem=Contexts(),
    citation="shariff2018differentially",
    builds_on=("abbasiyadkori2011improved",),
    stochastic=True,
    anytime=True,
)
def joint_linucb(
    setting: Setting[Contexts],
    *,
    constants: Constants = "practice",
    growth: float = 1.1,
    first: int = 100,
    block: int = 0,
    balance: float = 1.0,
    sums: Sums = "early",
    early: float = 0.0,
    shift: float | None = None,
    width: float | None = None,
    reach: float | None = None,
) -> Instance:
    """Shariff & Sheffet 2018 with less noise: released at fits only, buffers instead of a tree.

    The model is fitted after ``first`` rounds (or a tenth of all, if that is less), and then
    whenever the number of rounds has grown by the factor ``growth``. With ``block``, the last
    features are one block of so many for each arm, and nothing is released across two blocks.
    Without a delta there is a tree with spherical noise.
    """
    problem = setting.problem
    rounds = ENDLESS if setting.unknown_horizon else setting.rounds
    times = fit_times(rounds, growth=growth, first=first)
    places = MomentPlaces.of(problem.dimension, arms=problem.arms, block=block)
    channel = RunningMoments.calibrated(
        dimension=problem.dimension,
        times=times,
        rounds=rounds,
        epsilon=setting.epsilon,
        delta=setting.delta,
        balance=balance,
        bounds=setting.bounds,
        norm=problem.norm,
        places=places,
        early=early if sums == "early" else None,
    )
    running = channel.running
    single = running.noise.deviation(channel.release_size())
    spread = single * np.sqrt(running.factorisation.variances(times.size))
    factors = factors_of(constants, PRACTICE, shift, width, reach, None, None)
    schedule = noisy_schedule(
        problem.dimension,
        rounds,
        times,
        Deviations(spread / channel.diagonal, spread / channel.linear),
        factors,
        Shape(problem.dimension - problem.arms * block, block, problem.arms) if block else None,
    )
    learner = LinearUcbOnSums.start(dimension=problem.dimension, schedule=schedule, places=places)
    private = OnDevice(channel=channel, policy=OptimisticRandomly(), learner=learner)
    return linear_instance(
        private,
        schedule,
        noise=f"{running.noise.kind}, {running.factorisation.name}",
        balance=balance,
        constants=constants if factors == THEORY else "practice",
        order="d^(3/4) sqrt(T) / sqrt(ε), up to logarithms, in the joint model",
    )

