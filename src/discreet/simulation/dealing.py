"""Dealing games piece by piece, so that memory does not grow with their length.

``Dealer`` deals the game of one trial; ``deal_for_lanes`` deals those of many trials at once, as
tables with an axis of trials at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from componentjit.lanes import LANES, program_for, room_for
from discreet.contracts import Floats, Generator, Integers
from discreet.problems import (
    ArmGame,
    CoinGame,
    Environment,
    Game,
    TableGame,
    coins_of,
    toss,
    tossed,
    tossed_in_words,
)
from discreet.problems.coins import MANY, WORD
from discreet.ranges import Range, make_range

# How much of a game is dealt at once: enough rounds that starting a compiled loop costs nothing
# beside them, and few enough numbers (at most 32 MB) that threads do not compete for memory.
ROUNDS_AT_ONCE = 2**14
NUMBERS_AT_ONCE = 2**19
MOST_NUMBERS_AT_ONCE = 2**22
# In lanes: losses of one trial in a block. With those of all lanes (1 MB) they stay in the cache of
# a core.
BLOCK = 2**13
LEAST = 64  # rounds in a block, for any number of arms: each block is a call of the loop
# Blocks that algorithms get at once if they play one trial at a time beside lanes: starting a loop
# costs as much as hundreds of rounds.
BLOCKS = 8
UNIT = make_range()

Totals = Floats | Integers | float  # of every rival, in each of several games
Fields = dict[str, NDArray[np.generic]]


def rounds_at_once(actions: int) -> int:
    """Return how many rounds of a game are dealt at once.

    >>> rounds_at_once(4), rounds_at_once(100), rounds_at_once(10_000)
    (131072, 16384, 419)
    """
    return max(
        1, min(max(NUMBERS_AT_ONCE // actions, ROUNDS_AT_ONCE), MOST_NUMBERS_AT_ONCE // actions)
    )


class Stretch(NamedTuple):
    """Some rounds of a game, and the marks among them."""

    start: int
    end: int
    inside: slice  # which marks
    stops: Integers  # rounds since the start at which losses are read: the marks, and the end
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
    """Return the pieces in which a game is dealt.

    A game that reacts to its player is read at every mark, so each mark ends a piece.
    """
    actions, rounds = environment.problem.actions, int(marks[-1])
    in_words = actions > MANY and coins_of(environment) is not None
    size = WORD * max(1, NUMBERS_AT_ONCE // actions) if in_words else rounds_at_once(actions)
    cuts = {*range(0, rounds, size), rounds}
    if environment.answers:
        cuts.update(marks.tolist())
    return [Stretch.of(start, end, marks) for start, end in itertools.pairwise(sorted(cuts))]


class Dealer:
    """Deals games of one environment, with all losses in the declared range."""

    def __init__(self, environment: Environment, bounds: Range, *, clip: bool) -> None:
        self.environment, self.bounds, self.clip = environment, bounds, clip
        self.problem = environment.problem
        self.scale = self.problem.scale(bounds)
        self.is_scaled = self.scale != self.problem.scale(UNIT)
        self.coins = coins_of(environment)
        kind = type(environment)
        # Whether the rivals are single arms.
        self.usual = kind.bests is Environment.bests and kind.best is Environment.best

    def deal(self, start: int, stop: int, rng: Generator) -> tuple[Game, int]:
        """Return rounds start to stop, and how many numbers had to be clipped."""
        coins = self.coins
        if coins is not None and coins.tails.size > MANY:
            return tossed_in_words(coins, start, stop, rng).rescaled(*self.scale), 0
        if coins is not None:
            return self._scaled(ArmGame(tossed(coins, stop - start, rng))), 0
        game = self.environment.deal(start, stop, rng)
        if self.environment.answers:  # losses depend on the actions
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
        return scaled  # the check is for the last digit, which rounding may push outside

    def bests(self, games: Sequence[Game], part: Stretch, total: Totals) -> tuple[Floats, Totals]:
        """Return the best fixed rival's loss in each game at the marks, and all totals at the end.

        ``total`` is the result for the stretch before, and 0 at first.
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
        """Return the same for coins: of every arm only the number of heads is kept."""
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
    """Return rounds start to stop with losses in the declared range, and how many were clipped."""
    return Dealer(environment, bounds, clip=clip).deal(start, stop, rng)


class Piece(NamedTuple):
    """Some rounds of all trials: fields of games for lanes, or the games of single trials."""

    start: int
    end: int
    in_lanes: Fields | None = None  # by name, with an axis of lanes at the end
    games: Sequence[Game] = ()


