"""Exponents of regret beside those of the table, and what each way of adding noise costs."""

from __future__ import annotations

from discreet_papers.reproduce.agarwal_singh_table_2.sweep import (
    BATCHED,
    DIMENSION,
    OPEN,
    OURS,
    OVER_EPSILON,
    OVER_ROUNDS,
    PAPER,
)
from discreet_papers.reproduce.growth import Growth
from discreet_papers.reproduce.growth_text import exponent_lines, paragraph, times


def words(found: Growth) -> list[str]:
    """Return what is said about the table."""
    last, strict = OVER_ROUNDS, OVER_EPSILON
    at_one = [times(found, last, name, OPEN) for name in (OURS, BATCHED, PAPER)]
    at_least = [times(found, strict, name, OPEN) for name in (OURS, BATCHED, PAPER)]
    return [
        *paragraph(
            f"Linear functions on a ball in {DIMENSION} dimensions, one direction better by "
            "half: the first row of the",
            "table, with √T / ε, and √T without privacy. (Its second row, arms, is in "
            "faster-rates-table-1 as",
            "noisy-exp2.) Over T at ε = 1; over 1/ε in the longest games, fitted for ε up to 1, "
            "where noise and not",
            "the game decides.",
        ),
        "",
        *exponent_lines(found, "Table 2"),
        "",
        *paragraph(
            "Exponents of T above 1/2: bounds have √(T ln T), which is T^0.54 over the usual "
            "lengths, and in short",
            "games regret is cut off by what the centre loses. Exponents of 1/ε below 1: the "
            "square of a randomised",
            "response is coth²(ε/2), which is not yet 4/ε² at ε = 1, and the loss itself counts "
            "beside the noise.",
            "Batches have √(1/ε), for which the central model is enough: the table does not know "
            "of them.",
        ),
        *paragraph(
            f"After {found.longest:,} rounds regret at ε = 1 is {at_one[0]} that without privacy "
            "with noise on values,",
            f"{at_one[1]} in batches, and {at_one[2]} with the paper's noise on every "
            "coordinate, which has 2 ε in",
            f"truth; at ε = {min(strict.values):g} it is {at_least[0]}, {at_least[1]} and "
            f"{at_least[2]}.",
        ),
    ]
