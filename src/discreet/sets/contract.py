"""What every convex set can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Self

from discreet.contracts import Floats
from discreet.kernel import Component


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


class ConvexSet(Component):
    """A bounded, closed, convex set of vectors: a value that never changes.

    Points and directions are arrays of length ``dimension``. ``minimise_linear``, ``project``, ``contains`` and
    ``support`` allocate nothing and run compiled, except on a polytope. ``minimise_linear`` and ``project`` write a point
    of the set (up to rounding, about 1e-16 of its size) whatever they are given, NaN and infinities too: what follows
    from the size of a set must not depend on good input.
    """

    if TYPE_CHECKING:

        @property
        def dimension(self) -> int:
            """The length of its points."""

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return some to check the contract with."""
        raise NotImplementedError

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write into ``point`` one that minimises <direction, x> over the set, the same one every time."""
        raise NotImplementedError

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one of the set, in the Euclidean norm."""
        raise NotImplementedError

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether no constraint is violated by more than ``tolerance``."""
        raise NotImplementedError

    def support(self, direction: Floats) -> float:
        """Return the largest <direction, x> over the set."""
        raise NotImplementedError

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points in the norm 1, 2 or infinity."""
        raise NotImplementedError

    def largest(self, norm: float) -> float:
        """Return the largest norm (1, 2 or infinity) of a point."""
        raise NotImplementedError

    def centre(self) -> Floats:
        """Return a new array with a point in the middle of the set."""
        raise NotImplementedError
