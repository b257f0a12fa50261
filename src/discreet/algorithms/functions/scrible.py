"""One value per round of linear functions: SCRiBLe, with noise on values or on means of batches."""

from __future__ import annotations

import math
from typing import Literal, cast

import numpy as np

from discreet.algorithms.functions.common import (
    Parameters,
    Proposal,
    WhenVacuous,
    check_batch,
    decide,
    mean_square,
    noise_on_reports,
    place_with,
)
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch, Open, PerRound
from discreet.contracts import Channel, Noise
from discreet.errors import DiscreetError, check_positive
from discreet.learners import Scrible
from discreet.learners.functions.scrible import INSIDE, scrible_bound, scrible_rate
from discreet.mechanisms import ReportNoiseName, noise_named
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import Barrier

SOURCE = "a leader inside a barrier, for linear functions (see discreet.learners.functions.scrible)"
TOO_FAST = "no bound proved for such a large learning rate"
LINEAR = Functions(form="linear")


@register_algorithm(
    name="scrible",
    title="leader inside a barrier, for linear functions",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation="abernethy2008competing",
    growth=ROOT,
    one_point=True,
)
def scrible(
    setting: Setting[Functions],
    *,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Abernethy, Hazan & Rakhlin 2008, with the rate of the least proved bound."""
    proposal = _propose(setting, Open(setting.bounds), None, 1, learning_rate)
    return decide(setting, proposal, when_vacuous)


@register_algorithm(
    name="private-scrible",
    twin="scrible",
    title="leader inside a barrier, for linear functions, with noise on every value",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation="agarwal2017price",
    builds_on=("abernethy2008competing",),
    growth=Growth(0.5, shows_at=10.0),
)
def private_scrible(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Algorithm 4 over SCRiBLe (Theorem 4.5), with noise on the value, not on every coordinate.

    The default is randomised response, which has the least proved bound for every epsilon.
    """
    found = noise_on_reports(setting, setting.bounds, noise)
    proposal = _propose(setting, PerRound(setting.bounds, found), found, 1, learning_rate)
    return decide(setting, proposal, when_vacuous)


@register_algorithm(
    name="batched-scrible",
    twin="scrible",
    title="leader inside a barrier, for linear functions, on noisy means of batches",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    builds_on=("abernethy2008competing", "agarwal2017price"),
    growth=Growth(0.5, shows_at=10.0),
)
def batched_scrible(
    setting: Setting[Functions],
    *,
    noise: Literal["laplace", "gaussian"] = "laplace",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "play",
) -> Instance:
    """Play a point for a whole batch, and add noise once to the sum of its losses (central model).

    The regret of batches of τ rounds grows with τ q; q = 1/4 + s² / τ² is the mean square of a
    noisy mean, and s² the variance of the noise in widths. It is least for τ = 2 s, and hardly more
    for τ = sqrt(8) s, which is 4 / ε for Laplace noise. That is the default, because means are
    rarely at an end of their range, as the 1/4 assumes.
    """
    if noise == "gaussian" and setting.delta == 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use laplace."
        )
    found = noise_named(noise).for_guarantee(
        sensitivity=1.0, epsilon=setting.epsilon, delta=setting.delta
    )
    usual = min(max(1, round(math.sqrt(8.0) * found.deviation(1))), setting.rounds // 2)
    size = check_batch(setting, usual if batch_size is None else batch_size)
    channel = Batch.over(size=size, bounds=setting.bounds, noise=found)
    return decide(setting, _propose(setting, channel, found, size, learning_rate), when_vacuous)


def _propose(
    setting: Setting[Functions],
    channel: Channel,
    noise: Noise | None,
    size: int,
    learning_rate: float | None,
) -> Proposal:
    """Return the learner on values, or on means of ``size`` of them; the noise is on their sum."""
    place = place_with(setting, Barrier)
    around, dimension, releases = cast(Barrier, place.set), place.flat, setting.rounds // size
    unit = make_range(0.0, float(size)) if isinstance(channel, Batch) else setting.bounds
    square = mean_square(noise, unit)
    largest, slack = _largest(noise, square, unit.width, releases)
    fastest = INSIDE / (4.0 * dimension * largest)
    usual = scrible_rate(
        complexity=around.complexity, dimension=dimension, releases=releases, square=square
    )
    rate = min(fastest, usual)
    if learning_rate is not None:
        rate = check_positive("learning_rate", learning_rate)
    bound = scrible_bound(
        complexity=around.complexity,
        dimension=dimension,
        releases=releases,
        square=square,
        learning_rate=rate,
    )
    left = setting.rounds - releases * size  # rounds of a last batch, which is never released
    proved = rate <= fastest
    parameters: Parameters = {"batch_size": size} if size > 1 else {}
    return Proposal(
        channel=channel,
        learner=Scrible.start(set=around, learning_rate=rate),
        parameters=parameters | {"learning_rate": rate},
        bound=size * (bound + slack) + left if proved else None,
        source=SOURCE if proved else TOO_FAST,
    )


def _largest(
    noise: Noise | None, square: float, width: float, releases: int
) -> tuple[float, float]:
    """Return the largest distance of releases from 1/2, and the regret if one exceeds it."""
    if noise is None or noise.is_bounded:
        return math.sqrt(square), 0.0
    return 0.5 + rarely_beyond(noise, 1.0 / releases**2) / width, 1.0


def rarely_beyond(noise: Noise, chance: float) -> float:
    """Return an L that the size of symmetric noise exceeds with at most this chance.

    The chance is at most 2 E exp(θ Z) exp(-θ L) for every tilt θ; the best one of a grid is taken.
    """
    tilts = np.geomspace(1e-3, 1e3, 600) / noise.deviation(1)
    return min(
        (math.log(2.0 / chance) + noise.log_moment(float(tilt), 1)) / float(tilt) for tilt in tilts
    )