class LaneDealer:
    """Deals games one by one, as for single trials, and copies them into lanes.

    After the last piece ``best`` holds the loss of the best fixed arm at every mark, a column for
    each lane.
    """

    def __init__(
        self,
        dealer: Dealer,
        marks: Integers,
        rngs: Sequence[Generator],
        count: int,
        *,
        singly: bool,
    ) -> None:
        """Deal ``count`` trials; if some are played ``singly``, hand out their games, too."""
        self.dealer, self.marks, self.rngs = dealer, marks, rngs
        self.count, self.singly = count, singly
        self.arms = dealer.problem.actions
        self.size = max(LEAST, BLOCK // self.arms)  # rounds of a block
        self.best = np.zeros((marks.size, LANES))
        self.clipped = [0] * LANES

    def pieces(self) -> Iterator[Piece]:
        """Yield all rounds."""
        total: Totals = 0.0
        for part in stretches(self.dealer.environment, self.marks):
            games = [self.game(lane, part.start, part.end) for lane in range(self.count)]
            bests, total = self.dealer.bests(games, part, total)
            self.best[part.inside, : self.count] = bests.T
            if self.singly:
                yield Piece(part.start, part.end, games=games)
            by_round = games[0].by_round
            of_all_trials = zip(*games, strict=True)
            fields = dict(zip(games[0]._fields, of_all_trials, strict=True))
            same = {
                name: self.fill(values) for name, values in fields.items() if name not in by_round
            }
            for first in range(part.start, part.end, self.size):
                begin, end = first - part.start, min(first + self.size, part.end) - part.start
                tables = {
                    name: self.fill([rows[begin:end] for rows in fields[name]]) for name in by_round
                }
                yield Piece(first, part.start + end, same | tables)

    def game(self, lane: int, start: int, end: int) -> Game:
        """Return some rounds of one trial."""
        game, outside = self.dealer.deal(start, end, self.rngs[lane])
        self.clipped[lane] += outside
        return game

    def fill(self, arrays: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Return arrays of all trials with an axis of lanes at the end; unused lanes have zeros."""
        found = room_for((*arrays[0].shape, LANES), arrays[0].dtype)
        for lane, array in enumerate(arrays):
            found[..., lane] = array
        return found


class CoinTosser(LaneDealer):
    """Tosses coins in all lanes at once; sums of zeros and ones are exact in any order."""

    def pieces(self) -> Iterator[Piece]:
        """Yield all rounds; tables are used again."""
        coins, table = self.dealer.coins, room_for((self.size, self.arms, LANES))
        marks, sums = np.array([self.size]), np.empty((1, self.arms, LANES))
        program = program_for(
            toss,
            {
                "coins": coins,
                "losses": table[..., 0],
                "marks": marks,
                "sums": sums[..., 0],
                "rng": 0,
            },
        )
        program.compile()
        lanes = program.start(coins, {"rng": self.rngs})
        rounds, most = int(self.marks[-1]), BLOCKS * self.size
        apart = np.empty((self.count, min(most, rounds), self.arms) if self.singly else 0)
        for start in range(0, rounds, self.size):
            block = table[: min(self.size, rounds - start)]
            end = start + len(block)
            part = Stretch.of(start, end, self.marks)
            sums = np.empty((part.stops.size, self.arms, LANES))
            program.run(lanes, {"losses": block, "marks": part.stops, "sums": sums})
            self.best[part.inside] = sums[part.at_marks].min(axis=1)
            yield Piece(start, end, {"losses": block})
            if self.singly:
                first = start - start % most
                apart[:, start - first : end - first] = np.moveaxis(block, -1, 0)[: self.count]
                if end in (first + most, rounds):
                    yield Piece(
                        first, end, games=[ArmGame(losses[: end - first]) for losses in apart]
                    )


def deal_for_lanes(
    dealer: Dealer, marks: Integers, rngs: Sequence[Generator], count: int, *, singly: bool
) -> LaneDealer:
    """Return the dealer for lanes: it tosses coins there, or deals games one by one."""
    kind = CoinTosser if can_be_tossed(dealer) else LaneDealer
    return kind(dealer, marks, rngs, count, singly=singly)


def can_be_tossed(dealer: Dealer) -> bool:
    """Return whether losses are coins with the values 0 and 1."""
    return dealer.usual and dealer.coins is not None and not dealer.is_scaled
