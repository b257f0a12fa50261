"""Error against the number of rounds, one line a counter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.plot import (
    LINES,
    CurveEnd,
    CurveStyle,
    distinct_styles,
    label_ends,
    new_figure,
    save,
    set_log_axes,
    set_title,
)
from discreet_papers.counters import COUNTERS, UNKNOWN_HORIZON, Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#666666"  # of the lower bound
BOUND = "any factorisation, at least"


def plot_counters(
    rows: Sequence[Comparison], path: Path | str, *, colors: Sequence[str] | None = None
) -> Path:
    """Draw the largest error of every counter with the lower bound, beside the mean error, and write it to a file."""
    figure = new_figure(10.0, 4.4)
    left, right = figure.subplots(1, 2)
    draw_counters(rows, (left, right), colors=colors)
    figure.supxlabel(
        "rounds (hollow markers: their number need not be known in advance)", fontsize=10
    )
    return save(figure, path)


def draw_counters(
    rows: Sequence[Comparison], axes: tuple[Axes, Axes], *, colors: Sequence[str] | None = None
) -> tuple[Axes, Axes]:
    """Draw the same into given axes: the largest error over time into the first, the mean error into the second."""
    rounds = sorted({row.rounds for row in rows})
    shapes = distinct_styles(len(COUNTERS), colors)
    ends: tuple[list[CurveEnd], list[CurveEnd]] = ([], [])
    widths = [
        3.2 - 0.3 * position for position in range(len(COUNTERS))
    ]  # a thin line does not hide the one below
    for name, look, width in zip(COUNTERS, shapes, widths, strict=True):
        mine = sorted((row for row in rows if row.counter == name), key=lambda row: row.rounds)
        values = ([row.computed.largest for row in mine], [row.computed.mean for row in mine])
        inside = "white" if name in UNKNOWN_HORIZON else look.color
        for panel, errors, found in zip(axes, values, ends, strict=True):
            panel.plot(
                rounds,
                errors,
                label=name,
                linewidth=width,
                markersize=2.5 + 1.8 * width,
                markerfacecolor=inside,
                **look.options(),
            )
            found.append(CurveEnd(name, rounds[-1], errors[-1], look))
    bounds = [next(row.lower_bound for row in rows if row.rounds == each) for each in rounds]
    bound = CurveStyle(GREY, LINES[2], "")
    axes[0].plot(rounds, bounds, label=BOUND, **bound.options())
    ends[0].append(CurveEnd(BOUND, rounds[-1], bounds[-1], bound))
    axes[0].set_ylabel("mean squared error\n(Gaussian noise, μ = 1, numbers that move by 1)")
    for panel, found, title in zip(
        axes, ends, ("Largest error over time", "Mean error over time"), strict=True
    ):
        set_log_axes(panel, rounds=rounds)
        label_ends(panel, found)
        set_title(panel, title)
    return axes
