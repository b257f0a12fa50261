"""The contract of a private learner: no raw feedback reaches the learner, and both speeds agree."""

from __future__ import annotations

import numpy as np

from discreet.channels import Constant
from discreet.checks.failure import require, same_state
from discreet.private import Private
from discreet.problems import Environment, Problem
from discreet.randomness import streams
from discreet.simulation.loop import Player

ROUNDS = 400


def check_private(private: Private, environment: Environment) -> None:
    """Check everything that is promised of a channel and a learner together."""
    check_non_interference(private, environment.problem)
    check_two_speeds(private, environment)


def check_non_interference(private: Private, problem: Problem, *, seed: int = 1) -> None:
    """Check that two different raw streams leave the learner in the same state when the channel releases a constant.

    The states are compared bit for bit, not the actions: a small leak may not show in sampled actions. It runs compiled
    and as plain Python.
    """
    size = private.channel.release_size()
    value = np.full(size, 0.7) if size else 0.7
    probed = private._replace(channel=Constant.like(private.channel, value))
    rounds = min(10 * private.channel.hold(), 20_000) + ROUNDS
    rng = np.random.default_rng(seed)
    for compiled in (True, False):
        length = rounds if compiled else ROUNDS
        states = []
        for game in (problem.probe(length, rng), problem.probe(length, rng).rescaled(0.0, 0.0)):
            player = Player(probed, streams(seed), compiled=compiled)
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
