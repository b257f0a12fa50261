"""The environment that algorithms are to meet: what is asked for must fit what they play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from discreet.algorithms import algorithm
from discreet.contracts import Environment
from discreet.environments import (
    FullInformation,
    Table,
    environment,
    environment_options,
    is_linear,
    read_table,
    shown_whole,
)
from discreet.errors import DiscreetError, whole
from discreet.ranges import Range
from discreet.sets import geometry
from discreet.simulation.fitting import within_bounds, within_set

DEFAULT_ROUNDS = 10_000
DEFAULT_SIZE = 4


def played(names: Iterable[str], options: Mapping[str, Any]) -> str | None:
    """Return which kind of points the named algorithms play, None for arms; all must play the same."""
    kinds = {name: algorithm(name).plays(options) for name in names}
    if not kinds:
        return options.get("points")
    first, kind = next(iter(kinds.items()))
    for name, other in kinds.items():
        if other != kind:
            raise DiscreetError(
                f"{first} plays {_words(kind)} and {name} plays {_words(other)}, but in one simulation all must play "
                "the same."
            )
    return kind


def world_for(
    asked: str | Environment,
    points: str | None,
    *,
    losses: Path | str | None,
    size: int | None,
    rounds: int | None,
    bounds: Range,
    options: Mapping[str, Any],
) -> Environment:
    """Return the environment, for arms or for the given kind of points."""
    path = None if losses is None else Path(losses)
    if not isinstance(asked, str):
        return _fitting(asked, points, size, bounds)
    if is_linear(asked) and points is None:
        raise DiscreetError(f"environment '{asked}' deals loss vectors, for points, but the algorithms play arms.")
    if points is None:
        return environment(asked, arms=size, rounds=DEFAULT_ROUNDS if rounds is None else rounds, losses=path)
    if asked == "table" and path is not None:
        size = _agreed(size, read_table(path).actions, str(path))
    size = DEFAULT_SIZE if size is None else size
    given = {key: _number(key, options[key]) for key in environment_options(asked) if key in options}
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
        return whole("rounds", DEFAULT_ROUNDS if rounds is None else rounds, least=2)
    if rounds is not None and rounds > table.rounds:
        raise DiscreetError(f"rounds is {rounds}, but {table.source} has {table.rounds} rows.")
    return whole("rounds", table.rounds if rounds is None else rounds, least=2)


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
    return within_bounds(rows, bounds, clip=clip, before=before, names=(name, "column"))


def table_of(world: Any) -> Table | None:
    """Return the table that an environment replays, if it does."""
    inner = world.environment if isinstance(world, FullInformation) else world
    return inner if isinstance(inner, Table) else None


def _fitting(world: Any, points: str | None, size: int | None, bounds: Range) -> Environment:
    """Return an environment of the user's for what the algorithms play, or refuse it."""
    _agreed(size, world.actions, "the environment")
    own = getattr(world, "geometry", None)
    if own is None:
        return world if points is None else shown_whole(world, geometry(points, world.actions, bounds))
    if points is not None and points != own.name:
        raise DiscreetError(f"the environment is for {_words(own.name)}, but the algorithms play {_words(points)}.")
    if own.bounds != bounds:
        raise DiscreetError(
            f"the environment was made for losses from {own.bounds.low:g} to {own.bounds.high:g}, but low is "
            f"{bounds.low:g} and high is {bounds.high:g}."
        )
    return world  # type: ignore[no-any-return]


def _agreed(size: int | None, found: int, where: str) -> int:
    if size is not None and size != found:
        raise DiscreetError(f"arms (or dimension) is {size}, but {where} has {found}.")
    return found


def _number(key: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise DiscreetError(f"{key} is {value!r}, but must be a number.") from None


def _words(points: str | None) -> str:
    return {None: "arms", "experts": "distributions over experts"}.get(points, f"points of the {points}")
