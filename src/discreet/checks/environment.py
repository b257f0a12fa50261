"""The contract of an environment, on arms, with or without advice, and on points."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.checks.failure import require
from discreet.contracts import Environment, Floats, Game


def check_environment(environment: Environment, *, rounds: int = 60) -> None:
    """Check that games are finite, the same however they are cut into pieces, and scored rightly."""
    name = type(environment).__name__
    actions = _actions(environment)
    whole = environment.deal(0, rounds, np.random.default_rng(1))
    cut = rounds // 3
    rng = np.random.default_rng(1)
    pieces = environment.deal(0, cut, rng), environment.deal(cut, rounds, rng)

    losses = np.array([[whole.loss(t, action) for action in actions] for t in range(rounds)])
    require(bool(np.isfinite(losses).all()), f"{name} deals a loss that is not finite")
    first = actions[0]
    parts = [piece.loss(t, first) for piece, n in zip(pieces, (cut, rounds - cut), strict=True) for t in range(n)]
    require(np.array_equal(losses[:, 0], parts), f"{name} deals another game when it is dealt in pieces")
    for t in (0, rounds - 1):
        require(bool(np.isfinite(whole.feedback(t, first)).all()), f"{name} gives feedback that is not finite")
    if hasattr(environment, "experts"):
        losses = _of_experts(name, whole, losses)
        again = [piece.observe(t) for piece, n in zip(pieces, (cut, rounds - cut), strict=True) for t in range(n)]
        same = all(np.array_equal(whole.observe(t), other) for t, other in enumerate(again))
        require(same, f"{name} shows other advice when it is dealt in pieces")
    if getattr(environment, "answers", False):  # comparators are scored by what a player got
        return

    totals = whole.totals([0, cut])
    best = environment.best(totals.sum(axis=0))
    sums = losses.sum(axis=0)
    if not hasattr(environment, "geometry"):
        require(np.allclose(totals.sum(axis=0), sums), f"{name}: totals do not add up to the losses")
    require(bool(np.isclose(best, sums.min())), f"{name}.best is not the loss of the best fixed action")


def _of_experts(name: str, game: Game, losses: Floats) -> Floats:
    """Return the expected losses of experts, a row a round; their advice must be distributions over arms."""
    rows = []
    for t, row in enumerate(losses):
        advice = game.observe(t)
        whole = advice.shape[0] == row.size and bool((advice >= 0.0).all() and np.allclose(advice.sum(axis=0), 1.0))
        require(whole, f"{name}: the advice of round {t + 1} is not made of distributions over arms")
        rows.append(row @ advice)
    return np.array(rows)


def _actions(environment: Any) -> list[Any]:
    """Return all arms, or points among which is the best one of the first rounds, and the middle."""
    if not hasattr(environment, "geometry"):
        return list(range(environment.actions))
    points = environment.geometry.points
    found = [points.centre()]
    total = environment.deal(0, 60, np.random.default_rng(1)).totals([0])[0]
    for direction in [np.atleast_2d(total)[0], *np.eye(environment.actions), *-np.eye(environment.actions)]:
        corner = np.empty(environment.actions)
        points.minimise_linear(direction, corner)
        found.append(corner)
    return found
