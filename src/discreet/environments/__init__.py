"""Adversaries: who produces the losses, and how a learner is scored against them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from discreet.contracts import Environment
from discreet.environments.deterministic import Deterministic
from discreet.environments.stochastic import Stochastic
from discreet.environments.table import Table, read_table
from discreet.errors import DiscreetError, nearest, whole

__all__ = ["Deterministic", "Stochastic", "Table", "environment", "environment_names", "read_table"]


class _Entry(NamedTuple):
    title: str
    make: Callable[[int], Environment]


_KNOWN: dict[str, _Entry] = {
    "deterministic": _Entry("fixed gains that mislead (Tossou & Dimitrakakis 2017, section 4)", Deterministic),
    "stochastic": _Entry("Bernoulli gains, one arm better by 0.05 (Tossou & Dimitrakakis 2017, section 4)", Stochastic),
}
_TABLE = "losses from a CSV or NPY file, one row a round"


def environment_names() -> dict[str, str]:
    """Return every environment's name and title."""
    return {name: entry.title for name, entry in _KNOWN.items()} | {"table": _TABLE}


def environment(name: str, *, arms: int | None = None, losses: Path | None = None) -> Environment:
    """Return the named environment for a number of arms, or the table in a file.

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
    return _KNOWN[name].make(whole("arms", 4 if arms is None else arms, least=2, most=10_000_000))
