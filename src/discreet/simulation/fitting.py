"""Losses must lie where they were declared to lie: refuse, or clip if asked to."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.contracts import Environment, Floats
from discreet.errors import DiscreetError
from discreet.kernel import compile_for
from discreet.ranges import Range
from discreet.sets import Geometry

TOLERANCE = 1e-9  # by which a loss vector may leave its set: rounding


def answers(environment: Environment) -> bool:
    """Return whether every player gets losses of its own, and is compared with what is best for those."""
    return getattr(environment, "answers", False)


def checked(environment: Any, game: Any, bounds: Range, *, clip: bool, before: int) -> tuple[Any, int]:
    """Return the game with all losses where they were declared to be, and how many had to be moved, or refuse it."""
    if not hasattr(environment, "geometry"):
        return within_bounds(game, bounds, clip=clip, before=before)
    if answers(environment):  # losses are made from the set itself
        return game, 0
    return within_set(game, environment.geometry, clip=clip, before=before)


def within_bounds(
    game: Any, bounds: Range, *, clip: bool, before: int, names: tuple[str, str] = ("round", "arm")
) -> tuple[Any, int]:
    """Return the game with all losses in their declared range, and how many had to be clipped, or refuse it.

    ``before`` rounds went before it, and ``names`` are what its rows and columns are called.
    """
    losses = game.losses
    if bounds.low <= losses.min() and losses.max() <= bounds.high:
        return game, 0
    outside = ~((losses >= bounds.low) & (losses <= bounds.high))
    if clip and not np.isnan(losses).any():
        return game._replace(losses=np.clip(losses, bounds.low, bounds.high)), int(outside.sum())
    row, column = (int(i) for i in np.argwhere(outside)[0])
    raise DiscreetError(
        f"{names[0]} {row + before + 1}, {names[1]} {column + 1}: the loss is {losses[row, column]:g}, "
        f"but the declared range is "
        f"{bounds.low:g} to {bounds.high:g}; declare a wider one, or clip."
    )


def within_set(game: Any, geometry: Geometry, *, clip: bool, before: int, row_name: str = "round") -> tuple[Any, int]:
    """Return the game with all loss vectors in their declared set, and how many had to be moved, or refuse it."""
    first = compile_for(first_outside, geometry.losses)(geometry.losses, game.losses)
    if first < 0:
        return game, 0
    if clip:
        rows = game.losses.copy()
        moved = compile_for(project_rows, geometry.losses)(geometry.losses, rows)
        return game._replace(losses=rows), int(moved)
    row = game.losses[first]
    sizes = {
        "experts": f"has losses from {row.min():g} to {row.max():g}",
        "ball": f"has 2-norm {float(np.linalg.norm(row)):g}",
        "cube": f"has absolute values with the sum {float(np.abs(row).sum()):g}",
    }
    allowed = "the declared range is {:g} to {:g}" if geometry.name == "experts" else "at most {1:g} is declared"
    raise DiscreetError(
        f"{row_name} {first + before + 1}: the loss vector {sizes[geometry.name]}, but "
        f"{allowed.format(*geometry.bounds)}; declare more, or clip."
    )


def first_outside(losses: Any, rows: Floats) -> int:
    """Return the first row that is not in the set, or -1."""
    for t in range(rows.shape[0]):
        if not losses.contains(rows[t], TOLERANCE):
            return t
    return -1


def project_rows(losses: Any, rows: Floats) -> int:
    """Move every row that is not in the set to the nearest point of it; return how many were moved."""
    moved = 0
    for t in range(rows.shape[0]):
        if not losses.contains(rows[t], TOLERANCE):
            losses.project(rows[t])
            moved += 1
    return moved
