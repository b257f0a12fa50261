"""LUCB: without privacy, with noise on every sample, and on batches."""

from __future__ import annotations

from discreet.algorithms.papers import LUCB, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.algorithms.search.reports import (
    GAP,
    GROWTH,
    PROVED,
    Reporting,
    Reports,
    batched_reports,
    instance_of,
    noisy_reports,
    open_reports,
)
from discreet.learners import Lucb
from discreet.problems import BestArm


@register_algorithm(
    name="lucb", title="LUCB: the leader and its nearest rival", problem=BestArm(), citation=LUCB
)
def lucb(setting: Setting[BestArm], *, typical_gap: float = GAP) -> Instance:
    """LUCB with intervals that hold at all times together."""
    return _lucb(setting, open_reports(setting, typical_gap), typical_gap)


@register_algorithm(
    name="local-lucb",
    twin="lucb",
    title="LUCB with noise on every sample",
    problem=BestArm(),
    citation=ZHENG,
    builds_on=(LUCB,),
)
def local_lucb(
    setting: Setting[BestArm], *, noise: Reporting = "response", typical_gap: float = GAP
) -> Instance:
    """LUCB on samples that are noised one by one, with intervals for the noise that is added."""
    return _lucb(setting, noisy_reports(setting, noise, typical_gap), typical_gap)


@register_algorithm(
    name="batched-lucb",
    twin="lucb",
    title="LUCB on noisy sums of batches",
    problem=BestArm(),
    citation=LUCB,
)
def batched_lucb(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    typical_gap: float = GAP,
) -> Instance:
    """LUCB on batches that grow, each with noise once."""
    return _lucb(setting, batched_reports(setting, batch_size, growth, typical_gap), typical_gap)


def _lucb(setting: Setting[BestArm], reports: Reports, gap: float) -> Instance:
    arms, error = setting.problem.arms, setting.problem.error
    learner = Lucb.start(arms=arms, error=error, rule=reports.rule, batches=reports.batches)
    return instance_of(learner, reports, PROVED, typical_gap=gap)
