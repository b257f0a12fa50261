"""Trials, one after the other: in each of them all algorithms play the same game."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Integers, Protected
from discreet.problems import Environment
from discreet.randomness import streams_of
from discreet.ranges import Range
from discreet.simulation.dealing import Dealer, Stretch, Totals, stretches
from discreet.simulation.loop import Player, Prototype

Remembered = NDArray[np.generic] | None


class TrialOutcome(NamedTuple):
    """The outcome of one trial."""

    regret: Floats  # algorithm, checkpoint
    loss: Floats  # algorithm, checkpoint
    seconds: Floats  # algorithm
    clipped: int
    memory: Remembered = None  # the final memory of the game about each player
    calls: tuple[int | None, ...] = ()  # of linear oracles by each algorithm; None if it has none


def checkpoints(rounds: int, *, count: int = 120) -> Integers:
    """Return log-spaced numbers of rounds, from 1 to ``rounds``.

    >>> checkpoints(100, count=5).tolist()
    [1, 3, 10, 32, 100]
    """
    return np.unique(np.geomspace(1, rounds, count).round().astype(np.int64))


def run_trial(
    privates: Sequence[Protected],
    environment: Environment,
    marks: Integers,
    *,
    seed: int,
    trial: int,
    bounds: Range,
    clip: bool,
    stop: threading.Event,
    compiled: bool = True,
) -> TrialOutcome | None:
    """Play one trial, or return None if told to stop before its end.

    The regret at a checkpoint is the loss so far minus that of the best fixed action of the rounds
    so far.
    """
    shared = [Prototype(private, compiled=compiled) for private in privates]
    dealer = Dealer(environment, bounds, clip=clip)
    found = run_in_turn(
        shared, dealer, marks, stretches(environment, marks), seed=seed, trials=[trial], stop=stop
    )
    return None if found is None else found[0]


def run_in_turn(
    shared: Sequence[Prototype],
    dealer: Dealer,
    marks: Integers,
    parts: Sequence[Stretch],
    *,
    seed: int,
    trials: Sequence[int],
    stop: threading.Event,
) -> list[TrialOutcome] | None:
    """Play some trials, one after the other, or return None if told to stop before their end.

    Common work is done once for all of them; for short games that is most of the work.
    """
    own = streams_of(seed, trials)
    playing = [
        [Player(each, mine) for mine in (streams_of(seed, trials) if i else own)]
        for i, each in enumerate(shared)
    ]
    loss, best = np.empty((2, len(trials), len(shared), marks.size))
    seconds = np.zeros(len(shared))
    total: Totals = 0.0
    clipped = [0] * len(trials)
    for part in parts:
        games = []
        for index, mine in enumerate(own):
            if stop.is_set():
                return None
            game, outside = dealer.deal(part.start, part.end, mine.environment)
            clipped[index] += outside
            games.append(game)
        bests, total = dealer.bests(games, part, total)
        best[:, :, part.inside] = bests[:, None]
        for index, players in enumerate(playing):
            before = time.perf_counter()
            for trial, (player, game) in enumerate(zip(players, games, strict=True)):
                if stop.is_set():
                    return None
                loss[trial, index, part.inside] = player.play(game, part.stops)[part.at_marks]
                if dealer.environment.answers:
                    best[trial, index, part.inside] = dealer.environment.best(player.memory)
            seconds[index] += time.perf_counter() - before
    regret, each = loss - best, seconds / len(trials)
    memories = [
        stack_memories([player.memory for player in players])
        for players in zip(*playing, strict=True)
    ]
    calls = [
        tuple(player.private.learner.oracle_calls for player in players)
        for players in zip(*playing, strict=True)
    ]
    return [
        TrialOutcome(regret[i], loss[i], each, clipped[i], memories[i], calls[i])
        for i in range(len(trials))
    ]


def stack_memories(memories: Sequence[Remembered]) -> Remembered:
    """Return a game's memory of all players, if it has one."""
    remembered = [memory for memory in memories if memory is not None]
    return np.array(remembered) if remembered else None
