"""Regret with privacy over regret without, over epsilon in units of 1 / sqrt(T)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.plot.canvas import set_heading, set_title
from discreet.plot.looks import LINES
from discreet.plot.ticks import logarithmic
from discreet_papers.reproduce.agarwal_singh_privacy_for_free.analysis import NAME, Ratios
from discreet_papers.reproduce.agarwal_singh_privacy_for_free.sweep import SIZE
from discreet_papers.reproduce.agarwal_singh_privacy_for_free.text import LEVEL
from discreet_papers.reproduce.drawing import GREY, legend_below, panels, style
from discreet_papers.reproduce.leaders import BLT, DELTA, TREE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    TREE: "running sums by a tree, (ε, 0)-differential privacy",
    BLT: f"running sums by BLT, (ε, {DELTA:f})-differential privacy",
}


def draw(found: Ratios) -> Mapping[str, Figure]:
    """Draw one panel an approach, one line a length."""
    figure, axes = panels(1, 2, (10.0, 4.8), dpi=130, sharey=True)
    for panel, (approach, title) in zip(axes, TITLES.items(), strict=True):
        named = panel is axes[0]
        for index, rounds in enumerate(found.lengths):
            mine = [row for row in found.rows if row["approach"] == approach and row["T"] == rounds]
            x, y = ([row[key] for row in mine] for key in ("epsilon_sqrt_T", "ratio"))
            label = f"T = {rounds:,} rounds" if named else None
            panel.plot(x, y, label=label, markersize=5, linewidth=1.5, **style(index))
        level = f"{LEVEL:g} times the regret without privacy" if named else None
        panel.axhline(LEVEL, color=GREY, linestyle=LINES[1], label=level)
        panel.axvline(1.0, color=GREY, linestyle=LINES[2], label="ε = 1 / √T" if named else None)
        panel.set_xlabel("ε √T: less of it is more privacy")
        set_title(panel, title)
    for panel in axes:
        logarithmic(panel)
    axes[0].set_ylabel("worst regret with privacy,\ndivided by that without")
    legend_below(figure, columns=4)
    set_heading(
        figure,
        f"Where privacy starts to cost: exponential weights on {SIZE} experts, {found.trials} "
        "trials",
    )
    return {NAME: figure}
