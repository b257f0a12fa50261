"""Plots of the samples that best-arm searches took, with a lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot.canvas import (
    COLOURS,
    curve_styles,
    new_axes,
    new_figure,
    save,
    set_log_axis,
    set_title,
)
from discreet.simulation import Results, SearchRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = "#000000"
HEIGHT = 0.32  # half the height of a row of dots; rows are 1 apart


def plot_searches(
    results: Results[SearchRow], path: Path | str, *, colors: Sequence[str] | None = None
) -> Path:
    """Draw the distribution of the samples of every search, and write it to a file."""
    figure = new_figure(7.6, 2.0 + 0.42 * len(results.searches.lines))
    draw_searches(results, figure.subplots(), colors=colors)
    return save(figure, path)


def draw_searches(
    results: Results[SearchRow], ax: Axes | None = None, *, colors: Sequence[str] | None = None
) -> Axes:
    """Draw the same into given axes, or into new ones; return them.

    A dot is a trial, hollow if it was cut off at the horizon. A bar goes from the 10th to the 90th
    percentile, with the median. The black line is the lower bound T* kl(ν, 1 - ν).
    """
    axes = new_axes() if ax is None else ax
    owners = [results.contenders[line.contender] for line in results.searches.lines]
    palette = colors or [colour for colour in COLOURS if colour != BLACK]
    shapes = curve_styles(
        [(each.algorithm, each.private.guarantee.epsilon) for each in owners], palette
    )
    scatter = HEIGHT * (2.0 * np.random.default_rng(0).random(results.trials.size) - 1.0)
    for row, look in enumerate(shapes):
        samples, cut = results.samples[row], results.cut_off[row]
        axes.scatter(
            samples[~cut], row + scatter[~cut], s=5.0, color=look.color, alpha=0.35, linewidth=0
        )
        axes.scatter(
            samples[cut],
            row + scatter[cut],
            s=9.0,
            facecolor="none",
            edgecolor=look.color,
            linewidth=0.6,
        )
        low, middle, high = np.quantile(samples, (0.1, 0.5, 0.9))
        axes.plot([low, high], [row, row], color=look.color, linewidth=2.4, solid_capstyle="butt")
        axes.plot([middle, middle], [row - HEIGHT, row + HEIGHT], color=look.color, linewidth=2.4)
        least = results.searches.reference(row, results.contenders)
        if least is not None:
            axes.plot([least, least], [row - 0.45, row + 0.45], color=BLACK, linewidth=1.4)
    axes.set_xscale("log")
    axes.set_yticks(
        range(len(shapes)),
        [results.searches.label(row, results.contenders) for row in range(len(shapes))],
    )
    axes.set_ylim(len(shapes) - 0.4, -0.6)
    axes.grid(alpha=0.3, axis="x")
    axes.set_xlabel(
        "samples\nbars: 10 % to 90 % of the trials, and the median\nblack: T* kl(ν, 1 - ν), the "
        "lower bound for Gaussian rewards"
    )
    set_log_axis(axes, "x")
    found = f"{results.problem.sizes}, {results.environment}, {results.trials.size:,} trials"
    set_title(axes, f"Samples until the best arm is found: {found}")
    return axes
