"""Worst regret, and what privacy adds at worst, over T, in ten dimensions at epsilon 1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.plot.canvas import set_heading
from discreet.plot.looks import LINES
from discreet.plot.ticks import logarithmic
from discreet_papers.reproduce.agarwal_singh_table_1.analysis import NAME, Measured
from discreet_papers.reproduce.agarwal_singh_table_1.sweep import POINTS
from discreet_papers.reproduce.agarwal_singh_table_1.text import columns
from discreet_papers.reproduce.drawing import GREY, draw_means, legend_below, panels, style
from discreet_papers.reproduce.leaders import BLT, DELTA, OLD, OPEN, TREE, Cell, bound, worst

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE, EPSILON = 10, 1.0
TITLES = {
    "experts": f"{SIZE} experts",
    "ball": f"ball in {SIZE} dimensions",
    "cube": f"cube in {SIZE} dimensions",
}
LABELS = {
    OPEN: "FTRL, no privacy",
    OLD: "FTAL on a tree (old approach)",
    TREE: "FTRL on a padded tree",
    BLT: f"FTRL on BLT sums, δ = {DELTA:f}",
}


def draw(found: Measured) -> Mapping[str, Figure]:
    """Draw one column a set of points."""
    figure, axes = panels(2, 3, (10.4, 6.8), dpi=130, sharex=True, sharey="row")
    for column, points in enumerate(POINTS):
        above, below = axes[0][column], axes[1][column]
        _lines(above, below, found.table[points, SIZE], named=column == 0)
        above.set_title(TITLES[points], fontsize=11)
        below.set_xlabel("rounds T")
    for panel in axes.flat:
        logarithmic(panel, rounds=list(found.table[POINTS[0], SIZE]))
        panel.tick_params(labelsize=8)
    axes[0][0].set_ylabel("worst mean regret\n(thin dots: proved bound)")
    axes[1][0].set_ylabel("regret that privacy adds, at worst")
    legend_below(figure, columns=3)
    set_heading(
        figure,
        f"What privacy costs with full information, ε = {EPSILON:g}: {found.trials} trials, 95 % "
        "bars",
    )
    return {NAME: figure}


def _lines(above: Axes, below: Axes, games: Mapping[int, list[Cell]], *, named: bool) -> None:
    rounds = list(games)
    for index, who in enumerate(columns(EPSILON)):
        regret, extra = ([worst(cells, who)[part] for cells in games.values()] for part in (0, 1))
        draw_means(above, rounds, regret, index, LABELS[who[0]] if named else None)
        if who[0] != OPEN:
            draw_means(below, rounds, extra, index, None)
        proved = [found for cells in games.values() if (found := bound(cells, who)) is not None]
        if proved:
            above.plot(
                rounds, proved, color=style(index)["color"], linestyle=LINES[7], linewidth=1.2
            )
    root = [math.sqrt(t) for t in rounds]
    below.plot(
        rounds, root, color=GREY, linestyle=LINES[1], label="√T, for comparison" if named else None
    )
