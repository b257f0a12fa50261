"""Sets by name, such as "k-sets(10,3)", and pairs of sets for points and loss vectors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, count, shorten, unknown_name
from discreet.ranges import Range
from discreet.sets.arrangements import KSets, Permutahedron
from discreet.sets.balls import L1Ball, L2Ball
from discreet.sets.box import Box
from discreet.sets.contract import ConvexSet, LinearOracle
from discreet.sets.matrices import Birkhoff, NuclearBall, Spectrahedron
from discreet.sets.matroids import GraphicMatroid, PartitionMatroid
from discreet.sets.paths import Paths
from discreet.sets.simplex import Simplex

GEOMETRIES = {
    "experts": "distributions over experts; every expert's loss is between low and high",
    "ball": "points of the unit ball; the 2-norm of a loss vector is at most high",
    "cube": "points of the cube from -1 to 1; the sum of the absolute values of a loss vector is "
    "at most high",
}

LOSS_SETS = {  # sets of loss vectors, for points of any set
    "range": "every entry of a loss vector is between low and high",
    "ball": "the 2-norm of a loss vector is at most high",
    "cross": "the sum of the absolute values of a loss vector is at most high",
}


class Geometry(NamedTuple):
    """A set of points x and a set of loss vectors ℓ; the loss is ⟨ℓ, x⟩.

    The named pairs are those of Agarwal & Singh 2017, Corollary 3.2.

    >>> cube = geometry("cube", 3, Range(0.0, 1.0))
    >>> cube.points.diameter(2.0), cube.losses.diameter(1.0), cube.radius
    (3.46..., 2.0, 1.73...)
    """

    name: str
    points: Any
    losses: ConvexSet
    bounds: Range  # as declared
    outer: float = 0.0  # outer radius of the set of points; 0 to compute it from the set

    @property
    def dimension(self) -> int:
        """The length of points and loss vectors."""
        return int(self.points.dimension)

    @property
    def radius(self) -> float:
        """The largest distance of a point from the centre of its set."""
        return self.outer or float(self.points.outer)

    @property
    def flat(self) -> int:
        """The dimension of the hull of the points."""
        return int(self.points.flat)

    @property
    def norm(self) -> float:
        """The largest 2-norm of a loss vector, ignoring losses that all points share."""
        half = float(self.losses.diameter(2.0)) / 2.0
        return half if self.name in GEOMETRIES else largest_slope(self.points, self.losses, half)

    @property
    def widest(self) -> float:
        """The maximum difference between the losses of two points in one round."""
        widths = {
            "experts": self.bounds.width,
            "ball": 2.0 * self.bounds.high,
            "cube": 2.0 * self.bounds.high,
        }
        return widths[self.name] if self.name in widths else 2.0 * self.radius * self.norm

    def best(self, total: Floats) -> float:
        """Return the minimum of ⟨total, x⟩ over all points x."""
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
            "only high matters, the largest size of a loss vector: leave low out, or set it to "
            f"{-bounds.high:g}."
        )
    if name == "ball":
        return Geometry(name, L2Ball(size, 1.0), L2Ball(size, bounds.high), bounds)
    return Geometry(name, Box.cube(size, -1.0, 1.0), L1Ball(size, bounds.high), bounds)


def set_geometry(points: LinearOracle, outer: float, loss_set: str, bounds: Range) -> Geometry:
    """Return the pair of any set of points, with its outer radius, and a named set of losses.

    >>> slates = set_geometry(KSets.of(10, 3), KSets.of(10, 3).outer, "range", Range(0.0, 1.0))
    >>> round(slates.radius, 4), round(slates.norm, 4)
    (1.4491, 1.5811)
    """
    if not isinstance(loss_set, str) or loss_set not in LOSS_SETS:
        raise unknown_name("loss_set", loss_set, LOSS_SETS)
    size = int(points.dimension)
    if loss_set == "range":
        return Geometry("set", points, Box.cube(size, bounds.low, bounds.high), bounds, outer)
    if bounds.low not in (0.0, -bounds.high):
        raise DiscreetError(
            f"low is {bounds.low:g} and high is {bounds.high:g}, but with loss_set={loss_set} only "
            f"high matters, the largest size of a loss vector: leave low out, or set it to "
            f"{-bounds.high:g}."
        )
    kind = L2Ball if loss_set == "ball" else L1Ball
    return Geometry("set", points, kind(size, bounds.high), bounds, outer)


def largest_slope(points: LinearOracle, losses: ConvexSet, half: float) -> float:
    """Return an upper bound on the 2-norm of loss vectors, projected onto the hull of the points.

    ``half`` is half the diameter of the loss vectors, so none is farther from their middle m. With
    Q the projection onto the hull, |Q ℓ| ≤ |Q m| + |Q (ℓ - m)|. The bound is slightly smaller if
    all entries have the same range, all points of the hull have the same sum, and the dimension is
    odd.
    """
    middle, ones = losses.centre(), np.ones(points.dimension)
    points.tangent(middle)
    points.tangent(ones)
    size = int(points.dimension)
    if isinstance(losses, Box) and size % 2 and float(np.abs(ones).max()) < NOTHING:
        half *= math.sqrt(1.0 - 1.0 / size**2)
    return min(float(np.linalg.norm(middle)) + half, float(losses.largest(2.0)))


LARGEST = 10_000_000  # the largest whole number in a name
WHOLE, DECIMAL = r"-?\d{1,15}", r"-?\d{1,15}(\.\d{1,15})?"  # numbers in a name
NOTHING = 1e-9  # rounding error of a vector of ones projected onto a hull of equal sums


class NamedSet(NamedTuple):
    """The form of a set's name, a description, and a function that makes it."""

    form: str
    title: str
    make: Callable[..., LinearOracle]
    whole: bool = True  # whether its numbers are whole, and at least 1
    example: str = "4"  # of its numbers

    @property
    def numbers(self) -> int:
        """How many numbers the name takes; 0 means any even number of them."""
        return 0 if "..." in self.form else self.form.count(",") + 1


