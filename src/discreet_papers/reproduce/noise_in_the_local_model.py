"""How many reports a server needs for equal error, by the noise that devices add.

Devices report one unit vector many times, and a server takes the mean. Each kind of noise is
computed and measured over six epsilons in 10 dimensions, and over seven dimensions at epsilon 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

import numpy as np

from componentjit import compile_for
from discreet.components import Component
from discreet.contracts import Floats, Generator, Noise
from discreet.mechanisms import (
    Cap,
    Gaussian,
    Hemisphere,
    Laplace,
    RandomisedResponse,
    SphericalLaplace,
)
from discreet.plot import set_heading, set_log_axes
from discreet.ranges import Range
from discreet.simulation import mean_interval
from discreet_papers.reproduce.drawing import add_legend_below, make_panels, style_of
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    SweepPlan,
    read_number,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "noise-in-the-local-model"
OVER_EPSILONS, OVER_DIMENSIONS = "reports over epsilon", "reports over dimensions"
EPSILONS, DIMENSIONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), (1, 3, 10, 30, 65, 200, 640)
EPSILON, DIMENSION, DELTA = 1.0, 10, 1e-5  # of the other part, and of Gaussian noise
DIAMETER = 2.0  # of the unit ball
ERROR = 0.1  # root mean square, for a vector of length 1

CAP, HEMISPHERE = "cap", "hemisphere"
RESPONSE = "response, of a random coordinate"
LAPLACE, SPHERICAL = "Laplace, on coordinates", "Laplace, spherical"
GAUSSIAN = f"Gaussian, δ = {DELTA:g}"
KINDS = (GAUSSIAN, LAPLACE, SPHERICAL, RESPONSE, HEMISPHERE, CAP)


# Sweep


class ReportSeries(NamedTuple):
    """Several reports of one unit vector with one kind of noise."""

    part: str
    kind: str
    epsilon: float
    dimension: int
    rounds: int  # the number of reports; the server takes their mean


def sweep(rounds: int) -> tuple[ReportSeries, ...]:
    """Return all kinds at every epsilon and in every dimension, with ``rounds`` reports each."""
    over_epsilons = (
        ReportSeries(OVER_EPSILONS, kind, e, DIMENSION, rounds) for kind in KINDS for e in EPSILONS
    )
    over_dimensions = (
        ReportSeries(OVER_DIMENSIONS, kind, EPSILON, n, rounds)
        for kind in KINDS
        for n in DIMENSIONS
    )
    return (*over_epsilons, *over_dimensions)


# Noise, and the exact error of one report


class OneCoordinate(Component):
    """Randomised response of one coordinate, chosen at random; the report is D times the answer.

    Everything but the answer is independent of the vector, so the report is as private as the
    response. Its mean is the vector.
    """

    response: RandomisedResponse

    @classmethod
    def calibrate(cls, epsilon: float) -> Self:
        """Return the response for coordinates from -1 to 1."""
        return cls(RandomisedResponse.calibrate(bounds=Range(-1.0, 1.0), epsilon=epsilon))

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Replace a vector by a report of it."""
        chosen = min(int(rng.random() * vector.size), vector.size - 1)
        answer = self.response.add_noise(vector[chosen], rng)
        for i in range(vector.size):
            vector[i] = answer * vector.size if i == chosen else 0.0


def make_noise(series: ReportSeries) -> Noise | OneCoordinate:
    """Return the noise that makes one report of a vector in the unit ball private."""
    size, epsilon = series.dimension, series.epsilon
    # in one dimension, caps are hemispheres
    kind = HEMISPHERE if series.kind == CAP and size == 1 else series.kind
    if kind == RESPONSE:
        return OneCoordinate.calibrate(epsilon)
    if kind == HEMISPHERE:
        return Hemisphere.calibrate(dimension=size, epsilon=epsilon)
    if kind == CAP:
        return Cap.calibrate(dimension=size, epsilon=epsilon)
    if kind == LAPLACE:
        widest = DIAMETER * math.sqrt(size)  # in the 1-norm
        return Laplace.calibrate(sensitivity=widest, epsilon=epsilon)
    if kind == SPHERICAL:
        return SphericalLaplace.calibrate(sensitivity=DIAMETER, epsilon=epsilon)
    assert kind == GAUSSIAN
    return Gaussian.calibrate(sensitivity=DIAMETER, epsilon=epsilon, delta=DELTA)


def squared_error(series: ReportSeries) -> float:
    """Return the mean squared distance of one report from its unit vector.

    It is r² - 1 for reports of fixed length r with mean v, |v| = 1. It is D times the variance of a
    coordinate for added noise.

    >>> round(squared_error(ReportSeries("", HEMISPHERE, 1.0, 10, 1)), 3)  # 8.365047² - 1
    68.974
    >>> round(squared_error(ReportSeries("", LAPLACE, 1.0, 10, 1)), 6)  # 8 D² / ε²
    800.0
    """
    noise, size = make_noise(series), series.dimension
    if isinstance(noise, OneCoordinate):
        return (size * noise.response.scale) ** 2 - 1.0
    square = size * noise.deviation(size) ** 2
    return square - 1.0 if noise.is_bounded else square


# Play: devices report, and a server takes the mean


@dataclass(frozen=True, kw_only=True)
class ReportedSeries:
    """Reports, and the squared distance of their mean from the vector, one number per trial."""

    reports: ReportSeries
    squared: Floats


def play(sweep: Sequence[ReportSeries], plan: SweepPlan) -> list[ReportedSeries]:
    """Let devices report, part after part."""
    found = []
    for part in dict.fromkeys(each.part for each in sweep):
        mine, progress = [each for each in sweep if each.part == part], plan.step(part)
        for done, each in enumerate(mine, 1):
            found.append(report_series(each, plan))
            if progress is not None:
                progress(done, len(mine))
    return found


