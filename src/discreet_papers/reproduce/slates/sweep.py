"""Slates of 3 of 10: Algorithm 1 of Ene et al. against a leader that plays slates, over T at three epsilons."""

from __future__ import annotations

from discreet.problems import Functions
from discreet_papers.reproduce.rates import DELTA, Panel, Row, Table

INSIDE, SLATES = "private-projection-free", "private-linear-oracle"
FUNCTIONS = Functions("k-sets(10,3)", lipschitz=0.34, form="linear")
PANELS = tuple(
    Panel(axis="T", title=f"at ε = {epsilon:g}", domain="k-sets({},3)", epsilon=epsilon)
    for epsilon in (0.1, 1.0, 10.0)
)

TABLE = Table(
    name="slates",
    heading="Slates of 3 of 10: points inside the set, or slates themselves",
    rows=tuple(
        Row(
            name=name,
            algorithm=name,
            problem=FUNCTIONS,
            delta=DELTA,
            private=name in (INSIDE, SLATES),
        )
        for name in ("projection-free", INSIDE, "linear-oracle", SLATES)
    ),
    panels=PANELS,
)
