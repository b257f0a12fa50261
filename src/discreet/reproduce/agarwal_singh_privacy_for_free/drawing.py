"""Regret with privacy over regret without, over epsilon in units of 1 / sqrt(T)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.agarwal_singh_privacy_for_free.analysis import NAME, Ratios
from discreet.reproduce.agarwal_singh_privacy_for_free.sweep import SIZE
from discreet.reproduce.agarwal_singh_privacy_for_free.text import LEVEL
from discreet.reproduce.drawing import legend_below, logarithmic, panels, style
from discreet.reproduce.leaders import BLT, DELTA, TREE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Ratios) -> Mapping[str, Figure]:
    """Draw one panel an approach, one line a length."""
    figure, axes = panels(1, 2, (9.0, 4.2), dpi=130, sharey=True)
    for panel, approach, title in zip(axes, (TREE, BLT), ("tree, (ε, 0)", f"BLT, (ε, {DELTA:g})"), strict=True):
        named = panel is axes[0]
        for index, rounds in enumerate(found.lengths):
            mine = [row for row in found.rows if row["approach"] == approach and row["T"] == rounds]
            x, y = ([row[key] for row in mine] for key in ("epsilon_sqrt_T", "ratio"))
            panel.plot(x, y, label=f"T = {rounds:,}" if named else None, **style(index, markersize=5, linewidth=1.4))
        panel.axhline(LEVEL, color="grey", linestyle="--", label=f"ratio {LEVEL:g}" if named else None)
        panel.axvline(1.0, color="grey", linestyle=":", label="ε = 1 / √T" if named else None)
        logarithmic(panel)
        panel.set_title(title, fontsize=11)
        panel.set_xlabel("ε √T", fontsize=10)
        panel.tick_params(labelsize=9)
    axes[0].set_ylabel("worst regret with privacy / without", fontsize=10)
    legend_below(figure, columns=6, fontsize=9)
    figure.suptitle(f"Where privacy starts to cost: {SIZE} experts, {found.trials} trials", fontsize=12)
    return {NAME: figure}
