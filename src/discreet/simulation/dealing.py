"""Games for lanes: tables of losses with an axis of trials at the end, a block of rounds at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.kernel.lanes import LANES, program_for
from discreet.problems import ArmGame, Environment, toss
from discreet.ranges import Range
from discreet.simulation.trial import Dealer, Stretch, stretches

BLOCK = 2**13  # losses of one trial in a block: with those of all lanes they stay in the fast memory of a core
LEAST = 64  # rounds in a block, however many arms there are


class Dealt:
    """Games that are dealt one by one, as they are for single trials, and then copied into lanes.

    After the last block ``best`` holds the loss of the best fixed arm at every mark, a column for each lane.
    """

    def __init__(
        self,
        environment: Environment,
        marks: Integers,
        dealers: Sequence[Generator],
        count: int,
        bounds: Range,
        *,
        clip: bool,
    ) -> None:
        self.environment, self.marks, self.dealers, self.count = environment, marks, dealers, count
        self.dealer = Dealer(environment, bounds, clip=clip)
        self.arms = environment.problem.actions
        self.best = np.zeros((marks.size, LANES))
        self.clipped = [0] * LANES

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield the first round of every block, and its losses."""
        size = max(LEAST, BLOCK // self.arms)
        total: Floats = np.zeros(())
        for part in stretches(self.environment, self.marks):
            games = [self.game(lane, part.start, part.end) for lane in range(self.count)]
            sums = part.sums(games, total)
            total = sums[:, -1:]
            self.best[part.inside, : self.count] = self.dealer.bests(sums[:, part.at_marks]).T
            for first in range(part.start, part.end, size):
                begin, end = first - part.start, min(first + size, part.end) - part.start
                table = np.zeros((end - begin, self.arms, LANES))
                for lane, game in enumerate(games):
                    table[..., lane] = game.losses[begin:end]
                yield first, table

    def game(self, lane: int, start: int, end: int) -> ArmGame:
        """Return some rounds of one trial."""
        game, outside = self.dealer.deal(start, end, self.dealers[lane])
        assert isinstance(game, ArmGame), "lanes are for tables of losses"
        self.clipped[lane] += outside
        return game


class Tossed(Dealt):
    """Games of coins, tossed in all lanes at once; sums of zeros and ones are exact, in whatever order."""

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield the first round of every block, and its losses; the table is used again."""
        size, rounds = max(LEAST, BLOCK // self.arms), int(self.marks[-1])
        coins, table = self.dealer.coins, np.empty((size, self.arms, LANES))
        marks, sums = np.array([size]), np.empty((1, self.arms, LANES))
        program = program_for(
            toss, {"coins": coins, "losses": table[..., 0], "marks": marks, "sums": sums[..., 0], "rng": 0}
        )
        program.compile()
        lanes = program.start(coins, {"rng": self.dealers})
        for start in range(0, rounds, size):
            block = table[: min(size, rounds - start)]
            part = Stretch.of(start, start + len(block), self.marks)
            sums = np.empty((part.stops.size, self.arms, LANES))
            program.run(lanes, {"losses": block, "marks": part.stops, "sums": sums})
            self.best[part.inside] = sums[part.at_marks].min(axis=1)
            yield start, block


def can_be_tossed(environment: Environment, bounds: Range) -> bool:
    """Return whether losses are tossed coins, and 0 or 1."""
    dealer = Dealer(environment, bounds, clip=False)
    return (
        dealer.coins is not None
        and not dealer.is_scaled
        and type(environment).bests is Environment.bests
        and type(environment).best is Environment.best
    )
