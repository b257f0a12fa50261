"""Exponents of regret beside those of the table, and what each way of adding noise costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.reproduce.agarwal_singh_table_2.sweep import (
    BATCHED,
    DIMENSION,
    OPEN,
    OURS,
    OVER_EPSILON,
    OVER_ROUNDS,
    PAPER,
    TABLE,
)
from discreet.reproduce.games import Played
from discreet.reproduce.growth import Growth, grown
from discreet.reproduce.growth_text import exponent_lines, times

NAME = "agarwal-singh-table-2"


def analyse(played: Sequence[Played]) -> Growth:
    """Return all curves, and what they mean."""
    found = grown(TABLE, NAME, played)
    return replace(found, text="\n".join(_lines(found)))


def _lines(found: Growth) -> list[str]:
    last, strict = OVER_ROUNDS, OVER_EPSILON
    epsilon = min(strict.values)
    return [
        f"Linear functions on a ball in {DIMENSION} dimensions, one direction better by half; bandit linear optimisation, the first",
        "row of the table: √T / ε with privacy, √T without (its second row, arms, is in faster-rates-table-1 as noisy-exp2).",
        "Over T at ε = 1, over 1/ε in the longest games, fitted for ε up to 1, where noise and not the game decides:",
        "",
        *exponent_lines(found, "Table 2"),
        "",
        "Over T exponents are a little above 1/2: the bounds have √(T ln T), which over these lengths is T^0.54, and in short",
        "games regret is cut off by what the centre loses. Over 1/ε the square of a randomised response is coth²(ε/2), which",
        "is not yet 1/ε² at ε = 1; batches need the central model only, and have √(1/ε), which the table does not know of.",
        f"After {found.longest:,} rounds, as multiples of the regret without privacy: "
        f"at ε = 1 {times(found, last, OURS, OPEN)} with noise on values, {times(found, last, BATCHED, OPEN)} in batches, "
        f"{times(found, last, PAPER, OPEN)} with",
        f"the paper's noise on every coordinate, which has 2 ε in truth; at ε = {epsilon:g} "
        f"{times(found, strict, OURS, OPEN)}, {times(found, strict, BATCHED, OPEN)} and {times(found, strict, PAPER, OPEN)}.",
    ]
