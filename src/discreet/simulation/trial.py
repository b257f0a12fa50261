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
from discreet.problems import (
    ArmGame,
    CoinGame,
    Environment,
    Game,
    TableGame,
    coins_of,
    tossed,
    tossed_in_words,
)
from discreet.problems.coins import MANY, WORD
from discreet.randomness import streams_of
from discreet.ranges import Range, make_range
from discreet.simulation.loop import Player, Prototype

# How much of a game is dealt at once: enough rounds that starting a compiled loop costs nothing
# beside them, few
# enough numbers (at most 32 MB) that threads do not compete for memory.
ROUNDS_AT_ONCE = 2**14
NUMBERS_AT_ONCE = 2**19
MOST_NUMBERS_AT_ONCE = 2**22
UNIT = make_range()

Remembered = NDArray[np.generic] | None
Totals = Floats | Integers | float  # of every rival, in each of several games


class Outcome(NamedTuple):
    """What one trial gave."""

    regret: Floats  # algorithm, checkpoint
    loss: Floats  # algorithm, checkpoint
    seconds: Floats  # algorithm
    clipped: int
    memory: Remembered = (
        None  # what a game that remembers its players knows of each at the end, else None
    )


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
    return max(
        1, min(max(NUMBERS_AT_ONCE // actions, ROUNDS_AT_ONCE), MOST_NUMBERS_AT_ONCE // actions)
    )


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
) -> list[Outcome] | None:
    """Play some trials, one after the other, or return None if told to stop before their end.

    What can be done for all of them at once is: of short games that is most of the work.
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
        stacked([player.memory for player in players]) for players in zip(*playing, strict=True)
    ]
    return [Outcome(regret[i], loss[i], each, clipped[i], memories[i]) for i in range(len(trials))]


def stacked(memories: Sequence[Remembered]) -> Remembered:
    """Return what a game remembers of all players, if it remembers them."""
    remembered = [memory for memory in memories if memory is not None]
    return np.array(remembered) if remembered else None


class Dealer:
    """Deals games of one environment, with all losses in the declared range."""

    def __init__(self, environment: Environment, bounds: Range, *, clip: bool) -> None:
        self.environment, self.bounds, self.clip = environment, bounds, clip
        self.problem = environment.problem
        self.scale = self.problem.scale(bounds)
        self.is_scaled = self.scale != self.problem.scale(UNIT)
        self.coins = coins_of(environment)
        kind = type(environment)
        self.usual = (
            kind.bests is Environment.bests and kind.best is Environment.best
        )  # the rivals are single arms

    def deal(self, start: int, stop: int, rng: Generator) -> tuple[Game, int]:
        """Return rounds start to stop, and how many numbers had to be clipped."""
        coins = self.coins
        if coins is not None and coins.tails.size > MANY:
            return tossed_in_words(coins, start, stop, rng).rescaled(*self.scale), 0
        if coins is not None:
            return self._scaled(ArmGame(tossed(coins, stop - start, rng))), 0
        game = self.environment.deal(start, stop, rng)
        if self.environment.answers:  # losses are made from what is played
            return (game.rescaled(*self.scale) if self.environment.on_unit_scale else game), 0
        table = cast(TableGame, game)  # all others fix their losses first
        if not self.environment.on_unit_scale:
            return self.problem.check(table, self.bounds, clip=self.clip, before=start)
        table, clipped = self.problem.check(table, UNIT, clip=self.clip, before=start)
        return self._scaled(table), clipped

    def _scaled(self, table: TableGame) -> TableGame:
        """Return losses on the unit scale in the declared range."""
        if not self.is_scaled:
            return table
        scaled, _ = self.problem.check(table.rescaled(*self.scale), self.bounds, clip=True)
        return scaled  # the check is for a last digit, which may be outside by rounding

    def bests(self, games: Sequence[Game], part: Stretch, total: Totals) -> tuple[Floats, Totals]:
        """Return the loss of the best fixed rival of each game at the marks, and all totals at the end of the stretch.

        ``total`` is what was returned after the stretch before, and 0 at first.
        """
        if self.usual and isinstance(games[0], CoinGame):
            return self._fewest_heads(cast(Sequence[CoinGame], games), part, total)
        sums: Floats = np.stack([game.totals(part.starts) for game in games])
        np.cumsum(sums, axis=1, out=sums)
        sums += total
        rows = sums[:, part.at_marks]
        return self.environment.bests(rows.reshape(-1, *rows.shape[2:])).reshape(
            rows.shape[:2]
        ), sums[:, -1:]

    def _fewest_heads(
        self, games: Sequence[CoinGame], part: Stretch, total: Totals
    ) -> tuple[Floats, Totals]:
        """Return the same for coins, whose heads are counted: nothing is kept of an arm but their number."""
        heads = (
            total
            if isinstance(total, np.ndarray)
            else np.zeros((len(games), games[0].choices), dtype=np.int64)
        )
        counts = [
            game.least_at(part.stops, row)[part.at_marks]
            for game, row in zip(games, heads, strict=True)
        ]
        rounds, (low, high) = part.start + part.stops[part.at_marks], (games[0].low, games[0].high)
        return low * rounds + (high - low) * np.array(counts), heads


def deal(
    environment: Environment, start: int, stop: int, rng: Generator, bounds: Range, *, clip: bool
) -> tuple[Game, int]:
    """Return rounds start to stop with all losses in the declared range, and how many had to be clipped."""
    return Dealer(environment, bounds, clip=clip).deal(start, stop, rng)


class Stretch(NamedTuple):
    """Some rounds of a game, and the marks among them."""

    start: int
    end: int
    inside: slice  # which marks
    stops: Integers  # rounds since the start where losses are asked for: the marks, and the end
    at_marks: slice  # which stops are marks
    starts: list[int]  # from which round on losses are added up for each stop

    @classmethod
    def of(cls, start: int, end: int, marks: Integers) -> Stretch:
        """Return the stretch from one round to another."""
        first, last = np.searchsorted(marks, (start, end), side="right").tolist()
        stops = marks[first:last] - start
        if first == last or stops[-1] != end - start:
            stops = np.append(stops, end - start)
        return cls(
            start, end, slice(first, last), stops, slice(last - first), [0, *stops[:-1].tolist()]
        )


def stretches(environment: Environment, marks: Integers) -> list[Stretch]:
    """Return the pieces in which a game is dealt; one that answers is read at every mark, so each ends a piece."""
    actions, rounds = environment.problem.actions, int(marks[-1])
    in_words = actions > MANY and coins_of(environment) is not None
    size = WORD * max(1, NUMBERS_AT_ONCE // actions) if in_words else rounds_at_once(actions)
    cuts = {*range(0, rounds, size), rounds}
    if environment.answers:
        cuts.update(marks.tolist())
    return [Stretch.of(start, end, marks) for start, end in itertools.pairwise(sorted(cuts))]
