"""Worst regret, and what privacy adds at worst, over T, in ten dimensions at epsilon 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.agarwal_singh_table_1.analysis import NAME, Measured
from discreet.reproduce.agarwal_singh_table_1.sweep import POINTS
from discreet.reproduce.agarwal_singh_table_1.text import columns
from discreet.reproduce.drawing import legend_below, logarithmic, panels, style
from discreet.reproduce.fitting import half_width
from discreet.reproduce.leaders import OPEN, Cell, bound, worst

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE, EPSILON = 10, 1.0


def draw(found: Measured) -> Mapping[str, Figure]:
    """Draw one column a set of points."""
    figure, axes = panels(2, 3, (9.6, 6.0), dpi=130, sharex=True, sharey="row")
    for column, points in enumerate(POINTS):
        above, below = axes[0][column], axes[1][column]
        _lines(above, below, found.table[points, SIZE], named=column == 0)
        above.set_title(f"{points}, N = {SIZE}", fontsize=11)
        below.set_xlabel("rounds T", fontsize=10)
        for panel in (above, below):
            logarithmic(panel, base=2)
            panel.tick_params(labelsize=9)
    axes[0][0].set_ylabel("worst mean regret (dotted: proved)", fontsize=10)
    axes[1][0].set_ylabel("what privacy adds at worst", fontsize=10)
    legend_below(figure, columns=5, fontsize=10)
    figure.suptitle(
        f"Full information, ε = {EPSILON:g}: worst regret, and what privacy adds; {found.trials} trials, 95 % bars",
        fontsize=12,
    )
    return {NAME: figure}


def _lines(above: Axes, below: Axes, games: Mapping[int, list[Cell]], *, named: bool) -> None:
    rounds = list(games)
    for index, who in enumerate(columns(EPSILON)):
        look = style(index, markersize=5, linewidth=1.4, capsize=3)
        for panel, part in ((above, 0), (below, 1)):
            if panel is below and who[0] == OPEN:
                continue
            seen = [worst(cells, who)[part] for cells in games.values()]
            label = who[0] if named and panel is above else None
            bars = [half_width(each) for each in seen]
            panel.errorbar(rounds, [each.value for each in seen], yerr=bars, label=label, **look)
        proved = [found for cells in games.values() if (found := bound(cells, who)) is not None]
        if proved:
            above.plot(rounds, proved, color=look["color"], linestyle=":", linewidth=1.2)
    root = [math.sqrt(t) for t in rounds]
    below.plot(rounds, root, color="grey", linestyle="--", label="√T" if named else None)
