"""How many reports it takes to know the mean of all vectors to within a distance of 0.1: computed, and measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from discreet.simulation.statistics import mean_interval
from discreet_papers.reproduce.noise_in_the_local_model.noises import squared_error
from discreet_papers.reproduce.noise_in_the_local_model.reporting import Reported
from discreet_papers.reproduce.noise_in_the_local_model.sweep import (
    CAP,
    DIMENSION,
    DIMENSIONS,
    EPSILON,
    EPSILONS,
    GAUSSIAN,
    HEMISPHERE,
    KINDS,
    OVER_DIMENSIONS,
    OVER_EPSILONS,
)
from discreet_papers.reproduce.registry import Findings

NAME = "noise-in-the-local-model"
ERROR = 0.1  # root mean square, of a vector of length 1


class Needed(TypedDict):
    """How many reports one kind of noise needs."""

    part: str
    noise: str
    epsilon: float
    dimension: int
    reports: float
    measured_mean: float
    measured_low: float
    measured_high: float


@dataclass(frozen=True, kw_only=True)
class ReportsNeeded(Findings):
    """A row for each kind of noise, epsilon and dimension."""

    rows: Sequence[Needed]


def analyse(played: Sequence[Reported]) -> ReportsNeeded:
    """Return how many reports are needed, by formula and as measured."""
    rows = [_row(each) for each in played]
    return ReportsNeeded(
        tables={NAME: rows}, text=text(rows), rows=rows, trials=int(played[0].squared.size)
    )


def _row(each: Reported) -> Needed:
    """Return one row: n reports have the squared error of one, divided by n."""
    reports = each.reports
    measured = mean_interval(each.squared * (reports.rounds / ERROR**2))
    return {
        "part": reports.part,
        "noise": reports.kind,
        "epsilon": reports.epsilon,
        "dimension": reports.dimension,
        "reports": squared_error(reports) / ERROR**2,
        "measured_mean": measured.value,
        "measured_low": measured.low,
        "measured_high": measured.high,
    }


def text(rows: Sequence[Needed]) -> str:
    """Return the reports at the usual epsilon and dimension, ratios, and how well measurements agree."""
    here = {
        row["noise"]: row
        for row in rows
        if (row["part"], row["epsilon"]) == (OVER_EPSILONS, EPSILON)
    }
    lines = [
        f"Reports of a unit vector until their mean is within {ERROR:g} of it (root mean "
        f"square), D = {DIMENSION}, ε = {EPSILON:g}, by formula (measured):",
        *(
            f"  {kind:<34}{here[kind]['reports']:>9,.0f}  ({here[kind]['measured_mean']:,.0f})"
            for kind in KINDS
        ),
        f"Gaussian noise needs {_ratios(rows, OVER_EPSILONS, GAUSSIAN)} times the reports of a "
        f"cap for ε from {EPSILONS[0]:g} to {EPSILONS[-1]:g}, and "
        f"{_ratios(rows, OVER_DIMENSIONS, GAUSSIAN)} times for D from {DIMENSIONS[0]} to "
        f"{DIMENSIONS[-1]};",
        "a hemisphere, which can be drawn exactly, needs "
        f"{_ratios(rows, OVER_EPSILONS, HEMISPHERE)} times for those ε, and "
        f"{_ratios(rows, OVER_DIMENSIONS, HEMISPHERE)} times for those D.",
    ]
    judged = [row for row in rows if not math.isnan(row["measured_low"])]
    inside = sum(row["measured_low"] <= row["reports"] <= row["measured_high"] for row in judged)
    return "\n".join(
        [*lines, f"{inside} of {len(judged)} measured 95 % intervals contain the formula's number."]
    )


def _ratios(rows: Sequence[Needed], part: str, kind: str) -> str:
    """Return the least and the largest ratio to the reports of a cap."""
    mine = [row for row in rows if row["part"] == part]
    least = [row["reports"] for row in mine if row["noise"] == CAP]
    found = [
        row["reports"] / best
        for row, best in zip([r for r in mine if r["noise"] == kind], least, strict=True)
    ]
    return f"{min(found):.3g} to {max(found):.3g}"
