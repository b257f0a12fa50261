"""A forest plot: the means of all arms, and their differences, with intervals."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.estimates import MeanEstimate, MeanEstimates
from discreet.estimates.text import numbered, shortened
from discreet.plot.canvas import COLOURS, given_or_new, new_figure, save, set_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WORDS = {"rewards": "mean reward", "losses": "mean loss"}
ROW = 0.34  # inches
LONGEST, IN_PAIRS = 32, 16  # letters of a line of a label, and of each of two labels
LETTER = 0.072  # inches
MOST_ROWS = 66  # maximum number of arms, and of differences, in a readable picture
CAP = 0.14  # half the height of the ends of an interval; rows are 1 apart


def plot_estimates(estimates: MeanEstimates, path: Path | str) -> Path:
    """Draw the means, and below them the differences, into a file."""
    pairs = _pairs(estimates)
    arms = min(len(estimates.arms), MOST_ROWS)
    names = [*_arms(estimates), *pairs]
    letters = [len(line) for name, _ in names for line in name.split("\n")]
    width = 5.4 + LETTER * max(12, *letters)
    figure = new_figure(width, 1.9 + ROW * (arms + len(pairs)))
    if not pairs:
        draw_estimates(estimates, figure.subplots())
        return save(figure, path)
    above, below = figure.subplots(2, 1, height_ratios=[arms, len(pairs)])
    draw_estimates(estimates, above)
    _draw_rows(below, pairs, COLOURS[1])
    below.axvline(0.0, color="#000000", linewidth=0.8, linestyle=(0.0, (4.0, 2.0)))
    words = f"difference of {WORDS[estimates.outcomes]}"
    below.set_xlabel(words + _left_out(len(estimates.differences()), "differences"))
    return save(figure, path)


def draw_estimates(estimates: MeanEstimates, ax: Axes | None = None) -> Axes:
    """Draw the mean of every arm with its interval into given axes, or into new ones.

    If there are very many arms, only the best and the control are drawn.
    """
    axes = given_or_new(ax, file="plot_estimates writes a file")
    _draw_rows(axes, _arms(estimates), COLOURS[0])
    axes.set_xlabel(WORDS[estimates.outcomes] + _left_out(len(estimates.arms), "arms"))
    set_title(axes, estimates.title)
    return axes


def _arms(estimates: MeanEstimates) -> list[tuple[str, MeanEstimate]]:
    """Return the arms to draw, in their order."""
    sign = -1.0 if estimates.outcomes == "rewards" else 1.0
    best = sorted(
        estimates.arms,
        key=lambda arm: (
            arm != estimates.control,
            estimates.arms[arm].releases == 0,
            sign * estimates.arms[arm].mean,
        ),
    )
    shown = set(best[:MOST_ROWS])
    return [
        (name, found)
        for (arm, found), name in zip(estimates.arms.items(), _names(estimates), strict=True)
        if arm in shown
    ]


def _names(estimates: MeanEstimates) -> list[str]:
    """Return the names of all arms; long ones are wrapped and numbered, for the differences."""
    names = [shortened(arm, 2 * LONGEST) for arm in estimates.arms]
    if _are_long(estimates):
        names = [f"[{place}] {name}" for place, name in enumerate(names, 1)]
    return ["\n".join(textwrap.wrap(name, LONGEST + 6)) for name in names]


def _are_long(estimates: MeanEstimates) -> bool:
    return any(len(str(arm)) > IN_PAIRS for arm in estimates.arms)


def _pairs(estimates: MeanEstimates) -> list[tuple[str, MeanEstimate]]:
    """Return the differences to draw: only the best, if there are very many."""
    sign = -1.0 if estimates.outcomes == "rewards" else 1.0
    if estimates.control is None:
        sign = -sign  # differences of the best arm from all others
    found, names = estimates.differences(), {arm: str(arm) for arm in estimates.arms}
    if _are_long(estimates):
        names = numbered(estimates.arms)
    shown = set(sorted(found, key=lambda pair: sign * found[pair].mean)[:MOST_ROWS])
    return [
        (f"{names[one]} - {names[other]}", found[one, other])
        for one, other in found
        if (one, other) in shown
    ]


def _left_out(number: int, things: str) -> str:
    return "" if number <= MOST_ROWS else f" ({MOST_ROWS} of {number:,} {things})"


def _draw_rows(axes: Axes, rows: list[tuple[str, MeanEstimate]], colour: str) -> None:
    for row, (_, found) in enumerate(rows):
        axes.plot([found.low, found.high], [row, row], color=colour, linewidth=1.8)
        for end in (found.low, found.high):
            axes.plot([end, end], [row - CAP, row + CAP], color=colour, linewidth=1.8)
        axes.plot([found.mean], [row], "s", color=colour, markersize=5.5)
        mean = f"{found.mean:.3g}" if found.releases else "unknown"
        words = f"{mean} ({found.low:.3g} to {found.high:.3g})"
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
