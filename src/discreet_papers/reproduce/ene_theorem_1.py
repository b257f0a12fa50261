"""Ene, Nguyen & Vladu 2021, Theorem 1.1: how regret grows with T, n and epsilon.

Algorithm 1 plays linear functions on balls, with the paper's noise and with ours, then slates (a
polytope) and quadratic functions. The private bandit of Thakurta & Smith 2013, which projects, is
shown for comparison.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.problems import Functions
from discreet_papers.reproduce.games import Options
from discreet_papers.reproduce.rate_reports import (
    exponent_lines,
    format_ratio,
    paragraph,
    register_rate_table,
    share_lines,
)
from discreet_papers.reproduce.rates import DELTA, RateGrowth, RatePanel, RateRow, RateTable

OPEN, OURS, PURE, PAPER, PAPER_PURE = (
    "no privacy",
    "ours, (ε, δ)",
    "ours, ε",
    "paper, (ε, δ)",
    "paper, ε",
)
SLATES, CURVED, PROJECTED = "ours on slates", "ours on quadratics", "with projections"
# one running sum, also where local noise would have the smaller bound
CENTRAL, CENTRAL_PURE = (("sums", "blt"),), (("sums", "tree"),)
FUNCTIONS = Functions(lipschitz=0.5)  # the steepest that fit into [0, 1] on a ball of radius 1
OVER_ROUNDS = RatePanel(axis="T", title="over rounds: 10 dimensions, ε = 1")
OVER_DIMENSIONS = RatePanel(
    axis="n", title="over dimensions: ε = 1, {longest} rounds", values=(3, 5, 10, 20, 40)
)
OVER_EPSILON = RatePanel(
    axis="1/ε",
    title="over ε: 10 dimensions, {longest} rounds",
    values=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
)


def _make_row(name: str, delta: float, in_dimension: float, options: Options = ()) -> RateRow:
    return RateRow(
        name=name,
        algorithm="private-projection-free",
        problem=FUNCTIONS,
        delta=delta,
        options=options,
        stated=(("T", 0.75), ("n", in_dimension), ("1/ε", 1.0)),
    )


TABLE = RateTable(
    name="ene-theorem-1",
    heading="One value per round and a linear oracle, on balls, with the noise of Ene et al. and "
    "with ours",
    rows=(
        RateRow(
            name=OPEN,
            algorithm="projection-free",
            problem=FUNCTIONS,
            private=False,
            stated=(("T", 0.75), ("n", 0.5)),
        ),
        _make_row(OURS, DELTA, 0.5, CENTRAL),
        _make_row(PURE, 0.0, 1.5, CENTRAL_PURE),
        _make_row(PAPER, DELTA, 0.5, (("calibration", "paper"),)),
        _make_row(PAPER_PURE, 0.0, 1.5, (("calibration", "paper"),)),
        replace(
            _make_row(SLATES, DELTA, 0.5, CENTRAL),
            domain="k-sets(10,3)",
            problem=Functions(form="linear"),
            axes=("T", "1/ε"),
        ),
        replace(
            _make_row(CURVED, DELTA, 0.5, CENTRAL),
            environment="quadratics",
            problem=Functions(),
            axes=("T", "1/ε"),
        ),
        replace(_make_row(PROJECTED, DELTA, 0.5), algorithm="private-fkm", axes=("T", "1/ε")),
    ),
    panels=(OVER_ROUNDS, OVER_DIMENSIONS, OVER_EPSILON),
)


def describe(found: RateGrowth) -> list[str]:
    """Return the text about the table: exponents, and the paper's noise compared with ours."""
    names = (OURS, PURE, PAPER, PAPER_PURE, PROJECTED)
    ours, pure, paper, paper_pure, projected = (
        format_ratio(found, OVER_ROUNDS, name, OPEN) for name in names
    )
    return [
        *paragraph(
            "Linear functions on balls; one direction is better by half; one value per round. "
            "Rows: without privacy; with our noise, which protects one replaced term, and the "
            "parameters of the smallest proved bound; with the noise and the parameters of the "
            f"paper; with our noise on a polytope (slates of 3 of 10 items) and on quadratic "
            "functions; and the private bandit of Thakurta & Smith 2013, which projects. δ = "
            f"{DELTA:g} where it is not 0. Over T (n = 10, ε = 1), over n (ε = 1) and "
            "over 1/ε (n = 10) in the longest games."
        ),
        "",
        *exponent_lines(found, "Theorem"),
        "",
        f"Regret as a share of that of staying at the centre, after {found.longest:,} rounds:",
        *share_lines(found.curves_of(OVER_EPSILON), "n = 10"),
        "",
        *paragraph(
            "Why they differ: the theorem multiplies T^3/4 by the noise, because it hides a "
            "whole batch. One replaced round moves one term of a batch, and then the noise is "
            "added to T^3/4 √n. So regret hardly depends on ε until the noise is the larger "
            "part, and pure privacy does not cost n^3/2 either. Exponents of T above 3/4 and of "
            "n below 1/2 come from games that are too short: regret is capped by that of the "
            "centre, and with the paper's noise little else can be seen at ε = 1."
        ),
        *paragraph(
            f"At ε = 1, n = 10 and T = {found.longest:,} regret is {ours} that without privacy "
            f"with our noise ({pure} with δ = 0), and {paper} ({paper_pure}) with the paper's; "
            f"{projected} with projections (Thakurta & Smith 2013) and our noise."
        ),
    ]


register_rate_table(
    TABLE,
    describe,
    title="Ene, Nguyen & Vladu 2021, Theorem 1.1: regret over T, n and epsilon, with the "
    "paper's noise and with ours",
    trials=4,
    rounds=2**20,
)
