"""Agarwal & Singh 2017, Table 1: regret of private leaders over T and N with full information.

Six approaches play on four sets of points in three dimensions, at three epsilons, in games of up to
a million rounds. Slates of 3 in 10 items stand for the table's last row, any set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.plot import LINES, set_heading, set_log_axes
from discreet.problems import GeometryName, Points
from discreet.simulation import Interval
from discreet_papers.reproduce.drawing import (
    GREY,
    add_legend_below,
    draw_means,
    make_panels,
    style_of,
)
from discreet_papers.reproduce.fitting import (
    as_columns,
    choose_lengths,
    fit_exponent,
    fit_slope,
    format_fit,
)
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, play_games
from discreet_papers.reproduce.leaders import (
    BLT,
    DELTA,
    FTPL,
    OLD,
    OPEN,
    OPEN_FTPL,
    PERTURBED_WITHOUT,
    TREE,
    WITHOUT,
    Approach,
    LeaderCell,
    blt_leader,
    leader_cells,
    leader_games,
    old_leader,
    open_leader,
    open_perturbed_leader,
    perturbed_leader,
    proved_bound,
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
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "agarwal-singh-table-1"
# The paper says sphere, but means the ball.
POINTS: tuple[GeometryName, ...] = ("experts", "ball", "cube", "set")
# N, and the longest game: padding draws N log T numbers per round.
SIZES = {2: 2**20, 10: 2**20, 100: 2**16}
FIXED = (0.1, 1.0)
PRIVATE = (OLD, TREE, BLT)
PERTURBED = (OPEN_FTPL, FTPL)
LeaderTable = dict[tuple[str, int], dict[int, list[LeaderCell]]]  # by points and N, then by T


# Sweep


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return a game for every set, dimension, length and gap."""
    return tuple(
        game
        for points in POINTS
        for size in SIZES
        for length in lengths_in(rounds, size)
        for game in leader_games(
            f"{points}, N = {size}", points, size, length, entrants(points, length)
        )
    )


def lengths_in(rounds: int, size: int) -> list[int]:
    """Return the lengths of games in N dimensions."""
    return choose_lengths(min(rounds, SIZES[size]), count=6, shortest=2**10)


def entrants(points: str, rounds: int) -> tuple[Entrant, ...]:
    """Return the columns of the table, for every epsilon."""
    private = (
        player
        for epsilon in dict.fromkeys((rounds**-0.5, *FIXED))
        for player in (
            old_leader(epsilon),
            tree_leader(points, epsilon),
            blt_leader(points, epsilon),
            perturbed_leader(epsilon),
        )
    )
    return (open_leader(points), open_perturbed_leader(), *private)


def approaches(epsilon: float) -> tuple[Approach, ...]:
    """Return no privacy and all private approaches at one epsilon, then perturbed leaders."""
    private = ((approach, epsilon) for approach in PRIVATE)
    return (WITHOUT, *private, PERTURBED_WITHOUT, (FTPL, epsilon))


# Analysis: how the worst regret, and what privacy adds to it, grow with T


@dataclass(frozen=True, kw_only=True)
class LeaderFindings(Findings):
    """The cells of the table, and the number of trials in each."""

    table: LeaderTable
    trials: int


def analyse(played: Sequence[PlayedGame]) -> LeaderFindings:
    """Return all cells, and exponents of T over the longest three games and over all."""
    found: LeaderTable = {}
    for each in played:
        problem, rounds = each.game.problem, each.game.rounds
        assert isinstance(problem, Points), "leaders play points"
        games = found.setdefault((problem.geometry, problem.dimension), {})
        games.setdefault(rounds, []).extend(leader_cells(each))
    rows = [
        _regret_row(points, size, rounds, cell)
        for (points, size), games in found.items()
        for rounds, mine in games.items()
        for cell in mine
    ]
    fits = [
        fit
        for points in POINTS
        for size in SIZES
        for epsilon in FIXED
        for last in (3, 6)
        for fit in _fit_rows(found, points, size, epsilon, last)
    ]
    return LeaderFindings(
        tables={NAME: rows, f"{NAME}-exponents": fits},
        text=describe(found, fits),
        table=found,
        trials=played[0].trials,
    )


