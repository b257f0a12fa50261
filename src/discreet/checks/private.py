"""The contract of a private learner: raw feedback never reaches the learner."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

import componentjit
from discreet.channels import Constant
from discreet.checks.parts import Told, check_channel, require, require_kind, same_state
from discreet.contracts import Floats, Protected, Record
from discreet.errors import DiscreetError, shorten
from discreet.on_device import OnDevice
from discreet.problems import Environment, Game, Problem
from discreet.randomness import Streams, streams
from discreet.simulation.loop import Player

ROUNDS = 400
VALUE = 0.7  # of the constant release: far from 0 and 1, so that learners react to it
Part = TypeVar("Part", bound=Protected)


def check_device(
    private: OnDevice, problem: Problem, *, rounds: int = ROUNDS, seed: int = 1
) -> None:
    """Check that games with different contexts and outcomes look the same to the server.

    The channel releases a constant. Traces, queries, published models and the whole state of the
    server are compared round by round, bit for bit. A policy must not keep anything from one round
    to the next, because it would pass from one person to another.
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
        f"{policy} chooses differently after other rounds: it must not keep anything from them",
    )


def with_constant(private: Part) -> Part:
    """Return the private learner behind a channel that always releases the same constant."""
    return private._replace(channel=Constant.like(private.channel, constant_release(private)))


def constant_release(private: Protected) -> float | Floats:
    """Return a release with the shape of the channel's releases."""
    size = private.channel.release_size()
    return np.full(size, VALUE) if size else VALUE


def _round(private: OnDevice, game: Game, coins: Streams, t: int) -> tuple[object, object]:
    """Play a round; return its trace and query as arrays."""
    action, trace = private.act(game.observe(t), coins.learner)
    query = componentjit.copy(private.learner.query(trace))
    private.tell(trace, game.feedback(t, action), coins.privacy)
    return np.asarray(trace), np.asarray(query)


SAMPLED = 20  # rounds from which an example of feedback is chosen
LEAST_ROUNDS = 500  # the minimum in which Python and compiled code are compared


def check_private(private: Protected, environment: Environment, *, quick: bool = False) -> None:
    """Check the contracts of a channel and a learner, separately and together.

    The channel is checked with feedback of the environment and queries of the learner. If
    ``quick``, non-interference is checked in plain Python only; it follows for compiled code
    because both give the same results.
    """
    _require_private(private)
    require_kind("environment", environment, Environment)
    feedback, query = _example(private, environment)
    check_channel(private.channel, feedback=feedback, query=query)
    check_untouched(private, environment)
    check_two_speeds(private, environment, rounds=_rounds_of_releases(private, environment))
    check_non_interference(private, environment.problem, compiled=not quick)


def check_non_interference(
    private: Protected, problem: Problem, *, seed: int = 1, compiled: bool = True
) -> None:
    """Check that raw feedback does not change the learner if the channel releases a constant.

    States are compared bit for bit instead of actions, because a small leak may not show in sampled
    actions. The check runs compiled code, and some rounds in plain Python; without ``compiled``, it
    runs plain Python only.
    """
    _require_private(private)
    require_kind("problem", problem, Problem)
    probed = with_constant(private)
    rounds = min(10 * private.channel.hold(), 20_000) + ROUNDS
    rng = np.random.default_rng(seed)
    for fast, length in ((True, rounds), (False, ROUNDS)) if compiled else ((False, rounds),):
        states = []
        for game in (problem.probe(length, rng), problem.probe(length, rng).rescaled(0.0, 0.0)):
            player = Player(probed, streams(seed), compiled=fast)
            player.play(game, np.array([length]))
            states.append(player.private.learner)
        where = same_state(states[0], states[1])
        require(where is None, f"raw feedback reaches {type(private.learner).__name__}.{where}")
    if isinstance(private, OnDevice):
        check_device(private, problem, seed=seed)


def check_untouched(
    private: Protected, environment: Environment, *, rounds: int = 100, seed: int = 1
) -> None:
    """Check that a channel neither holds nor changes any array of the learner.

    Traces and the arrays of queries belong to the learner too.
    """
    channel, learner = type(private.channel).__name__, type(private.learner).__name__
    for mine, held in componentjit.arrays(private.channel):
        for theirs, array in componentjit.arrays(private.learner):
            shared = np.shares_memory(held, array)
            require(
                not shared,
                f"{channel}.{mine} and {learner}.{theirs} share memory: raw feedback could pass "
                "through it",
            )
    copied = componentjit.copy(private)
    game = _game(copied, environment, rounds, seed)
    rngs = streams(seed)
    for t in range(rounds):
        if copied.learner.must_pause():
            copied.learner.resume()
        action, trace = copied.act(game.observe(t), rngs.learner)
        copied.hold_for(trace)
        query = copied.learner.query(trace)
        before = componentjit.copy((copied.learner, trace, query))
        ready, released = copied.channel.offer(game.feedback(t, action), query, rngs.privacy)
        where = same_state(before, (copied.learner, trace, query))
        require(
            where is None,
            f"{channel}.offer changes an array of {learner}, its trace or its query ({where})",
        )
        if ready:
            copied.learner.learn(trace, released)


def _rounds_of_releases(private: Protected, environment: Environment) -> int:
    """Return enough rounds for a few releases, if the environment has that many."""
    rounds = max(LEAST_ROUNDS, min(3 * private.channel.hold(), 20_000))
    return rounds if environment.length is None else min(rounds, environment.length)


def _require_private(private: object) -> None:
    if not isinstance(private, Protected):
        raise DiscreetError(f"private is {shorten(private)}, but must be a Private or OnDevice.")


def _game(private: Protected, environment: Environment, rounds: int, seed: int) -> Game:
    """Return a game as the learner plays it."""
    game = environment.deal(0, rounds, np.random.default_rng(seed))
    return game.followed() if private.learner.follows else game


def _example(private: Protected, environment: Environment) -> tuple[Told, object]:
    """Return the largest feedback in some rounds of the environment, and a query of the learner."""
    copied, rng = componentjit.copy(private), np.random.default_rng(0)
    if copied.learner.must_pause():
        copied.learner.resume()
    game = _game(private, environment, SAMPLED, 1)
    action, trace = copied.act(game.observe(0), rng)
    values = [componentjit.copy(game.feedback(t, action)) for t in range(SAMPLED)]
    return max(values, key=_size), componentjit.copy(copied.learner.query(trace))


def _size(feedback: Told) -> float:
    """Return how large feedback is; for a record, how large its context is."""
    return float(np.abs(feedback.features if isinstance(feedback, Record) else feedback).max())


def check_two_speeds(
    private: Protected, environment: Environment, *, rounds: int = LEAST_ROUNDS, seed: int = 1
) -> None:
    """Check that a seed gives the same losses and state, compiled and in plain Python."""
    name = type(private.learner).__name__
    game = environment.deal(0, rounds, np.random.default_rng(seed))
    marks = np.array([1, rounds // 2, rounds])
    runs = []
    for compiled in (True, False):
        player = Player(private, streams(seed), compiled=compiled)
        runs.append((player.play(game, marks), player.private))
    require(np.array_equal(runs[0][0], runs[1][0]), f"{name} plays differently when compiled")
    where = same_state(runs[0][1], runs[1][1])
    require(where is None, f"{name}: {where} differs between compiled code and plain Python")
