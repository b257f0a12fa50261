"""One trial: the same game for all algorithms, dealt piece by piece so that memory does not grow with its length."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Protected
from discreet.problems import Environment, Game, TableGame
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.loop import Player

# How much of a game is dealt at once: enough rounds that starting a compiled loop costs nothing beside them, few
# enough numbers (at most 32 MB) that threads do not compete for memory.
ROUNDS_AT_ONCE = 2**14
NUMBERS_AT_ONCE = 2**19
MOST_NUMBERS_AT_ONCE = 2**22
UNIT = make_range()


class Outcome(NamedTuple):
    """What one trial gave."""

    regret: Floats  # algorithm, checkpoint
    loss: Floats  # algorithm, checkpoint
    seconds: Floats  # algorithm
    clipped: int


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
) -> Outcome | None:
    """Play one trial, or return None if told to stop before its end.

    The regret at a checkpoint is the loss so far minus that of the best fixed action of the rounds so far.
    """
    own = streams(seed, trial=trial)
    dealer = own.environment
    players = [
        Player(private, streams(seed, trial=trial) if index else own, compiled=compiled)
        for index, private in enumerate(privates)
    ]
    scoring = Scoring(environment, marks, len(players))
    for start, end in stretches(environment, marks):
        if stop.is_set():
            return None
        game, outside = deal(environment, start, end, dealer, bounds, clip=clip)
        scoring.begin(game, start, end, outside)
        for index, player in enumerate(players):
            if stop.is_set():
                return None
            before = time.perf_counter()
            losses = player.play(game, scoring.stops)
            scoring.note(index, losses, time.perf_counter() - before)
            if environment.answers:
                scoring.best[index, scoring.inside] = environment.best(player.memory)
    return scoring.outcome()


class Scoring:
    """The losses of one trial, and those of the best fixed action, stretch by stretch."""

    def __init__(self, environment: Environment, marks: Integers, players: int) -> None:
        self.environment, self.marks = environment, marks
        self.loss = np.empty((players, marks.size))
        self.best = np.empty((players, marks.size))
        self.seconds = np.zeros(players)
        self.total: Floats = np.zeros(())
        self.clipped = 0

    def begin(self, game: Game, start: int, end: int, clipped: int) -> None:
        """Begin a stretch: who plays it is asked for the losses after the rounds in ``stops``."""
        self.clipped += clipped
        self.inside = (self.marks > start) & (self.marks <= end)
        self.stops = np.unique(np.append(self.marks[self.inside], end)) - start
        self.at_marks = np.isin(self.stops, self.marks[self.inside] - start)
        sums = self.total + np.cumsum(game.totals([0, *self.stops[:-1].tolist()]), axis=0)
        self.total = sums[-1]
        self.best[:, self.inside] = self.environment.bests(sums[self.at_marks])

    def note(self, player: int, losses: Floats, seconds: float) -> None:
        """Note what a player lost so far at every stop, and how long it took."""
        self.loss[player, self.inside] = losses[self.at_marks]
        self.seconds[player] += seconds

    def outcome(self) -> Outcome:
        """Return what the trial gave."""
        return Outcome(self.loss - self.best, self.loss, self.seconds, self.clipped)


def deal(
    environment: Environment, start: int, stop: int, rng: Generator, bounds: Range, *, clip: bool
) -> tuple[Game, int]:
    """Return rounds start to stop with all losses in the declared range, and how many had to be clipped."""
    problem, game = environment.problem, environment.deal(start, stop, rng)
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


def stretches(environment: Environment, marks: Integers) -> Iterator[tuple[int, int]]:
    """Yield the pieces in which a game is dealt; one that answers is read at every mark, so each ends a piece."""
    size, rounds = rounds_at_once(environment.problem.actions), int(marks[-1])
    cuts = {*range(0, rounds, size), rounds}
    if environment.answers:
        cuts.update(marks.tolist())
    yield from itertools.pairwise(sorted(cuts))
