"""Exponents of regret beside those of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.reproduce.games import Played
from discreet.reproduce.growth import Growth, grown
from discreet.reproduce.growth_text import agreeing, exponent_lines, paragraph, share_lines
from discreet.reproduce.zheng_table_1.sweep import DIMENSION, OVER_EPSILON, OVER_ROUNDS, TABLE

NAME = "zheng-table-1"


def analyse(played: Sequence[Played]) -> Growth:
    """Return all curves, and what they mean."""
    found = grown(TABLE, NAME, played)
    return replace(found, text="\n".join(_lines(found)))


def _lines(found: Growth) -> list[str]:
    over_epsilon = [curve for curve in found.curves if curve.panel == OVER_EPSILON]
    (in_rounds, of_rounds), (in_epsilon, of_epsilon) = (agreeing(found, panel) for panel in (OVER_ROUNDS, OVER_EPSILON))
    return [
        *paragraph(
            f"Noise on every report, functions on a ball in {DIMENSION} dimensions: absolute losses where only",
            "convexity is assumed, squared distances else. Randomised response, and the parameters of the least",
            "proved bound. Over T at ε = 1; over 1/ε in the longest games, fitted for ε up to 1, where noise and not",
            "the game decides.",
        ),
        "",
        *exponent_lines(found, "Table 1"),
        "",
        f"Regret as a share of what staying at the centre loses, after {found.longest:,} rounds:",
        *share_lines(over_epsilon, ""),
        "",
        *paragraph(
            f"Over T the table's exponent is in the interval of {in_rounds} of {of_rounds} rows: privacy does not",
            f"change how regret grows with T. Over 1/ε it is in that of {in_epsilon} of {of_epsilon}. The table",
            "multiplies a whole bound by the range of noisy values (Theorem 3), but noise makes values larger and",
            "functions no steeper: tuned for that, bounds grow with ε^-1/2 (convex), ε^-2/3 (smooth, or strongly",
            "convex) and 1/ε (both). With two values a learning rate that knows the noise has 1/ε, where the printed",
            "one, 1/√T, has 1/ε² (Theorem 6); for strongly convex functions 1/ε² is right.",
        ),
    ]
