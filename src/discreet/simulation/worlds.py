"""The environment that algorithms are to meet: what is asked for must fit what they play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from discreet.algorithms import algorithm
from discreet.contracts import Environment
from discreet.environments import (
    AdviceTable,
    FullInformation,
    Table,
    environment,
    environment_names,
    environment_options,
    kind_of,
    read_table,
    with_full_information,
)
from discreet.errors import DiscreetError, check_int
from discreet.ranges import Range
from discreet.sets import geometry
from discreet.simulation.fitting import within_bounds, within_set

DEFAULT_ROUNDS = 10_000
DEFAULT_SIZE = 4


class Problem(NamedTuple):
    """What algorithms play."""

    points: str | None = None  # which kind of points, None for arms
    advised: bool = False

    def __str__(self) -> str:
        if self.advised:
            return "arms with expert advice"
        return {None: "arms", "experts": "distributions over experts"}.get(self.points, f"points of the {self.points}")


def problem_of(names: Iterable[str], options: Mapping[str, Any]) -> Problem:
    """Return what the named algorithms play; all must play the same."""
    problems = {name: Problem(algorithm(name).plays(options), algorithm(name).advised) for name in names}
    if not problems:
        return Problem(options.get("points"))
    first, problem = next(iter(problems.items()))
    for name, other in problems.items():
        if other != problem:
            raise DiscreetError(
                f"{first} plays {problem} and {name} plays {other}, but in one simulation all must play the same."
            )
    return problem


def default_environment(problem: Problem) -> str:
    """Return the environment for those who name none."""
    return "advice-random" if problem.advised else "stochastic" if problem.points is None else "linear-stochastic"


def given_arrays(asked: Any, losses: Any, advice: Any) -> Any:
    """Return the environment of losses, and advice, that are arrays and not files; else what was asked for."""
    if not isinstance(losses, np.ndarray):
        if isinstance(advice, np.ndarray):
            raise DiscreetError("advice is an array, but losses is none: give both as arrays, or both as files.")
        return asked
    if asked not in (None, "table"):
        raise DiscreetError(f"losses were given, but environment {asked!r} makes its own: use 'table'.")
    if losses.ndim != 2 or losses.dtype.kind not in "biuf" or not np.isfinite(losses).all():
        raise DiscreetError(f"losses has shape {losses.shape}, but must be a table of finite numbers, one row a round.")
    if min(losses.shape) < 2:
        raise DiscreetError(f"losses has shape {losses.shape}, but at least 2 rounds and 2 columns are needed.")
    table = Table(np.ascontiguousarray(losses, dtype=np.float64))
    return table if advice is None else AdviceTable.of(table, advice)


def has_advice(asked: str | Environment) -> bool:
    """Return whether an environment comes with expert advice."""
    return kind_of(asked) == "advice" if isinstance(asked, str) else hasattr(asked, "experts")


def world_for(
    asked: str | Environment,
    problem: Problem,
    *,
    losses: Path | str | None,
    advice: Path | str | None,
    size: int | None,
    experts: int | None,
    rounds: int | None,
    bounds: Range,
    options: Mapping[str, Any],
) -> Environment:
    """Return the environment for what the algorithms play, or refuse it."""
    path = None if losses is None else Path(losses)
    if not isinstance(asked, str):
        return _fitting(asked, problem, size, experts, bounds)
    _check_kind(asked, problem, experts, advice)
    points = problem.points
    if points is None:
        return environment(
            asked,
            arms=size,
            rounds=DEFAULT_ROUNDS if rounds is None else rounds,
            losses=path,
            experts=experts,
            advice=None if advice is None else Path(advice),
        )
    if asked == "table" and path is not None:
        size = _agreed(size, read_table(path).actions, str(path))
    size = DEFAULT_SIZE if size is None else size
    given: dict[str, Any] = {key: _number(key, options[key]) for key in environment_options(asked) if key in options}
    return environment(
        asked,
        arms=size,
        rounds=DEFAULT_ROUNDS if rounds is None else rounds,
        losses=path,
        geometry=geometry(points, size, bounds),
        **given,
    )


def rounds_of(world: Any, rounds: int | None) -> int:
    """Return the number of rounds: as asked for, or all rows of a table."""
    table = table_of(world)
    if table is None:
        return check_int("rounds", DEFAULT_ROUNDS if rounds is None else rounds, least=2)
    if rounds is not None and rounds > table.rounds:
        raise DiscreetError(f"rounds is {rounds}, but {table.source} has {table.rounds} rows.")
    return check_int("rounds", table.rounds if rounds is None else rounds, least=2)


def fitted(world: Any, rounds: int, bounds: Range, *, clip: bool) -> tuple[Any, int]:
    """Check or clip the rows of a table that will be played, once and before anything runs."""
    table = table_of(world)
    if table is None:
        return world, 0
    rows = table._replace(losses=table.losses[:rounds])
    before, name = table.first_row - 1, f"{table.source}, row"
    if isinstance(world, FullInformation):
        rows, clipped = within_set(rows, world.geometry, clip=clip, before=before, row_name=name)
        return world._replace(environment=rows), clipped
    if isinstance(world, AdviceTable):
        rows, clipped = within_bounds(rows, bounds, clip=clip, before=before, names=(name, "column"))
        return world._replace(table=rows, advice=world.advice[:rounds]), clipped
    return within_bounds(rows, bounds, clip=clip, before=before, names=(name, "column"))


def table_of(world: Any) -> Table | None:
    """Return the table that an environment replays, if it does."""
    inner = world.environment if isinstance(world, FullInformation) else world
    inner = inner.table if isinstance(inner, AdviceTable) else inner
    return inner if isinstance(inner, Table) else None


def _check_kind(asked: str, problem: Problem, experts: int | None, advice: object) -> None:
    """Refuse an environment that is for something else than what the algorithms play."""
    kind = kind_of(asked)
    if kind == "points" and problem.points is None:
        raise DiscreetError(f"environment '{asked}' deals loss vectors, for points, but the algorithms play {problem}.")
    if kind == "advice" and not problem.advised:
        raise DiscreetError(f"environment '{asked}' has expert advice, but the algorithms play {problem}.")
    if problem.advised and kind in ("arms", "points"):
        names = ", ".join(environment_names("advice"))
        raise DiscreetError(f"environment '{asked}' has no expert advice, which the algorithms need: use one of {names}.")
    if problem.advised and asked == "table" and advice is None:
        raise DiscreetError("environment 'table' needs a file of advice for these algorithms, and none was given.")
    if not problem.advised and (experts is not None or advice is not None):
        what = "experts" if advice is None else "advice"
        raise DiscreetError(f"{what} is given, but the algorithms play {problem}, without advice.")


def _fitting(world: Any, problem: Problem, size: int | None, experts: int | None, bounds: Range) -> Environment:
    """Return an environment of the user's for what the algorithms play, or refuse it."""
    _agreed(size, world.actions, "the environment")
    own, points = getattr(world, "geometry", None), problem.points
    fitting: Environment = world
    if problem.advised and not hasattr(world, "experts"):
        raise DiscreetError(f"the environment has no expert advice, but the algorithms play {problem}.")
    if hasattr(world, "experts") and not problem.advised:
        raise DiscreetError(f"the environment has expert advice, but the algorithms play {problem}.")
    if experts is not None and experts != getattr(world, "experts", experts):
        raise DiscreetError(f"experts is {experts}, but the environment has {world.experts}.")
    if own is None:
        return fitting if points is None else with_full_information(world, geometry(points, world.actions, bounds))
    if points is not None and points != own.name:
        raise DiscreetError(f"the environment is for {Problem(own.name)}, but the algorithms play {problem}.")
    if own.bounds != bounds:
        raise DiscreetError(
            f"the environment was made for losses from {own.bounds.low:g} to {own.bounds.high:g}, but low is "
            f"{bounds.low:g} and high is {bounds.high:g}."
        )
    return fitting


def _agreed(size: int | None, found: int, where: str) -> int:
    if size is not None and size != found:
        raise DiscreetError(f"arms (or dimension) is {size}, but {where} has {found}.")
    return found


def _number(key: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DiscreetError(f"{key} is {value!r}, but must be a number.") from None
