"""Agarwal & Singh 2017, section 1.1: from which epsilon on privacy is free, and what counters cost.

Leaders on ten experts play at many epsilons and lengths; all counters play at epsilon 1 with two
gaps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.plot import LINES, set_heading, set_log_axes, set_title
from discreet.problems import GeometryName, Points
from discreet.simulation import mean_interval
from discreet_papers.reproduce.drawing import GREY, add_legend_below, make_panels, style_of
from discreet_papers.reproduce.fitting import choose_lengths, fit_slope, format_fit
from discreet_papers.reproduce.games import (
    Entrant,
    Options,
    PlayedGame,
    SweepGame,
    make_contender,
    play_games,
)
from discreet_papers.reproduce.leaders import (
    BLT,
    DELTA,
    OPEN,
    TREE,
    WITHOUT,
    LeaderCell,
    blt_leader,
    leader_cells,
    leader_games,
    open_leader,
    tree_leader,
    worst_regret,
)
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    TableRow,
    read_number,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "agarwal-singh-privacy-for-free"
POINTS: GeometryName = "experts"
SIZE = 10
GAPS = (0.1, 0.01)
COUNTERS: dict[str, Options] = {
    "tree": (("sums", "tree"), ("noise", "gaussian"), ("padding", False)),
    "tree, padded": (("sums", "tree"), ("noise", "gaussian"), ("padding", True)),
    "honaker": (("sums", "honaker"), ("noise", "gaussian")),
    "sqrt-toeplitz": (("sums", "sqrt-toeplitz"),),
    "blt": (("sums", "blt"),),
}
COUNTING = "counters"  # the parts of the sweep that compare counters begin with this word
LEVEL = 1.5  # privacy counts as free if regret is below this multiple of that without privacy


# Sweep


def same_rate(counter: str) -> str:
    """Return the name of a counter that plays with the learning rate for no privacy."""
    return f"{counter}, same rate"


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return games of several lengths at many epsilons, then games of all counters."""
    return (
        *(
            game
            for length in choose_lengths(rounds, count=4, shortest=2**10)
            for game in _games_of_length(length)
        ),
        *(_counter_game(rounds, gap) for gap in GAPS),
    )


def _games_of_length(rounds: int) -> tuple[SweepGame, ...]:
    epsilons = [float(f"{e:.4g}") for e in np.geomspace(0.01 / math.sqrt(rounds), 30.0, 16)]
    private = (
        player for e in epsilons for player in (tree_leader(POINTS, e), blt_leader(POINTS, e))
    )
    return leader_games(f"T = {rounds:,}", POINTS, SIZE, rounds, (open_leader(POINTS), *private))


def _counter_game(rounds: int, gap: float) -> SweepGame:
    """Let every counter play with the best learning rate for its bound, and with OPEN's."""
    alone = SweepGame(
        part=f"{COUNTING}, gap {gap:g}",
        environment="linear-stochastic",
        problem=Points(POINTS, SIZE),
        rounds=rounds,
        players=(open_leader(POINTS),),
        options=(("gap", gap),),
    )
    rate = make_contender(alone, alone.players[0]).facts["parameters"]["learning_rate"]

    def both_rates(counter: str, options: Options) -> Iterator[Entrant]:
        best = Entrant(
            algorithm="private-ftrl-experts",
            epsilon=1.0,
            delta=DELTA,
            options=(*options, ("head_start", 0.0)),  # one learning rate, as in the paper
            role=counter,
        )
        yield best
        yield replace(best, options=(("learning_rate", rate), *options), role=same_rate(counter))

    everyone = (
        player for counter, options in COUNTERS.items() for player in both_rates(counter, options)
    )
    return replace(alone, players=(*alone.players, *everyone))


# Analysis: regret with privacy divided by regret without


@dataclass(frozen=True, kw_only=True)
class Ratios(Findings):
    """Ratios of regret by approach, T and epsilon."""

    rows: Sequence[TableRow]
    lengths: Sequence[int]
    trials: int


def find_threshold(epsilons: Sequence[float], ratios: Sequence[float]) -> float:
    """Return the epsilon above which all ratios are below ``LEVEL``; or NaN.

    It is interpolated on logarithmic scales.

    >>> round(find_threshold([0.1, 1.0, 10.0], [15.0, 0.15, 0.1]), 3)
    0.316
    """
    seen = list(zip(epsilons, ratios, strict=True))
    for (left, high), (right, low) in reversed(list(itertools.pairwise(seen))):
        if low >= LEVEL:
            return math.nan
        if high >= LEVEL:
            share = math.log(high / LEVEL) / math.log(high / low)
            return math.exp((1.0 - share) * math.log(left) + share * math.log(right))
    return math.nan


