"""Exponents over T, N and epsilon, and who is best for every N and epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from discreet_papers.reproduce.faster_rates_table_1_experts.cells import (
    Cell,
    Verdict,
    cells,
    verdicts,
)
from discreet_papers.reproduce.faster_rates_table_1_experts.sweep import (
    ALGORITHMS,
    ARMS,
    DELTA,
    EPSILON,
    RANDOM,
    SIZE,
    SWITCHING,
    TIGHT,
)
from discreet_papers.reproduce.faster_rates_table_1_experts.text import Maps, fit_lines, map_lines
from discreet_papers.reproduce.files import Row
from discreet_papers.reproduce.fitting import columns, fitted, slope
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.registry import Findings

NAME = "faster-rates-table-1-experts"
# Where a cell lies in a sweep.
AXES: Mapping[str, Callable[[Cell], float]] = {
    "T": lambda cell: cell.rounds,
    "T, switching": lambda cell: cell.rounds,
    "1/epsilon": lambda cell: 1.0 / cell.epsilon,
    "N": lambda cell: cell.experts,
}


@dataclass(frozen=True, kw_only=True)
class Growth(Findings):
    """Cells along every axis, and the verdicts for every N and epsilon."""

    lines: Mapping[str, Sequence[Cell]]
    maps: Maps
    length: int  # of the games that are on the map
    trials: int


def analyse(played: Sequence[Played]) -> Growth:
    """Return all cells, exponents and maps."""
    mapped = [each for each in played if _on_map(each)]
    over_rounds = [cell for each in played if not _on_map(each) for cell in cells(each)]
    grid = [cell for each in mapped for cell in cells(each)]
    lines = {
        "T": [cell for cell in over_rounds if cell.world == RANDOM],
        "T, switching": [cell for cell in over_rounds if cell.world == SWITCHING],
        "1/epsilon": [cell for cell in grid if cell.experts == SIZE and cell.calibration],
        "N": [cell for cell in grid if cell.epsilon in (EPSILON, math.inf)],
    }
    fits = [_fit(mine, axis, name) for name in ALGORITHMS for axis, mine in lines.items()]
    where = dict.fromkeys((cell.experts, cell.epsilon) for cell in grid if cell.calibration)
    maps = {
        here: verdicts([cell for cell in grid if (cell.experts, cell.epsilon) == here])
        for here in where
    }
    length = mapped[0].game.rounds
    everything = [*over_rounds, *grid]
    return Growth(
        tables={
            NAME: [_row(cell) for cell in everything],
            f"{NAME}-exponents": fits,
            f"{NAME}-map": [_map_row(here, found) for here, found in maps.items()],
        },
        text="\n".join([*fit_lines(fits, everything, length), "", *map_lines(maps, grid, length)]),
        lines=lines,
        maps=maps,
        length=length,
        trials=played[0].trials,
    )


def _on_map(played: Played) -> bool:
    """Return whether a game is one of all epsilons; games over T are at one."""
    return (
        len({player.epsilon for player in played.game.players if not math.isinf(player.epsilon)})
        > 1
    )


def _fit(mine: Sequence[Cell], axis: str, name: str) -> Row:
    """Return exponents of the measured regret, of our bound and of Table 1, all over the same points."""
    mine = [cell for cell in mine if cell.algorithm == name and cell.calibration == TIGHT]
    learnt = [cell for cell in mine if cell.share < 0.5 and cell.mean.low > 0.0]
    proved = [cell for cell in mine if not cell.vacuous]

    def exponent(usable: Sequence[Cell], value: Callable[[Cell], float]) -> float:
        return slope([AXES[axis](cell) for cell in usable], [value(cell) for cell in usable])

    return {
        "algorithm": name,
        "over": axis,
        "points": len(mine),
        **columns(
            "exponent", fitted([AXES[axis](cell) for cell in mine], [cell.mean for cell in mine])
        ),
        "table_1": exponent(mine, lambda cell: cell.rate),
        "points_learnt": len(learnt),
        **columns(
            "exponent_learnt",
            fitted([AXES[axis](cell) for cell in learnt], [cell.mean for cell in learnt]),
        ),
        "table_1_learnt": exponent(learnt, lambda cell: cell.rate),
        "points_proved": len(proved),
        "our_bound": exponent(proved, lambda cell: cell.bound or math.nan),
    }


def _row(cell: Cell) -> Row:
    mean = cell.mean
    return {
        "algorithm": cell.algorithm,
        "calibration": cell.calibration,
        "environment": cell.world,
        "N": cell.experts,
        "K": ARMS,
        "T": cell.rounds,
        "epsilon": cell.epsilon,
        "delta": DELTA if cell.calibration else 0.0,
        "batch_size": cell.batch_size,
        "same_as": cell.same_as,
        "regret_mean": mean.value,
        "regret_low": mean.low,
        "regret_high": mean.high,
        "share_of_blind_play": cell.share,
        "regret_bound": cell.bound,
        "vacuous": cell.vacuous,
        "table_1": cell.rate if cell.calibration else math.nan,
    }


def _map_row(where: tuple[int, float], found: Mapping[str, Verdict]) -> Row:
    row: dict[str, object] = {"N": where[0], "epsilon": where[1]}
    for name, verdict in found.items():
        row |= {name: verdict.best, f"{name}_share": verdict.value}
        if name.startswith("measured"):
            row[f"{name}_certain"] = verdict.certain
    return row
