"""Exponents of regret beside those of the theorem, and the paper's noise beside ours."""

from __future__ import annotations

from discreet_papers.reproduce.ene_theorem_1.sweep import (
    OPEN,
    OURS,
    OVER_EPSILON,
    OVER_ROUNDS,
    PAPER,
    PAPER_PURE,
    PURE,
)
from discreet_papers.reproduce.growth import Growth
from discreet_papers.reproduce.growth_text import exponent_lines, paragraph, share_lines, times
from discreet_papers.reproduce.rates import DELTA


def words(found: Growth) -> list[str]:
    """Return what is said about the table."""
    over_epsilon = found.curves_of(OVER_EPSILON)
    ours, pure, paper, paper_pure = (
        times(found, OVER_ROUNDS, name, OPEN) for name in (OURS, PURE, PAPER, PAPER_PURE)
    )
    return [
        *paragraph(
            "Linear functions on balls, one direction better by half, one value a round. Rows: "
            "without privacy; with",
            "our noise, for one replaced term, and the parameters of the least proved bound; "
            "with the noise and the",
            f"parameters of the paper. δ = {DELTA:g} where it is not 0. Over T (n = 10, ε = 1), "
            "over n (ε = 1) and",
            "over 1/ε (n = 10) in the longest games.",
        ),
        "",
        *exponent_lines(found, "Theorem"),
        "",
        f"Regret as a share of what staying at the centre loses, after {found.longest:,} rounds:",
        *share_lines(over_epsilon, "n = 10"),
        "",
        *paragraph(
            "Why they differ: the theorem multiplies T^3/4 by noise, because it hides a whole "
            "batch. One replaced",
            "round moves one term of a batch, and then noise is added to T^3/4 √n. So regret "
            "hardly depends on ε",
            "until noise is the larger part, and pure privacy costs no n^3/2 either. Exponents "
            "of T above 3/4 and of",
            "n below 1/2 are those of games that are too short: regret is cut off by what the "
            "centre loses, and with",
            "the paper's noise hardly anything else is seen at ε = 1.",
        ),
        *paragraph(
            f"At ε = 1, n = 10 and T = {found.longest:,} regret is {ours} that without privacy "
            f"with our noise ({pure}",
            f"with δ = 0), and {paper} ({paper_pure}) with the paper's.",
        ),
    ]
