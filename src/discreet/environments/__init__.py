"""Adversaries: who produces the losses, and how a learner is scored against them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from discreet.contracts import Environment
from discreet.environments.deterministic import Deterministic
from discreet.environments.moving import Drifting, RandomWalk
from discreet.environments.oblivious import FullyOblivious, Oblivious
from discreet.environments.pairs import Drop, Leak
from discreet.environments.stochastic import Stochastic
from discreet.environments.switching_costs import SwitchingCosts
from discreet.environments.table import Table, read_table
from discreet.errors import DiscreetError, nearest, whole

__all__ = [
    "Deterministic",
    "Drifting",
    "Drop",
    "FullyOblivious",
    "Leak",
    "Oblivious",
    "RandomWalk",
    "Stochastic",
    "SwitchingCosts",
    "Table",
    "environment",
    "environment_names",
    "read_table",
]


TOSSOU = "(Tossou & Dimitrakakis 2017, section 4)"


class _Entry(NamedTuple):
    title: str
    make: Callable[[int, int], Environment]  # from the numbers of arms and rounds


_KNOWN: dict[str, _Entry] = {
    "deterministic": _Entry(f"fixed gains that mislead {TOSSOU}", lambda arms, _: Deterministic(arms)),
    "stochastic": _Entry(f"Bernoulli gains, one arm better by 0.05 {TOSSOU}", lambda arms, _: Stochastic(arms)),
    "fully-oblivious": _Entry(
        f"Bernoulli gains, new probabilities every round {TOSSOU}", lambda arms, _: FullyOblivious(arms)
    ),
    "oblivious": _Entry(f"the same, redrawn every 200 rounds {TOSSOU}", lambda arms, _: Oblivious(arms)),
    "switching-costs": _Entry("a hidden good arm, and a price for switching (Dekel et al. 2014)", SwitchingCosts),
    "leak": _Entry(
        "losses 1 but for one: where EXP3 on losses leaks (Faster rates 2025, G.1)", lambda arms, _: Leak(arms)
    ),
    "leak-neighbour": _Entry("its neighbour: the one loss of 0 is 1 too", lambda arms, _: Leak(arms, neighbour=True)),
    "drop": _Entry("one arm better by 1/2 (Faster rates 2025, G.2)", Drop),
    "drop-alternate": _Entry(
        "its alternate: the others are better in the second half", lambda k, t: Drop(k, t, alternate=True)
    ),
    "drifting": _Entry("Bernoulli losses whose means rise and fall in turn", Drifting),
    "random-walk": _Entry("every loss a reflected random walk", lambda arms, _: RandomWalk(arms)),
}
_TABLE = "losses from a CSV or NPY file, one row a round"


def environment_names() -> dict[str, str]:
    """Return every environment's name and title."""
    return {name: entry.title for name, entry in _KNOWN.items()} | {"table": _TABLE}


def environment(name: str, *, arms: int | None = None, rounds: int = 10_000, losses: Path | None = None) -> Environment:
    """Return the named environment for a number of arms and rounds, or the table in a file.

    >>> environment("deterministic", arms=4).actions
    4
    """
    if not isinstance(name, str) or name not in environment_names():
        raise nearest("environment", name, environment_names())
    if name == "table":
        if losses is None:
            raise DiscreetError("environment 'table' needs a file of losses, and none was given.")
        table = read_table(losses)
        if arms is not None and arms != table.actions:
            raise DiscreetError(f"arms is {arms}, but {losses} has {table.actions} columns, one for each arm.")
        return table
    if losses is not None:
        raise DiscreetError(f"a file of losses was given, but environment '{name}' makes its own: use 'table'.")
    count = whole("arms", 4 if arms is None else arms, least=2, most=10_000_000)
    return _KNOWN[name].make(count, whole("rounds", rounds, least=2))
