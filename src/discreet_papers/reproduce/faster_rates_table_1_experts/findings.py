"""Exponents over T, N and epsilon, and which algorithm is best for every N and epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from discreet_papers.reproduce.faster_rates_table_1_experts.games import (
    ALGORITHMS,
    ARMS,
    BATCHED,
    DELTA,
    EPSILON,
    LEARNS,
    LOCAL,
    LONG,
    NOBODY,
    RANDOM,
    SIZE,
    SWITCHING,
    TIGHT,
    AdviceCell,
    Winner,
    advice_cells,
    find_winners,
)
from discreet_papers.reproduce.fitting import as_columns, fit_exponent, fit_slope
from discreet_papers.reproduce.games import PlayedGame
from discreet_papers.reproduce.registry import Findings, TableRow, read_number

NAME = "faster-rates-table-1-experts"
# The position of a cell along each axis.
AXES: Mapping[str, Callable[[AdviceCell], float]] = {
    "T": lambda cell: cell.rounds,
    "T, switching": lambda cell: cell.rounds,
    "1/epsilon": lambda cell: 1.0 / cell.epsilon,
    "N": lambda cell: cell.experts,
}


@dataclass(frozen=True, kw_only=True)
class AdviceGrowth(Findings):
    """Cells along every axis, and the winners for every N and epsilon."""

    lines: Mapping[str, Sequence[AdviceCell]]
    maps: Maps
    length: int  # of the games on the map
    trials: int


def analyse(played: Sequence[PlayedGame]) -> AdviceGrowth:
    """Return all cells, exponents and maps."""
    mapped = [each for each in played if _on_map(each)]
    over_rounds = [cell for each in played if not _on_map(each) for cell in advice_cells(each)]
    grid = [cell for each in mapped for cell in advice_cells(each)]
    lines = {
        "T": [cell for cell in over_rounds if cell.environment == RANDOM],
        "T, switching": [cell for cell in over_rounds if cell.environment == SWITCHING],
        "1/epsilon": [cell for cell in grid if cell.experts == SIZE and cell.calibration],
        "N": [cell for cell in grid if cell.epsilon in (EPSILON, math.inf)],
    }
    fits = [_fit_row(mine, axis, name) for name in ALGORITHMS for axis, mine in lines.items()]
    where = dict.fromkeys((cell.experts, cell.epsilon) for cell in grid if cell.calibration)
    maps = {
        here: find_winners([cell for cell in grid if (cell.experts, cell.epsilon) == here])
        for here in where
    }
    length = mapped[0].game.rounds
    everything = [*over_rounds, *grid]
    return AdviceGrowth(
        tables={
            NAME: [_regret_row(cell) for cell in everything],
            f"{NAME}-exponents": fits,
            f"{NAME}-map": [_map_row(here, found) for here, found in maps.items()],
        },
        text="\n".join([*fit_lines(fits, everything, length), "", *map_lines(maps, grid, length)]),
        lines=lines,
        maps=maps,
        length=length,
        trials=played[0].trials,
    )


def _on_map(played: PlayedGame) -> bool:
    """Return whether a game is on the map, with all epsilons; games over T have one."""
    return (
        len({player.epsilon for player in played.game.players if not math.isinf(player.epsilon)})
        > 1
    )


def _fit_row(mine: Sequence[AdviceCell], axis: str, name: str) -> TableRow:
    """Return exponents of the measured regret, of our bound and of Table 1 over the same points."""
    mine = [cell for cell in mine if cell.algorithm == name and cell.calibration == TIGHT]
    learnt = [cell for cell in mine if cell.share < 0.5 and cell.mean.low > 0.0]
    proved = [cell for cell in mine if not cell.vacuous]

    def exponent(usable: Sequence[AdviceCell], value: Callable[[AdviceCell], float]) -> float:
        return fit_slope([AXES[axis](cell) for cell in usable], [value(cell) for cell in usable])

    return {
        "algorithm": name,
        "over": axis,
        "points": len(mine),
        **as_columns(
            "exponent",
            fit_exponent([AXES[axis](cell) for cell in mine], [cell.mean for cell in mine]),
        ),
        "table_1": exponent(mine, lambda cell: cell.rate),
        "points_learnt": len(learnt),
        **as_columns(
            "exponent_learnt",
            fit_exponent([AXES[axis](cell) for cell in learnt], [cell.mean for cell in learnt]),
        ),
        "table_1_learnt": exponent(learnt, lambda cell: cell.rate),
        "points_proved": len(proved),
        "our_bound": exponent(proved, lambda cell: cell.bound or math.nan),
    }


def _regret_row(cell: AdviceCell) -> TableRow:
    mean = cell.mean
    return {
        "algorithm": cell.algorithm,
        "calibration": cell.calibration,
        "environment": cell.environment,
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


def _map_row(where: tuple[int, float], found: Mapping[str, Winner]) -> TableRow:
    row: dict[str, object] = {"N": where[0], "epsilon": where[1]}
    for name, winner in found.items():
        row |= {name: winner.best, f"{name}_share": winner.value}
        if name.startswith("measured"):
            row[f"{name}_certain"] = winner.certain
    return row


# Text

Maps = Mapping[tuple[int, float], Mapping[str, Winner]]  # by N and epsilon
TITLES = {
    "measured": "measured, our tuning",
    "our_bounds": "our proved bounds",
    "measured_paper": "measured, paper's tuning",
    "theorems": "the paper's theorems",
    "table_1": "Table 1, no constants",
}


def fit_lines(fits: Sequence[TableRow], cells: Sequence[AdviceCell], length: int) -> list[str]:
    """Return fitted exponents, those of Table 1 and those of our bounds."""
    bounded = [cell for cell in cells if not cell.vacuous]
    above = sum(cell.mean.value > (cell.bound or math.nan) for cell in bounded)
    return [
        f"Private algorithms with expert advice, {ARMS} arms, δ = {DELTA:g}: one good expert "
        "among N, or (over T) experts that",
        f"switch. Exponents of regret over T (N = {SIZE}, ε = {EPSILON:g}), and at T = {length:,} "
        f"over 1/ε (N = {SIZE}) and over N",
        f"(ε = {EPSILON:g}). Measured: where regret is surely above 0 and below half of uniform "
        "play's, above which it",
        "cannot grow much more. Table 1: over the same points, without constants and without "
        "logarithms except ln N.",
        "All: measured over all points. Our bound: where it is not vacuous.",
        f"  {'':<20}{'over':<14}{'points':>6}  {'measured':>8}  {'Table 1':>7}     {'all':>5}  "
        f"{'our bound':>9}",
        *(_fit_line(fit) for fit in fits),
        f"{above} of {len(bounded)} mean regrets are above their bound. Exponents need not agree: "
        "bounds are for the worst",
        "losses, and these games are easier, especially for experts as arms (batched-htinf).",
    ]


def _fit_line(fit: TableRow) -> str:
    return (
        f"  {fit['algorithm']:<20}{fit['over']:<14}{fit['points_learnt']:>3}/{fit['points']:<2}  "
        f"{_format(read_number(fit, 'exponent_learnt')):>8}  "
        f"{_format(read_number(fit, 'table_1_learnt')):>7}     "
        f"{_format(read_number(fit, 'exponent')):>5}  {_format(read_number(fit, 'our_bound')):>9}"
    )


def map_lines(maps: Maps, grid: Sequence[AdviceCell], length: int) -> list[str]:
    """Return how often each algorithm is best, and whether bounds name the winner."""

    def count(which: str, best: str) -> int:
        return sum(found[which].best == best for found in maps.values())

    tuned = [cell for cell in grid if (cell.algorithm, cell.calibration) == (BATCHED, TIGHT)]
    copies = sum(cell.same_as == LOCAL for cell in tuned)
    decided = [found for found in maps.values() if found["measured"].best != NOBODY]
    doubtful = sum(not found["measured"].certain for found in decided)
    agree = {key: sum(_same(found, key) for found in decided) for key in ("our_bounds", "table_1")}
    return [
        f"Which is best, counted over {len(maps)} pairs of N and ε at T = {length:,}. None: all "
        f"regret is above {LEARNS:.0%} of",
        "uniform play's, or all bounds are vacuous (at least T, or none is proved):",
        f"  {'':<26}" + "".join(f"{name:>20}" for name in (*ALGORITHMS, NOBODY)),
        *(
            f"  {title:<26}"
            + "".join(f"{count(which, name):>20}" for name in (*ALGORITHMS, NOBODY))
            for which, title in TITLES.items()
        ),
        f"In {copies} of {len(tuned)} pairs our bound gives batched-exp4 batches of one round: "
        "then it is local-exp4, with the",
        "same noise, and counted there. batched-exp4, long, has batches of (N T)^(1/3) / ε^(2/3).",
        f"Of {len(decided)} pairs with a winner, our bounds name it in {agree['our_bounds']} and "
        f"Table 1 in {agree['table_1']}; in {doubtful} the lead may be chance (95 %).",
    ]


def _format(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _same(found: Mapping[str, Winner], which: str) -> bool:
    """Return whether bounds name the best algorithm, with batches of any length."""
    one, other = (
        BATCHED if winner.best == LONG else winner.best
        for winner in (found["measured"], found[which])
    )
    return one == other
