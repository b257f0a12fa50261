"""Tossou & Dimitrakakis 2017, Figure 1: three algorithms against five adversaries.

They play at the paper's epsilon, and at 1 and 0.1, which the paper does not show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot import CurveStyle, curve_styles, set_heading
from discreet.problems import Arms
from discreet.simulation import median_of_means
from discreet_papers.reproduce.drawing import make_panels
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, play_games
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    register_reproduction,
    select_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "tossou-figure-1"
ARMS = 4
ADVERSARIES = ("deterministic", "stochastic", "fully-oblivious", "oblivious", "switching-costs")
SMALL = (1.0, 0.1)
COLUMNS = (
    "label",
    "epsilon",
    "regret_median_of_means",
    "regret_gini_low",
    "regret_gini_high",
    "regret_mean",
    "regret_low",
    "regret_high",
)


# Sweep


def paper_epsilon(rounds: int) -> float:
    """Return 28 K ln K + sqrt(112 K ln K ln T), the privacy loss of Corollary 3.2."""
    size = ARMS * math.log(ARMS)
    return 28.0 * size + math.sqrt(112.0 * size * math.log(rounds))


def paper_delta(rounds: int) -> float:
    """Return T^-2."""
    return math.pow(rounds, -2.0)


def paper_batch(rounds: int) -> int:
    """Return (T / (7 K ln K))^(1/3), the batch size of Corollary 3.2."""
    return max(1, math.ceil(math.cbrt(rounds / (7.0 * ARMS * math.log(ARMS)))))


def paper_entrants(rounds: int) -> tuple[Entrant, ...]:
    """Return the players in the paper's figure; the last one has the paper's batches."""
    epsilon, delta = paper_epsilon(rounds), paper_delta(rounds)
    return (
        Entrant(algorithm="exp3-gain"),
        Entrant(algorithm="dp-exp3-lap", epsilon=epsilon, delta=delta),
        Entrant(
            algorithm="exp3-tau",
            epsilon=epsilon,
            delta=delta,
            options=(("batch_size", paper_batch(rounds)),),
        ),
    )


def small_entrants(rounds: int) -> tuple[Entrant, ...]:
    """Return the players at epsilon 1 and 0.1, which the paper does not show."""
    return (
        Entrant(algorithm="exp3-gain"),
        *(
            Entrant(algorithm=name, epsilon=epsilon, delta=paper_delta(rounds))
            for epsilon in SMALL
            for name in ("dp-exp3-lap", "exp3-tau", "batched-htinf")
        ),
    )


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return one game per adversary; everyone plays in all of them."""
    players = tuple(dict.fromkeys((*paper_entrants(rounds), *small_entrants(rounds))))
    return tuple(
        SweepGame(part=name, environment=name, problem=Arms(ARMS), rounds=rounds, players=players)
        for name in ADVERSARIES
    )


# Analysis: everyone's final regret, and what the paper's epsilon means


@dataclass(frozen=True, kw_only=True)
class Regrets(Findings):
    """Regret over time, in one game per adversary."""

    played: Sequence[PlayedGame]


def analyse(played: Sequence[PlayedGame]) -> Regrets:
    """Return medians of means, and how far the paper overstates its own algorithm's epsilon."""
    rows = [
        {"adversary": each.game.environment, **select_columns(row, COLUMNS)}
        for each in played
        for row in each.results.summary()
    ]
    rounds = played[0].game.rounds
    epsilon = paper_epsilon(rounds)
    tight = played[0].contender(paper_entrants(rounds)[-1]).private.guarantee.epsilon
    text = (
        f"The paper compares at epsilon = {epsilon:.1f} (delta = T^-2): odds may change by a "
        f"factor of e^{epsilon:.0f}, which protects nobody. By our proof EXP3_tau with the same "
        f"batches of {paper_batch(rounds)} is ({tight:.4g}, {paper_delta(rounds):.2g})-private."
    )
    return Regrets(tables={NAME: rows}, text=text, trials=played[0].trials, played=played)


# Drawing


def draw(found: Regrets) -> Mapping[str, Figure]:
    """Draw medians of means over rounds: at the paper's epsilon, and at 1 and 0.1."""
    rounds = found.played[0].game.rounds
    paper = f"at the paper's ε = {paper_epsilon(rounds):.1f}"
    small = "at ε = 1 and 0.1, which the paper does not show"
    return {
        NAME: _draw_figure(found.played, paper_entrants(rounds), paper),
        f"{NAME}-small-epsilon": _draw_figure(found.played, small_entrants(rounds), small),
    }


def _draw_figure(played: Sequence[PlayedGame], players: Sequence[Entrant], title: str) -> Figure:
    """Draw one panel per adversary, with the legend where one more panel would be."""
    figure, axes = make_panels(2, -(-(len(played) + 1) // 2), (10.4, 6.4), dpi=150)
    styles = curve_styles([(player.algorithm, player.epsilon) for player in players])
    for panel, each in zip(axes.flat, played, strict=False):
        for index, (player, style) in enumerate(zip(players, styles, strict=True)):
            _draw_line(panel, each, player, style, index / len(players))
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
        f"{label}, no privacy" if np.isinf(player.epsilon) else label
        for player, label in zip(players, labels, strict=True)
    ]
    axes.flat[len(played)].legend(
        handles, names, loc="center left", fontsize=10, frameon=False, handlelength=3.5
    )
    set_heading(
        figure,
        f"Regret against five adversaries {title}; {played[0].trials} trials, bars: Gini's mean "
        "difference",
    )
    return figure


def _draw_line(
    axes: Axes, played: PlayedGame, player: Entrant, style: CurveStyle, share: float
) -> None:
    """Draw one player's regret with four bars, a little later for each player, so all are seen."""
    marks = played.results.checkpoints
    bars = np.array(
        [median_of_means(column) for column in played.results.regret[played.places[player]].T]
    )
    label = played.contender(player).label
    axes.plot(
        marks, bars[:, 0], linewidth=1.4, color=style.color, linestyle=style.linestyle, label=label
    )
    places = (np.array([0.25, 0.5, 0.75, 1.0]) - 0.2 * (1.0 - share)) * played.game.rounds
    spots = np.unique([np.abs(marks - place).argmin() for place in places])
    axes.errorbar(
        marks[spots],
        bars[spots, 0],
        yerr=[bars[spots, 0] - bars[spots, 1], bars[spots, 2] - bars[spots, 0]],
        fmt=style.marker,
        label=f"_{label}",  # hidden from the legend
        color=style.color,
        markersize=4,
        capsize=2,
        linewidth=0.8,
    )


register_reproduction(
    Reproduction(
        name=NAME,
        title="Tossou & Dimitrakakis 2017, Figure 1, at the paper's epsilon and at 1 and 0.1",
        trials=720,
        rounds=2**18,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