def _regret_row(points: str, size: int, rounds: int, cell: LeaderCell) -> TableRow:
    approach, epsilon = cell.who
    return {
        "points": points,
        "N": size,
        "T": rounds,
        "approach": approach,
        "epsilon": epsilon,
        "delta": DELTA if approach in (BLT, FTPL) else 0.0,
        "gap": cell.gap,
        "regret_mean": cell.regret.value,
        "regret_low": cell.regret.low,
        "regret_high": cell.regret.high,
        "added_mean": cell.extra.value,
        "added_low": cell.extra.low,
        "added_high": cell.extra.high,
        "regret_bound": cell.bound,
    }


def _fit_rows(
    found: LeaderTable, points: str, size: int, epsilon: float, last: int
) -> Iterator[TableRow]:
    """Yield the exponents of T in the worst regret, in its bound, and in what privacy adds."""
    games = dict(list(found[points, size].items())[-last:])
    lengths = [float(rounds) for rounds in games]
    for who in approaches(epsilon):
        regret, extra = (
            [worst_regret(each, who)[part] for each in games.values()] for part in (0, 1)
        )
        unknown = Interval(math.nan, math.nan, math.nan)
        added = unknown if who in (WITHOUT, PERTURBED_WITHOUT) else fit_exponent(lengths, extra)
        yield {
            "points": points,
            "N": size,
            "epsilon": epsilon,
            "approach": who[0],
            "shortest": min(games),
            "longest": max(games),
            **as_columns("exponent_of_regret", fit_exponent(lengths, regret)),
            "exponent_of_bound": fit_slope(
                lengths, [proved_bound(each, who) or math.nan for each in games.values()]
            ),
            **as_columns("exponent_of_added", added),
        }


# Text


def describe(found: LeaderTable, fits: Sequence[TableRow]) -> str:
    """Return the text about the table."""
    lines = [
        "Independent losses; one point is better by 2, 16 or 128 / sqrt(T) (at most 1/2 for "
        "experts, else 1). The worst",
        "of the three counts for each algorithm, so other games may cost more. Without a gap all "
        "algorithms would lose",
        "the same on average; a fixed gap is hard at one T only, and longer games would only "
        "make it easier.",
        f"New: (ε, 0) with a padded tree, (ε, {DELTA:g}) with BLT. Old: FTAL (Smith & Thakurta "
        "2013) with the same pure",
        "noise, and h = (G / r) sqrt(2 N (ln T)^2.5 / (ε T)) from its bound, which is quoted "
        "from memory, not proved here.",
        "The table's last row, any set, is played on slates (3 of 10 items; 1 of 2, 30 of 100), "
        "losses of items from 0 to 1.",
        "",
        "Worst regret in the longest games, 95 % intervals, ε = 1 (proved bound in brackets):",
        f"  {'':<18}" + "".join(f"{name:<22}" for name in (OPEN, *PRIVATE)),
        *(_worst_line(found, points, size) for points in POINTS for size in SIZES),
        "",
        "Perturbed leaders (Theorem 3.5) in the same games, ε = 1:",
        f"  {'':<18}" + "".join(f"{name:<22}" for name in PERTURBED),
        *(_worst_line(found, points, size, PERTURBED) for points in POINTS for size in SIZES),
        "",
        "Exponents of T fitted over the longest three games: of regret, and of what privacy adds "
        "in the same games.",
        "In the paper's table regret has 1/2, what the old approach adds 1/2, and what the new "
        "one adds 0 (logarithms):",
        f"  {'':<21}{OPEN:<14}" + "".join(f"{name:<20}" for name in PRIVATE),
        *(
            _fit_line(fits, points, size, epsilon)
            for epsilon in reversed(FIXED)
            for points in POINTS
            for size in SIZES
        ),
        "",
        "An exponent near 1 means that the noise dominates: the algorithm plays at random, with "
        "the bound of random play.",
    ]
    private = [
        cell
        for games in found.values()
        for mine in games.values()
        for cell in mine
        if cell.who[0] not in (OPEN, OPEN_FTPL)
    ]
    better = sum(cell.extra.high < 0.0 for cell in private)
    share = f"{better} of {len(private)} measurements"
    return "\n".join(
        [*lines, f"In {share} privacy lowered regret beyond its 95 % interval (by chance: 2.5 %)."]
    )


