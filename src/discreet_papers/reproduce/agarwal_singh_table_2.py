"""Agarwal & Singh 2017, Table 2: regret of private linear bandits over T and epsilon.

SCRiBLe plays linear functions on a ball: without privacy, with noise on every value, and with noise
on batches. EXP2 plays arms, the table's second row: without privacy, and with noise on every loss.
"""

from __future__ import annotations

from typing import Any

from discreet.problems import Arms, Functions
from discreet_papers.reproduce.rate_reports import (
    exponent_lines,
    format_ratio,
    paragraph,
    register_rate_table,
)
from discreet_papers.reproduce.rates import RateGrowth, RatePanel, RateRow, RateTable

DIMENSION = 5
OPEN, OURS, BATCHED, PAPER = (
    "scrible, no privacy",
    "private-scrible, ours",
    "batched-scrible, ours",
    "private-scrible, paper",
)
OPEN_ARMS, ARMS, PAPER_ARMS = "exp2, no privacy", "noisy-exp2, ours", "noisy-exp2, paper"
LINEAR = Functions(lipschitz=0.5, form="linear")
OVER_ROUNDS = RatePanel(axis="T", title="over rounds, at ε = 1", dimension=DIMENSION)
OVER_EPSILON = RatePanel(
    axis="1/ε",
    title="over ε, after {longest} rounds",
    values=(0.1, 0.2, 0.5, 1.0, 3.0, 10.0),
    dimension=DIMENSION,
    fitted_from=1.0,
)

# one arm better by 1/4, as one direction of the ball is by half
ON_ARMS: dict[str, Any] = {
    "problem": Arms(DIMENSION),
    "domain": f"{DIMENSION} arms",
    "environment": "stochastic",
    "environment_options": (("gap", 0.25),),
}

TABLE = RateTable(
    name="agarwal-singh-table-2",
    heading=f"Private linear bandits on a ball in {DIMENSION} dimensions, and on {DIMENSION} arms",
    rows=(
        RateRow(
            name=OPEN, algorithm="scrible", problem=LINEAR, private=False, stated=(("T", 0.5),)
        ),
        RateRow(
            name=OURS,
            algorithm="private-scrible",
            problem=LINEAR,
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
        RateRow(
            name=BATCHED,
            algorithm="batched-scrible",
            problem=LINEAR,
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
        RateRow(
            name=PAPER,
            algorithm="private-scrible",
            problem=LINEAR,
            options=(("calibration", "paper"),),
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
        RateRow(name=OPEN_ARMS, algorithm="exp2", **ON_ARMS, private=False, stated=(("T", 0.5),)),
        RateRow(name=ARMS, algorithm="noisy-exp2", **ON_ARMS, stated=(("T", 0.5), ("1/ε", 1.0))),
        RateRow(
            name=PAPER_ARMS,
            algorithm="noisy-exp2",
            **ON_ARMS,
            options=(("calibration", "paper"),),
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
    ),
    panels=(OVER_ROUNDS, OVER_EPSILON),
)


def describe(found: RateGrowth) -> list[str]:
    """Return the text about the table: exponents, and what each way of adding noise costs."""
    at_one, at_least = (
        [format_ratio(found, panel, name, OPEN) for name in (OURS, BATCHED, PAPER)]
        for panel in (OVER_ROUNDS, OVER_EPSILON)
    )
    arms = [format_ratio(found, OVER_ROUNDS, name, OPEN_ARMS) for name in (ARMS, PAPER_ARMS)]
    return [
        *paragraph(
            f"Linear functions on a ball in {DIMENSION} dimensions; one direction is better by "
            "half. This is the first row of the table, √T / ε, and √T without privacy. Its second "
            f"row is on {DIMENSION} arms, one better by 1/4, with the same exponents. Over T at "
            "ε = 1; over 1/ε in the longest games, fitted for ε up to 1, where the noise "
            "dominates."
        ),
        "",
        *exponent_lines(found, "Table 2"),
        "",
        *paragraph(
            "Why exponents of T exceed 1/2: bounds have √(T ln T), which is T^0.54 over the "
            "usual lengths, and in short games regret is capped by that of the centre. Why "
            "exponents of 1/ε are below 1: the square of a randomised response is coth²(ε/2), "
            "which is not yet 4/ε² at ε = 1, and the loss itself adds to the noise. "
            "Batches have √(1/ε), for which the central model is enough; the table does not "
            "include them."
        ),
        *paragraph(
            f"After {found.longest:,} rounds regret at ε = 1 is {at_one[0]} that without privacy "
            f"with noise on values, {at_one[1]} in batches, and {at_one[2]} with the paper's "
            "noise on every coordinate, which actually has 2 ε; at ε = "
            f"{min(OVER_EPSILON.values):g} it is {at_least[0]}, {at_least[1]} and {at_least[2]}. "
            f"On arms it is {arms[0]} that of EXP2 with our noise and {arms[1]} with the paper's."
        ),
    ]


register_rate_table(
    TABLE,
    describe,
    title="Agarwal & Singh 2017, Table 2: regret of linear bandits over T and epsilon, with "
    "fitted exponents",
    trials=16,
    rounds=2**20,
)
