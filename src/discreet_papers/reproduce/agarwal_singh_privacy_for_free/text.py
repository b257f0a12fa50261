"""Thresholds and counters in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from discreet_papers.reproduce.agarwal_singh_privacy_for_free.sweep import SIZE
from discreet_papers.reproduce.files import Row, number
from discreet_papers.reproduce.fitting import shown, slope
from discreet_papers.reproduce.leaders import BLT, DELTA, TREE

LEVEL = 1.5  # privacy costs something where regret is that many times what it is without


def threshold_lines(found: Sequence[Row]) -> list[str]:
    """Return from which epsilon on privacy is free, and how that falls with T."""
    lines = [
        f"{SIZE} experts. The epsilon* below which privacy costs: above it regret is less than "
        f"{LEVEL:g} times that of",
        "FTRL without privacy, each at its worst of the gaps 2, 16 and 128 / sqrt(T). The "
        "paper's claim, free from",
        "1 / sqrt(T) on, is about bounds, up to logarithms of T and powers of N: epsilon* "
        "sqrt(T) is what that hides.",
        f"  {'':<12}{'T':>9}  {'epsilon*':>9}  {'times sqrt(T)':>13}  {'of the bounds':>13}  "
        f"{'times sqrt(T)':>13}",
    ]
    for approach in (TREE, BLT):
        mine = [row for row in found if row["approach"] == approach]
        lines += [
            f"  {approach:<12}{row['T']:>9,}  {_shown(row, 'epsilon', 3):>9}  "
            f"{_shown(row, 'epsilon_sqrt_T', 0):>13}  {_shown(row, 'epsilon_of_bounds', 3):>13}  "
            f"{_shown(row, 'epsilon_of_bounds_sqrt_T', 0):>13}"
            for row in mine
        ]
        measured, proved = (_exponent(mine, key) for key in ("epsilon", "epsilon_of_bounds"))
        lines.append(
            f"  {'':<12}epsilon* ~ T^{shown(measured)}, that of the bounds T^{shown(proved)} "
            "(without logarithms T^-0.50)"
        )
    return lines


def counter_lines(counters: Sequence[Row], rounds: int) -> list[str]:
    """Return the regret behind every counter."""
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
            if math.isnan(number(row, "regret_low"))
            else f"{row['regret_low']:.1f} to {row['regret_high']:.1f}"
        )
        lines.append(
            f"  {row['gap']:<6g}{row['counter']:<15}{row['regret_mean']:>8.1f}  "
            f"{between:<18}{row['ratio']:>5.2f}  {bound:>6}  "
            f"{row['same_rate_regret_mean']:>11.1f}  {row['same_rate_ratio']:>5.2f}"
        )
    return lines


def _shown(row: Row, key: str, digits: int) -> str:
    return shown(number(row, key), digits)


def _exponent(rows: Sequence[Row], key: str) -> float:
    usable = [row for row in rows if not math.isnan(number(row, key))]
    return slope([number(row, "T") for row in usable], [number(row, key) for row in usable])
