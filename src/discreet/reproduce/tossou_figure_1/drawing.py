"""Five panels at the paper's epsilon, and five at epsilon 1 and 0.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot.regret import COLOURS, MARKERS
from discreet.reproduce.drawing import panels
from discreet.reproduce.games import Played, Player
from discreet.reproduce.tossou_figure_1.analysis import NAME, Regrets
from discreet.reproduce.tossou_figure_1.sweep import paper_epsilon, paper_players, small_players
from discreet.simulation.statistics import median_of_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(found: Regrets) -> Mapping[str, Figure]:
    """Draw medians of means over rounds."""
    rounds = found.played[0].game.rounds
    paper = f"at the paper's ε = {paper_epsilon(rounds):.1f}"
    return {
        NAME: _figure(found.played, paper_players(rounds), paper),
        f"{NAME}-small-epsilon": _figure(
            found.played, small_players(rounds), "at ε = 1 and 0.1, which the paper does not show"
        ),
    }


def _figure(played: Sequence[Played], players: Sequence[Player], title: str) -> Figure:
    figure, axes = panels(1, len(played), (3.1 * len(played), 3.4), dpi=150)
    for panel, each in zip(axes, played, strict=True):
        for index, player in enumerate(players):
            _line(panel, each, player, index)
        panel.set_title(each.game.environment, fontsize=9)
        panel.set_xlabel("rounds", fontsize=8)
        panel.set_xticks([0, each.game.rounds // 2, each.game.rounds])
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.yaxis.set_major_formatter("{x:,.0f}")
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("regret (median of means)", fontsize=8)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    figure.suptitle(
        f"Regret against five adversaries {title}; {played[0].trials} trials, bars: Gini's mean difference", fontsize=10
    )
    return figure


def _line(axes: Axes, played: Played, player: Player, index: int) -> None:
    """Draw one player's regret, with bars at the quarters of the game."""
    marks = played.results.checkpoints
    bars = np.array([median_of_means(column) for column in played.results.regret[played.places[player]].T])
    colour = COLOURS[index % len(COLOURS)]
    axes.plot(marks, bars[:, 0], linewidth=1.3, color=colour, label=played.contender(player).label)
    spots = np.unique([np.abs(marks - share * played.game.rounds).argmin() for share in (0.25, 0.5, 0.75, 1.0)])
    axes.errorbar(
        marks[spots],
        bars[spots, 0],
        yerr=[bars[spots, 0] - bars[spots, 1], bars[spots, 2] - bars[spots, 0]],
        fmt=MARKERS[index % len(MARKERS)],
        color=colour,
        markersize=3,
        capsize=2,
        linewidth=0.8,
    )
