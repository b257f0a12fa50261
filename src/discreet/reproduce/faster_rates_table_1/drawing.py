"""Regret over T at epsilon 1, and over epsilon at the largest T."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.drawing import legend_below, logarithmic, panels, style
from discreet.reproduce.faster_rates_table_1.analysis import NAME, Growth, blind
from discreet.reproduce.faster_rates_table_1.sweep import ALGORITHMS, FIXED
from discreet.reproduce.fitting import half_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Growth) -> Mapping[str, Figure]:
    """Draw mean regrets with their intervals, beside uniform play."""
    figure, axes = panels(1, 2, (7.2, 3.6), dpi=150)
    longest = found.lengths[-1]
    for index, name in enumerate(ALGORITHMS):
        over_rounds = [found.regret[name, rounds, 1.0] for rounds in found.lengths]
        over_epsilon = [found.regret[name, longest, epsilon] for epsilon in FIXED]
        for panel, x, means in ((axes[0], found.lengths, over_rounds), (axes[1], FIXED, over_epsilon)):
            panel.errorbar(
                x,
                [mean.value for mean in means],
                yerr=[half_width(mean) for mean in means],
                label=name if panel is axes[0] else None,
                **style(index, markersize=4, linewidth=1.2, capsize=2),
            )
    uniform = blind(found)
    axes[0].plot(found.lengths, uniform, color="grey", linestyle=":", label="uniform (0-DP)")
    axes[1].axhline(uniform[-1], color="grey", linestyle=":")
    axes[0].set_title("over T, all 1-differentially private", fontsize=9)
    axes[0].set_xlabel("rounds T", fontsize=8)
    axes[0].set_ylabel("mean regret", fontsize=8)
    axes[1].set_title(f"over ε, at T = {longest:,}", fontsize=9)
    axes[1].set_xlabel("ε (pure differential privacy)", fontsize=8)
    for panel in axes:
        logarithmic(panel, every=True)
        panel.tick_params(labelsize=7)
    legend_below(figure, columns=4, fontsize=8)
    title = f"Regret of old and new private bandits, deterministic adversary, {found.trials} trials, 95 % bars"
    figure.suptitle(title, fontsize=10)
    return {NAME: figure}
