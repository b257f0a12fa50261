"""Linear functions on a ball: SCRiBLe without privacy, with noise on every value, and on batches."""

from __future__ import annotations

from discreet.problems import Functions
from discreet_papers.reproduce.rates import Panel, Row, Table

DIMENSION = 5
OPEN, OURS, BATCHED, PAPER = (
    "scrible, no privacy",
    "private-scrible, ours",
    "batched-scrible, ours",
    "private-scrible, paper",
)
LINEAR = Functions(lipschitz=0.5, form="linear")
OVER_ROUNDS = Panel(axis="T", title="over rounds, at ε = 1", dimension=DIMENSION)
OVER_EPSILON = Panel(
    axis="1/ε",
    title="over ε, after {longest} rounds",
    values=(0.1, 0.2, 0.5, 1.0, 3.0, 10.0),
    dimension=DIMENSION,
    fitted_from=1.0,
)

TABLE = Table(
    name="agarwal-singh-table-2",
    heading=f"Private linear bandits on a ball in {DIMENSION} dimensions",
    rows=(
        Row(name=OPEN, algorithm="scrible", problem=LINEAR, private=False, stated=(("T", 0.5),)),
        Row(
            name=OURS,
            algorithm="private-scrible",
            problem=LINEAR,
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
        Row(
            name=BATCHED,
            algorithm="batched-scrible",
            problem=LINEAR,
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
        Row(
            name=PAPER,
            algorithm="private-scrible",
            problem=LINEAR,
            options=(("calibration", "paper"),),
            stated=(("T", 0.5), ("1/ε", 1.0)),
        ),
    ),
    panels=(OVER_ROUNDS, OVER_EPSILON),
)
