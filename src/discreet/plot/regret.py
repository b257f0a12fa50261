"""Regret over rounds, with confidence bands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.environments import environment_names
from discreet.plot.canvas import (
    FEW,
    CurveEnd,
    curve_styles,
    label_ends,
    new_axes,
    new_figure,
    save,
    set_title,
)
from discreet.simulation import RegretRow, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_regret(
    results: Results[RegretRow], path: Path | str, *, colors: Sequence[str] | None = None
) -> Path:
    """Draw mean regret over rounds, with 95 % confidence bands over trials, into a file."""
    count = len(results.contenders)
    figure = new_figure(6.4 if count <= FEW else 8.0, max(4.2, 1.2 + 0.16 * count))
    draw_regret(results, figure.subplots(), colors=colors)
    return save(figure, path)


def draw_regret(
    results: Results[RegretRow], ax: Axes | None = None, *, colors: Sequence[str] | None = None
) -> Axes:
    """Draw the same into given axes, or into new ones; return them.

    ``colors`` has one colour per contender. With fewer, the colour shows the algorithm and the line
    style the epsilon.
    """
    axes = new_axes() if ax is None else ax
    final = results.regrets.record.final.mean(axis=1)
    shapes = curve_styles(
        [(each.algorithm, each.private.guarantee.epsilon) for each in results.contenders], colors
    )
    faint = 0.15 if len(shapes) <= FEW else 0.05
    ends = []
    for index in np.argsort(-final, kind="stable"):
        look, label = shapes[index], results.contenders[index].label
        bands = results.regrets.record.bands[index]
        spots = (np.arange(6) + 0.3 + 0.6 * index / len(final)) / 6 * results.rounds
        axes.plot(
            results.checkpoints,
            bands[:, 0],
            markevery=sorted({int(np.abs(results.checkpoints - spot).argmin()) for spot in spots}),
            markersize=4,
            linewidth=1.4,
            label=label,
            **look.options(),
        )
        axes.fill_between(
            results.checkpoints,
            bands[:, 1],
            bands[:, 2],
            color=look.color,
            alpha=faint,
            linewidth=0,
        )
        ends.append(CurveEnd(label, results.rounds, float(final[index]), look))
    axes.set_xlim(0, results.rounds)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    for axis, most in ((axes.xaxis, results.rounds), (axes.yaxis, axes.get_ylim()[1])):
        if most >= 1000:
            axis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel("rounds")
    axes.set_ylabel(f"regret: total loss above that of\n{results.problem.rival}")
    axes.grid(alpha=0.3)
    if len(ends) > FEW:
        label_ends(axes, ends)
    else:
        axes.legend(frameon=False, fontsize=9)
    set_title(axes, f"Regret with {_losses(results)}, {results.problem.sizes}\n{_trials(results)}")
    return axes


def _losses(results: Results[RegretRow]) -> str:
    name = results.environment
    return f"{name} losses" if name in environment_names() else f"the losses of {name}"


def _trials(results: Results[RegretRow]) -> str:
    if results.trials.size == 1:
        return "one trial"
    return f"mean of {results.trials.size:,} trials; bands: 95 % confidence"
