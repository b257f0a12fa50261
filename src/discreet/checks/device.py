"""What is private about a device: nothing of a round but its report reaches the server, or another device."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

import componentjit
from discreet.channels import Constant
from discreet.checks.failure import require, require_kind, same_state
from discreet.contracts import Floats, Protected
from discreet.on_device import OnDevice
from discreet.problems import Game, Problem
from discreet.randomness import Streams, streams

ROUNDS = 400
VALUE = 0.7
Part = TypeVar("Part", bound=Protected)


def check_device(
    private: OnDevice, problem: Problem, *, rounds: int = ROUNDS, seed: int = 1
) -> None:
    """Check that two games with other contexts and other outcomes look alike to the server, round by round.

    The channel releases a constant meanwhile. Compared are, bit for bit: traces, queries, published
    models and the whole state of the server. A policy must not carry anything from one round to the
    next, which would be from one person to another.
    """
    require_kind("private", private, OnDevice)
    require_kind("problem", problem, Problem)
    name, policy = type(private.learner).__name__, type(private.policy).__name__
    rng = np.random.default_rng(seed)
    games = problem.probe(rounds, rng), problem.probe(rounds, rng)
    players = componentjit.copy(with_constant(private)), componentjit.copy(with_constant(private))
    coins = streams(seed), streams(seed)
    for t in range(rounds):
        one, other = (_round(*each, t) for each in zip(players, games, coins, strict=True))
        require(
            same_state(one[:1], other[:1]) is None,
            f"the trace for {name} depends on private contexts or outcomes",
        )
        require(
            same_state(one[1:], other[1:]) is None,
            f"the query of {name} depends on private contexts or outcomes",
        )
        where = same_state(players[0].learner, players[1].learner)
        require(where is None, f"private contexts or outcomes reach {name}.{where}")
    model, shown = players[0].learner.model, games[0].observe(0)
    choices = [
        each.policy.choose(model, shown, np.random.default_rng(0)) for each in (*players, private)
    ]
    require(
        len(set(choices)) == 1,
        f"{policy} chooses otherwise after other rounds: it must keep nothing of them",
    )


def with_constant(private: Part) -> Part:
    """Return the private learner behind a channel that releases a constant, whatever it is told."""
    return private._replace(channel=Constant.like(private.channel, constant_release(private)))


def constant_release(private: Protected) -> float | Floats:
    """Return a release of the kind that the channel makes."""
    size = private.channel.release_size()
    return np.full(size, VALUE) if size else VALUE


def _round(private: OnDevice, game: Game, coins: Streams, t: int) -> tuple[object, object]:
    """Play a round; return, as arrays, the trace and the query that went with it."""
    action, trace = private.act(game.observe(t), coins.learner)
    query = componentjit.copy(private.learner.query(trace))
    private.tell(trace, game.feedback(t, action), coins.privacy)
    return np.asarray(trace), np.asarray(query)