def analyse(played: Sequence[PlayedGame]) -> Ratios:
    """Return ratios, thresholds and counters."""
    by_length: dict[int, list[LeaderCell]] = {}
    counting = []
    for each in played:
        if each.game.part.startswith(COUNTING):
            counting.append(each)
        else:
            by_length.setdefault(each.game.rounds, []).extend(leader_cells(each))
    rows = [row for rounds, mine in by_length.items() for row in _ratio_rows(rounds, mine)]
    thresholds = [
        _threshold_row(rows, approach, rounds) for approach in (TREE, BLT) for rounds in by_length
    ]
    counters = [row for each in counting for row in _counter_rows(each)]
    return Ratios(
        tables={NAME: rows, f"{NAME}-thresholds": thresholds, f"{NAME}-counters": counters},
        text="\n".join(
            [*threshold_lines(thresholds), "", *counter_lines(counters, counting[0].game.rounds)]
        ),
        rows=rows,
        lengths=list(by_length),
        trials=played[0].trials,
    )


def _ratio_rows(rounds: int, mine: Sequence[LeaderCell]) -> Iterator[TableRow]:
    """Yield regret at every epsilon and without privacy, each at its worst gap."""
    floor, _ = worst_regret(mine, WITHOUT)
    bounds = {cell.who: cell.bound for cell in mine}
    proved = bounds[WITHOUT] or math.nan
    for (approach, epsilon), bound in bounds.items():
        regret, _ = worst_regret(mine, (approach, epsilon))
        yield {
            "approach": approach,
            "delta": DELTA if approach == BLT else 0.0,
            "T": rounds,
            "epsilon": epsilon,
            "epsilon_sqrt_T": epsilon * math.sqrt(rounds),
            "regret_mean": regret.value,
            "regret_low": regret.low,
            "regret_high": regret.high,
            "ratio": regret.value / floor.value,
            "regret_bound": bound,
            "ratio_of_bounds": (bound or math.nan) / proved,
        }


def _threshold_row(rows: Sequence[TableRow], approach: str, rounds: int) -> TableRow:
    mine = [row for row in rows if row["approach"] == approach and row["T"] == rounds]
    epsilons = [read_number(row, "epsilon") for row in mine]
    measured, proved = (
        find_threshold(epsilons, [read_number(row, key) for row in mine])
        for key in ("ratio", "ratio_of_bounds")
    )
    return {
        "approach": approach,
        "T": rounds,
        "epsilon": measured,
        "epsilon_sqrt_T": measured * math.sqrt(rounds),
        "epsilon_of_bounds": proved,
        "epsilon_of_bounds_sqrt_T": proved * math.sqrt(rounds),
    }


def _counter_rows(played: PlayedGame) -> Iterator[TableRow]:
    """Yield regret with every counter at epsilon 1; one expert is better by a gap."""
    players = {player.role: player for player in played.game.players}
    means = {role: mean_interval(played.regret(player)) for role, player in players.items()}
    for role in (OPEN, *COUNTERS):
        mean, same = means[role], means[OPEN if role == OPEN else same_rate(role)]
        facts = played.contender(players[role]).facts
        yield {
            "gap": dict(played.game.options)["gap"],
            "counter": role,
            "regret_mean": mean.value,
            "regret_low": mean.low,
            "regret_high": mean.high,
            "ratio": mean.value / means[OPEN].value,
            "regret_bound": facts["regret_bound"],
            "learning_rate": facts["parameters"]["learning_rate"],
            "same_rate_regret_mean": same.value,
            "same_rate_regret_low": same.low,
            "same_rate_regret_high": same.high,
            "same_rate_ratio": same.value / means[OPEN].value,
        }


# Text