def _permutations(items: int) -> Permutahedron:
    if items < 2:
        raise DiscreetError(f"items is {items}, but must be a whole number of at least 2.")
    return Permutahedron.of(range(1, items + 1))


def _partition(*numbers: int) -> PartitionMatroid:
    return PartitionMatroid.of(numbers[::2], numbers[1::2])


def _box(*numbers: float) -> Box:
    return Box(np.array(numbers[::2]), np.array(numbers[1::2]))


SETS = {
    "ball": NamedSet("ball(n)", "the unit ball", lambda n: L2Ball(n, 1.0)),
    "cube": NamedSet("cube(n)", "the cube from -1 to 1", lambda n: Box.cube(n, -1.0, 1.0)),
    "box": NamedSet("box(low,high,...)", "numbers, each in its own range", _box, False, "1,20"),
    "cross": NamedSet(
        "cross(n)", "vectors whose absolute values sum to at most 1", lambda n: L1Ball(n, 1.0)
    ),
    "simplex": NamedSet("simplex(n)", "distributions over n items", Simplex),
    "k-sets": NamedSet("k-sets(n,k)", "sets of k of n items", KSets.of, example="10,3"),
    "permutations": NamedSet(
        "permutations(n)", "rankings of n items, as places from 1 to n", _permutations
    ),
    "partition": NamedSet(
        "partition(n,k,...)", "k of n items from each of some groups", _partition, example="4,1,3,2"
    ),
    "spanning-trees": NamedSet(
        "spanning-trees(n)", "spanning trees of the complete graph", GraphicMatroid.complete
    ),
    "assignments": NamedSet("assignments(n)", "assignments of n jobs to n workers", Birkhoff),
    "paths": NamedSet(
        "paths(layers,width)", "paths through layers of nodes", Paths.layered, example="3,3"
    ),
    "nuclear": NamedSet(
        "nuclear(rows,columns)",
        "matrices of nuclear norm at most 1",
        lambda m, n: NuclearBall(m, n, 1.0),
        example="4,3",
    ),
    "spectrahedron": NamedSet(
        "spectrahedron(n)",
        "symmetric positive semidefinite matrices with trace 1",
        Spectrahedron,
    ),
}


def set_named(text: str) -> LinearOracle:
    """Return the set with this name.

    >>> set_named("ball(2)").abilities
    ('a linear oracle', 'a projection', 'sizes', 'a gauge', 'a barrier')
    >>> set_named("box(1,20)").diameter(1)
    19.0
    >>> set_named("k-sets(10)")
    Traceback (most recent call last):
    discreet.errors.DiscreetError: the set 'k-sets(10)' has 1 number: write k-sets(n,k), such as
    k-sets(10,3).
    """
    parts = (
        re.fullmatch(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*", text) if isinstance(text, str) else None
    )
    if parts is None or parts[1] not in SETS:
        known = [entry.form for entry in SETS.values()]
        raise unknown_name("set", text if parts is None else parts[1], known)
    entry = SETS[parts[1]]
    numbers = [number.strip() for number in (parts[2] or "").split(",")]
    hint = f"write {entry.form}, such as {parts[1]}({entry.example})"
    if not all(re.fullmatch(WHOLE if entry.whole else DECIMAL, number) for number in numbers):
        kind = "whole numbers" if entry.whole else "numbers"
        raise DiscreetError(f"the set {shorten(text)} needs {kind}: {hint}.")
    if len(numbers) != entry.numbers if entry.numbers else len(numbers) % 2:
        raise DiscreetError(f"the set {shorten(text)} has {count(len(numbers), 'number')}: {hint}.")
    if not entry.whole:
        return entry.make(*(float(number) for number in numbers))
    return entry.make(
        *(
            check_int(f"a number of the set {shorten(text)}", int(n), minimum=1, maximum=LARGEST)
            for n in numbers
        )
    )
