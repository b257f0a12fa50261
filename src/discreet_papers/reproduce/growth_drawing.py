"""Tables of rates drawn: regret above, the share of what staying at the centre loses below, one column a panel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.plot import LINES, set_heading, set_log_axes, set_log_axis
from discreet_papers.reproduce.drawing import GREY, draw_means, legend_below, panels
from discreet_papers.reproduce.growth import LEARNT, Growth
from discreet_papers.reproduce.rates import Panel, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = {"T": "rounds T", "n": "dimension n", "1/ε": "1 / ε: more of it is more privacy"}


def draw_growth(table: Table, found: Growth) -> Mapping[str, Figure]:
    """Draw all curves."""
    count = len(table.panels)
    figure, axes = panels(2, count, (4.2 * count + 0.6, 7.0), dpi=130, squeeze=False)
    for column, panel in enumerate(table.panels):
        above, below = axes[0][column], axes[1][column]
        _curves(found, panel, above, below, named=column == 0)
        above.set_title(panel.title.format(longest=f"{found.longest:,}"), fontsize=10)
        below.set_xlabel(AXES[panel.axis])
    axes[0][0].set_ylabel("mean regret")
    axes[1][0].set_ylabel("share of what staying\nat the centre loses")
    legend_below(figure, columns=count)
    set_heading(figure, f"{table.heading}, {found.trials} trials, 95 % bars")
    return {table.name: figure}


def _curves(found: Growth, panel: Panel, above: Axes, below: Axes, *, named: bool) -> None:
    mine = found.curves_of(panel)
    for index, curve in enumerate(mine):
        draw_means(
            above,
            curve.along,
            [cell.regret for cell in curve.cells],
            index,
            curve.row.name if named else None,
        )
        draw_means(below, curve.along, [cell.share for cell in curve.cells], index, None)
    below.axhline(1.0, color=GREY, linewidth=1.0)
    below.axhline(LEARNT, color=GREY, linestyle=LINES[1], linewidth=1.0)
    means = [cell.regret.value for curve in mine for cell in curve.cells if cell.regret.value > 0.0]
    above.set_ylim(0.6 * min(means), 1.6 * max(means))  # bars that reach 0 are cut
    below.set_ylim(
        0.0, 1.1 * max(1.0, *(cell.share.value for curve in mine for cell in curve.cells))
    )
    ticks = None if panel.axis == "1/ε" else mine[0].along
    set_log_axes(above, rounds=ticks)
    below.set_xscale("log")
    below.grid(alpha=0.3)
    set_log_axis(below, "x", ticks)
    for axes in (above, below):
        axes.tick_params(labelsize=8)
