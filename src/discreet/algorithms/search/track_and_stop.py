"""Track-and-Stop: without privacy, with noise on every sample, and on batches."""

from __future__ import annotations

import math

from discreet.algorithms.papers import TRACK_AND_STOP, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.algorithms.search.reports import (
    GAP,
    GROWTH,
    PROVED,
    VARIANCE,
    Reporting,
    Reports,
    batched_reports,
    instance_of,
    noisy_reports,
    open_reports,
)
from discreet.errors import DiscreetError
from discreet.learners import TrackAndStop
from discreet.problems import BestArm

# Times the square root of the rounds, for numbers from 0 to 1; with noise, as much more as it takes
# to see the same. With
# 1, as printed, the best arm is starved now and then.
EXPLORATION = 2.0


@register_algorithm(
    name="track-and-stop",
    title="arms in optimal proportions",
    problem=BestArm(),
    citation=TRACK_AND_STOP,
)
def track_and_stop(
    setting: Setting[BestArm], *, errors: tuple[float, ...] = (), typical_gap: float = GAP
) -> Instance:
    """Track-and-Stop; ``errors`` are smaller ones, for which the same run tells when it would have stopped."""
    return _track_and_stop(setting, open_reports(setting, typical_gap), errors, typical_gap)


@register_algorithm(
    name="local-track-and-stop",
    twin="track-and-stop",
    title="Track-and-Stop with noise on every sample",
    problem=BestArm(),
    citation=ZHENG,
    builds_on=(TRACK_AND_STOP,),
)
def local_track_and_stop(
    setting: Setting[BestArm],
    *,
    noise: Reporting = "response",
    errors: tuple[float, ...] = (),
    typical_gap: float = GAP,
) -> Instance:
    """Track-and-Stop on samples that are noised one by one."""
    return _track_and_stop(setting, noisy_reports(setting, noise, typical_gap), errors, typical_gap)


@register_algorithm(
    name="batched-track-and-stop",
    twin="track-and-stop",
    title="Track-and-Stop on noisy sums of batches",
    problem=BestArm(),
    citation=TRACK_AND_STOP,
)
def batched_track_and_stop(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    errors: tuple[float, ...] = (),
    typical_gap: float = GAP,
) -> Instance:
    """Track-and-Stop on batches that grow, each with noise once."""
    return _track_and_stop(
        setting, batched_reports(setting, batch_size, growth, typical_gap), errors, typical_gap
    )


def _track_and_stop(
    setting: Setting[BestArm], reports: Reports, errors: tuple[float, ...], gap: float
) -> Instance:
    arms, error = setting.problem.arms, setting.problem.error
    if errors and max(errors) >= error:
        raise DiscreetError(
            f"errors is {errors!r} and error is {error:g}, but errors are for smaller ones."
        )
    variance = reports.variance + reports.noise_variance / max(reports.batches.first, 1)
    learner = TrackAndStop.start(
        arms=arms,
        errors=(error, *errors),
        rule=reports.rule,
        exploration=EXPLORATION * math.sqrt(variance / VARIANCE),
        batches=reports.batches,
    )
    return instance_of(learner, reports, PROVED, exploration=learner.exploration, typical_gap=gap)
