"""The named environments: what is for arms, for points, or has advice, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from discreet.contracts import Environment
from discreet.environments.advice.scenes import AdviceAdversarial, AdviceContextual, AdviceRandom
from discreet.environments.advice.table import AdviceTable, read_advice
from discreet.environments.arms.deterministic import Deterministic
from discreet.environments.arms.moving import Drifting, RandomWalk
from discreet.environments.arms.oblivious import FullyOblivious, Oblivious
from discreet.environments.arms.pairs import Drop, Leak
from discreet.environments.arms.stochastic import Stochastic
from discreet.environments.arms.switching_costs import SwitchingCosts
from discreet.environments.arms.table import Table, read_table
from discreet.environments.points.adaptive import LinearAdaptive
from discreet.environments.points.linear import FullInformation, LinearAlternating, LinearDrifting, LinearStochastic
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.sets import Geometry

Kind = Literal["arms", "points", "advice"]
TOSSOU = "(Tossou & Dimitrakakis 2017, section 4)"


class _Entry(NamedTuple):
    title: str
    make: Callable[[int, int], Environment]  # from the numbers of arms and rounds


class _Linear(NamedTuple):
    title: str
    make: Callable[..., Environment]  # from a geometry and the number of rounds


class _Advice(NamedTuple):
    title: str
    make: Callable[[int, int, int], Environment]  # from the numbers of arms, experts and rounds


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
_LINEAR: dict[str, _Linear] = {
    "linear-stochastic": _Linear(
        "independent loss vectors, one point better by gap=0.1",
        lambda points, _, **given: LinearStochastic(points, **given),
    ),
    "linear-alternating": _Linear("a loss vector and its opposite in turn", lambda points, _: LinearAlternating(points)),
    "linear-drifting": _Linear("loss vectors whose mean goes round twice", LinearDrifting),
    "linear-adaptive": _Linear(
        "the worst loss vector for the point that was played lag=1 rounds before",
        lambda points, _, lag=1.0: LinearAdaptive(
            points, check_int("lag", int(lag) if lag == int(lag) else lag, least=0, most=1)
        ),
    ),
}
_ADVICE: dict[str, _Advice] = {
    "advice-random": _Advice("one good expert among many that guess", lambda k, n, _: AdviceRandom(k, n)),
    "advice-contextual": _Advice("experts are policies on 16 contexts", lambda k, n, _: AdviceContextual(k, n)),
    "advice-adversarial": _Advice("experts whose quality switches four times", AdviceAdversarial),
}
_TABLE = "losses from a CSV or NPY file, one row a round"


def environment_names(kind: Kind | None = None) -> dict[str, str]:
    """Return every environment's name and title, or only those for arms, for points, or with advice."""
    tables: dict[str, Mapping[str, Any]] = {"arms": _KNOWN, "points": _LINEAR, "advice": _ADVICE}
    chosen = tables.values() if kind is None else [tables[kind]]
    return {name: entry.title for table in chosen for name, entry in table.items()} | {"table": _TABLE}


def kind_of(name: str) -> Kind | None:
    """Return what the named environment is for; None for tables, which serve all."""
    return next((kind for kind in get_args(Kind) if name in environment_names(kind) and name != "table"), None)


def environment_options(name: str) -> tuple[str, ...]:
    """Return the names of the options of an environment: numbers, all of them."""
    return {"linear-stochastic": ("gap",), "linear-adaptive": ("lag",)}.get(name, ())


def environment(
    name: str,
    *,
    arms: int | None = None,
    rounds: int = 10_000,
    losses: Path | None = None,
    geometry: Geometry | None = None,
    experts: int | None = None,
    advice: Path | None = None,
    **options: float,
) -> Environment:
    """Return the named environment for a number of arms and rounds, or the table in a file.

    With a ``geometry`` its losses are vectors, for points: linear environments need one, and losses of arms are shown
    whole. Environments with advice take a number of ``experts`` (10 by default), tables a file of ``advice``.

    >>> environment("deterministic", arms=4).actions
    4
    """
    if not isinstance(name, str) or name not in environment_names():
        raise unknown_name("environment", name, environment_names())
    length = check_int("rounds", rounds, least=2)
    if name in _LINEAR:
        if geometry is None:
            raise DiscreetError(f"environment '{name}' is for points of experts, ball or cube, and none was chosen.")
        _no_file(name, losses)
        return _LINEAR[name].make(geometry, length, **options)
    if advice is not None and name != "table":
        raise DiscreetError(f"a file of advice was given, but environment '{name}' makes its own: use 'table'.")
    world: Environment
    if name in _ADVICE:
        _no_file(name, losses)
        count = check_int("experts", 10 if experts is None else experts, least=2, most=1_000_000)
        return _ADVICE[name].make(check_int("arms", 4 if arms is None else arms, least=2, most=10_000), count, length)
    if name == "table":
        world = _read(losses, arms)
        if advice is not None:
            return _agreeing(read_advice(world, advice), experts)
    else:
        _no_file(name, losses)
        world = _KNOWN[name].make(check_int("arms", 4 if arms is None else arms, least=2, most=10_000_000), length)
    return world if geometry is None else with_full_information(world, geometry)


def with_full_information(world: Environment, geometry: Geometry) -> Environment:
    """Return an environment on arms as one of loss vectors, or refuse it."""
    if getattr(world, "reacts", False):
        raise DiscreetError(f"{type(world).__name__} reacts to single arms: it has no loss vectors to show.")
    if geometry.name != "experts" and not isinstance(world, Table):
        raise DiscreetError(
            f"{type(world).__name__} deals the losses of arms, but points of the {geometry.name} need loss vectors: "
            f"use {', '.join(_LINEAR)} or table."
        )
    return FullInformation(world, geometry)


def _read(losses: Path | None, arms: int | None) -> Table:
    if losses is None:
        raise DiscreetError("environment 'table' needs a file of losses, and none was given.")
    table = read_table(losses)
    if arms is not None and arms != table.actions:
        raise DiscreetError(f"arms is {arms}, but {losses} has {table.actions} columns, one for each arm.")
    return table


def _agreeing(table: AdviceTable, experts: int | None) -> AdviceTable:
    if experts is not None and experts != table.experts:
        raise DiscreetError(f"experts is {experts}, but the file of advice has {table.experts}.")
    return table


def _no_file(name: str, losses: Path | None) -> None:
    if losses is not None:
        raise DiscreetError(f"a file of losses was given, but environment '{name}' makes its own: use 'table'.")
