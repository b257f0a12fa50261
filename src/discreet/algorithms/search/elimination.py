"""Successive elimination: without privacy, with noise on every sample, and on batches."""

from __future__ import annotations

from discreet.algorithms.papers import ELIMINATION, ZHENG
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
from discreet.learners import SuccessiveElimination
from discreet.problems import BestArm


@register_algorithm(
    name="successive-elimination",
    title="all arms in turn, the worse ones dropped",
    problem=BestArm(),
    citation=ELIMINATION,
)
def successive_elimination(setting: Setting[BestArm], *, typical_gap: float = GAP) -> Instance:
    """Successive elimination by the differences of arms that are pulled in turn."""
    return _elimination(setting, open_reports(setting, typical_gap), typical_gap)


@register_algorithm(
    name="local-successive-elimination",
    twin="successive-elimination",
    title="successive elimination with noise on every sample",
    problem=BestArm(),
    citation=ZHENG,
    builds_on=(ELIMINATION,),
)
def local_successive_elimination(
    setting: Setting[BestArm], *, noise: Reporting = "response", typical_gap: float = GAP
) -> Instance:
    """Successive elimination on samples that are noised one by one."""
    return _elimination(setting, noisy_reports(setting, noise, typical_gap), typical_gap)


@register_algorithm(
    name="batched-successive-elimination",
    twin="successive-elimination",
    title="successive elimination on noisy sums of batches",
    problem=BestArm(),
    citation=ELIMINATION,
)
def batched_successive_elimination(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    typical_gap: float = GAP,
) -> Instance:
    """Successive elimination in phases: in each, every arm that is left has one batch, with noise once."""
    return _elimination(
        setting, batched_reports(setting, batch_size, growth, typical_gap), typical_gap
    )


def _elimination(setting: Setting[BestArm], reports: Reports, gap: float) -> Instance:
    arms, error = setting.problem.arms, setting.problem.error
    learner = SuccessiveElimination.start(
        arms=arms, error=error, rule=reports.rule, batches=reports.batches
    )
    return instance_of(learner, reports, PROVED, typical_gap=gap)
