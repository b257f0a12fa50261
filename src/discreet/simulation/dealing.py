"""Games for lanes: tables of losses with an axis of trials at the end, a block of rounds at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.kernel.lanes import LANES, program_for
from discreet.problems import ArmGame, ArmsEnvironment, Environment, toss
from discreet.ranges import Range
from discreet.simulation.trial import UNIT, deal, stretches

BLOCK = 2**12  # losses of one trial in a block: with those of all lanes they stay in the fast memory of a core


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
        self.bounds, self.clip = bounds, clip
        self.arms = environment.problem.actions
        self.best = np.zeros((marks.size, LANES))
        self.clipped = [0] * LANES

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield the first round of every block, and its losses."""
        size = max(1, BLOCK // self.arms)
        totals: list[Floats] = [np.zeros(()) for _ in range(self.count)]
        for start, end in stretches(self.environment, self.marks):
            games = [self.game(lane, start, end) for lane in range(self.count)]
            inside = (self.marks > start) & (self.marks <= end)
            stops = np.unique(np.append(self.marks[inside], end)) - start
            at_marks = np.isin(stops, self.marks[inside] - start)
            for lane, game in enumerate(games):
                sums = totals[lane] + np.cumsum(game.totals([0, *stops[:-1].tolist()]), axis=0)
                totals[lane] = sums[-1]
                self.best[inside, lane] = self.environment.bests(sums[at_marks])
            for first in range(start, end, size):
                table = np.zeros((min(size, end - first), self.arms, LANES))
                for lane, game in enumerate(games):
                    table[..., lane] = game.losses[first - start : first - start + size]
                yield first, table

    def game(self, lane: int, start: int, end: int) -> ArmGame:
        """Return some rounds of one trial."""
        game, outside = deal(self.environment, start, end, self.dealers[lane], self.bounds, clip=self.clip)
        assert isinstance(game, ArmGame), "lanes are for tables of losses"
        self.clipped[lane] += outside
        return game


class Tossed(Dealt):
    """Games of coins, tossed in all lanes at once; sums of zeros and ones are exact, in whatever order."""

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield the first round of every block, and its losses; the table is used again."""
        assert isinstance(self.environment, ArmsEnvironment), "who has coins has arms"
        size, rounds = max(1, BLOCK // self.arms), int(self.marks[-1])
        coins, table = self.environment.coins(), np.empty((size, self.arms, LANES))
        marks, sums = np.array([size]), np.empty((1, self.arms, LANES))
        program = program_for(
            toss, {"coins": coins, "losses": table[..., 0], "marks": marks, "sums": sums[..., 0], "rng": 0}
        )
        program.compile()
        lanes = program.start(coins, {"rng": self.dealers})
        for start in range(0, rounds, size):
            block = table[: min(size, rounds - start)]
            end = start + len(block)
            inside = (self.marks > start) & (self.marks <= end)
            stops = np.append(self.marks[inside] - start, len(block))
            sums = np.empty((stops.size, self.arms, LANES))
            program.run(lanes, {"losses": block, "marks": stops, "sums": sums})
            self.best[inside] = sums[:-1].min(axis=1)
            yield start, block


def can_be_tossed(environment: Environment, bounds: Range) -> bool:
    """Return whether losses are tossed coins, and 0 or 1."""
    problem = environment.problem
    return (
        isinstance(environment, ArmsEnvironment)
        and environment.coins() is not None
        and type(environment).bests is Environment.bests
        and type(environment).best is Environment.best
        and problem.scale(bounds) == problem.scale(UNIT)
    )
