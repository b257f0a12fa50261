"""Pairs of sets: where points are played, and where loss vectors lie."""

from __future__ import annotations

from typing import Any, NamedTuple

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, unknown_name
from discreet.ranges import Range
from discreet.sets.balls import L1Ball, L2Ball
from discreet.sets.box import Box
from discreet.sets.contract import ConvexSet
from discreet.sets.simplex import Simplex

GEOMETRIES = {
    "experts": "distributions over experts; every expert's loss is between low and high",
    "ball": "points of the unit ball; the 2-norm of a loss vector is at most high",
    "cube": "points of the cube from -1 to 1; the sum of the absolute values of a loss vector is at most "
    "high",
}


class Geometry(NamedTuple):
    """Points x of one set meet loss vectors ℓ of another; the loss is ⟨ℓ, x⟩ (Agarwal & Singh 2017, Corollary 3.2).

    >>> cube = geometry("cube", 3, Range(0.0, 1.0))
    >>> cube.points.diameter(2.0), cube.losses.diameter(1.0), cube.radius
    (3.46..., 2.0, 1.73...)
    """

    name: str
    points: Any
    losses: ConvexSet
    bounds: Range  # as they were declared

    @property
    def dimension(self) -> int:
        """The length of points and loss vectors."""
        return int(self.points.dimension)

    @property
    def radius(self) -> float:
        """The largest distance of a point from the middle of its set."""
        return float(self.points.outer)

    @property
    def norm(self) -> float:
        """The largest 2-norm of a loss vector, once what all experts lose alike is left out: it moves no regret."""
        return float(self.losses.diameter(2.0)) / 2.0

    @property
    def widest(self) -> float:
        """How much the losses of two points can differ, at most, in one round."""
        widths = {
            "experts": self.bounds.width,
            "ball": 2.0 * self.bounds.high,
            "cube": 2.0 * self.bounds.high,
        }
        return widths[self.name]

    def best(self, total: Floats) -> float:
        """Return the least ⟨total, x⟩ over all points x."""
        return -float(self.points.support(-total))


def geometry(name: str, dimension: int, bounds: Range) -> Geometry:
    """Return the named pair of sets."""
    if not isinstance(name, str) or name not in GEOMETRIES:
        raise unknown_name("kind of points", name, GEOMETRIES)
    size = check_int("dimension", dimension, minimum=2, maximum=10_000_000)
    if name == "experts":
        return Geometry(name, Simplex(size), Box.cube(size, bounds.low, bounds.high), bounds)
    if bounds.low not in (0.0, -bounds.high):
        raise DiscreetError(
            f"low is {bounds.low:g} and high is {bounds.high:g}, but for points of the {name} "
            "only high counts, the largest size of a loss vector: leave low out, or make it "
            f"{-bounds.high:g}."
        )
    if name == "ball":
        return Geometry(name, L2Ball(size, 1.0), L2Ball(size, bounds.high), bounds)
    return Geometry(name, Box.cube(size, -1.0, 1.0), L1Ball(size, bounds.high), bounds)
