"""Exponents of regret beside those of the table."""

from __future__ import annotations

from discreet_papers.reproduce.growth import Growth
from discreet_papers.reproduce.growth_text import agreement, exponent_lines, paragraph, share_lines
from discreet_papers.reproduce.zheng_table_1.sweep import DIMENSION, OVER_EPSILON, OVER_ROUNDS


def words(found: Growth) -> list[str]:
    """Return what is said about the table."""
    over_epsilon = found.curves_of(OVER_EPSILON)
    return [
        *paragraph(
            f"Noise on every report, functions on a ball in {DIMENSION} dimensions: absolute "
            "losses where only",
            "convexity is assumed, squared distances else, and prices for stochastic functions "
            "in one dimension.",
            "Randomised response, and the parameters of the least proved bound. Over T at ε = 1; "
            "over 1/ε in the",
            "longest games, fitted for ε up to 1, where noise and not the game decides.",
        ),
        "",
        *exponent_lines(found, "Table 1"),
        "",
        f"Regret as a share of what staying at the centre loses, after {found.longest:,} rounds:",
        *share_lines(over_epsilon, ""),
        "",
        *paragraph(
            f"Over T {agreement(found, OVER_ROUNDS)}: noise on every report does not change how "
            "regret grows with T.",
            "What they are above it are logarithms, which our bounds have, too, and short games, "
            "in which regret is",
            "cut off by what the centre loses; ln T is no power, and counts only from where "
            "steps are shorter than",
            "the set.",
        ),
        *paragraph(
            f"Over 1/ε {agreement(found, OVER_EPSILON)}. The table multiplies a whole bound by "
            "the range of noisy",
            "values (Theorem 3), but noise makes values larger and functions no steeper: tuned "
            "for that, bounds grow",
            "with ε^-1/2 (convex), ε^-2/3 (smooth, or strongly convex) and 1/ε (both). With two "
            "values a learning",
            "rate that knows the noise has 1/ε, where the printed one, 1/√T, has 1/ε² (Theorem "
            "6); for strongly",
            "convex functions 1/ε² is right.",
        ),
    ]
