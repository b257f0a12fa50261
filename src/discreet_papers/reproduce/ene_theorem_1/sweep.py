"""Linear functions on balls: Algorithm 1 with the paper's noise and with ours, over T, n and epsilon."""

from __future__ import annotations

from discreet.problems import Functions
from discreet_papers.reproduce.games import Options
from discreet_papers.reproduce.rates import DELTA, Panel, Row, Table

OPEN, OURS, PURE, PAPER, PAPER_PURE = (
    "no privacy",
    "ours, (ε, δ)",
    "ours, ε",
    "paper, (ε, δ)",
    "paper, ε",
)
FUNCTIONS = Functions(lipschitz=0.5)  # the steepest that fit into [0, 1] on a ball of radius 1
OVER_ROUNDS = Panel(axis="T", title="over rounds: 10 dimensions, ε = 1")
OVER_DIMENSIONS = Panel(
    axis="n", title="over dimensions: ε = 1, {longest} rounds", values=(3, 5, 10, 20, 40)
)
OVER_EPSILON = Panel(
    axis="1/ε",
    title="over ε: 10 dimensions, {longest} rounds",
    values=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
)


def _row(name: str, delta: float, in_dimension: float, options: Options = ()) -> Row:
    return Row(
        name=name,
        algorithm="private-projection-free",
        problem=FUNCTIONS,
        delta=delta,
        options=options,
        stated=(("T", 0.75), ("n", in_dimension), ("1/ε", 1.0)),
    )


TABLE = Table(
    name="ene-theorem-1",
    heading="One value a round and a linear oracle, on balls, with the noise of Ene et al. and "
    "with ours",
    rows=(
        Row(
            name=OPEN,
            algorithm="projection-free",
            problem=FUNCTIONS,
            private=False,
            stated=(("T", 0.75), ("n", 0.5)),
        ),
        _row(OURS, DELTA, 0.5),
        _row(PURE, 0.0, 1.5),
        _row(PAPER, DELTA, 0.5, (("calibration", "paper"),)),
        _row(PAPER_PURE, 0.0, 1.5, (("calibration", "paper"),)),
    ),
    panels=(OVER_ROUNDS, OVER_DIMENSIONS, OVER_EPSILON),
)
