"""What drawings of reproductions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.plot import COLOURS, distinct_styles, new_figure
from discreet.simulation.statistics import Interval
from discreet_papers.reproduce.fitting import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#666666"  # of what is no algorithm: levels, uniform play


def panels(
    rows: int, columns: int, size: tuple[float, float], *, dpi: int, **shared: Any
) -> tuple[Figure, Any]:
    """Return a figure, and its axes."""
    figure = new_figure(*size, dpi=dpi)
    return figure, figure.subplots(rows, columns, **shared)


def style(index: int) -> dict[str, Any]:
    """Return the colour, line and marker of a curve."""
    return distinct_styles(len(COLOURS))[index % len(COLOURS)].options()


def draw_means(
    panel: Axes, x: Sequence[float], means: Sequence[Interval], index: int, label: str | None
) -> None:
    """Draw means with bars of 95 % confidence; lines are thinner from curve to curve, so that none hides another."""
    panel.errorbar(
        x,
        [mean.value for mean in means],
        yerr=[half_width(mean) for mean in means],
        label=label,
        markersize=6.5 - 0.5 * index,
        linewidth=2.4 - 0.2 * index,
        elinewidth=1.0,
        capsize=2.5,
        **style(index),
    )


def legend_below(figure: Figure, *, columns: int, fontsize: int = 9) -> None:
    """Put one legend below all panels."""
    figure.legend(
        loc="outside lower center",
        ncols=columns,
        fontsize=fontsize,
        frameon=False,
        handlelength=3.2,
    )
