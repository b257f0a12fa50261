"""Error against horizon, one line a counter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from discreet.counters import COUNTERS, UNKNOWN_HORIZON, Comparison
from discreet.plot.regret import COLOURS, MARKERS, plotting

BLACK = "#000000"  # of the lower bound


def plot_counters(rows: Sequence[Comparison], path: Path) -> Path:
    """Draw the largest error (solid) and the mean error (dashed) of every counter, and the lower bound."""
    pyplot = plotting()
    drawing, axes = pyplot.subplots(figsize=(6.0, 4.0), layout="constrained")
    colours = [colour for colour in COLOURS if colour != BLACK]
    for colour, marker, name in zip(colours, MARKERS, COUNTERS, strict=False):
        mine = sorted((row for row in rows if row.counter == name), key=lambda row: row.rounds)
        rounds = [row.rounds for row in mine]
        style = {"marker": marker, "color": colour, "markerfacecolor": "white" if name in UNKNOWN_HORIZON else colour}
        axes.plot(rounds, [row.computed.largest for row in mine], label=name, **style)
        axes.plot(rounds, [row.computed.mean for row in mine], linestyle="--", markersize=4, **style)
    bound = sorted({(row.rounds, row.lower_bound) for row in rows})
    axes.plot(
        [r for r, _ in bound], [b for _, b in bound], color=BLACK, linestyle=":", label="any factorisation, at least"
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("rounds (hollow markers: not known in advance)")
    axes.set_ylabel("mean squared error at μ = 1\n(solid: largest, dashed: mean over time)")
    axes.grid(alpha=0.3)
    axes.set_ylim(top=4.0 * max(row.computed.largest for row in rows))  # room for the legend
    axes.legend(frameon=False, fontsize=9, loc="upper left", ncols=2)
    drawing.savefig(path, dpi=150)
    pyplot.close(drawing)
    return path
