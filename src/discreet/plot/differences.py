"""Paired differences of regret with their intervals, one per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.plot.canvas import COLOURS, apply_layout, given_or_new, set_title, size_in_points
from discreet.plot.choosing import FigureChoice, is_narrow, sizes_for
from discreet.simulation import PairedDifferences

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CAP = 0.14  # half the height of the ends of an interval; rows are 1 apart


def draw_differences(
    found: PairedDifferences,
    ax: Axes | None = None,
    *,
    size: tuple[float, float] | None = None,
) -> Axes:
    """Draw every difference with its interval into given axes, or into new ones; return them."""
    lines = 0.42 if found.minus is None else 0.34  # the names of a pair take two lines
    usual = 6.4, 1.3 + lines * len(found.rows)
    axes = given_or_new(ax, FigureChoice(size=size).size or usual)
    sizes, narrow = sizes_for(axes), is_narrow(axes)
    axes.axvline(0.0, color="#000000", linewidth=0.8, linestyle=(0.0, (4.0, 2.0)))
    for place, row in enumerate(found.rows):
        if row["low"] is not None and row["high"] is not None:
            axes.plot([row["low"], row["high"]], [place, place], color=COLOURS[0], linewidth=1.4)
            for end in (row["low"], row["high"]):
                axes.plot([end, end], [place - CAP, place + CAP], color=COLOURS[0], linewidth=1.4)
        axes.plot([row["difference"]], [place], "s", color=COLOURS[0], markersize=sizes.marker)
    names = [
        row["label"] if found.minus is not None else f"{row['label']}\n- {row['minus']}"
        for row in found.rows
    ]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(labelsize=sizes.tick)
    axes.grid(alpha=0.3, axis="x")
    than = "" if found.minus is None else f" to {found.minus}"
    axes.set_xlabel(f"difference of regret{than}", fontsize=sizes.label)
    apply_layout(axes)
    axes.locator_params(axis="x", nbins=max(2, int(size_in_points(axes)[0] / (4.5 * sizes.tick))))
    if max(map(abs, axes.get_xlim())) >= 1000.0:
        axes.xaxis.set_major_formatter("{x:,.0f}")
    if not narrow:
        set_title(
            axes,
            f"Differences within {found.trials:,} trials; intervals: {found.level_words}",
            fontsize=sizes.title,
        )
    apply_layout(axes)
    return axes
