"""Mean samples over the gap, and over epsilon."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.plot.canvas import set_heading
from discreet.plot.ticks import logarithmic
from discreet.simulation.statistics import Interval
from discreet_papers.reproduce.drawing import draw_means, legend_below, panels
from discreet_papers.reproduce.files import Row, number
from discreet_papers.reproduce.zheng_theorem_12.analysis import NAME, Samples
from discreet_papers.reproduce.zheng_theorem_12.sweep import (
    ARMS,
    EPSILON,
    EPSILONS,
    ERROR,
    GAP,
    GAPS,
    OVER_EPSILONS,
    OVER_GAPS,
    ROLES,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Samples) -> Mapping[str, Figure]:
    """Draw one line a search in each of two panels; a search that was cut off has no mean, and no point."""
    figure, (left, right) = panels(1, 2, (9.6, 5.2), dpi=130, sharey=True)
    for panel, part, over, values in (
        (left, OVER_GAPS, "gap", GAPS),
        (right, OVER_EPSILONS, "epsilon", EPSILONS),
    ):
        for index, role in enumerate(ROLES):
            mine = [
                row
                for row in found.rows
                if (row["part"], row["search"]) == (part, role) and row["samples_mean"]
            ]
            if mine:
                draw_means(
                    panel,
                    [number(row, over) for row in mine],
                    [_interval(row) for row in mine],
                    index,
                    _once(panel is left, role),
                )
        logarithmic(panel, rounds=values)
    left.set_ylabel("mean samples, 95 % bars")
    left.set_xlabel(f"gap, as a fraction of the range (ε = {EPSILON:g})")
    right.set_xlabel(f"ε: less of it is more privacy (gap {GAP:g})")
    legend_below(figure, columns=2)
    set_heading(
        figure,
        f"Private search for the best of {ARMS} arms, wrong with at most {ERROR:g}: "
        f"{found.trials} trials",
    )
    return {NAME: figure}


def _interval(row: Row) -> Interval:
    low, high = (
        math.nan if row[key] is None else number(row, key)
        for key in ("samples_low", "samples_high")
    )
    return Interval(number(row, "samples_mean"), low, high)


def _once(first: bool, role: str) -> str | None:
    return role if first else None
