"""The second arm's probability in both neighbouring games, for losses and for gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot import COLOURS, LINES, set_heading, set_title
from discreet_papers.reproduce.drawing import legend_below, panels
from discreet_papers.reproduce.faster_rates_figure_1.analysis import NAME, Leaks

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Leaks) -> Mapping[str, Figure]:
    """Draw one panel a form."""
    figure, axes = panels(1, 2, (8.4, 4.0), dpi=150, sharey=True)
    for panel, (form, (one, two)) in zip(axes, found.pairs.items(), strict=True):
        named = panel is axes[0]
        spots = np.linspace(0, one.size - 1, 800).astype(int)
        panel.plot(
            spots + 1,
            one[spots],
            color=COLOURS[0],
            linewidth=2.6,
            label="one loss is 0" if named else None,
        )
        dashed = {"color": COLOURS[1], "linestyle": LINES[1], "linewidth": 1.6}
        panel.plot(spots + 1, two[spots], label="the same loss is 1" if named else None, **dashed)
        panel.set_xlabel("rounds")
        panel.locator_params(axis="x", nbins=5)
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.grid(alpha=0.3)
        most = np.format_float_positional(found.worst[form], precision=2, fractional=False)
        set_title(panel, f"EXP3 on {form}: the log-probabilities\ndiffer by up to {most}")
    axes[0].set_ylabel("probability of the second arm")
    legend_below(figure, columns=2)
    set_heading(
        figure, "How far one changed loss moves the probabilities of EXP3, which adds no noise"
    )
    return {NAME: figure}
