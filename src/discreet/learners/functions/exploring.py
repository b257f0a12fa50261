"""What learners have in common that look around a point: a gradient is estimated from values in random directions.

With u uniform on the unit sphere of the hull, which has d dimensions, d f(y + ζ u) u / ζ is on
average the gradient of f smoothed over a ball of radius ζ (Flaxman, Kalai & McMahan 2005), and d
(f(y + ρ u) - f(y - ρ u)) u / 2 ρ as well, with a length that does not grow as ρ shrinks.

Points stay in the set because y stays in a smaller copy of it: y = c + (1 - ζ / r)(z - c), z in the
set, c its centre and r its inner radius. Playing costs at most G ζ a round for looking around, G ζ
for what smoothing adds to the rival, and G R ζ / r for the smaller set: (2 + R / r) G ζ together,
for functions with Lipschitz constant G.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner, Query, Release, Toss
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.sets import L2Ball, LinearOracle, check_hull


class Exploring(Learner[Floats, Floats, Release]):
    """Looks from a point into a random direction."""

    set: LinearOracle
    radius: float  # ζ: how far it looks
    shrink: float  # 1 - ζ / r
    anchor: Floats  # c
    point: Floats  # z, in the whole set
    heading: Floats  # u: a buffer
    played: Floats  # a buffer

    @staticmethod
    def buffers(
        around: LinearOracle, radius: float, inner: float, *, points: int = 1
    ) -> dict[str, Any]:
        """Return the fields above, before the first round, for actions of one or two points."""
        check_hull(around)
        reach, most = check_positive("radius", radius), check_positive("inner", inner)
        if not reach < most:
            raise DiscreetError(
                f"radius is {radius:g}, but must be below the inner radius of the set, {inner:g}."
            )
        middle = around.centre()
        return {
            "set": around,
            "radius": reach,
            "shrink": 1.0 - reach / most,
            "anchor": middle,
            "point": middle.copy(),
            "heading": np.zeros(middle.size),
            "played": middle.copy() if points == 1 else np.stack([middle, middle]),
        }

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.point.size

    def look(self, rng: Generator) -> None:
        """Write a point a step away in a new direction."""
        draw_tangent(self.set, self.heading, rng)
        for i in range(self.point.size):
            middle = self.anchor[i] + self.shrink * (self.point[i] - self.anchor[i])
            self.played[i] = middle + self.radius * self.heading[i]

    def look_both_ways(self, rng: Generator) -> None:
        """Write two points a step away, on both sides."""
        draw_tangent(self.set, self.heading, rng)
        for i in range(self.point.size):
            middle = self.anchor[i] + self.shrink * (self.point[i] - self.anchor[i])
            self.played[0, i] = middle + self.radius * self.heading[i]
            self.played[1, i] = middle - self.radius * self.heading[i]


@helper
def draw_direction(vector: Floats, rng: Generator) -> None:
    """Write a uniform unit vector."""
    total = 0.0
    while total < 1e-100:
        total = 0.0
        for i in range(vector.size):
            vector[i] = rng.standard_normal()
            total += vector[i] * vector[i]
    length = 1.0 / math.sqrt(total)
    for i in range(vector.size):
        vector[i] *= length


@helper
def draw_tangent(within: LinearOracle, vector: Floats, rng: Generator) -> None:
    """Write a uniform unit vector among the directions of the hull of a set."""
    total = 0.0
    while total < 1e-100:
        for i in range(vector.size):
            vector[i] = rng.standard_normal()
        within.tangent(vector)
        total = 0.0
        for i in range(vector.size):
            total += vector[i] * vector[i]
    length = 1.0 / math.sqrt(total)
    for i in range(vector.size):
        vector[i] *= length


class Centre(Learner[Floats, Floats, Release, Query]):
    """Plays the centre of the set in every round, and learns nothing."""

    played: Floats
    size: int
    asked: Floats  # a query of no length, where the channel wants a vector

    @classmethod
    def start(cls, *, set: LinearOracle, points: int = 1) -> Self:  # noqa: A002
        """Return the learner for actions of one or two points."""
        middle = set.centre()
        both = check_int("points", points, minimum=1, maximum=2) == 2
        return cls(
            np.stack([middle, middle]) if both else middle, middle.size, np.zeros(middle.size)
        )

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls.start(set=L2Ball(5, 1.0))

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.size

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play the centre."""
        return self.played, self.asked

    def learn(self, trace: Floats, released: Release) -> None:
        """Ignore what is released."""


class SumCentre(Centre[Floats]):
    """The same behind a channel that wants a vector as its query."""

    def query(self, trace: Floats) -> Floats:
        """Ask for nothing."""
        return trace

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size


class RoundedCentre(Centre[Floats, Toss]):
    """The same behind a channel that rounds outcomes."""

    def query(self, trace: Floats) -> Toss:
        """Ask for nothing."""
        return Toss(trace, 0.5)

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size
