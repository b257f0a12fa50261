"""Linear losses with full information: a point x is played, ⟨ℓ, x⟩ is lost, and the whole vector ℓ is the feedback."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Environment, LinearGame, Points
from discreet.problems.points import GeometryName

CYCLES = 2.0  # of a drift, over the whole game


class PointsEnvironment(Environment):
    """An environment that deals loss vectors on the unit scale of its set."""

    on_unit_scale = True

    geometry: GeometryName
    dimension: int

    @property
    def problem(self) -> Points:
        """Points of this set."""
        return Points(self.geometry, self.dimension)


@register_environment(
    "linear-stochastic",
    title="independent loss vectors, one point better by gap=0.1",
    problem=Points,
)
class LinearStochastic(PointsEnvironment):
    """Independent loss vectors; one fixed point gains ``gap`` a round on the middle of the set.

    Experts: Bernoulli losses with mean 1/2, and 1/2 - gap for the first. Ball: with probability gap
    the vector -(1, .., 1) / sqrt(N), else a uniform direction. Cube: plus or minus a unit vector,
    minus with probability (1 + gap) / 2. All are then scaled to the declared size, or range.
    """

    gap: float = 0.1

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry, self.dimension
        if name == "experts":
            gap = check_range("gap", self.gap, 0.0, 0.5)
            means = np.full(size, 0.5)
            means[0] -= gap
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
    """One vector and its opposite in turn, the first one halved: who follows the leader is always wrong.

    Experts: every other one loses everything while the others lose nothing, and the other way
    round. Ball and cube: the vector (1, .., 1), as long as it may be.
    """

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry, self.dimension
        if name == "experts":
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
    "linear-drifting", title="loss vectors whose mean goes round twice", problem=Points
)
class LinearDrifting(PointsEnvironment):
    """Noisy loss vectors whose mean goes round twice in a game: what is best now is worst later.

    Experts: Bernoulli losses with means 1/2 - 0.4 cos(2 π (2 t / T - i / N)). Ball and cube: half
    of the time a vector with entries cos(2 π (2 t / T - i / N)), as long as it may be, else one
    without a mean.
    """

    rounds: int

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry, self.dimension
        phase = CYCLES * np.arange(start, stop)[:, None] / self.rounds - np.arange(size) / size
        waves = np.cos(2.0 * np.pi * phase)
        if name == "experts":
            return LinearGame(
                np.where(uniforms(rng, start, stop, size) < 0.5 - 0.4 * waves, 1.0, 0.0)
            )
        noise = directions(rng, start, stop, size)
        order = 2 if name == "ball" else 1
        losses = np.where(uniforms(rng, start, stop, 1, purpose=1) < 0.5, waves, noise)
        return LinearGame(losses / np.linalg.norm(losses, order, axis=1, keepdims=True))


def directions(rng: Generator, start: int, stop: int, size: int) -> Floats:
    """Return vectors of length 1 in uniform directions."""
    from scipy.special import ndtri

    gauss: Floats = ndtri(uniforms(rng, start, stop, size))
    gauss /= np.linalg.norm(gauss, axis=1, keepdims=True)
    return gauss