def threshold_lines(found: Sequence[TableRow]) -> list[str]:
    """Return from which epsilon on privacy is free, and how that falls with T."""
    lines = [
        f"{SIZE} experts. Above epsilon* privacy is free: regret is less than {LEVEL:g} times "
        "that of FTRL without",
        "privacy, each at its worst of the gaps 2, 16 and 128 / sqrt(T). The paper's claim, free "
        "from 1 / sqrt(T) on,",
        "is about bounds, up to logarithms of T and powers of N: epsilon* sqrt(T) shows what "
        "that hides.",
        f"  {'':<12}{'T':>9}  {'epsilon*':>9}  {'times sqrt(T)':>13}  {'of the bounds':>13}  "
        f"{'times sqrt(T)':>13}",
    ]
    for approach in (TREE, BLT):
        mine = [row for row in found if row["approach"] == approach]
        lines += [
            f"  {approach:<12}{row['T']:>9,}  {_format(row, 'epsilon', 3):>9}  "
            f"{_format(row, 'epsilon_sqrt_T', 0):>13}  {_format(row, 'epsilon_of_bounds', 3):>13} "
            f" {_format(row, 'epsilon_of_bounds_sqrt_T', 0):>13}"
            for row in mine
        ]
        measured, proved = (_exponent(mine, key) for key in ("epsilon", "epsilon_of_bounds"))
        lines.append(
            f"  {'':<12}epsilon* ~ T^{format_fit(measured)}, that of the bounds "
            f"T^{format_fit(proved)} (without logarithms T^-0.50)"
        )
    return lines


def counter_lines(counters: Sequence[TableRow], rounds: int) -> list[str]:
    """Return the regret with every counter."""
    lines = [
        f"Regret at ε = 1, δ = {DELTA:g}, T = {rounds:,}, {SIZE} experts, Bernoulli losses, one "
        "better by the gap;",
        "with the learning rate that is best for the proved bound, and with that of no privacy:",
        f"  {'gap':<6}{'':<15}{'regret':>8}  {'95 % interval':<18}{'ratio':>5}  {'bound':>6}    "
        "same rate  ratio",
    ]
    for row in counters:
        bound = "none" if row["regret_bound"] is None else f"{row['regret_bound']:.0f}"
        between = (
            ""
            if math.isnan(read_number(row, "regret_low"))
            else f"{row['regret_low']:.1f} to {row['regret_high']:.1f}"
        )
        lines.append(
            f"  {row['gap']:<6g}{row['counter']:<15}{row['regret_mean']:>8.1f}  "
            f"{between:<18}{row['ratio']:>5.2f}  {bound:>6}  "
            f"{row['same_rate_regret_mean']:>11.1f}  {row['same_rate_ratio']:>5.2f}"
        )
    return lines


def _format(row: TableRow, key: str, digits: int) -> str:
    return format_fit(read_number(row, key), digits)


def _exponent(rows: Sequence[TableRow], key: str) -> float:
    usable = [row for row in rows if not math.isnan(read_number(row, key))]
    return fit_slope(
        [read_number(row, "T") for row in usable], [read_number(row, key) for row in usable]
    )


# Drawing

TITLES = {
    TREE: "running sums by a tree, (ε, 0)-differential privacy",
    BLT: f"running sums by BLT, (ε, {DELTA:f})-differential privacy",
}


def draw(found: Ratios) -> Mapping[str, Figure]:
    """Draw one panel per approach and one line per length, over epsilon in units of 1 / sqrt(T)."""
    figure, axes = make_panels(1, 2, (10.0, 4.8), dpi=130, sharey=True)
    for panel, (approach, title) in zip(axes, TITLES.items(), strict=True):
        named = panel is axes[0]
        for index, rounds in enumerate(found.lengths):
            mine = [row for row in found.rows if row["approach"] == approach and row["T"] == rounds]
            x, y = ([row[key] for row in mine] for key in ("epsilon_sqrt_T", "ratio"))
            label = f"T = {rounds:,} rounds" if named else None
            panel.plot(x, y, label=label, markersize=5, linewidth=1.5, **style_of(index))
        level = f"{LEVEL:g} times the regret without privacy" if named else None
        panel.axhline(LEVEL, color=GREY, linestyle=LINES[1], label=level)
        panel.axvline(1.0, color=GREY, linestyle=LINES[2], label="ε = 1 / √T" if named else None)
        panel.set_xlabel("ε √T (smaller is more private)")
        set_title(panel, title)
    for panel in axes:
        set_log_axes(panel)
    axes[0].set_ylabel("worst regret with privacy,\ndivided by that without")
    add_legend_below(figure, columns=4)
    set_heading(
        figure,
        f"Where privacy starts to cost: exponential weights on {SIZE} experts, {found.trials} "
        "trials",
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="Agarwal & Singh 2017: from which epsilon on privacy is free for experts, and the "
        "regret of every counter at 1",
        trials=24,
        rounds=2**18,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
