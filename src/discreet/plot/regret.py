"""Regret over rounds, with confidence bands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DiscreetError
from discreet.simulation import Results
from discreet.simulation.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's colours, which colour-blind readers can tell apart; markers repeat the distinction in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999933")
MARKERS = "os^DvPX*"


def plotting() -> ModuleType:
    """Return matplotlib's pyplot, drawing to files, or say how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise DiscreetError("plots need matplotlib: pip install 'discreet[output]'.") from None
    matplotlib.use("Agg", force=False)
    import matplotlib.pyplot as pyplot

    return pyplot


def plot_regret(results: Results, path: Path | str) -> Path:
    """Draw mean regret over rounds, with 95 % confidence bands over trials, and write it to a file."""
    pyplot = plotting()
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    draw_regret(results, axes)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return Path(path)


def draw_regret(results: Results, ax: Axes | None = None, *, colors: Sequence[str] | None = None) -> Axes:
    """Draw the same into given axes, or into new ones; return them. ``colors`` has one for each contender."""
    axes: Axes = plotting().subplots(figsize=(6.4, 4.2), layout="constrained")[1] if ax is None else ax
    palette = COLOURS if colors is None else tuple(colors)
    final = results.regret[:, :, -1].mean(axis=1)
    for index in np.argsort(-final, kind="stable"):
        contender = results.contenders[index]
        bands = np.array([mean_interval(column) for column in results.regret[index].T])
        colour, marker = palette[index % len(palette)], MARKERS[index % len(MARKERS)]
        spots = (np.arange(6) + 0.3 + 0.6 * index / len(final)) / 6 * results.rounds
        guarantee = contender.private.guarantee
        known = guarantee.short.replace("differential privacy", "DP")
        axes.plot(
            results.checkpoints,
            bands[:, 0],
            color=colour,
            marker=marker,
            markevery=sorted({int(np.abs(results.checkpoints - spot).argmin()) for spot in spots}),
            markersize=4,
            linewidth=1.4,
            linestyle=("-", "--", ":")[index // len(COLOURS) % 3],
            label=f"{contender.algorithm} ({known})",
        )
        axes.fill_between(results.checkpoints, bands[:, 1], bands[:, 2], color=colour, alpha=0.2, linewidth=0)
    axes.set_xlim(0, results.rounds)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    for axis, most in ((axes.xaxis, results.rounds), (axes.yaxis, axes.get_ylim()[1])):
        if most >= 1000:
            axis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("rounds")
    axes.set_ylabel(f"regret against {results.problem.rival}")
    over = "one trial" if results.trials.size == 1 else f"mean of {results.trials.size} trials, 95 % bands"
    axes.set_title(f"{results.environment} losses, {results.problem.sizes}: {over}", fontsize=10)
    axes.grid(alpha=0.3)
    if len(final) > len(COLOURS):
        axes.legend(frameon=False, fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        axes.legend(frameon=False, fontsize=8)
    return axes
