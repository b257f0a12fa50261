"""The contracts of environments and of convex sets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.checks.parts import CheckFailed, require, require_kind
from discreet.contracts import Floats, Record
from discreet.errors import DiscreetError, shorten
from discreet.problems import Environment, ReactingGame
from discreet.sets import Gauged, LinearOracle, Projecting, Vertices


def check_environment(environment: Environment, *, rounds: int = 60) -> None:
    """Check that games are finite, scored correctly, and the same when dealt in pieces."""
    require_kind("environment", environment, Environment)
    name = type(environment).__name__
    whole = environment.deal(0, rounds, np.random.default_rng(1))
    cut = rounds // 3
    rng = np.random.default_rng(1)
    pieces = environment.deal(0, cut, rng), environment.deal(cut, rounds, rng)
    actions = environment.problem.samples(whole)
    again = [
        (piece, t)
        for piece, length in zip(pieces, (cut, rounds - cut), strict=True)
        for t in range(length)
    ]

    if isinstance(whole, ReactingGame) and not environment.answers:
        losses = np.array([_always(whole, action, rounds) for action in actions]).T
    else:
        losses = np.array([[whole.loss(t, action) for action in actions] for t in range(rounds)])
    require(bool(np.isfinite(losses).all()), f"{name} deals a loss that is not finite")
    first = actions[0]
    parts = [piece.loss(t, first) for piece, t in again]
    require(
        np.array_equal(losses[:, 0], parts), f"{name} deals a different game when cut into pieces"
    )
    same = all(
        np.array_equal(whole.observe(t), piece.observe(s)) for t, (piece, s) in enumerate(again)
    )
    require(same, f"{name} shows different observations when cut into pieces")
    for t in (0, rounds - 1):
        given = whole.feedback(t, first)
        numbers: tuple[Any, ...] = tuple(given) if isinstance(given, Record) else (given,)
        require(
            all(np.isfinite(part).all() for part in numbers),
            f"{name} gives feedback that is not finite",
        )
    if environment.answers:  # comparators depend on what the player did
        return

    try:
        rivals = environment.problem.rival_losses(whole, losses)
    except DiscreetError as reason:
        raise CheckFailed(f"{name}: {reason}") from None
    best = environment.best(whole.totals([0, cut]).sum(axis=0))
    require(
        bool(np.isclose(best, rivals.sum(axis=0).min())),
        f"{name}.best is not the loss of the best fixed rival",
    )


def _always(game: ReactingGame, action: object, rounds: int) -> list[float]:
    """Return the losses of a player who chooses the same action in every round."""
    mine = game._replace(memory=game.memory.copy())
    losses = []
    for t in range(rounds):
        losses.append(mine.loss(t, action))
        mine.feedback(t, action)
    return losses


NEAR = 1e-7  # tolerance, in outer radii
WILD = (math.nan, math.inf, -math.inf, 1e300)  # direction entries that a set must tolerate


def check_set(points: LinearOracle, *, directions: int = 40) -> None:
    """Check that a set's declarations agree with its oracle, for random and extreme directions.

    >>> from discreet.sets import L2Ball
    >>> check_set(L2Ball(3, 1.0))
    >>> class Sloppy(L2Ball):
    ...     def minimise_linear(self, direction, point):
    ...         point[:] = -2.0 * np.sign(direction)
    >>> check_set(Sloppy(3, 1.0))
    Traceback (most recent call last):
    discreet.checks.parts.CheckFailed: the oracle of Sloppy is [...], which is outside of its set
    """
    require_kind("set", points, LinearOracle)
    name, rng, size = type(points).__name__, np.random.default_rng(1), points.dimension
    try:
        centre, asked = points.centre(), rng.standard_normal((directions, size))
        asked[: min(size, directions)] = np.eye(size)[:directions]
        answers = np.array([_answer(points, direction) for direction in asked])
        scale = max(points.outer, 1e-300)
        require(
            points.contains(centre, NEAR * scale),
            f"the centre of {name} is {_short(centre)}, outside of its set",
        )
        for answer in (*answers, *(_answer(points, np.full(size, number)) for number in WILD)):
            require(
                points.contains(answer, NEAR * scale),
                f"the oracle of {name} is {_short(answer)}, which is outside of its set",
            )
        _check_oracle(points, asked, answers, centre, NEAR * scale)
        if isinstance(points, Projecting):
            _check_projection(
                points, answers, centre + scale * rng.standard_normal((10, size)), NEAR * scale
            )
        if isinstance(points, Gauged) and points.flat > 0:
            _check_gauge(points, answers, centre, NEAR)
        if isinstance(points, Vertices):
            for vertex in points.plan().vertices:
                require(
                    points.contains(vertex, NEAR * scale),
                    f"{name}.plan has {_short(vertex)}, outside of the set",
                )
                require(bool(points.label(vertex)), f"{name}.label is empty for {_short(vertex)}")
    except DiscreetError as reason:  # raised by the set itself
        raise CheckFailed(f"{name}: {reason}") from None


def _check_oracle(
    points: LinearOracle, asked: Floats, answers: Floats, centre: Floats, near: float
) -> None:
    """Check each answer against all others, and the radii and the hull against the answers."""
    name, lengths = type(points).__name__, np.linalg.norm(asked, axis=1)
    values = asked @ answers.T
    short = values.diagonal() - values.min(axis=1) > near * lengths
    require(not short.any(), f"the oracle of {name} does not return a minimum in its direction")
    far = float(np.linalg.norm(answers - centre, axis=1).max())
    require(
        far <= points.outer + near,
        f"{name}.outer is {points.outer:g}, but an answer of the oracle is {far:g} from the centre",
    )
    moves = answers - centre
    kept = np.array([_tangent(points, move) for move in moves])
    require(
        bool(np.abs(kept - moves).max() <= near), f"{name}.tangent changes a direction of the hull"
    )
    rank = int(np.linalg.matrix_rank(moves, tol=10.0 * near))
    require(
        rank <= points.flat, f"{name}.flat is {points.flat}, but answers span {rank} dimensions"
    )
    along = np.array([_tangent(points, direction) for direction in asked])
    room = asked @ centre - values.diagonal() - points.inner * np.linalg.norm(along, axis=1)
    require(
        bool((room >= -near * lengths).all()),
        f"{name}.inner is {points.inner:g}, but no ball of that radius around the centre fits",
    )


def _check_projection(points: Projecting, answers: Floats, outside: Floats, near: float) -> None:
    """Check that <z - p, x - p> ≤ 0 for the nearest p to z and all answers x of the oracle."""
    name = type(points).__name__
    for point in outside:
        nearest = point.copy()
        points.project(nearest)
        require(
            points.contains(nearest, near),
            f"{name}.project gives {_short(nearest)}, outside of its set",
        )
        reach = max(1.0, float(np.linalg.norm(point - nearest)))
        wrong = (answers - nearest) @ (point - nearest) > 10.0 * near * reach
        require(
            not wrong.any(),
            f"{name}.project gives {_short(nearest)}, which is not the nearest point",
        )


def _check_gauge(points: Gauged, answers: Floats, centre: Floats, near: float) -> None:
    """Check that the gauge is 1 at the oracle's answers, and 1/2 halfway from the centre."""
    name = type(points).__name__
    for answer in answers:
        for share in (0.5, 1.0):
            found = points.gauge(centre + share * (answer - centre))
            require(
                abs(found - share) <= 10.0 * near,
                f"{name}.gauge is {found:g} at {share:g} of the way to the boundary",
            )


def _answer(points: LinearOracle, direction: Floats) -> Floats:
    point = np.full(direction.size, math.nan)
    with np.errstate(all="ignore"):  # directions may hold NaN and infinities
        points.minimise_linear(direction.copy(), point)
    return point


def _tangent(points: LinearOracle, vector: Floats) -> Floats:
    found = vector.copy()
    points.tangent(found)
    return found


def _short(point: Floats) -> str:
    return shorten(point.round(6).tolist())
