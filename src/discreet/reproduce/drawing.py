"""What drawings of reproductions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.plot.regret import COLOURS, MARKERS, plotting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def panels(rows: int, columns: int, size: tuple[float, float], *, dpi: int, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure, and its axes."""
    figure, axes = plotting().subplots(rows, columns, figsize=size, dpi=dpi, layout="constrained", **shared)
    return figure, axes


def style(index: int, **more: Any) -> dict[str, Any]:
    """Return the colour and marker of a line, and whatever else it has."""
    return {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], **more}


def logarithmic(axes: Axes, *, base: int = 10, every: bool = False) -> None:
    """Make both axes logarithmic, with a grid, of all ticks if it is to be ``every``."""
    axes.set_xscale("log", base=base)
    axes.set_yscale("log")
    axes.grid(alpha=0.3, which="both" if every else "major")


def legend_below(figure: Figure, *, columns: int, fontsize: int) -> None:
    """Put one legend below all panels."""
    figure.legend(loc="outside lower center", ncols=columns, fontsize=fontsize, frameon=False)
