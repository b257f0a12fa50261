"""Learners that estimate gradients from values in random directions around a point.

With u uniform on the unit sphere of the hull, which has d dimensions, d f(x + ζ u) u / ζ is on
average the gradient of f smoothed over a ball of radius ζ (Flaxman, Kalai & McMahan 2005). So is
d (f(x + ζ u) - f(x - ζ u)) u / 2 ζ, whose length does not grow as ζ shrinks.

Points stay in the set because x stays in a smaller copy of it: x = c + (1 - ζ / r)(z - c), with z
in the set, c its centre and r its inner radius. Per round, the cost is at most G ζ for exploring, G
ζ for smoothing at the comparator, and G R ζ / r for the smaller set: together (2 + R / r) G ζ, for
functions with Lipschitz constant G.
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
    """Explores around a point in random directions."""

    set: LinearOracle
    radius: float  # ζ
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
        """Write a point one step away in a new direction."""
        self.look_around(self.radius, self.shrink, rng)

    def look_around(self, radius: float, shrink: float, rng: Generator) -> None:
        """Write a point that far away in a new direction."""
        draw_tangent(self.set, self.heading, rng)
        for i in range(self.point.size):
            middle = self.anchor[i] + shrink * (self.point[i] - self.anchor[i])
            self.played[i] = middle + radius * self.heading[i]

    def look_both_ways(self, rng: Generator) -> None:
        """Write two points one step away, on opposite sides."""
        draw_tangent(self.set, self.heading, rng)
        for i in range(self.point.size):
            middle = self.anchor[i] + self.shrink * (self.point[i] - self.anchor[i])
            self.played[0, i] = middle + self.radius * self.heading[i]
            self.played[1, i] = middle - self.radius * self.heading[i]


@helper
def draw_direction(vector: Floats, rng: Generator) -> None:
    """Write a uniform unit vector."""
    total = 0.0
    while total < 1e-100:  # practically never: a vector of length 0 has no direction
        total = 0.0
        for i in range(vector.size):
            vector[i] = rng.standard_normal()
            total += vector[i] * vector[i]
    length = 1.0 / math.sqrt(total)
    for i in range(vector.size):
        vector[i] *= length


@helper
def draw_tangent(within: LinearOracle, vector: Floats, rng: Generator) -> None:
    """Write a uniform unit vector among the directions of a set's hull."""
    total = 0.0
    while total < 1e-100:  # practically never: a vector of length 0 has no direction
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
    """Plays the centre of the set in every round and learns nothing.

    With too few rounds to learn, nothing better is possible.
    """

    played: Floats
    size: int
    asked: Floats  # a zero query, for channels that take a vector

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
        """Return an example for the contract tests."""
        return cls.start(set=L2Ball(5, 1.0))

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.size

    @property
    def learns(self) -> bool:
        """False: it never learns."""
        return False

    def act(self, observation: object, rng: Generator) -> tuple[Floats, Floats]:
        """Play the centre."""
        return self.played, self.asked

    def learn(self, trace: Floats, released: Release) -> None:
        """Ignore the release."""


class SumCentre(Centre[Floats]):
    """The same behind a channel that takes a vector as its query."""

    def query(self, trace: Floats) -> Floats:
        """Ask for nothing: a query of zero."""
        return trace

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size


class RoundedCentre(Centre[Floats, Toss]):
    """The same behind a channel that rounds outcomes."""

    def query(self, trace: Floats) -> Toss:
        """Ask for nothing: a query of zero."""
        return Toss(trace, 0.5)

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.size
