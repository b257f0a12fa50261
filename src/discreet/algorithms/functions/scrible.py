"""One value a round of linear functions: SCRiBLe without privacy, with noise on every value, and on means of batches."""

from __future__ import annotations

import math
from typing import Literal, cast

import numpy as np

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.functions.tuning import (
    Plan,
    WhenVacuous,
    instance,
    mean_square,
    noise_on_reports,
    place_with,
)
from discreet.algorithms.papers import AGARWAL_SINGH, SCRIBLE
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch, Open, PerPoint, PerRound
from discreet.contracts import Channel, Noise
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.learners import PointScrible, Scrible
from discreet.learners.functions.scrible import INSIDE, scrible_bound, scrible_rate
from discreet.mechanisms import Laplace, ReportNoiseName, noise_named
from discreet.problems import Functions
from discreet.ranges import make_range
from discreet.sets import Barrier

SOURCE = "a leader inside a barrier, for linear functions (see discreet.learners.functions.scrible)"
TOO_FAST = "no bound proved for so fast a learning rate"
LINEAR = Functions(form="linear")


@register_algorithm(
    name="scrible",
    title="leader inside a barrier, for linear functions",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation=SCRIBLE,
    growth=Growth(0.5),
    one_point=True,
)
def scrible(
    setting: Setting[Functions],
    *,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Abernethy, Hazan & Rakhlin 2008, with the rate of the least proved bound."""
    return instance(
        setting, _plan(setting, Open(setting.bounds), None, 1, learning_rate), when_vacuous
    )


@register_algorithm(
    name="private-scrible",
    twin="scrible",
    title="leader inside a barrier, for linear functions, with noise on every value",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation=AGARWAL_SINGH,
    builds_on=(SCRIBLE,),
    growth=Growth(0.5, shows_at=10.0),
)
def private_scrible(
    setting: Setting[Functions],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Algorithm 4 over SCRiBLe (Theorem 4.5); tight: noise on the value alone instead of on every coordinate.

    By default values are answered by randomised response, which has the least proved bound for
    every epsilon. The paper's noise, on every coordinate, is calibrated to the largest 1-norm of a
    loss vector, and not to that of a difference of two: with ``calibration=paper`` the guarantee is
    2 ε.
    """
    if calibration == "paper":
        return instance(setting, _paper(setting, noise, learning_rate), when_vacuous)
    found = noise_on_reports(setting, setting.bounds, noise, "tight")
    plan = _plan(setting, PerRound(setting.bounds, found), found, 1, learning_rate)
    return instance(setting, plan, when_vacuous)


@register_algorithm(
    name="batched-scrible",
    twin="scrible",
    title="leader inside a barrier, for linear functions, on noisy means of batches",
    problem=LINEAR,
    fixed=("evaluations", "form"),
    citation=SCRIBLE,
    builds_on=(AGARWAL_SINGH,),
    growth=Growth(0.5, shows_at=10.0),
)
def batched_scrible(
    setting: Setting[Functions],
    *,
    noise: Literal["laplace", "gaussian"] = "laplace",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    when_vacuous: WhenVacuous = "centre",
) -> Instance:
    """Ours: a point is played for a whole batch, and noise is added once to the sum of its losses (central model).

    The regret of batches of τ rounds grows with τ q; q = 1/4 + s² / τ² is the mean square of a
    noisy mean, and s² the variance of the noise in widths. That is least for τ = 2 s, and hardly
    more for τ = sqrt(8) s, which is 4 / ε for Laplace noise: it is taken, since means are seldom at
    an end of their range, as the 1/4 supposes.
    """
    if noise == "gaussian" and setting.delta == 0.0:
        raise DiscreetError(
            "noise is gaussian, but delta is 0: give a delta above 0, or use laplace."
        )
    found = noise_named(noise).for_guarantee(
        sensitivity=1.0, epsilon=setting.epsilon, delta=setting.delta
    )
    usual = min(max(1, round(math.sqrt(8.0) * found.deviation(1))), setting.rounds // 2)
    size = usual if batch_size is None else check_int("batch_size", batch_size, least=1)
    if setting.rounds < 2 * size:
        raise DiscreetError(
            f"rounds is {setting.rounds}, but two batches of {size} rounds need at least "
            f"{2 * size}."
        )
    channel = Batch.over(size=size, bounds=setting.bounds, noise=found)
    return instance(setting, _plan(setting, channel, found, size, learning_rate), when_vacuous)


def _paper(
    setting: Setting[Functions], noise: ReportNoiseName | None, learning_rate: float | None
) -> Plan:
    """Return Theorem 4.5 as printed: λ = |Y|₁ / ε, and η for M² + λ² N |X|²; what is released is ⟨ℓ + Z, x⟩."""
    if noise not in (None, "laplace"):
        raise DiscreetError(
            f"calibration is paper, which has laplace noise, but noise is {noise}: leave it out."
        )
    place, rounds, slope = place_with(setting, Barrier), setting.rounds, setting.problem.lipschitz
    if np.any(place.set.centre() != 0.0):
        raise DiscreetError(
            "calibration is paper, which is for sets around 0, but the set is "
            f"{setting.problem.domain}."
        )
    around, dimension = cast(Barrier, place.set), place.dimension
    size = slope * math.sqrt(
        dimension
    )  # |Y|₁ in widths of the range: loss vectors of length G at most
    scale, largest = size / setting.epsilon, min(0.5, slope * place.outer)
    square = largest**2 + scale**2 * dimension * place.outer**2
    printed = math.sqrt(
        around.complexity * math.log(rounds) / (2.0 * dimension**2 * rounds * square)
    )
    rate = printed if learning_rate is None else check_positive("learning_rate", learning_rate)
    return Plan(
        channel=PerPoint(setting.bounds, size, Laplace(scale)),
        learner=PointScrible.start(set=around, learning_rate=rate),
        parameters={"learning_rate": rate},
        bound=None,
        source="no bound stated: what the paper's has before its logarithms is not printed",
    )


def _plan(
    setting: Setting[Functions],
    channel: Channel,
    noise: Noise | None,
    size: int,
    learning_rate: float | None,
) -> Plan:
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
    rate = (
        min(fastest, usual)
        if learning_rate is None
        else check_positive("learning_rate", learning_rate)
    )
    bound = scrible_bound(
        complexity=around.complexity,
        dimension=dimension,
        releases=releases,
        square=square,
        learning_rate=rate,
    )
    left = setting.rounds - releases * size  # rounds of a last batch, which nothing is known of
    proved = rate <= fastest
    parameters: dict[str, float | int | str] = {"batch_size": size} if size > 1 else {}
    return Plan(
        channel=channel,
        learner=Scrible.start(set=around, learning_rate=rate),
        parameters=parameters | {"learning_rate": rate},
        bound=size * (bound + slack) + left if proved else None,
        source=SOURCE if proved else TOO_FAST,
    )


def _largest(
    noise: Noise | None, square: float, width: float, releases: int
) -> tuple[float, float]:
    """Return how far releases are from 1/2 at most, but for an event that costs regret of at most the second number."""
    if noise is None or noise.is_bounded:
        return math.sqrt(square), 0.0
    return 0.5 + rarely_beyond(noise, 1.0 / releases**2) / width, 1.0


def rarely_beyond(noise: Noise, chance: float) -> float:
    """Return a number that the size of symmetric noise exceeds with at most this chance: 2 E exp(θ Z) exp(-θ L)."""
    tilts = np.geomspace(1e-3, 1e3, 600) / noise.deviation(1)
    return min(
        (math.log(2.0 / chance) + noise.log_moment(float(tilt), 1)) / float(tilt) for tilt in tilts
    )
