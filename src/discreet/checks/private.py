"""The contract of a private learner: no raw feedback reaches the learner, and both speeds agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.channels import Constant
from discreet.checks.failure import require, same_state
from discreet.contracts import Environment, Floats
from discreet.environments import Table
from discreet.environments.advice.scenes import AdviceGame
from discreet.environments.points.linear import LinearGame
from discreet.private import Private
from discreet.randomness import streams
from discreet.simulation.loop import Player

ROUNDS = 400


def check_private(private: Private, environment: Environment) -> None:
    """Check everything that is promised of a channel and a learner together."""
    released, advice = getattr(private.channel, "released", None), None
    value = 0.7 if released is None else np.full(np.shape(released), 0.7)
    if hasattr(environment, "experts"):
        advice = environment.deal(0, 1, np.random.default_rng(1)).observe(0)
    elif hasattr(environment, "geometry"):
        value = np.full(environment.actions, 0.7)
    check_non_interference(private, actions=environment.actions, value=value, advice=advice)
    check_two_speeds(private, environment)


def check_non_interference(
    private: Private, *, actions: int, value: Any = 0.7, seed: int = 1, advice: Floats | None = None
) -> None:
    """Check that two different raw streams leave the learner in the same state when the channel releases a constant.

    The states are compared bit for bit, not the actions: a small leak may not show in sampled actions. It runs compiled
    and as plain Python. If ``value`` is a vector, so is the feedback, unless there is ``advice`` (arms by experts).
    """
    probed = private._replace(channel=Constant.like(private.channel, value))
    rounds = min(10 * private.channel.hold(), 20_000) + ROUNDS
    rng = np.random.default_rng(seed)
    for compiled in (True, False):
        length = rounds if compiled else ROUNDS
        states = []
        for losses in (rng.random((length, actions)), np.zeros((length, actions))):
            player = Player(probed, streams(seed), compiled=compiled)
            game: Any
            if advice is not None:
                game = AdviceGame(losses, advice[None].copy(), np.zeros(length, np.int64), np.full(length, 0.5))
            else:
                game = LinearGame(losses) if isinstance(value, np.ndarray) else Table(losses).deal(0, length, rng)
            player.play(game, np.array([length]))
            states.append(player.private.learner)
        where = same_state(states[0], states[1])
        require(where is None, f"raw feedback reaches {type(private.learner).__name__}.{where}")


def check_two_speeds(private: Private, environment: Environment, *, rounds: int = 500, seed: int = 1) -> None:
    """Check that the same seed gives the same losses and the same state, compiled and as plain Python."""
    name = type(private.learner).__name__
    game = environment.deal(0, rounds, np.random.default_rng(seed))
    marks = np.array([1, rounds // 2, rounds])
    runs = []
    for compiled in (True, False):
        player = Player(private, streams(seed), compiled=compiled)
        runs.append((player.play(game, marks), player.private))
    require(np.array_equal(runs[0][0], runs[1][0]), f"{name} plays otherwise when compiled")
    where = same_state(runs[0][1], runs[1][1])
    require(where is None, f"{name}: {where} differs between compiled and plain Python")
