"""Zheng et al. 2020, Table 1: regret of locally private bandits on convex functions.

Each row without contexts plays in an environment with just the properties that the row assumes.
"""

from __future__ import annotations

from dataclasses import replace

from discreet.problems import Functions
from discreet_papers.reproduce.games import Options
from discreet_papers.reproduce.rate_reports import (
    describe_agreement,
    exponent_lines,
    paragraph,
    register_rate_table,
    share_lines,
)
from discreet_papers.reproduce.rates import RateGrowth, RatePanel, RateRow, RateTable

DIMENSION = 3  # the table hides the dimension; with more, less is learned in a million rounds
ABSOLUTE = Functions(lipschitz=0.64)  # neither smooth nor strongly convex
CURVED = Functions(curvature=0.5, smoothness=0.5)
# With drift, an algorithm that follows it can lose less than the best fixed point.
NO_DRIFT: Options = (("drift", 0.0),)
OVER_ROUNDS = RatePanel(axis="T", title="over rounds, at ε = 1", dimension=DIMENSION)
OVER_EPSILON = RatePanel(
    axis="1/ε",
    title="over ε, after {longest} rounds",
    values=(0.1, 0.2, 0.5, 1.0, 3.0, 10.0),
    dimension=DIMENSION,
    fitted_from=1.0,
)


def _make_row(
    name: str, algorithm: str, problem: Functions, in_rounds: float, in_epsilon: float
) -> RateRow:
    curved = problem.curvature > 0.0 or problem.smoothness > 0.0
    return RateRow(
        name=name,
        algorithm=algorithm,
        problem=problem,
        environment="quadratics" if curved else "absolute",
        environment_options=NO_DRIFT if curved else (),
        stated=(("T", in_rounds), ("1/ε", in_epsilon)),
    )


STOCHASTIC = RateRow(
    name="stochastic, one dimension",
    algorithm="local-stochastic-convex",
    problem=Functions(),
    domain="cube(1)",
    environment="pricing",
    environment_options=NO_DRIFT,
    stated=(("T", 0.5), ("1/ε", 1.0)),
)

TABLE = RateTable(
    name="zheng-table-1",
    heading=f"Noise on every report: functions on a ball in {DIMENSION} dimensions",
    rows=(
        _make_row("convex", "local-convex", ABSOLUTE, 0.75, 1.0),
        _make_row("smooth", "local-smooth", replace(CURVED, curvature=0.0), 2.0 / 3.0, 1.0),
        _make_row(
            "strongly convex",
            "local-strongly-convex",
            replace(CURVED, smoothness=0.0),
            2.0 / 3.0,
            1.0,
        ),
        _make_row("smooth, strongly convex", "local-smooth-strongly-convex", CURVED, 0.5, 1.0),
        STOCHASTIC,
        _make_row(
            "two values, convex", "local-two-point", replace(ABSOLUTE, evaluations=2), 0.5, 2.0
        ),
        _make_row(
            "two values, strongly convex",
            "local-strongly-convex-two-point",
            replace(CURVED, smoothness=0.0, evaluations=2),
            0.0,
            2.0,
        ),
    ),
    panels=(OVER_ROUNDS, OVER_EPSILON),
)


def describe(found: RateGrowth) -> list[str]:
    """Return the text about the table: measured and printed exponents of regret."""
    return [
        *paragraph(
            f"Noise on every report, functions on a ball in {DIMENSION} dimensions: absolute "
            "losses where only convexity is assumed, squared distances otherwise, and prices for "
            "stochastic functions in one dimension. Randomised response, and the parameters of "
            "the smallest proved bound. Over T at ε = 1; over 1/ε in the longest games, fitted "
            "for ε up to 1, where the noise dominates."
        ),
        "",
        *exponent_lines(found, "Table 1"),
        "",
        f"Regret as a share of that of staying at the centre, after {found.longest:,} rounds:",
        *share_lines(found.curves_of(OVER_EPSILON), ""),
        "",
        *paragraph(
            f"Over T {describe_agreement(found, OVER_ROUNDS)}: noise on every report does not "
            "change how regret grows with T. Exponents above the stated ones come from "
            "logarithms, which our bounds have too, and from short games, in which regret is "
            "capped by that of the centre. ln T is not a power, and counts only once steps are "
            "shorter than the set."
        ),
        *paragraph(
            f"Over 1/ε {describe_agreement(found, OVER_EPSILON)}. The table multiplies a whole "
            "bound by the range of noisy values (Theorem 3), but noise makes values larger, not "
            "functions steeper. Tuned for that, bounds grow with ε^-1/2 (convex), ε^-2/3 "
            "(smooth, or strongly convex) and 1/ε (both). With two values a learning rate that "
            "knows the noise has 1/ε, where the printed one, 1/√T, has 1/ε² (Theorem 6); for "
            "strongly convex functions 1/ε² is right."
        ),
    ]


register_rate_table(
    TABLE,
    describe,
    title="Zheng et al. 2020, Table 1, rows without contexts: regret over T and epsilon, with "
    "fitted exponents",
    trials=12,
    rounds=2**20,
)
