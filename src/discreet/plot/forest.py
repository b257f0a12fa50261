"""A forest plot: the means of all arms and their differences, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.estimates import MeanEstimate, MeanEstimates
from discreet.plot.canvas import COLOURS, new_axes, new_figure, save, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = {"rewards": "mean reward", "losses": "mean loss"}
ROW = 0.34  # inches
LONGEST = 32  # letters of a label
CAP = 0.14  # half the height of the ends of an interval; rows are 1 apart


def plot_estimates(estimates: MeanEstimates, path: Path | str) -> Path:
    """Draw the means, and below them the differences, into a file."""
    arms, pairs = len(estimates.arms), estimates.differences()
    figure = new_figure(7.2, 1.9 + ROW * (arms + len(pairs)))
    if not pairs:
        draw_estimates(estimates, figure.subplots())
        return save(figure, path)
    above, below = figure.subplots(2, 1, height_ratios=[arms, len(pairs)])
    draw_estimates(estimates, above)
    rows = [(f"{_short(one)} - {_short(other)}", found) for (one, other), found in pairs.items()]
    _draw_rows(below, rows, COLOURS[1])
    below.axvline(0.0, color="#000000", linewidth=0.8, linestyle=(0.0, (4.0, 2.0)))
    below.set_xlabel(f"difference of {WORDS[estimates.outcomes]}")
    return save(figure, path)


def draw_estimates(estimates: MeanEstimates, ax: Axes | None = None) -> Axes:
    """Draw the mean of every arm with its interval into given axes, or into new ones."""
    axes = new_axes() if ax is None else ax
    _draw_rows(axes, [(_short(arm), found) for arm, found in estimates.arms.items()], COLOURS[0])
    axes.set_xlabel(WORDS[estimates.outcomes])
    set_title(axes, estimates.title)
    return axes


def _draw_rows(axes: Axes, rows: list[tuple[str, MeanEstimate]], colour: str) -> None:
    for row, (_, found) in enumerate(rows):
        axes.plot([found.low, found.high], [row, row], color=colour, linewidth=1.8)
        for end in (found.low, found.high):
            axes.plot([end, end], [row - CAP, row + CAP], color=colour, linewidth=1.8)
        axes.plot([found.mean], [row], "s", color=colour, markersize=5.5)
        words = f"{found.mean:.3g} ({found.low:.3g} to {found.high:.3g})"
        axes.annotate(
            words,
            (1.02, row),
            xycoords=("axes fraction", "data"),
            verticalalignment="center",
            fontsize=8.5,
            annotation_clip=False,
        )
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(alpha=0.3, axis="x")


def _short(label: object) -> str:
    text = str(label)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
