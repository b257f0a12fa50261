"""Five panels at the paper's epsilon, and five at epsilon 1 and 0.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot.canvas import set_heading
from discreet.plot.looks import Look, looks
from discreet.simulation.statistics import median_of_means
from discreet_papers.reproduce.drawing import panels
from discreet_papers.reproduce.games import Played, Player
from discreet_papers.reproduce.tossou_figure_1.analysis import NAME, Regrets
from discreet_papers.reproduce.tossou_figure_1.sweep import (
    paper_epsilon,
    paper_players,
    small_players,
)

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
    """Draw one panel an adversary, with the legend in the place of one more."""
    figure, axes = panels(2, -(-(len(played) + 1) // 2), (10.4, 6.4), dpi=150)
    shapes = looks([(player.algorithm, player.epsilon) for player in players])
    for panel, each in zip(axes.flat, played, strict=False):
        for index, (player, look) in enumerate(zip(players, shapes, strict=True)):
            _line(panel, each, player, look, index / len(players))
        panel.set_title(each.game.environment.replace("-", " "), fontsize=10)
        panel.set_xlabel("rounds", fontsize=9)
        panel.set_xticks([0, each.game.rounds // 2, each.game.rounds])
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.yaxis.set_major_formatter("{x:,.0f}")
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.3)
    for row in axes:
        row[0].set_ylabel("regret (median of means)", fontsize=9)
    for empty in axes.flat[len(played) :]:
        empty.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    names = [
        f"{label}, no privacy" if np.isinf(p.epsilon) else label
        for p, label in zip(players, labels, strict=True)
    ]
    axes.flat[len(played)].legend(
        handles, names, loc="center left", fontsize=10, frameon=False, handlelength=3.5
    )
    heading = (
        f"Regret against five adversaries {title}; {played[0].trials} trials, bars: Gini's mean "
        "difference"
    )
    set_heading(figure, heading)
    return figure


def _line(axes: Axes, played: Played, player: Player, look: Look, share: float) -> None:
    """Draw one player's regret, with bars at four rounds, for each player a little later than for the one before."""
    marks = played.results.checkpoints
    bars = np.array(
        [median_of_means(column) for column in played.results.regret[played.places[player]].T]
    )
    label = played.contender(player).label
    axes.plot(
        marks, bars[:, 0], linewidth=1.4, color=look.color, linestyle=look.linestyle, label=label
    )
    places = (np.array([0.25, 0.5, 0.75, 1.0]) - 0.2 * (1.0 - share)) * played.game.rounds
    spots = np.unique([np.abs(marks - place).argmin() for place in places])
    axes.errorbar(
        marks[spots],
        bars[spots, 0],
        yerr=[bars[spots, 0] - bars[spots, 1], bars[spots, 2] - bars[spots, 0]],
        fmt=look.marker,
        color=look.color,
        markersize=4,
        capsize=2,
        linewidth=0.8,
    )
