"""Which attacks audit the channels of the papers' calibrations."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from discreet.auditing import (
    EveryReport,
    GameFacts,
    OneEstimate,
    attack_estimates,
    attack_on,
    attack_releases,
)
from discreet.contracts import Protected, Record
from discreet_papers.calibrations.estimates import PaperEstimates
from discreet_papers.calibrations.generalised import ThreeReports
from discreet_papers.calibrations.per_point import PerPoint

attack_on(PerPoint)(attack_releases)


@attack_on(PaperEstimates)
def attack_paper_estimates(private: Protected, facts: GameFacts) -> OneEstimate:
    """Return the attack on estimates, for noise that is Laplace in every batch."""
    return attack_estimates(private, facts)._replace(always_laplace=True)


@attack_on(ThreeReports)
def attack_three_reports(private: Protected, facts: GameFacts) -> EveryReport:
    """Return the attack with two contexts at either side of the model, and opposite errors.

    At a cosine of 1/3 they move all three parts together by nearly the maximum, if x x' moves on
    its diagonal.
    """
    channel = cast(ThreeReports, private.channel)
    model, middle = np.zeros(channel.dimension), np.zeros(channel.dimension)
    model[0] = 1.0
    if channel.dimension > 1:
        model[:2], middle[:2] = (math.sqrt(0.5), -math.sqrt(0.5)), math.sqrt(0.5)
    one, other = (
        sign * math.sqrt(1.0 / 3.0) * model + math.sqrt(2.0 / 3.0) * middle for sign in (1.0, -1.0)
    )
    low, high = channel.bounds
    records = (Record(channel.norm * one, high), Record(channel.norm * other, low))
    vectors = []
    for record in records:
        vectors.append(np.zeros(channel.release_size()))
        channel.statistic(record, model, vectors[-1])
    ones = np.ones(channel.release_size())
    channel.finish(ones)
    return EveryReport(records, model, vectors[0], vectors[1], 1.0 / ones)
