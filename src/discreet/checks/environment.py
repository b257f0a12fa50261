"""The contract of an environment, whatever its problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.checks.failure import CheckFailed, require, require_kind
from discreet.contracts import Record
from discreet.errors import DiscreetError
from discreet.problems import Environment


def check_environment(environment: Environment, *, rounds: int = 60) -> None:
    """Check that games are finite, the same however they are cut into pieces, and scored rightly."""
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

    losses = np.array([[whole.loss(t, action) for action in actions] for t in range(rounds)])
    require(bool(np.isfinite(losses).all()), f"{name} deals a loss that is not finite")
    first = actions[0]
    parts = [piece.loss(t, first) for piece, t in again]
    require(
        np.array_equal(losses[:, 0], parts), f"{name} deals another game when it is dealt in pieces"
    )
    same = all(
        np.array_equal(whole.observe(t), piece.observe(s)) for t, (piece, s) in enumerate(again)
    )
    require(same, f"{name} shows something else when it is dealt in pieces")
    for t in (0, rounds - 1):
        given = whole.feedback(t, first)
        numbers: tuple[Any, ...] = tuple(given) if isinstance(given, Record) else (given,)
        require(
            all(np.isfinite(part).all() for part in numbers),
            f"{name} gives feedback that is not finite",
        )
    if environment.answers:  # comparators are scored by what a player got
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
