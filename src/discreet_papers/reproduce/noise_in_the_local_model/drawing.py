"""Reports needed over epsilon, and over dimensions: lines are computed, points measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.plot import set_heading, set_log_axes
from discreet_papers.reproduce.drawing import legend_below, panels, style
from discreet_papers.reproduce.files import number
from discreet_papers.reproduce.noise_in_the_local_model.analysis import ERROR, NAME, ReportsNeeded
from discreet_papers.reproduce.noise_in_the_local_model.sweep import (
    DIMENSION,
    DIMENSIONS,
    EPSILON,
    EPSILONS,
    KINDS,
    OVER_DIMENSIONS,
    OVER_EPSILONS,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: ReportsNeeded) -> Mapping[str, Figure]:
    """Draw one line a kind of noise in each of two panels."""
    figure, (left, right) = panels(1, 2, (9.6, 5.2), dpi=130)
    for panel, part, over, values in (
        (left, OVER_EPSILONS, "epsilon", EPSILONS),
        (right, OVER_DIMENSIONS, "dimension", DIMENSIONS),
    ):
        for index, kind in enumerate(KINDS):
            mine = [row for row in found.rows if (row["part"], row["noise"]) == (part, kind)]
            look = style(index)
            marker = look.pop("marker")
            places = [number(row, over) for row in mine]
            panel.plot(places, [row["reports"] for row in mine], linewidth=1.6, **look)
            panel.plot(
                places,
                [row["measured_mean"] for row in mine],
                marker=marker,
                linestyle="",
                color=look["color"],
            )
            panel.plot(
                [], [], label=kind if panel is left else None, marker=marker, linewidth=1.6, **look
            )
        set_log_axes(panel, rounds=values)
    left.set_ylabel(f"reports for an error of {ERROR:g}")
    left.set_xlabel(f"ε: less of it is more privacy (D = {DIMENSION})")
    right.set_xlabel(f"dimensions D of the report (ε = {EPSILON:g})")
    legend_below(figure, columns=3)
    set_heading(
        figure, f"Noise on devices: lines are computed, points measured in {found.trials} trials"
    )
    return {NAME: figure}
