"""Regrets, and how the worst of them, and what privacy adds to them, grow with T."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.problems import Points
from discreet.simulation.statistics import Interval
from discreet_papers.reproduce.agarwal_singh_table_1.sweep import FIXED, POINTS, SIZES
from discreet_papers.reproduce.agarwal_singh_table_1.text import Table, columns, text
from discreet_papers.reproduce.files import Row
from discreet_papers.reproduce.fitting import columns as exponents
from discreet_papers.reproduce.fitting import fitted, slope
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.leaders import BLT, DELTA, OPEN, Cell, bound, cells, worst
from discreet_papers.reproduce.registry import Findings

NAME = "agarwal-singh-table-1"


@dataclass(frozen=True, kw_only=True)
class Measured(Findings):
    """The cells of the table, and the number of trials that each is made of."""

    table: Table
    trials: int


def analyse(played: Sequence[Played]) -> Measured:
    """Return all cells, and exponents of T over the longest three games and over all."""
    found: Table = {}
    for each in played:
        problem, rounds = each.game.problem, each.game.rounds
        assert isinstance(problem, Points), "leaders play points"
        found.setdefault((problem.geometry, problem.dimension), {}).setdefault(rounds, []).extend(
            cells(each)
        )
    rows = [
        _row(points, size, rounds, cell)
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
        for fit in _fits(found, points, size, epsilon, last)
    ]
    return Measured(
        tables={NAME: rows, f"{NAME}-exponents": fits},
        text=text(found, fits),
        table=found,
        trials=played[0].trials,
    )


def _row(points: str, size: int, rounds: int, cell: Cell) -> Row:
    approach, epsilon = cell.who
    return {
        "points": points,
        "N": size,
        "T": rounds,
        "approach": approach,
        "epsilon": epsilon,
        "delta": DELTA if approach == BLT else 0.0,
        "gap": cell.gap,
        "regret_mean": cell.regret.value,
        "regret_low": cell.regret.low,
        "regret_high": cell.regret.high,
        "added_mean": cell.extra.value,
        "added_low": cell.extra.low,
        "added_high": cell.extra.high,
        "regret_bound": cell.bound,
    }


def _fits(found: Table, points: str, size: int, epsilon: float, last: int) -> Iterator[Row]:
    """Yield the exponents of T in the worst regret, in its bound, and in what privacy adds at worst."""
    games = dict(list(found[points, size].items())[-last:])
    times = [float(rounds) for rounds in games]
    for who in columns(epsilon):
        regret, extra = ([worst(each, who)[part] for each in games.values()] for part in (0, 1))
        added = Interval(math.nan, math.nan, math.nan) if who[0] == OPEN else fitted(times, extra)
        yield {
            "points": points,
            "N": size,
            "epsilon": epsilon,
            "approach": who[0],
            "shortest": min(games),
            "longest": max(games),
            **exponents("exponent_of_regret", fitted(times, regret)),
            "exponent_of_bound": slope(
                times, [bound(each, who) or math.nan for each in games.values()]
            ),
            **exponents("exponent_of_added", added),
        }
