"""The second arm's probability in both neighbouring games, for losses and for gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot.regret import COLOURS
from discreet.reproduce.drawing import panels
from discreet.reproduce.faster_rates_figure_1.analysis import NAME, Leaks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Leaks) -> Mapping[str, Figure]:
    """Draw one panel a form."""
    figure, axes = panels(1, 2, (7.0, 3.0), dpi=150, sharey=True)
    for panel, (form, (one, two)) in zip(axes, found.pairs.items(), strict=True):
        spots = np.linspace(0, one.size - 1, 800).astype(int)
        panel.plot(spots + 1, one[spots], color=COLOURS[0], label="$P_t(2)$: one loss is 0")
        panel.plot(spots + 1, two[spots], color=COLOURS[1], linestyle="--", label="$P'_t(2)$: that loss is 1")
        panel.set_title(f"EXP3 on {form}: log-ratio up to {found.worst[form]:.2g}", fontsize=9)
        panel.set_xlabel("rounds", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("probability of the second arm", fontsize=8)
    axes[0].legend(fontsize=8, frameon=False)
    return {NAME: figure}
