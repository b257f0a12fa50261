"""LinUCB at a trusted server: noisy sums of moments, released when the model is fitted."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from discreet.algorithms.contexts.joint_bound import fit_gap, sums_regret, sums_schedule
from discreet.algorithms.contexts.linear import LINEAR, factors_of, linear_instance
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
from discreet.channels.running_moments import joint_movement
from discreet.contracts import Floats, Server
from discreet.errors import check_range
from discreet.factorisations.blt import fading
from discreet.learners import LinearUcbOnSums, LinearUcbOnWeightedSums
from discreet.learners.contexts.weighted_sums import SumFilter, sum_variances
from discreet.least_squares import MomentPlaces
from discreet.mechanisms import noise_named
from discreet.models import LinearModel
from discreet.on_device import OnDevice
from discreet.policies import OptimisticRandomly
from discreet.problems import Contexts

# Chosen by measurements with other numbers of arms and features than those reported. (Earlier
# versions were played in the reported games, too; their seeds are new since the last change.) The
# reach covers noise and shift: it falls with the number of records, not with its root as the width
# does. A smaller reach has less regret if contexts change, but a model can then lock in to a wrong
# arm if they do not. A larger one explores too long, the more so the smaller the shift.
PRACTICE = Factors(1.3, 0.1, 0.35, 0.0, 0.0)
GROWTH = 1.07  # factor of the rounds from one fit to the next
# Where the last sum counts: its noise is fresh in every release of a tree, and fits cost more.
PLAIN, RARER = Factors(1.0, 0.1, 0.3, 0.0, 0.0), 1.1
FIRST = 1.2  # the first fit, relative to the rounds after which a sum is as long as its noise
PROVED = (
    "none without a probability, of order d sqrt(T) + d^(3/4) sqrt(T / ε), up to logarithms and if "
    "fits are frequent "
    "(docs/regret.md: Linear rewards at a trusted server)"
)
# A run without a horizon is planned for this many rounds, then begins again. Fits become rare: at
# most 290 releases in this many rounds. In longer runs, rounding would require more noise.
ENDLESS = 2**30
REWARDS = 1.0  # the variance that one record adds to a coordinate of the sum of y x, at most


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
    growth: float | None = None,
    first: int | None = None,
    block: int = 0,
    balance: float = 1.0,
    shift: float | None = None,
    width: float | None = None,
    reach: float | None = None,
) -> Instance:
    """Shariff & Sheffet 2018 with less noise: releases only at fits, buffers instead of a tree.

    The model is fitted after ``first`` rounds (or a tenth of all, if that is less; by default, when
    sums are longer than their noise), and then whenever the number of rounds has grown by the
    factor ``growth``. It is fitted to the best weighted sum of all releases so far. With
    ``constants=theory`` it is fitted to the last release, and if neither ``growth`` nor ``first``
    is given, fits are so frequent that they hardly enlarge the bound. With ``block``, the last
    features form one block of this size for each arm, and nothing is released across two blocks.
    Without a delta there is a tree with spherical noise, and the last release counts.
    """
    problem = setting.problem
    rounds = ENDLESS if setting.unknown_horizon else setting.rounds
    places = MomentPlaces.of(problem.dimension, arms=problem.arms, block=block)
    usual = PRACTICE if setting.delta > 0.0 else PLAIN
    factors = factors_of(constants, usual, shift, width, reach, None, None)
    proved = factors == THEORY and setting.delta > 0.0 and block == 0
    single = one_sum_deviation(setting, places, balance)
    weighted, matrix = factors != THEORY and setting.delta > 0.0, None
    if proved and growth is None and first is None and rounds < ENDLESS:
        gap = fit_gap(problem.dimension, rounds, single)
        times = np.arange(gap, max(rounds, gap + 1), gap, dtype=np.int64)
    else:
        if first is None:  # if contexts point in all directions, the sum of y x grows by 1 / d
            noisy = problem.dimension**1.5 * single / math.sqrt(balance)
            first = max(problem.dimension, int(min(FIRST * noisy, rounds)))
        usual_growth = GROWTH if weighted else RARER
        factor = usual_growth if growth is None else growth
        times = fit_times(rounds, growth=factor, first=first)
        # A batch is a share of all records that falls like this: so fades its weight in later rows.
        matrix = fading(1.0 / factor) if weighted else None
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
        matrix=matrix,
    )
    running = channel.running
    draw = running.noise.deviation(channel.release_size())
    variances = running.factorisation.variances(times.size)
    sums = None
    if matrix is not None:
        sums = SumFilter.best(times, matrix, (draw / channel.linear) ** 2, REWARDS)
        variances = sum_variances(sums, matrix)
    spread = draw * np.sqrt(variances)
    noise = Deviations(spread / channel.diagonal, spread / channel.linear)
    if proved:  # one λ for all fits: the noise of the last sum bounds that of all
        most = Deviations(*(np.full(times.size, each.max()) for each in noise))
        schedule = sums_schedule(problem.dimension, times, most)
    else:
        shape = Shape(problem.dimension - problem.arms * block, block, problem.arms)
        schedule = noisy_schedule(
            problem.dimension, rounds, times, noise, factors, shape if block else None
        )
    learner: Server[LinearModel, Floats, float]
    if sums is None:
        learner = LinearUcbOnSums.start(
            dimension=problem.dimension, schedule=schedule, places=places
        )
    else:
        learner = LinearUcbOnWeightedSums.weighing(
            dimension=problem.dimension, schedule=schedule, sums=sums, places=places
        )
    private = OnDevice(channel=channel, policy=OptimisticRandomly(), learner=learner)
    found = linear_instance(
        private,
        schedule,
        balance=balance,
        constants=constants if factors == THEORY else "practice",
        running_sum=running.factorisation.name,
        order="d sqrt(T) + d^(3/4) sqrt(T / ε), up to logarithms, in the joint model",
    )
    if not proved or setting.unknown_horizon:
        return found
    bound = sums_regret(problem.dimension, rounds, schedule, setting.bounds.width, LINEAR)
    return replace(found, confident_bound=bound, bound_source=PROVED)


def one_sum_deviation(setting: Setting[Contexts], places: MomentPlaces, balance: float) -> float:
    """Return the deviation of the noise in the matrix if a single sum is released."""
    linear = math.sqrt(check_range("balance", balance, 1e-6, 1e6))
    size = setting.problem.dimension
    noise = noise_named("gaussian" if setting.delta > 0.0 else "spherical").for_guarantee(
        sensitivity=joint_movement(size, places, linear),
        epsilon=setting.epsilon,
        delta=setting.delta,
    )
    return noise.deviation(places.rows.size + size)
