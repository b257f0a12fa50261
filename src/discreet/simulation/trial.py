"""One trial: the same game for all algorithms, dealt piece by piece so that memory does not grow with its length."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats, Generator, Integers, Protected
from discreet.problems import ArmsEnvironment, Coins, Environment, Game, TableGame, tossed_in_words
from discreet.problems.coins import MANY
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.loop import Player, Prototype

# How much of a game is dealt at once: enough rounds that starting a compiled loop costs nothing beside them, few
# enough numbers (at most 32 MB) that threads do not compete for memory.
ROUNDS_AT_ONCE = 2**14
NUMBERS_AT_ONCE = 2**19
MOST_NUMBERS_AT_ONCE = 2**22
UNIT = make_range()

Remembered = NDArray[np.generic] | None


class Outcome(NamedTuple):
    """What one trial gave."""

    regret: Floats  # algorithm, checkpoint
    loss: Floats  # algorithm, checkpoint
    seconds: Floats  # algorithm
    clipped: int
    memory: Remembered = None  # what a game that remembers its players knows of each at the end, else None


def checkpoints(rounds: int, *, count: int = 120) -> Integers:
    """Return log-spaced numbers of rounds, from 1 to ``rounds``.

    >>> checkpoints(100, count=5).tolist()
    [1, 3, 10, 32, 100]
    """
    return np.unique(np.geomspace(1, rounds, count).round().astype(np.int64))


def rounds_at_once(actions: int) -> int:
    """Return how many rounds of a game are dealt at once.

    >>> rounds_at_once(4), rounds_at_once(100), rounds_at_once(10_000)
    (131072, 16384, 419)
    """
    return max(1, min(max(NUMBERS_AT_ONCE // actions, ROUNDS_AT_ONCE), MOST_NUMBERS_AT_ONCE // actions))


def run_trial(
    privates: Sequence[Protected | Prototype],
    environment: Environment,
    marks: Integers,
    *,
    seed: int,
    trial: int,
    bounds: Range,
    clip: bool,
    stop: threading.Event,
    compiled: bool = True,
    parts: Sequence[Stretch] | None = None,
) -> Outcome | None:
    """Play one trial, or return None if told to stop before its end.

    The regret at a checkpoint is the loss so far minus that of the best fixed action of the rounds so far. ``parts`` are
    the pieces in which games are dealt, if they are known already.
    """
    own = streams(seed, trial=trial)
    players = [
        Player(private, streams(seed, trial=trial) if index else own, compiled=compiled)
        for index, private in enumerate(privates)
    ]
    loss, best = np.empty((len(players), marks.size)), np.empty((len(players), marks.size))
    seconds = np.zeros(len(players))
    total: Floats = np.zeros(())
    clipped = 0
    for part in stretches(environment, marks) if parts is None else parts:
        if stop.is_set():
            return None
        game, outside = deal(environment, part.start, part.end, own.environment, bounds, clip=clip)
        clipped += outside
        sums = part.sums(game, total)
        total = sums[-1]
        best[:, part.inside] = environment.bests(sums[part.at_marks])
        for index, player in enumerate(players):
            if stop.is_set():
                return None
            before = time.perf_counter()
            loss[index, part.inside] = player.play(game, part.stops)[part.at_marks]
            seconds[index] += time.perf_counter() - before
            if environment.answers:
                best[index, part.inside] = environment.best(player.memory)
    remembered = [player.memory for player in players if player.memory is not None]
    return Outcome(loss - best, loss, seconds, clipped, np.array(remembered) if remembered else None)


def deal(
    environment: Environment, start: int, stop: int, rng: Generator, bounds: Range, *, clip: bool
) -> tuple[Game, int]:
    """Return rounds start to stop with all losses in the declared range, and how many had to be clipped."""
    problem = environment.problem
    coins = many_coins(environment)
    if coins is not None:
        return tossed_in_words(coins, start, stop, rng).rescaled(*problem.scale(bounds)), 0
    game = environment.deal(start, stop, rng)
    if environment.answers:  # losses are made from what is played
        return (game.rescaled(*problem.scale(bounds)) if environment.on_unit_scale else game), 0
    table = cast(TableGame, game)  # all others fix their losses first
    if not environment.on_unit_scale:
        return problem.check(table, bounds, clip=clip, before=start)
    table, clipped = problem.check(table, UNIT, clip=clip, before=start)
    if problem.scale(bounds) != problem.scale(UNIT):
        scaled = table.rescaled(*problem.scale(bounds))
        table, _ = problem.check(scaled, bounds, clip=True)  # a last digit may be outside, by rounding
    return table, clipped


def many_coins(environment: Environment) -> Coins | None:
    """Return the coins of an environment with many arms, of which bits are kept and not a table of losses; else None."""
    if not isinstance(environment, ArmsEnvironment) or environment.arms <= MANY:
        return None
    return environment.coins()


class Stretch(NamedTuple):
    """Some rounds of a game, and the marks among them."""

    start: int
    end: int
    inside: NDArray[np.bool_]  # which marks
    stops: Integers  # rounds since the start where losses are asked for: the marks, and the end
    at_marks: NDArray[np.bool_]  # which stops are marks

    @classmethod
    def of(cls, start: int, end: int, marks: Integers) -> Stretch:
        """Return the stretch from one round to another."""
        inside = (marks > start) & (marks <= end)
        own = marks[inside] - start
        ends_at_mark = own.size > 0 and own[-1] == end - start
        stops = own if ends_at_mark else np.append(own, end - start)
        at_marks = np.arange(stops.size) < own.size
        return cls(start, end, inside, stops, at_marks)

    def sums(self, game: Game, total: Floats) -> Floats:
        """Return what comparators are scored by at every stop, given its sum before the stretch."""
        return total + np.cumsum(game.totals([0, *self.stops[:-1].tolist()]), axis=0)


def stretches(environment: Environment, marks: Integers) -> list[Stretch]:
    """Return the pieces in which a game is dealt; one that answers is read at every mark, so each ends a piece."""
    size, rounds = rounds_at_once(environment.problem.actions), int(marks[-1])
    cuts = {*range(0, rounds, size), rounds}
    if environment.answers:
        cuts.update(marks.tolist())
    return [Stretch.of(start, end, marks) for start, end in itertools.pairwise(sorted(cuts))]