def _worst_line(
    found: LeaderTable, points: str, size: int, shown: Sequence[str] = (OPEN, *PRIVATE)
) -> str:
    rounds, cells = max(found[points, size].items())
    entries = []
    for who in (each for each in approaches(1.0) if each[0] in shown):
        regret, proved = worst_regret(cells, who)[0], proved_bound(cells, who)
        half = "" if math.isnan(regret.high) else f" ± {regret.high - regret.value:.0f}"
        entries.append(f"{regret.value:.0f}{half}" + ("" if proved is None else f" ({proved:.0f})"))
    return f"  {points:<8}{size:<4}2^{math.log2(rounds):<4.3g}" + "".join(
        f"{entry:<22}" for entry in entries
    )


def _fit_line(fits: Sequence[TableRow], points: str, size: int, epsilon: float) -> str:
    mine = [
        fit for fit in fits if (fit["points"], fit["N"], fit["epsilon"]) == (points, size, epsilon)
    ][:4]
    pairs = [
        f"{_exponent(fit, 'exponent_of_regret')}, adds {_exponent(fit, 'exponent_of_added')}"
        for fit in mine[1:]
    ]
    first = f"  {points:<8}{size:<4}ε = {epsilon:<5g}{_exponent(mine[0], 'exponent_of_regret'):<14}"
    return first + "".join(f"{pair:<20}" for pair in pairs)


def _exponent(fit: TableRow, key: str) -> str:
    return format_fit(read_number(fit, key))


# Drawing

SIZE, EPSILON = 10, 1.0  # of what is drawn
TITLES = {
    "experts": f"{SIZE} experts",
    "ball": f"ball in {SIZE} dimensions",
    "cube": f"cube in {SIZE} dimensions",
    "set": f"slates of 3 of {SIZE} items",
}
LABELS = {
    OPEN: "FTRL, no privacy",
    OLD: "FTAL on a tree (old approach)",
    TREE: "FTRL on a padded tree",
    BLT: f"FTRL on BLT sums, δ = {DELTA:f}",
    OPEN_FTPL: "FTPL, no privacy",
    FTPL: f"FTPL on BLT sums, δ = {DELTA:f}",
}


def draw(found: LeaderFindings) -> Mapping[str, Figure]:
    """Draw one column per set of points: worst regret above, what privacy adds below."""
    figure, axes = make_panels(2, len(POINTS), (13.2, 6.8), dpi=130, sharex=True, sharey="row")
    for column, points in enumerate(POINTS):
        above, below = axes[0][column], axes[1][column]
        _draw_curves(above, below, found.table[points, SIZE], named=column == 0)
        above.set_title(TITLES[points], fontsize=11)
        below.set_xlabel("rounds T")
    for panel in axes.flat:
        set_log_axes(panel, rounds=list(found.table[POINTS[0], SIZE]))
        panel.tick_params(labelsize=8)
    axes[0][0].set_ylabel("worst mean regret\n(thin dots: proved bound)")
    axes[1][0].set_ylabel("regret that privacy adds, at worst")
    add_legend_below(figure, columns=3)
    set_heading(
        figure,
        f"What privacy costs with full information, ε = {EPSILON:g}: {found.trials} trials, 95 % "
        "bars",
    )
    return {NAME: figure}


def _draw_curves(
    above: Axes, below: Axes, games: Mapping[int, list[LeaderCell]], *, named: bool
) -> None:
    rounds = list(games)
    for index, who in enumerate(approaches(EPSILON)):
        regret, extra = (
            [worst_regret(cells, who)[part] for cells in games.values()] for part in (0, 1)
        )
        draw_means(above, rounds, regret, index, LABELS[who[0]] if named else None)
        if who not in (WITHOUT, PERTURBED_WITHOUT):
            draw_means(below, rounds, extra, index, None)
        bounds = [proved_bound(cells, who) for cells in games.values()]
        proved = [bound for bound in bounds if bound is not None]
        if proved:
            colour = style_of(index)["color"]
            above.plot(rounds, proved, color=colour, linestyle=LINES[7], linewidth=1.2)
    root = [math.sqrt(t) for t in rounds]
    label = "√T, for comparison" if named else None
    below.plot(rounds, root, color=GREY, linestyle=LINES[1], label=label)


register_reproduction(
    Reproduction(
        name=NAME,
        title="Agarwal & Singh 2017, Table 1: regret over T, N and epsilon with full "
        "information, with fitted exponents",
        trials=6,
        rounds=2**20,
        sweep=sweep,
        play=play_games,
        analyse=analyse,
        draw=draw,
    )
)
