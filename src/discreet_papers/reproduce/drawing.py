"""What the drawings of reproductions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from discreet.plot import COLOURS, distinct_styles, new_figure
from discreet.simulation import Interval
from discreet_papers.reproduce.fitting import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#666666"  # for anything that is not an algorithm: levels, uniform play


def make_panels(
    rows: int, columns: int, size: tuple[float, float], *, dpi: int, **shared: object
) -> tuple[Figure, Any]:
    """Return a new figure and an array of its axes."""
    figure = new_figure(*size, dpi=dpi)
    options: Any = shared
    return figure, figure.subplots(rows, columns, **options)


def style_of(index: int) -> dict[str, Any]:
    """Return the colour, line and marker of a curve."""
    return distinct_styles(len(COLOURS))[index % len(COLOURS)].options()


def draw_means(
    panel: Axes, x: Sequence[float], means: Sequence[Interval], index: int, label: str | None
) -> None:
    """Draw means with 95 % bars; each curve is thinner than the last, so that none is hidden."""
    panel.errorbar(
        x,
        [mean.value for mean in means],
        yerr=[half_width(mean) for mean in means],
        label=label,
        markersize=6.5 - 0.5 * index,
        linewidth=2.4 - 0.2 * index,
        elinewidth=1.0,
        capsize=2.5,
        **style_of(index),
    )


def add_legend_below(figure: Figure, *, columns: int, fontsize: int = 9) -> None:
    """Put one legend below all panels."""
    figure.legend(
        loc="outside lower center",
        ncols=columns,
        fontsize=fontsize,
        frameon=False,
        handlelength=3.2,
    )
