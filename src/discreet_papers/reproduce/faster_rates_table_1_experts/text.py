"""Exponents and maps in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from discreet_papers.reproduce.faster_rates_table_1_experts.cells import (
    LEARNS,
    NOBODY,
    Cell,
    Verdict,
)
from discreet_papers.reproduce.faster_rates_table_1_experts.sweep import (
    ALGORITHMS,
    ARMS,
    BATCHED,
    DELTA,
    EPSILON,
    LOCAL,
    LONG,
    SIZE,
    TIGHT,
)
from discreet_papers.reproduce.files import Row, number

Maps = Mapping[tuple[int, float], Mapping[str, Verdict]]  # by N and epsilon
TITLES = {
    "measured": "measured, our tuning",
    "our_bounds": "our proved bounds",
    "measured_paper": "measured, paper's tuning",
    "theorems": "the paper's theorems",
    "table_1": "Table 1, no constants",
}


def fit_lines(fits: Sequence[Row], cells: Sequence[Cell], length: int) -> list[str]:
    """Return fitted exponents beside those of Table 1 and of our bounds."""
    bounded = [cell for cell in cells if not cell.vacuous]
    above = sum(cell.mean.value > (cell.bound or math.nan) for cell in bounded)
    return [
        f"Private algorithms with expert advice, {ARMS} arms, δ = {DELTA:g}: one good expert "
        "among N, or (over T)",
        f"experts that switch. Exponents of regret over T (N = {SIZE}, ε = {EPSILON:g}), and at "
        f"T = {length:,} over 1/ε",
        f"(N = {SIZE}) and over N (ε = {EPSILON:g}): measured where regret is surely above 0 and "
        "below half of uniform",
        "play's, beyond which it cannot grow much more; of Table 1 over the same points, without "
        "constants and",
        "logarithms but ln N; measured over all points; and of our proved bound, where it is not "
        "vacuous:",
        f"  {'':<20}{'over':<14}{'points':>6}  {'measured':>8}  {'Table 1':>7}     {'all':>5}  "
        f"{'our bound':>9}",
        *(
            "  "
            f"{fit['algorithm']:<20}{fit['over']:<14}{fit['points_learnt']:>3}/{fit['points']:<2}  "
            f"{_number(number(fit, 'exponent_learnt')):>8}  "
            f"{_number(number(fit, 'table_1_learnt')):>7}     "
            f"{_number(number(fit, 'exponent')):>5}  {_number(number(fit, 'our_bound')):>9}"
            for fit in fits
        ),
        f"{above} of {len(bounded)} mean regrets are above their bound. Exponents need not "
        "agree: bounds are for the",
        "worst losses, and these games are easier, most of all for experts as arms "
        "(batched-htinf).",
    ]


def map_lines(maps: Maps, grid: Sequence[Cell], length: int) -> list[str]:
    """Return how often everybody is best, and whether bounds name the winner."""

    def count(which: str, best: str) -> int:
        return sum(found[which].best == best for found in maps.values())

    tuned = [cell for cell in grid if (cell.algorithm, cell.calibration) == (BATCHED, TIGHT)]
    copies = sum(cell.same_as == LOCAL for cell in tuned)
    decided = [found for found in maps.values() if found["measured"].best != NOBODY]
    doubtful = sum(not found["measured"].certain for found in decided)
    agree = {key: sum(_same(found, key) for found in decided) for key in ("our_bounds", "table_1")}
    return [
        f"Who is best, counted over {len(maps)} pairs of N and ε at T = {length:,}; nobody: all "
        f"regret is above {LEARNS:.0%} of uniform play's,",
        "or all bounds are vacuous (at least T, or none is proved):",
        f"  {'':<26}" + "".join(f"{name:>20}" for name in (*ALGORITHMS, "nobody")),
        *(
            f"  {title:<26}"
            + "".join(f"{count(which, name):>20}" for name in (*ALGORITHMS, NOBODY))
            for which, title in TITLES.items()
        ),
        f"In {copies} of {len(tuned)} pairs our bound gives batched-exp4 batches of one round: "
        "it is local-exp4",
        "then, with the same noise, and counted there. batched-exp4, long, has batches of (N "
        "T)^(1/3) / ε^(2/3).",
        f"Of {len(decided)} pairs with a winner, our bounds name it in {agree['our_bounds']} and "
        f"Table 1 in {agree['table_1']}; in {doubtful} the lead may be chance (95 %).",
    ]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _same(found: Mapping[str, Verdict], which: str) -> bool:
    """Return whether bounds name the algorithm that was best, with batches of whatever length."""
    one, other = (
        BATCHED if verdict.best == LONG else verdict.best
        for verdict in (found["measured"], found[which])
    )
    return one == other
