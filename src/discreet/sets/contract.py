"""What convex sets can do: one base class for each ability, so that what a set is able to do is what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats
from discreet.errors import DiscreetError, shorten

if TYPE_CHECKING:
    from discreet.sets.vertices import ExplorationPlan


class Projected(Protocol):
    """What running sums need of the set that their vectors are projected onto; in live use they need no more."""

    @property
    def dimension(self) -> int:
        """The length of its points."""

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one of the set, in the Euclidean norm."""

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points in the norm 1, 2 or infinity."""

    def largest(self, norm: float) -> float:
        """Return the largest norm (1, 2 or infinity) of a point."""


class LinearOracle(Component):
    """A bounded, closed, convex set of vectors over which linear functions can be minimised: what every set can do.

    Points and directions are arrays of length ``dimension``. A set may be flat: its affine hull,
    the smallest plane that contains it, then has a smaller dimension, ``flat``, and balls "in the
    set" are balls of the hull. ``minimise_linear`` and ``tangent`` allocate nothing and run
    compiled unless the class says that it does not compile. A point that ``minimise_linear`` writes
    is in the set (up to rounding, about 1e-16 of its size) whatever the direction is, NaN and
    infinities too: what follows from the size of a set must not depend on good input.

    A set is a value. Some have arrays to work in, so one that two threads use at once is copied
    first (``kernel.copy``).
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
        """The radius of the largest ball around the centre, in the hull, that is in the set; 0 for a single point."""
        raise NotImplementedError

    @property
    def outer(self) -> float:
        """The radius of the smallest ball around the centre that contains the set."""
        raise NotImplementedError

    @property
    def abilities(self) -> tuple[str, ...]:
        """What the set can do, in words."""
        return tuple(kind.ability for kind in ABILITIES if isinstance(self, kind))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        raise NotImplementedError

    def centre(self) -> Floats:
        """Return a new array with a point in the middle of the set."""
        raise NotImplementedError

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write into ``point`` one that minimises <direction, x> over the set, the same one every time."""
        raise NotImplementedError

    def tangent(self, vector: Floats) -> None:
        """Replace the vector by its nearest one among the directions of the affine hull."""
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
        """Replace the point by the nearest one of the set, in the Euclidean norm; whatever it is, as for the oracle."""
        raise NotImplementedError


class Gauged(LinearOracle):
    """A set that can tell how far towards its boundary a point is."""

    ability = "a gauge"

    def gauge(self, point: Floats) -> float:
        """Return the least t ≥ 0 for which centre + (point - centre) / t is in the set; the point is in the hull."""
        raise NotImplementedError


class Barrier(LinearOracle):
    """A set with a self-concordant barrier R; its Hessian H is meant as that of R on the hull."""

    ability = "a barrier"

    @property
    def complexity(self) -> float:
        """The parameter ϑ of the barrier: <∇R(x), u>² ≤ ϑ <u, H u> for all directions u of the hull."""
        raise NotImplementedError

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write into ``point`` the minimiser of rate <sums, x> + R(x), which is inside of the set.

        Minimisers so near to the boundary that rounding would put them on it are moved inwards.
        """
        raise NotImplementedError

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write a step C u and a slope C⁻ᵀ u for a direction u of the hull, with C Cᵀ = H⁻¹ at the point.

        If u is at most 1 long, point + step is in the set, in Dikin's ellipsoid; only a u of length
        1 straight towards a face touches it, and may cross it by a rounding error. If u is uniform
        on the unit sphere of the hull, then flat · <ℓ, step> · slope is ℓ on average, up to what is
        orthogonal to the hull.
        """
        raise NotImplementedError


class Vertices(LinearOracle):
    """A set whose oracle answers with vertices that mean something: slates, rankings, paths, assignments."""

    ability = "vertices"

    def plan(self) -> ExplorationPlan:
        """Return vertices to explore and how often each: together they span whatever the set spans."""
        raise NotImplementedError

    def label(self, point: Floats) -> str:
        """Return what a vertex is in words; numbers count from 0, as coordinates do."""
        raise NotImplementedError


class ConvexSet(Projecting):
    """A set that knows its sizes too, in several norms: what vectors of losses are taken from.

    ``project``, ``contains`` and ``support`` allocate nothing and run compiled as well, except on a
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
    discreet.errors.DiscreetError: the set is of type Birkhoff, which has a linear oracle, a gauge, vertices,
    but must have a projection.
    """
    _check_set(points)
    if not isinstance(points, ability):
        raise DiscreetError(
            f"the set is of type {type(points).__name__}, which has "
            f"{', '.join(points.abilities)}, but must have {ability.ability}."
        )


def check_room(points: LinearOracle, *, least: int = 1) -> None:
    """Refuse a set whose hull has a dimension of less than ``least``, or in which no ball has room."""
    check_hull(points, least=least)
    if not points.inner > 0.0:
        raise DiscreetError(
            f"the set of type {type(points).__name__} has the inner radius {points.inner:g}, but "
            "must have an inner point."
        )


def check_hull(points: LinearOracle, *, least: int = 1) -> None:
    """Refuse a set whose hull has a dimension of less than ``least``: one of dimension 0 is a single point.

    >>> from discreet.sets import Simplex
    >>> check_hull(Simplex(1))
    Traceback (most recent call last):
    discreet.errors.DiscreetError: the set of type Simplex has a hull of dimension 0, but must have at least 1.
    """
    _check_set(points)
    if points.flat < least:
        raise DiscreetError(
            f"the set of type {type(points).__name__} has a hull of dimension {points.flat}, but "
            f"must have at least {least}."
        )


def _check_set(points: object) -> None:
    if not isinstance(points, LinearOracle):
        raise DiscreetError(
            f"set is {shorten(points)}, but must be a convex set, such as L2Ball(10, 1.0)."
        )
