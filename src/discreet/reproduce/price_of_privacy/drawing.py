"""Mean regret over epsilon, with confidence bands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.reproduce.drawing import logarithmic, panels, style
from discreet.reproduce.price_of_privacy.analysis import NAME, Prices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = ("epsilon", "regret_mean", "regret_low", "regret_high")


def draw(found: Prices) -> Mapping[str, Figure]:
    """Draw one line an algorithm, between uniform play and the best without privacy."""
    figure, axes = panels(1, 1, (7.0, 4.2), dpi=150)
    for index, (name, rows) in enumerate(found.private.items()):
        x, means, low, high = ([row[key] for row in rows] for key in COLUMNS)
        look = style(index, markersize=4)
        axes.plot(x, means, label=name, linewidth=1.2, **look)
        if found.trials > 1:
            axes.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)
    axes.axhline(found.blind, color="grey", linestyle=":", label="uniform play (0-DP)")
    axes.axhline(found.least, color="black", linestyle="--", label=f"{found.floor} (no privacy)")
    logarithmic(axes, every=True)
    axes.set_xlabel("ε")
    axes.set_ylabel("mean regret, 95 % bands")
    game = found.game
    size = f"{game.problem.sizes}, {game.rounds:,} rounds, {found.trials} trials"
    axes.set_title(f"The price of privacy: {game.environment} losses, {size}", fontsize=10)
    axes.legend(fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return {NAME: figure}
