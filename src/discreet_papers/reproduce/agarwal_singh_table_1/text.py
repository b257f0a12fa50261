"""The table in words: worst regrets in the longest games, and fitted exponents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from discreet_papers.reproduce.agarwal_singh_table_1.sweep import FIXED, POINTS, SIZES
from discreet_papers.reproduce.files import Row, number
from discreet_papers.reproduce.fitting import shown
from discreet_papers.reproduce.leaders import (
    BLT,
    DELTA,
    OLD,
    OPEN,
    TREE,
    WITHOUT,
    Cell,
    Who,
    bound,
    worst,
)

Table = dict[tuple[str, int], dict[int, list[Cell]]]  # by points and N, then by T
PRIVATE = (OLD, TREE, BLT)


def columns(epsilon: float) -> tuple[Who, ...]:
    """Return no privacy, and all approaches at one epsilon."""
    return (WITHOUT, *((approach, epsilon) for approach in PRIVATE))


def text(found: Table, fits: Sequence[Row]) -> str:
    """Return all that is said about the table."""
    lines = [
        "Independent losses, one point better by 2, 16 or 128 / sqrt(T) (at most 1/2 for "
        "experts, else 1): for each",
        "algorithm the worst of the three counts, so that other games may cost more. Without a "
        "gap all algorithms would",
        "lose the same on average; a fixed one is hard at one T only, and longer games would "
        "only make it easier.",
        f"New: (ε, 0) with a padded tree, (ε, {DELTA:g}) with BLT. Old: FTAL (Smith & Thakurta "
        "2013) with the same pure",
        "noise, and h = (G / r) sqrt(2 N (ln T)^2.5 / (ε T)) from its bound, which is from "
        "memory, not proved here.",
        "",
        "Worst regret in the longest games, 95 % intervals, ε = 1 (proved bound in brackets):",
        f"  {'':<18}" + "".join(f"{name:<22}" for name in (OPEN, *PRIVATE)),
        *(_worst_line(found, points, size) for points in POINTS for size in SIZES),
        "",
        "Fitted exponents of T over the longest three games: of regret, and of what privacy adds "
        "on the same games. In",
        "the paper's table regret has 1/2, what the old approach adds 1/2, and what the new one "
        "adds 0 (logarithms):",
        f"  {'':<21}{OPEN:<14}" + "".join(f"{name:<20}" for name in PRIVATE),
        *(
            _fit_line(fits, p, n, epsilon)
            for epsilon in reversed(FIXED)
            for p in POINTS
            for n in SIZES
        ),
        "",
        "An exponent near 1 means noise larger than the game: it plays blindly, and any bound is "
        "that of blind play.",
    ]
    private = [
        cell
        for games in found.values()
        for mine in games.values()
        for cell in mine
        if cell.who[0] != OPEN
    ]
    better = sum(cell.extra.high < 0.0 for cell in private)
    share = f"{better} of {len(private)} measurements"
    return "\n".join(
        [*lines, f"In {share} privacy lowered regret beyond its 95 % interval (chance: 2.5 %)."]
    )


def _worst_line(found: Table, points: str, size: int) -> str:
    rounds, cells = max(found[points, size].items())
    entries = []
    for who in columns(1.0):
        regret, proved = worst(cells, who)[0], bound(cells, who)
        half = "" if math.isnan(regret.high) else f" ± {regret.high - regret.value:.0f}"
        entries.append(f"{regret.value:.0f}{half}" + ("" if proved is None else f" ({proved:.0f})"))
    return f"  {points:<8}{size:<4}2^{math.log2(rounds):<4.3g}" + "".join(
        f"{entry:<22}" for entry in entries
    )


def _fit_line(fits: Sequence[Row], points: str, size: int, epsilon: float) -> str:
    mine = [
        fit for fit in fits if (fit["points"], fit["N"], fit["epsilon"]) == (points, size, epsilon)
    ][:4]
    pairs = [
        f"{shown(number(fit, 'exponent_of_regret'))}, adds "
        f"{shown(number(fit, 'exponent_of_added'))}"
        for fit in mine[1:]
    ]
    first = (
        f"  {points:<8}{size:<4}ε = {epsilon:<5g}{shown(number(mine[0], 'exponent_of_regret')):<14}"
    )
    return first + "".join(f"{pair:<20}" for pair in pairs)
