"""Linear losses with full information: a point x is played, ⟨ℓ, x⟩ is lost, and the whole vector ℓ is the feedback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.contracts import Environment, Floats, Game, Generator
from discreet.environments.access import uniforms
from discreet.errors import DiscreetError, check_range
from discreet.kernel import as_list, helper
from discreet.sets import Geometry

CYCLES = 2.0  # of a drift, over the whole game


class LinearGame(Game):
    """Rounds of a linear game: row t of ``losses`` is the loss vector of round t."""

    losses: Floats

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return the loss vector, whatever was played."""
        vector: Floats = self.losses[t]
        return vector

    def loss(self, t: int, action: Floats) -> float:
        """Return ⟨ℓ, x⟩."""
        return product(self.losses[t], action)

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of the loss vectors of each stretch."""
        return np.add.reduceat(self.losses, starts, axis=0)


@helper
def product(vector: Floats, point: Floats) -> float:
    """Return ⟨vector, point⟩, added up from left to right."""
    if vector.size != point.size:  # compiled code would read other memory
        raise DiscreetError("the learner played a point of another dimension than that of the losses.")
    total = 0.0
    left, right = as_list(vector), as_list(point)
    for i in range(vector.size):
        total += left[i] * right[i]
    return total


class FullInformation(Environment):
    """The losses of arms as loss vectors: who plays them sees all of a round, not only the loss of one arm."""

    environment: Environment
    geometry: Geometry

    @property
    def actions(self) -> int:
        """The length of a loss vector."""
        return self.environment.actions

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        game: Any = self.environment.deal(start, stop, rng)
        return LinearGame(game.losses)

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point."""
        return self.geometry.best(total)


class LinearStochastic(Environment):
    """Independent loss vectors; one fixed point gains ``gap`` a round on the middle of the set.

    Experts: Bernoulli losses with mean 1/2, and 1/2 - gap for the first. Ball: with probability gap the vector
    -(1, .., 1) / sqrt(N), else a uniform direction. Cube: plus or minus a unit vector, minus with probability
    (1 + gap) / 2. All in units of ``high`` (experts: of the range from low to high).
    """

    geometry: Geometry
    gap: float = 0.1

    @property
    def actions(self) -> int:
        """The length of a loss vector."""
        return self.geometry.dimension

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry.name, self.geometry.dimension
        low, high = self.geometry.bounds
        if name == "experts":
            gap = check_range("gap", self.gap, 0.0, 0.5)
            means = np.full(size, 0.5)
            means[0] -= gap
            return LinearGame(np.where(uniforms(rng, start, stop, size) < means, high, low))
        gap = check_range("gap", self.gap, 0.0, 1.0)
        luck = uniforms(rng, start, stop, 1, purpose=1)[:, 0]
        if name == "ball":
            losses = directions(rng, start, stop, size)
            losses[luck < gap] = -1.0 / np.sqrt(size)
            return LinearGame(high * losses)
        losses = np.zeros((stop - start, size))
        axis = (uniforms(rng, start, stop, 1)[:, 0] * size).astype(np.int64)
        losses[np.arange(stop - start), axis] = np.where(luck < 0.5 + 0.5 * gap, -high, high)
        return LinearGame(losses)

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point."""
        return self.geometry.best(total)


class LinearAlternating(Environment):
    """One vector and its opposite in turn, the first one halved: who follows the leader is always wrong.

    Experts: every other one loses everything while the others lose nothing, and the other way round. Ball and cube: the
    vector (1, .., 1), as long as it may be.
    """

    geometry: Geometry

    @property
    def actions(self) -> int:
        """The length of a loss vector."""
        return self.geometry.dimension

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry.name, self.geometry.dimension
        low, high = self.geometry.bounds
        if name == "experts":
            one = np.where(np.arange(size) % 2 == 0, high, low)
            other = low + high - one
        else:
            one = np.full(size, high / (np.sqrt(size) if name == "ball" else size))
            other = -one
        even = np.arange(start, stop)[:, None] % 2 == 0
        losses = np.where(even, one, other)
        if start == 0:
            losses[0] = 0.75 * one + 0.25 * other
        return LinearGame(losses)

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point."""
        return self.geometry.best(total)


class LinearDrifting(Environment):
    """Noisy loss vectors whose mean goes round twice in a game: what is best now is worst later.

    Experts: Bernoulli losses with means 1/2 - 0.4 cos(2 π (2 t / T - i / N)). Ball and cube: half of the time a vector
    with entries cos(2 π (2 t / T - i / N)), as long as it may be, else one without a mean.
    """

    geometry: Geometry
    rounds: int

    @property
    def actions(self) -> int:
        """The length of a loss vector."""
        return self.geometry.dimension

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        name, size = self.geometry.name, self.geometry.dimension
        low, high = self.geometry.bounds
        phase = CYCLES * np.arange(start, stop)[:, None] / self.rounds - np.arange(size) / size
        waves = np.cos(2.0 * np.pi * phase)
        if name == "experts":
            return LinearGame(np.where(uniforms(rng, start, stop, size) < 0.5 - 0.4 * waves, high, low))
        noise = directions(rng, start, stop, size)
        order = 2 if name == "ball" else 1
        losses = np.where(uniforms(rng, start, stop, 1, purpose=1) < 0.5, waves, noise)
        return LinearGame(high * losses / np.linalg.norm(losses, order, axis=1, keepdims=True))

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point."""
        return self.geometry.best(total)


def directions(rng: Generator, start: int, stop: int, size: int) -> Floats:
    """Return vectors of length 1 in uniform directions."""
    from scipy.special import ndtri

    gauss: Floats = ndtri(uniforms(rng, start, stop, size))
    gauss /= np.linalg.norm(gauss, axis=1, keepdims=True)
    return gauss
