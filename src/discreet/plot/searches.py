"""Plots of the samples that best-arm searches need, with a lower bound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from discreet.plot.canvas import (
    COLOURS,
    apply_layout,
    given_or_new,
    new_figure,
    save,
    set_log_axis,
    set_title,
)
from discreet.plot.choosing import FigureChoice, PlotCurve, is_narrow, sizes_for
from discreet.simulation import Results, SearchRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.drawing import PlotOptions

BLACK = "#000000"
HEIGHT = 0.32  # half the height of a row of dots; rows are 1 apart


def plot_searches(
    results: Results[SearchRow], path: Path | str, **options: Unpack[PlotOptions]
) -> Path:
    """Draw the distribution of the samples of every search, and write it to a file."""
    choice = FigureChoice(**options)
    shown = len(choice.curves(_lines(results)))
    figure = new_figure(*(choice.size or (7.6, 2.0 + 0.42 * shown)))
    draw_searches(results, figure.subplots(), **options)
    return save(figure, path)


def _lines(results: Results[SearchRow]) -> list[PlotCurve]:
    """Return a curve for each line of a search."""
    owners = [results.contenders[line.contender] for line in results.searches.lines]
    return [
        PlotCurve(
            row,
            results.searches.label(row, results.contenders),
            each.algorithm,
            each.private.guarantee.epsilon,
        )
        for row, each in enumerate(owners)
    ]


def draw_searches(
    results: Results[SearchRow], ax: Axes | None = None, **options: Unpack[PlotOptions]
) -> Axes:
    """Draw the distribution of samples into given axes, or into new ones; return them.

    A dot is a trial, hollow if it was cut off at the horizon. A bar goes from the 10th to the 90th
    percentile, with the median. The black line is the lower bound T* kl(ν, 1 - ν). The axis of
    samples is always logarithmic, so ``log`` and ``bands`` have no effect.
    """
    choice = FigureChoice(**options)
    if choice.colors is None:  # black is for the lower bound
        choice = choice.colored([colour for colour in COLOURS if colour != BLACK])
    lines = choice.curves(_lines(results))
    axes = given_or_new(ax, choice.size)
    sizes, narrow = sizes_for(axes), is_narrow(axes)
    scatter = HEIGHT * (2.0 * np.random.default_rng(0).random(results.trials.size) - 1.0)
    for row, (line, _, look) in enumerate(lines):
        samples, cut = results.samples[line], results.cut_off[line]
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
        least = results.searches.reference(line, results.contenders)
        if least is not None:
            axes.plot([least, least], [row - 0.45, row + 0.45], color=BLACK, linewidth=1.4)
    axes.set_xscale("log")
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.tick_params(labelsize=sizes.tick)
    axes.grid(alpha=0.3, axis="x")
    legend = (
        "samples\nbars: 10 % to 90 % of the trials, and the median\nblack: T* kl(ν, 1 - ν), the "
        "lower bound for Gaussian rewards"
    )
    axes.set_xlabel("samples" if narrow else legend, fontsize=sizes.label)
    found = f"{results.problem.sizes}, {results.environment}, {results.trials.size:,} trials"
    title = f"Samples until the best arm is found: {found}"
    if choice.title is not None or not narrow:
        set_title(axes, choice.title if choice.title is not None else title, fontsize=sizes.title)
    apply_layout(axes)
    set_log_axis(axes, "x", fontsize=sizes.tick)
    return axes
