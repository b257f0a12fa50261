"""Regret with privacy over regret without: where it crosses 1.5, and what it is behind every counter."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.simulation.statistics import mean_interval
from discreet_papers.reproduce.agarwal_singh_privacy_for_free.sweep import (
    COUNTERS,
    COUNTING,
    same_rate,
)
from discreet_papers.reproduce.agarwal_singh_privacy_for_free.text import (
    LEVEL,
    counter_lines,
    threshold_lines,
)
from discreet_papers.reproduce.files import Row, number
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.leaders import BLT, DELTA, OPEN, TREE, WITHOUT, Cell, cells, worst
from discreet_papers.reproduce.registry import Findings

NAME = "agarwal-singh-privacy-for-free"


@dataclass(frozen=True, kw_only=True)
class Ratios(Findings):
    """Ratios of regret by approach, T and epsilon."""

    rows: Sequence[Row]
    lengths: Sequence[int]
    trials: int


def threshold(epsilons: Sequence[float], ratios: Sequence[float]) -> float:
    """Return the epsilon above which all ratios are below ``LEVEL``, interpolated on logarithmic scales; or NaN.

    >>> round(threshold([0.1, 1.0, 10.0], [15.0, 0.15, 0.1]), 3)
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


def analyse(played: Sequence[Played]) -> Ratios:
    """Return ratios, thresholds and counters."""
    by_length: dict[int, list[Cell]] = {}
    counting = []
    for each in played:
        if each.game.part.startswith(COUNTING):
            counting.append(each)
        else:
            by_length.setdefault(each.game.rounds, []).extend(cells(each))
    rows = [row for rounds, mine in by_length.items() for row in _ratios(rounds, mine)]
    found = [_crossing(rows, approach, rounds) for approach in (TREE, BLT) for rounds in by_length]
    counters = [row for each in counting for row in _counters(each)]
    return Ratios(
        tables={NAME: rows, f"{NAME}-thresholds": found, f"{NAME}-counters": counters},
        text="\n".join(
            [*threshold_lines(found), "", *counter_lines(counters, counting[0].game.rounds)]
        ),
        rows=rows,
        lengths=list(by_length),
        trials=played[0].trials,
    )


def _ratios(rounds: int, mine: Sequence[Cell]) -> Iterator[Row]:
    """Yield regret for every epsilon beside that without privacy, both the worst over the gaps."""
    floor, _ = worst(mine, WITHOUT)
    bounds = {cell.who: cell.bound for cell in mine}
    proved = bounds[WITHOUT] or math.nan
    for (approach, epsilon), bound in bounds.items():
        regret, _ = worst(mine, (approach, epsilon))
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


def _crossing(rows: Sequence[Row], approach: str, rounds: int) -> Row:
    mine = [row for row in rows if row["approach"] == approach and row["T"] == rounds]
    epsilons = [number(row, "epsilon") for row in mine]
    measured, proved = (
        threshold(epsilons, [number(row, key) for row in mine])
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


def _counters(played: Played) -> Iterator[Row]:
    """Yield the regret behind every counter at epsilon 1, against Bernoulli losses with one expert better by a gap."""
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