def report_series(series: ReportSeries, plan: SweepPlan) -> ReportedSeries:
    """Measure the error of all trials; each trial has its own unit vector."""
    noise, size = make_noise(series), series.dimension
    compiled = compile_for(add_reports, noise)
    squared = np.empty(plan.trials)
    for trial in range(plan.trials):
        rng = np.random.default_rng([plan.seed, trial, size, round(1000.0 * series.epsilon)])
        vector = rng.standard_normal(size)
        vector /= np.linalg.norm(vector)
        total = np.zeros(size)
        compiled(noise, vector, series.rounds, rng, np.zeros(size), total)
        squared[trial] = float(((total / series.rounds - vector) ** 2).sum())
    return ReportedSeries(reports=series, squared=squared)


def add_reports(
    noise: Noise | OneCoordinate,
    vector: Floats,
    count: int,
    rng: Generator,
    work: Floats,
    total: Floats,
) -> None:
    """Add ``count`` reports of a vector to a total."""
    for _ in range(count):
        for i in range(vector.size):
            work[i] = vector[i]
        noise.perturb(work, rng)
        for i in range(vector.size):
            total[i] += work[i]


# Analysis: how many reports bring the error of the mean to 0.1, computed and measured


class NeededRow(TypedDict):
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

    rows: Sequence[NeededRow]


def analyse(played: Sequence[ReportedSeries]) -> ReportsNeeded:
    """Return how many reports are needed, by formula and as measured."""
    rows = [_needed_row(each) for each in played]
    return ReportsNeeded(
        tables={NAME: rows}, text=describe(rows), rows=rows, trials=int(played[0].squared.size)
    )


def _needed_row(each: ReportedSeries) -> NeededRow:
    """Return one row; the squared error of n reports is that of one, divided by n."""
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


def describe(rows: Sequence[NeededRow]) -> str:
    """Return the reports at the usual epsilon and dimension, ratios, and how measurements agree."""
    here = {
        row["noise"]: row
        for row in rows
        if (row["part"], row["epsilon"]) == (OVER_EPSILONS, EPSILON)
    }
    lines = [
        f"Reports of a unit vector until their mean is within {ERROR:g} of it (root mean square), "
        f"D = {DIMENSION}, ε = {EPSILON:g}, by formula (measured):",
        *(
            f"  {kind:<34}{here[kind]['reports']:>9,.0f}  ({here[kind]['measured_mean']:,.0f})"
            for kind in KINDS
        ),
        f"Gaussian noise needs {_format_ratios(rows, OVER_EPSILONS, GAUSSIAN)} times the reports "
        f"of a cap for ε from {EPSILONS[0]:g} to {EPSILONS[-1]:g}, and "
        f"{_format_ratios(rows, OVER_DIMENSIONS, GAUSSIAN)} times for D from {DIMENSIONS[0]} to "
        f"{DIMENSIONS[-1]};",
        "a hemisphere, which can be drawn exactly, needs "
        f"{_format_ratios(rows, OVER_EPSILONS, HEMISPHERE)} times for those ε, and "
        f"{_format_ratios(rows, OVER_DIMENSIONS, HEMISPHERE)} times for those D.",
    ]
    judged = [row for row in rows if not math.isnan(row["measured_low"])]
    inside = sum(row["measured_low"] <= row["reports"] <= row["measured_high"] for row in judged)
    return "\n".join(
        [*lines, f"{inside} of {len(judged)} measured 95 % intervals contain the formula's number."]
    )


def _format_ratios(rows: Sequence[NeededRow], part: str, kind: str) -> str:
    """Return the smallest and the largest ratio to the reports of a cap."""
    mine = [row for row in rows if row["part"] == part]
    smallest = [row["reports"] for row in mine if row["noise"] == CAP]
    found = [
        row["reports"] / best
        for row, best in zip([r for r in mine if r["noise"] == kind], smallest, strict=True)
    ]
    return f"{min(found):.3g} to {max(found):.3g}"


# Drawing


def draw(found: ReportsNeeded) -> Mapping[str, Figure]:
    """Draw one line per kind of noise, over epsilon and over dimensions; points are measured."""
    figure, (left, right) = make_panels(1, 2, (9.6, 5.2), dpi=130)
    for panel, part, over, values in (
        (left, OVER_EPSILONS, "epsilon", EPSILONS),
        (right, OVER_DIMENSIONS, "dimension", DIMENSIONS),
    ):
        for index, kind in enumerate(KINDS):
            mine = [row for row in found.rows if (row["part"], row["noise"]) == (part, kind)]
            style = style_of(index)
            marker, colour = style.pop("marker"), style["color"]
            places = [read_number(row, over) for row in mine]
            measured = [row["measured_mean"] for row in mine]
            label = kind if panel is left else None
            panel.plot(places, [row["reports"] for row in mine], linewidth=1.6, **style)
            panel.plot(places, measured, marker=marker, linestyle="", color=colour)
            panel.plot([], [], label=label, marker=marker, linewidth=1.6, **style)
        set_log_axes(panel, rounds=values)
    left.set_ylabel(f"reports for an error of {ERROR:g}")
    left.set_xlabel(f"ε, smaller is more private (D = {DIMENSION})")
    right.set_xlabel(f"dimensions D of the report (ε = {EPSILON:g})")
    add_legend_below(figure, columns=3)
    set_heading(
        figure, f"Noise on devices: lines are computed, points measured in {found.trials} trials"
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="reports of devices needed for equal error, by their noise, over epsilon and "
        "dimensions",
        trials=64,
        rounds=1_000,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
