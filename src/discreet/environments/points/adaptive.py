"""An adversary that reacts: every loss vector is made against a point that was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.points.linear import PointsEnvironment
from discreet.environments.registry import register_environment
from discreet.lengths import check_point
from discreet.problems import Points, ReactingGame
from discreet.problems.points import product
from discreet.ranges import make_range
from discreet.sets import ConvexSet

OFF = 1e-9


class AnsweringGame(ReactingGame[Floats, Floats]):
    """Rounds in which the loss vector is the worst one for the point that was played ``lag`` rounds before.

    ``memory`` holds the sum of all loss vectors that a player got, and its last point: every player
    has one of its own.
    """

    set: ConvexSet  # of loss vectors
    anchor: Floats  # the middle of the set of points
    lag: int  # 0 or 1
    offset: float  # of the scale of losses
    factor: float
    aim: Floats
    vector: Floats

    def answer(self, action: Floats) -> None:
        """Write the loss vector; the middle of the set is answered as if it were a little off."""
        check_point(action.size, self.aim.size)
        for i in range(self.aim.size):
            point = action[i] if self.lag == 0 else self.memory[1, i]
            self.aim[i] = self.anchor[i] - point
        self.aim[0] -= OFF
        self.set.minimise_linear(self.aim, self.vector)
        for i in range(self.aim.size):
            self.vector[i] = self.offset + self.factor * self.vector[i]

    def loss(self, t: int, action: Floats) -> float:
        """Return what the point loses."""
        self.answer(action)
        return product(self.vector, action)

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return the loss vector, and remember it and the point."""
        self.answer(action)
        for i in range(self.aim.size):
            self.memory[0, i] += self.vector[i]
            self.memory[1, i] = action[i]
        return self.vector

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return zeros: what comparators are scored by is in a player's memory."""
        return np.zeros((len(starts), *self.memory.shape))

    def rescaled(self, shift: float, factor: float) -> AnsweringGame:
        """Return the game with all losses on another scale."""
        return self._replace(offset=shift + factor * self.offset, factor=factor * self.factor)


@register_environment(
    "linear-adaptive",
    title="the worst loss vector for the point that was played lag=1 rounds before",
    problem=Points,
)
class LinearAdaptive(PointsEnvironment):
    """Answers the last point with the loss vector that is worst for it, relative to the middle of the set.

    With ``lag=0`` it answers the point of the very round, which is more than learners that draw
    their points can stand: the adversary then sees the draw. Private learners play points that show
    the noise of their sums, and the losses follow that noise: regret bounds with noise do not cover
    it, guarantees do. Each player is compared with the best fixed point for its own losses.
    """

    reacts = True
    answers = True

    lag: Literal[0, 1] = 1

    def deal(self, start: int, stop: int, rng: Generator) -> AnsweringGame:
        """Return rounds start to stop."""
        sets = self.problem.sets(make_range())
        middle = sets.points.centre()
        return AnsweringGame(
            memory=np.stack([np.zeros(middle.size), middle]),
            set=sets.losses,
            anchor=middle,
            lag=int(self.lag),
            offset=0.0,
            factor=1.0,
            aim=np.zeros(middle.size),
            vector=np.zeros(middle.size),
        )

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point, given a player's memory."""
        return self.problem.best(total[0])
