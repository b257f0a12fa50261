"""Exponents of regret beside those of the theorem, and the paper's noise beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from discreet.reproduce.ene_theorem_1.sweep import (
    OPEN,
    OURS,
    OVER_EPSILON,
    OVER_ROUNDS,
    PAPER,
    PAPER_PURE,
    PURE,
    TABLE,
)
from discreet.reproduce.games import Played
from discreet.reproduce.growth import Growth, grown
from discreet.reproduce.growth_text import exponent_lines, share_lines, times
from discreet.reproduce.rates import DELTA

NAME = "ene-theorem-1"


def analyse(played: Sequence[Played]) -> Growth:
    """Return all curves, and what they mean."""
    found = grown(TABLE, NAME, played)
    return replace(found, text="\n".join(_lines(found)))


def _lines(found: Growth) -> list[str]:
    over_epsilon = [curve for curve in found.curves if curve.panel == OVER_EPSILON]
    return [
        "Linear functions on balls, one direction better by half, one value a round. Rows: without privacy; with our noise, for",
        f"one replaced term, and parameters of the least proved bound; with the noise and parameters of the paper. δ = {DELTA:g}.",
        "Over T (n = 10, ε = 1), over n (ε = 1) and over 1/ε (n = 10) in the longest games:",
        "",
        *exponent_lines(found, "Theorem"),
        "",
        f"Regret as a share of what staying at the centre loses, after {found.longest:,} rounds:",
        *share_lines(over_epsilon, "n = 10"),
        "",
        "Why they differ: the theorem has noise times T^3/4, because it hides a whole batch; one replaced round moves one term",
        "of it, and noise is added to T^3/4 √n instead of multiplying it. So regret hardly depends on ε until noise is the",
        "larger part, and pure privacy costs no n^3/2 either. Exponents of T above 3/4, and of n below 1/2, are those of games",
        "too short: regret is cut off by what the centre loses. With the paper's noise nothing else is seen at ε = 1.",
        f"At ε = 1 and T = {found.longest:,} regret is {times(found, OVER_ROUNDS, OURS, OPEN)} that without privacy with our noise "
        f"({times(found, OVER_ROUNDS, PURE, OPEN)} with",
        f"δ = 0), and {times(found, OVER_ROUNDS, PAPER, OPEN)} ({times(found, OVER_ROUNDS, PAPER_PURE, OPEN)}) with the paper's.",
    ]
