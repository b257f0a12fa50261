"""How far a sum of bounded terms moves if one of its terms is replaced: what running sums of such sums need to know."""

from __future__ import annotations

import math

from discreet.components import Component
from discreet.contracts import Floats
from discreet.sets.arguments import check_norm


class Moves(Component):
    """Stands where a running sum has the set of its vectors, when a replaced round moves one term of a vector only.

    Each term is bounded before it is added, so there is nothing to project. ``reach`` is how far a
    vector moves in the 2-norm, and by at most sqrt(n) times that in the 1-norm; no coordinate is
    beyond ``most``.
    """

    dimension: int
    reach: float
    most: float

    def project(self, point: Floats) -> None:
        """Leave the point: all of its terms are bounded."""

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether no coordinate is beyond the largest by more than the tolerance."""
        inside = point.size == self.dimension
        for i in range(point.size if inside else 0):
            inside = inside and abs(point[i]) <= self.most + tolerance
        return inside

    def diameter(self, norm: float) -> float:
        """Return how far a replaced round moves a vector."""
        check_norm(norm)
        return self.reach * (math.sqrt(self.dimension) if norm == 1 else 1.0)

    def largest(self, norm: float) -> float:
        """Return what the norm of a vector never exceeds."""
        check_norm(norm)
        return self.most * (1.0 if norm == math.inf else self.dimension ** (1.0 / norm))
