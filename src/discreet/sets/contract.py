"""The abilities of convex sets: one base class for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats
from discreet.errors import DiscreetError, join_words, shorten

if TYPE_CHECKING:
    from discreet.sets.vertices import ExplorationPlan


class Projected(Protocol):
    """What running sums need from the set onto which they project their vectors."""

    @property
    def dimension(self) -> int:
        """The length of its points."""

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one in the set, in the Euclidean norm."""

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points in the norm 1, 2 or infinity."""

    def largest(self, norm: float) -> float:
        """Return the largest norm (1, 2 or infinity) of a point."""


class LinearOracle(Component):
    """A bounded, closed, convex set over which linear functions can be minimised: every set.

    Points and directions are arrays of length ``dimension``. A set may be flat: its affine hull,
    the smallest affine subspace that contains it, then has a smaller dimension, ``flat``, and balls
    "in the set" are balls of the hull. ``minimise_linear`` and ``tangent`` allocate nothing and run
    compiled, unless the class declares that it does not compile. For every direction, even with NaN
    and infinities, ``minimise_linear`` writes a point of the set (up to rounding, about 1e-16 of
    its size): guarantees that follow from the size of a set must not depend on valid input.

    A set is a value, but some sets have scratch arrays. Copy a set (``componentjit.copy``) if two
    threads use it at the same time.
    """

    ability: ClassVar[str] = "a linear oracle"

    if TYPE_CHECKING:

        @property
        def dimension(self) -> int:
            """The length of its points."""

    @property
    def flat(self) -> int:
        """The dimension of the affine hull."""
        raise NotImplementedError

    @property
    def inner(self) -> float:
        """The radius of the largest ball of the hull around the centre; 0 for a single point."""
        raise NotImplementedError

    @property
    def outer(self) -> float:
        """The radius of the smallest ball around the centre that contains the set."""
        raise NotImplementedError

    def gaussian_width(self) -> float:
        """Return E max <g, x> over the set, for standard normal g, or an upper bound on it."""
        return self.outer * math.sqrt(self.flat)

    @property
    def abilities(self) -> tuple[str, ...]:
        """Descriptions of what the set can do."""
        return tuple(kind.ability for kind in ABILITIES if isinstance(self, kind))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        raise NotImplementedError

    def centre(self) -> Floats:
        """Return a new array with a point in the middle of the set."""
        raise NotImplementedError

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write a minimiser of <direction, x> over the set into ``point``, deterministically."""
        raise NotImplementedError

    def tangent(self, vector: Floats) -> None:
        """Replace the vector by the nearest direction of the affine hull."""
        raise NotImplementedError

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether no constraint is violated by more than ``tolerance``."""
        raise NotImplementedError

    def support(self, direction: Floats) -> float:
        """Return the largest <direction, x> over the set."""
        point = np.empty(direction.size)
        self.minimise_linear(-direction, point)
        return float(direction @ point)


class Projecting(LinearOracle):
    """A set onto which points can be projected."""

    ability = "a projection"

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one in the set; any input is allowed."""
        raise NotImplementedError


class Gauged(LinearOracle):
    """A set that knows how close to its boundary a point is."""

    ability = "a gauge"

    def gauge(self, point: Floats) -> float:
        """Return the smallest z ≥ 0 with centre + (point - centre) / z in the set."""
        raise NotImplementedError


class Barrier(LinearOracle):
    """A set with a self-concordant barrier R; H is the Hessian of R on the hull."""

    ability = "a barrier"

    @property
    def complexity(self) -> float:
        """The parameter ϑ of the barrier: <∇R(x), u>² ≤ ϑ <u, H u> for all u of the hull."""
        raise NotImplementedError

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser of rate <sums, x> + R(x), an interior point, into ``point``.

        If rounding would put the minimiser on the boundary, it is moved inwards.
        """
        raise NotImplementedError

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write a step C u and a slope C⁻ᵀ u for a direction u, with C Cᵀ = H⁻¹ at the point.

        u is a direction of the hull. If its length is at most 1, point + step is in the set, inside
        Dikin's ellipsoid. Only a u of length 1 straight towards a face reaches the boundary, and
        may cross it by a rounding error. If u is uniform on the unit sphere of the hull, the mean
        of flat · <ℓ, step> · slope is ℓ, up to a part orthogonal to the hull.
        """
        raise NotImplementedError


class Vertices(LinearOracle):
    """A set whose oracle returns meaningful vertices: slates, rankings, paths, assignments."""

    ability = "vertices"

    def plan(self) -> ExplorationPlan:
        """Return vertices to explore, with probabilities; they span the same space as the set."""
        raise NotImplementedError

    def label(self, point: Floats) -> str:
        """Return a description of a vertex; numbers start at 0, like coordinates."""
        raise NotImplementedError


class ConvexSet(Projecting):
    """A set that also knows its size in several norms: loss vectors lie in such sets.

    ``project``, ``contains`` and ``support`` also allocate nothing and run compiled, except on a
    polytope.
    """

    ability = "sizes"

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points in the norm 1, 2 or infinity."""
        raise NotImplementedError

    def largest(self, norm: float) -> float:
        """Return the largest norm (1, 2 or infinity) of a point."""
        raise NotImplementedError


ABILITIES = (LinearOracle, Projecting, ConvexSet, Gauged, Barrier, Vertices)


def check_ability(points: LinearOracle, ability: type[LinearOracle]) -> None:
    """Refuse a set that lacks an ability.

    >>> from discreet.sets import set_named
    >>> check_ability(set_named("assignments(3)"), Projecting)
    Traceback (most recent call last):
    discreet.errors.DiscreetError: the set is of type Birkhoff, which has a linear oracle, a gauge
    and vertices, but this needs a projection.
    """
    _check_set(points)
    if not isinstance(points, ability):
        raise DiscreetError(
            f"the set is of type {type(points).__name__}, which has "
            f"{join_words(points.abilities)}, but this needs {ability.ability}."
        )


def check_room(points: LinearOracle, *, minimum: int = 1) -> None:
    """Refuse a set whose hull has too few dimensions, or that contains no ball."""
    check_hull(points, minimum=minimum)
    if not points.inner > 0.0:
        raise DiscreetError(
            f"the set of type {type(points).__name__} has inner radius {points.inner:g}, but must "
            "have an interior point."
        )


def check_hull(points: LinearOracle, *, minimum: int = 1) -> None:
    """Refuse a set whose hull has too few dimensions; a set of dimension 0 is a single point.

    >>> from discreet.sets import Simplex
    >>> check_hull(Simplex(1))
    Traceback (most recent call last):
    discreet.errors.DiscreetError: the set of type Simplex has a hull of dimension 0, but must have
    at least 1.
    """
    _check_set(points)
    if points.flat < minimum:
        raise DiscreetError(
            f"the set of type {type(points).__name__} has a hull of dimension {points.flat}, but "
            f"must have at least {minimum}."
        )


def _check_set(points: object) -> None:
    if not isinstance(points, LinearOracle):
        raise DiscreetError(
            f"set is {shorten(points)}, but must be a convex set, such as L2Ball(10, 1.0)."
        )
