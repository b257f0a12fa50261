"""Faster rates 2025, Lemma 15: lower bounds for pure privacy, measured regret, and upper bounds.

Private bandits play two games that look the same to a player that rarely plays the second arm. The
larger of the two regrets counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.algorithms import arms
from discreet.environments import Drop
from discreet.plot import LINES, CurveStyle, distinct_styles, set_heading, set_log_axes, set_title
from discreet.problems import Arms
from discreet.simulation import Interval, mean_interval
from discreet_papers.reproduce.drawing import GREY, add_legend_below, draw_means, make_panels
from discreet_papers.reproduce.fitting import as_columns, choose_lengths
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, play_games
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    TableRow,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "faster-rates-lemma-15"
USUAL = 0.1  # the epsilon of games of several lengths
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)
GAMES = ("drop", "drop-alternate")
ALGORITHMS = ("batched-exp3", "batched-htinf", "batched-ftpl", "one-bit-tsallis-inf")


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return both games at several lengths; in the longest all epsilons play."""
    lengths = choose_lengths(rounds, count=4, shortest=2**10)
    return tuple(_make_game(name, length, lengths[-1]) for length in lengths for name in GAMES)


def _make_game(name: str, rounds: int, longest: int) -> SweepGame:
    epsilons = EPSILONS if rounds == longest else (USUAL,)
    return SweepGame(
        part=f"T = {rounds:,}",
        environment=name,
        problem=Arms(2),
        rounds=rounds,
        players=tuple(
            Entrant(algorithm=algorithm, epsilon=epsilon)
            for algorithm in ALGORITHMS
            for epsilon in epsilons
        ),
    )


# Analysis


def quick_bound(rounds: int, epsilon: float) -> float:
    """Return the repaired lower bound of Lemma 15 for the pair that is played."""
    switch = Drop(2, rounds, alternate=True).switches_after()
    return arms.lower_bounds.quick_private(rounds, epsilon, switch)


@dataclass(frozen=True, kw_only=True)
class PairRegret(Findings):
    """The larger mean regret of the pair and its proved bound, by algorithm, T and epsilon."""

    regret: Mapping[tuple[str, int, float], Interval]
    upper: Mapping[tuple[str, int, float], float]
    lengths: Sequence[int]
    trials: int


def analyse(played: Sequence[PlayedGame]) -> PairRegret:
    """Return the larger regret of the two games with its lower and its upper bound."""
    regret: dict[tuple[str, int, float], Interval] = {}
    upper: dict[tuple[str, int, float], float] = {}
    rows: list[TableRow] = []
    for drop, other in zip(played[::2], played[1::2], strict=True):
        rounds = drop.game.rounds
        for player in drop.game.players:
            key = (player.algorithm, rounds, player.epsilon)
            both = [mean_interval(each.regret(player)) for each in (drop, other)]
            regret[key] = max(both, key=lambda mean: mean.value)
            upper[key] = drop.contender(player).facts["regret_bound"]
            rows.append(
                {
                    "algorithm": player.algorithm,
                    "rounds": rounds,
                    "epsilon": player.epsilon,
                    "lower_bound_any": arms.lower_bounds.any_private(rounds, player.epsilon),
                    "lower_bound_quick": quick_bound(rounds, player.epsilon),
                    **as_columns("regret_drop", both[0]),
                    **as_columns("regret_alternate", both[1]),
                    "upper_bound": upper[key],
                }
            )
    lengths = [each.game.rounds for each in played[::2]]
    return PairRegret(
        tables={NAME: rows},
        text="\n".join(_describe(regret, upper, lengths[-1])),
        regret=regret,
        upper=upper,
        lengths=lengths,
        trials=played[0].trials,
    )


def _describe(
    regret: Mapping[tuple[str, int, float], Interval],
    upper: Mapping[tuple[str, int, float], float],
    longest: int,
) -> list[str]:
    switch = Drop(2, longest, alternate=True).switches_after()
    lines = [
        f"The larger mean regret of two games (drop; its alternate that switches after {switch} "
        f"rounds), T = {longest:,}, 2 arms, with its proved bound:"
    ]
    for epsilon in EPSILONS:
        parts = (
            f"{name} {regret[name, longest, epsilon].value:,.0f} of "
            f"{upper[name, longest, epsilon]:,.0f}"
            for name in ALGORITHMS
        )
        everyone = arms.lower_bounds.any_private(longest, epsilon)
        quick = quick_bound(longest, epsilon)
        lines.append(
            f"  ε = {epsilon:g}: {', '.join(parts)}; lower bounds: {everyone:,.1f} for any "
            f"algorithm, {quick:,.1f} for quick ones"
        )
    lines += [
        "Every ε-differentially private algorithm has at least the first lower bound in drop or in",
        "an alternate that switches at once. Lemma 15 (repaired, docs/regret.md: Lower bounds) has",
        "more, for algorithms that have dropped the worse arm before the switch; from ε = ln 2 on",
        "it is vacuous. The algorithms played here are slower than that (docs/departures.md).",
    ]
    return lines


# Drawing

QUICK_STYLE, ANY_STYLE = (CurveStyle(GREY, line, "") for line in (LINES[1], LINES[2]))


def draw(found: PairRegret) -> Mapping[str, Figure]:
    """Draw measured regret between lower and upper bounds, over T and over epsilon."""
    figure, axes = make_panels(1, 2, (10.4, 5.0), dpi=150)
    longest = found.lengths[-1]
    cells = (
        [(rounds, USUAL) for rounds in found.lengths],
        [(longest, epsilon) for epsilon in EPSILONS],
    )
    styles = distinct_styles(len(ALGORITHMS))
    for panel, places, x in zip(axes, cells, (found.lengths, EPSILONS), strict=True):
        first = panel is axes[0]
        for index, (name, style) in enumerate(zip(ALGORITHMS, styles, strict=True)):
            measured = [found.regret[name, *place] for place in places]
            draw_means(panel, x, measured, index, name if first else None)
            proved = [found.upper[name, *place] for place in places]
            panel.plot(x, proved, color=style.color, linestyle=":", linewidth=1.0)
        for bound, style, label in (
            (quick_bound, QUICK_STYLE, "lower bound, quick algorithms"),
            (arms.lower_bounds.any_private, ANY_STYLE, "lower bound, any algorithm, early switch"),
        ):
            values = [(a, bound(*place)) for a, place in zip(x, places, strict=True)]
            shown = [(a, value) for a, value in values if value > 0.0]
            panel.plot(*zip(*shown, strict=True), label=label if first else None, **style.options())
        set_log_axes(panel, rounds=x)
    axes[0].plot([], [], color=GREY, linestyle=":", linewidth=1.0, label="proved upper bounds")
    axes[0].set_xlabel("rounds")
    axes[0].set_ylabel("larger mean regret of the pair")
    axes[1].set_xlabel("ε (smaller is more private)")
    set_title(axes[0], f"over rounds, at ε = {USUAL:g}")
    set_title(axes[1], f"over ε, after {longest:,} rounds")
    add_legend_below(figure, columns=4)
    set_heading(
        figure,
        f"Lower bounds, measured regret and upper bounds: two games, {found.trials} trials",
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Lemma 15: lower bounds, the larger regret of two games, and "
        "upper bounds",
        trials=24,
        rounds=2**18,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
