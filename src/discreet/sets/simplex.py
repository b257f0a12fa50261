"""The probability simplex, and the projection that it shares with the 1-ball."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from componentjit import as_list, helper
from discreet.contracts import Floats
from discreet.errors import check_int
from discreet.sets.contract import Barrier, ConvexSet, Gauged, Vertices
from discreet.sets.vectors import STEEPEST, check_norm, height, largest_entry, remove_mean
from discreet.sets.vertices import ExplorationPlan, uniform_plan
from discreet.sets.widths import FEW_ITEMS, by_number, greedy_width


class Simplex(ConvexSet, Gauged, Barrier, Vertices):
    """Probability vectors: x ≥ 0 with the sum 1.

    >>> point = np.array([0.9, 0.5, -3.0])
    >>> Simplex(3).project(point)
    >>> point.round(9)
    array([0.7, 0.3, 0. ])
    """

    dimension: int

    def __new__(cls, dimension: int) -> Self:
        """Return the simplex in a space of that dimension."""
        return cls._make((check_int("dimension", dimension, minimum=1),))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(1), cls(2), cls(7)]

    @property
    def flat(self) -> int:
        """All dimensions but one, as all sums are 1."""
        return self.dimension - 1

    @property
    def inner(self) -> float:
        """The distance from the centre to a face."""
        return 1.0 / math.sqrt(self.dimension * self.flat) if self.flat else 0.0

    @property
    def outer(self) -> float:
        """The distance from the centre to a corner."""
        return math.sqrt(1.0 - 1.0 / self.dimension)

    def gaussian_width(self) -> float:
        """Return the mean of the largest of N normal numbers."""
        if self.dimension > FEW_ITEMS:
            return super().gaussian_width()
        return greedy_width(by_number(np.minimum(np.arange(self.dimension + 1.0), 1.0)))

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = -Σ ln x, which is N - 1 on the hull.

        (Σ u/x)² ≤ (N - 1/|x|²) Σ u²/x² if Σ u = 0, and |x| ≤ 1.
        """
        return float(self.flat)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the corner at the direction's smallest entry; ties go to the first."""
        values = as_list(direction)
        first = 0
        for i in range(direction.size):
            if values[i] < values[first]:
                first = i
        point[:] = 0.0
        point[first] = 1.0

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest probability vector.

        NaN counts as minus infinity, so it gets nothing. Infinite entries outweigh all others and
        share evenly; so do all entries if none is above minus infinity.
        """
        pour(point, 1.0, False)

    def tangent(self, vector: Floats) -> None:
        """Subtract the mean."""
        remove_mean(vector)

    def gauge(self, point: Floats) -> float:
        """Return 1 - N times the smallest entry, which is 0 on the boundary."""
        least = math.inf
        for i in range(point.size):
            least = min(least, point[i])
        return max(1.0 - self.dimension * least, 0.0)

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write x(j) = 1 / (level + a(j)), a = rate (sums - smallest sum), with Σ x = 1.

        Σ 1 / (level + a) is convex and decreasing in the level, and at least 1 at level 1, so
        Newton's method converges from the left. NaN counts as the smallest sum.
        """
        values = as_list(sums)
        least = math.inf
        for i in range(sums.size):
            if values[i] < least:
                least = values[i]
        for i in range(sums.size):
            rise = rate * (values[i] - least)
            point[i] = min(rise, STEEPEST) if rise > 0.0 else 0.0
        level = 1.0
        for _ in range(100):
            excess, descent = -1.0, 0.0
            for i in range(point.size):
                share = 1.0 / (level + point[i])
                excess += share
                descent += share * share
            level += excess / descent
            if excess <= 1e-15 * point.size:
                break
        for i in range(point.size):
            point[i] = 1.0 / (level + point[i])

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻ᵀ u for C = diag(x) Q, where the reflection Q maps 1/√N to -x/|x|.

        H is diag(1/x²), and diag(1/x) maps directions of the hull, whose sum is 0, to vectors
        orthogonal to x. So does Q, and it preserves lengths; hence <C u, H C u> = |u|².
        """
        squares = 0.0
        for i in range(point.size):
            squares += point[i] * point[i]
        even, size = 1.0 / math.sqrt(point.size), math.sqrt(squares)
        squares, product = 0.0, 0.0
        for i in range(point.size):
            along = even + point[i] / size
            squares += along * along
            product += along * direction[i]
        for i in range(point.size):
            reflected = direction[i] - 2.0 * product / squares * (even + point[i] / size)
            step[i] = point[i] * reflected
            slope[i] = reflected / point[i]
        remove_mean(slope)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether entries are at least -tolerance and their sum is within tolerance of 1."""
        values = as_list(point)
        total = 0.0
        for i in range(point.size):
            if not values[i] >= -tolerance:
                return False
            total += values[i]
        return point.size == self.dimension and abs(total - 1.0) <= tolerance

    def support(self, direction: Floats) -> float:
        """Return the largest entry."""
        return largest_entry(direction, False)

    def diameter(self, norm: float) -> float:
        """Return the distance between two corners: 2, sqrt(2) or 1."""
        check_norm(norm)
        if self.dimension == 1:
            return 0.0
        return 2.0 if norm == 1 else math.sqrt(2.0) if norm == 2 else 1.0

    def largest(self, norm: float) -> float:
        """Return 1, the norm of a corner."""
        check_norm(norm)
        return 1.0

    def centre(self) -> Floats:
        """Return the uniform distribution."""
        return np.full(self.dimension, 1.0 / self.dimension)

    def plan(self) -> ExplorationPlan:
        """Return all corners."""
        return uniform_plan(np.eye(self.dimension))

    def label(self, point: Floats) -> str:
        """Return the item of the corner.

        >>> Simplex(3).label(np.array([0.0, 1.0, 0.0]))
        'item 1'
        """
        return f"item {int(np.argmax(point))}"


@helper
def pour(point: Floats, mass: float, signed: bool) -> None:
    """Project onto {x ≥ 0, sum x = mass} or, if signed, onto {|x|₁ = mass}.

    A signed point must be outside that ball and have no NaN. The nearest point is max(v - level,
    0), where the level is the zero of f(level) = Σ max(v - level, 0) - mass, which is convex,
    decreasing and piecewise linear (for signed points, v = |point|, and signs are kept). So
    Newton's method from the left, which is Michelot's, ends after finitely many steps without
    sorting. Starting at max v - mass, where f ≥ 0, it takes O(log N) steps: each either drops half
    of the remaining entries or halves the distance between level and max v, which goes from mass
    to mass / N. Heights are measured from max v, so that huge entries cost no precision.
    """
    values = as_list(point)
    top = largest_entry(point, signed)
    if top == -math.inf:
        point[:] = mass / point.size
        return
    level, left, before = -mass, point.size + 1, point.size + 2
    # The last pass keeps the same entries, and corrects rounding errors of the previous one.
    while left < before:
        before, left, excess = left, 0, -mass
        for i in range(point.size):
            above = height(values[i], top, signed) - level
            if above > 0.0:
                excess += above
                left += 1
        level += excess / left
    for i in range(point.size):
        above = height(values[i], top, signed) - level
        share = above if above > 0.0 else 0.0
        point[i] = -share if signed and values[i] < 0.0 else share
