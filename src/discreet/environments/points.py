"""Environments that deal loss vectors, for learners that play points.

Full information: a learner plays a point x, loses ⟨ℓ, x⟩, and sees the whole vector ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.lengths import check_point
from discreet.problems import Environment, LinearGame, Points, ReactingGame
from discreet.problems.points import GeometryName, LossSetName, product
from discreet.ranges import make_range
from discreet.sets import ConvexSet

CYCLES = 2.0  # of a drift, over the whole game
OFF = 1e-9  # the centre has no worst vector, so it is answered as if it were this far off


class PointsEnvironment(Environment):
    """An environment that deals loss vectors on the unit scale of its set."""

    on_unit_scale = True

    geometry: GeometryName
    dimension: int

    if TYPE_CHECKING:

        @property
        def domain(self) -> str:
            """The set of points, for the geometry "set"."""

        @property
        def loss_set(self) -> LossSetName:
            """The set of loss vectors in that case."""

    @property
    def problem(self) -> Points:
        """Points of this set."""
        return Points(self.geometry, self.dimension, self.domain, self.loss_set)

    @property
    def loss_kind(self) -> str:
        """The set of loss vectors: a range (for each entry), a ball or a cross."""
        kinds = {"experts": "range", "cube": "cross", "set": self.loss_set}
        return kinds.get(self.geometry, self.geometry)


@register_environment(
    "linear-stochastic",
    title="independent loss vectors, one point better by gap=0.1",
    problem=Points,
)
class LinearStochastic(PointsEnvironment):
    """Independent loss vectors; one fixed point gains ``gap`` per round on the centre of the set.

    Experts: Bernoulli losses with mean 1/2, and 1/2 - gap for the first. Ball: with probability gap
    the vector -(1, .., 1) / sqrt(N), otherwise a uniform direction. Cube: plus or minus a unit
    vector, minus with probability (1 + gap) / 2. Any other set: as for experts, but the first third
    of the entries is better; or, if loss vectors lie in a ball or a cross, as for ball and cube.
    All are then scaled to the declared size or range.
    """

    gap: float = 0.1
    domain: str = ""
    loss_set: LossSetName = "range"

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.loss_kind, self.dimension
        if name == "range":
            gap = check_range("gap", self.gap, 0.0, 0.5)
            means = np.full(size, 0.5)
            means[: 1 if self.geometry == "experts" else max(1, size // 3)] -= gap
            return LinearGame(np.where(uniforms(rng, start, stop, size) < means, 1.0, 0.0))
        gap = check_range("gap", self.gap, 0.0, 1.0)
        chance = uniforms(rng, start, stop, 1, purpose=1)[:, 0]
        if name == "ball":
            losses = directions(rng, start, stop, size)
            losses[chance < gap] = -1.0 / np.sqrt(size)
            return LinearGame(losses)
        losses = np.zeros((stop - start, size))
        axis = (uniforms(rng, start, stop, 1)[:, 0] * size).astype(np.int64)
        losses[np.arange(stop - start), axis] = np.where(chance < 0.5 + 0.5 * gap, -1.0, 1.0)
        return LinearGame(losses)


@register_environment(
    "linear-alternating", title="a loss vector and its opposite in turn", problem=Points
)
class LinearAlternating(PointsEnvironment):
    """A vector and its opposite in turn, the first one halved, which defeats following the leader.

    Experts: every other expert loses everything while the others lose nothing, and vice versa. Ball
    and cube: the vector (1, .., 1), scaled to the largest size. Any other set: as for experts, ball
    or cube, depending on where its loss vectors lie.
    """

    domain: str = ""
    loss_set: LossSetName = "range"

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.loss_kind, self.dimension
        if name == "range":
            one = np.where(np.arange(size) % 2 == 0, 1.0, 0.0)
            other = 1.0 - one
        else:
            one = np.full(size, 1.0 / (np.sqrt(size) if name == "ball" else size))
            other = -one
        even = np.arange(start, stop)[:, None] % 2 == 0
        losses = np.where(even, one, other)
        if start == 0:
            losses[0] = 0.75 * one + 0.25 * other
        return LinearGame(losses)


@register_environment(
    "linear-drifting", title="loss vectors whose mean rotates twice", problem=Points
)
class LinearDrifting(PointsEnvironment):
    """Noisy loss vectors whose mean rotates twice in a game: what is best now is worst later.

    Experts: Bernoulli losses with means 1/2 - 0.4 cos(2 π (2 t / T - j / N)). Ball and cube: half
    of the time a vector with entries cos(2 π (2 t / T - j / N)), scaled to the largest size,
    otherwise one of mean zero. Any other set: as for experts, ball or cube, depending on where its
    loss vectors lie.
    """

    rounds: int
    domain: str = ""
    loss_set: LossSetName = "range"

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.loss_kind, self.dimension
        phase = CYCLES * np.arange(start, stop)[:, None] / self.rounds - np.arange(size) / size
        waves = np.cos(2.0 * np.pi * phase)
        if name == "range":
            return LinearGame(
                np.where(uniforms(rng, start, stop, size) < 0.5 - 0.4 * waves, 1.0, 0.0)
            )
        noise = directions(rng, start, stop, size)
        order = 2 if name == "ball" else 1
        losses = np.where(uniforms(rng, start, stop, 1, purpose=1) < 0.5, waves, noise)
        return LinearGame(losses / np.linalg.norm(losses, order, axis=1, keepdims=True))


def directions(rng: Generator, start: int, stop: int, size: int) -> Floats:
    """Return unit vectors in uniform directions."""
    from scipy.special import ndtri

    gauss: Floats = ndtri(uniforms(rng, start, stop, size))
    gauss /= np.linalg.norm(gauss, axis=1, keepdims=True)
    return gauss


class AnsweringGame(ReactingGame[Floats, Floats]):
    """Rounds in which the loss vector is the worst one for the point played ``lag`` rounds before.

    ``memory`` holds the sum of all loss vectors that a player got, and its last point; every player
    has its own.
    """

    set: ConvexSet  # of loss vectors
    anchor: Floats  # the middle of the set of points
    lag: int  # 0 or 1
    offset: float  # of the scale of losses
    factor: float
    aim: Floats
    vector: Floats

    def answer(self, action: Floats) -> None:
        """Write the loss vector."""
        check_point(action.size, self.aim.size)
        for i in range(self.aim.size):
            point = action[i] if self.lag == 0 else self.memory[1, i]
            self.aim[i] = self.anchor[i] - point
        self.aim[0] -= OFF
        self.set.minimise_linear(self.aim, self.vector)
        for i in range(self.aim.size):
            self.vector[i] = self.offset + self.factor * self.vector[i]

    def loss(self, t: int, action: Floats) -> float:
        """Return the loss of the point."""
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
        """Return zeros: the comparators' scores are in a player's memory."""
        return np.zeros((len(starts), *self.memory.shape))

    def rescaled(self, shift: float, factor: float) -> AnsweringGame:
        """Return the game with all losses on another scale."""
        return self._replace(offset=shift + factor * self.offset, factor=factor * self.factor)


@register_environment(
    "linear-adaptive",
    title="the worst loss vector for the point played lag=1 rounds before",
    problem=Points,
)
class LinearAdaptive(PointsEnvironment):
    """An adversary that picks the worst loss vector for the last point, relative to the centre.

    With ``lag=0`` it answers the point of the current round. Learners that draw their points cannot
    cope with that, because the adversary then sees the draw. The points of private learners reveal
    the noise of their sums, and the losses follow that noise: regret bounds with noise do not cover
    this, but privacy guarantees do. Each player is compared with the best fixed point for its own
    losses.
    """

    reacts = True
    answers = True

    lag: Literal[0, 1] = 1
    domain: str = ""
    loss_set: LossSetName = "range"

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
