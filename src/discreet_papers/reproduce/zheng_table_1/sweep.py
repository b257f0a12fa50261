"""The context-free rows of the table, each in an environment with just the properties that it assumes."""

from __future__ import annotations

from dataclasses import replace

from discreet.problems import Functions
from discreet_papers.reproduce.rates import Panel, Row, Table

DIMENSION = 3  # the table hides the dimension; in more of them less is learnt in a million rounds
ABSOLUTE = Functions(lipschitz=0.64)  # neither smooth nor strongly convex
CURVED = Functions(curvature=0.5, smoothness=0.5)
OVER_ROUNDS = Panel(axis="T", title="over rounds, at ε = 1", dimension=DIMENSION)
OVER_EPSILON = Panel(
    axis="1/ε",
    title="over ε, after {longest} rounds",
    values=(0.1, 0.2, 0.5, 1.0, 3.0, 10.0),
    dimension=DIMENSION,
    fitted_from=1.0,
)


def _row(name: str, algorithm: str, problem: Functions, in_rounds: float, in_epsilon: float) -> Row:
    curved = problem.curvature > 0.0 or problem.smoothness > 0.0
    return Row(
        name=name,
        algorithm=algorithm,
        problem=problem,
        environment="quadratics" if curved else "absolute",
        world=(("drift", 0.0),)
        if curved
        else (),  # who follows a drift may lose less than the best fixed point
        stated=(("T", in_rounds), ("1/ε", in_epsilon)),
    )


STOCHASTIC = Row(
    name="stochastic, one dimension",
    algorithm="local-stochastic-convex",
    problem=Functions(),
    domain="cube(1)",
    environment="pricing",
    world=(("drift", 0.0),),
    stated=(("T", 0.5), ("1/ε", 1.0)),
)

TABLE = Table(
    name="zheng-table-1",
    heading=f"Noise on every report: functions on a ball in {DIMENSION} dimensions",
    rows=(
        _row("convex", "local-convex", ABSOLUTE, 0.75, 1.0),
        _row("smooth", "local-smooth", replace(CURVED, curvature=0.0), 2.0 / 3.0, 1.0),
        _row(
            "strongly convex",
            "local-strongly-convex",
            replace(CURVED, smoothness=0.0),
            2.0 / 3.0,
            1.0,
        ),
        _row("smooth, strongly convex", "local-smooth-strongly-convex", CURVED, 0.5, 1.0),
        STOCHASTIC,
        _row("two values, convex", "local-two-point", replace(ABSOLUTE, evaluations=2), 0.5, 2.0),
        _row(
            "two values, strongly convex",
            "local-strongly-convex-two-point",
            replace(CURVED, smoothness=0.0, evaluations=2),
            0.0,
            2.0,
        ),
    ),
    panels=(OVER_ROUNDS, OVER_EPSILON),
)
