"""Games for lanes: tables of losses with an axis of trials at the end, a block of rounds at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from componentjit.lanes import LANES, program_for, room_for
from discreet.contracts import Generator, Integers
from discreet.problems import ArmGame, Game, toss
from discreet.simulation.trial import Dealer, Stretch, Totals, stretches

BLOCK = (
    2**13
)  # losses of one trial in a block: with those of all lanes they stay in the fast memory of a core
LEAST = 64  # rounds in a block, however many arms there are
# that are played at once by those who play singly: starting a loop costs as much as hundreds of
# rounds
BLOCKS = 8


Fields = dict[str, NDArray[np.generic]]


class Piece(NamedTuple):
    """Some rounds of all trials: for those who play in lanes the fields of games, for others the game of each trial."""

    start: int
    end: int
    in_lanes: Fields | None = None  # by name, with an axis of lanes at the end
    games: Sequence[Game] = ()


class Dealt:
    """Games that are dealt one by one, as they are for single trials, and then copied into lanes.

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
        """Deal ``count`` trials, and if some play ``singly``, hand out their games, too."""
        self.dealer, self.marks, self.rngs, self.count, self.singly = (
            dealer,
            marks,
            rngs,
            count,
            singly,
        )
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
            fields = dict(
                zip(games[0]._fields, zip(*games, strict=True), strict=True)
            )  # each of all trials
            same = {
                name: self.filled(values) for name, values in fields.items() if name not in by_round
            }
            for first in range(part.start, part.end, self.size):
                begin, end = first - part.start, min(first + self.size, part.end) - part.start
                tables = {
                    name: self.filled([rows[begin:end] for rows in fields[name]])
                    for name in by_round
                }
                yield Piece(first, part.start + end, same | tables)

    def game(self, lane: int, start: int, end: int) -> Game:
        """Return some rounds of one trial."""
        game, outside = self.dealer.deal(start, end, self.rngs[lane])
        self.clipped[lane] += outside
        return game

    def filled(self, arrays: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Return arrays of all trials with an axis of lanes at the end; lanes that are left over have zeros."""
        found = room_for((*arrays[0].shape, LANES), arrays[0].dtype)
        for lane, array in enumerate(arrays):
            found[..., lane] = array
        return found


class Tossed(Dealt):
    """Games of coins, tossed in all lanes at once; sums of zeros and ones are exact, in whatever order."""

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


def dealt(
    dealer: Dealer, marks: Integers, rngs: Sequence[Generator], count: int, *, singly: bool
) -> Dealt:
    """Return games for lanes: tossed there, or dealt one by one."""
    return (Tossed if can_be_tossed(dealer) else Dealt)(dealer, marks, rngs, count, singly=singly)


def can_be_tossed(dealer: Dealer) -> bool:
    """Return whether losses are tossed coins, and 0 or 1."""
    return dealer.usual and dealer.coins is not None and not dealer.is_scaled
