"""The contract of an environment on arms."""

from __future__ import annotations

import numpy as np

from discreet.checks.failure import require
from discreet.contracts import Environment


def check_environment(environment: Environment, *, rounds: int = 60) -> None:
    """Check that games are finite, the same however they are cut into pieces, and scored rightly."""
    name = type(environment).__name__
    arms = environment.actions
    whole = environment.deal(0, rounds, np.random.default_rng(1))
    cut = rounds // 3
    rng = np.random.default_rng(1)
    pieces = environment.deal(0, cut, rng), environment.deal(cut, rounds, rng)

    losses = np.array([[whole.loss(t, arm) for arm in range(arms)] for t in range(rounds)])
    require(bool(np.isfinite(losses).all()), f"{name} deals a loss that is not finite")
    parts = [piece.loss(t, 0) for piece, n in zip(pieces, (cut, rounds - cut), strict=True) for t in range(n)]
    require(np.array_equal(losses[:, 0], parts), f"{name} deals another game when it is dealt in pieces")
    for t in (0, rounds - 1):
        require(bool(np.isfinite(whole.feedback(t, 0))), f"{name} gives feedback that is not finite")

    totals = whole.totals([0, cut])
    require(np.allclose(totals.sum(axis=0), losses.sum(axis=0)), f"{name}: totals do not add up to the losses")
    best = environment.best(totals.sum(axis=0))
    require(bool(np.isclose(best, losses.sum(axis=0).min())), f"{name}.best is not the loss of the best fixed action")
