"""Balls around the origin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats
from discreet.errors import check_int, check_range
from discreet.sets.box import Box
from discreet.sets.contract import Barrier, ConvexSet, Gauged, Vertices
from discreet.sets.simplex import pour
from discreet.sets.vectors import (
    BISECTIONS,
    STEEPEST,
    balance,
    check_norm,
    clear_nan,
    clip_slope,
    largest_entry,
    length,
    stretch,
    sum_of_sizes,
    sum_of_squares,
)
from discreet.sets.vertices import ExplorationPlan, name_corner, uniform_plan
from discreet.sets.widths import largest_size


class Ball(ConvexSet, Gauged):
    """The base of balls around the origin."""

    dimension: int
    radius: float

    def __new__(cls, dimension: int, radius: float) -> Self:
        """Return the ball of that radius."""
        return cls._make((check_int("dimension", dimension, minimum=1), _radius(radius)))

    @property
    def flat(self) -> int:
        """All dimensions."""
        return self.dimension

    @property
    def outer(self) -> float:
        """The radius."""
        return self.radius

    def tangent(self, vector: Floats) -> None:
        """Change nothing: the hull is the whole space."""

    def diameter(self, norm: float) -> float:
        """Return the distance between opposite points: twice the largest norm."""
        return 2.0 * self.largest(norm)

    def centre(self) -> Floats:
        """Return the origin."""
        return np.zeros(self.dimension)


class L1Ball(Ball, Barrier, Vertices):
    """Vectors whose absolute values sum to at most the radius.

    >>> point = np.array([2.0, -1.5, 0.1])
    >>> L1Ball(3, 1.0).project(point)
    >>> point
    array([ 0.75, -0.25,  0.  ])
    """

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(1, 2.0), cls(5, 0.3)]

    @property
    def inner(self) -> float:
        """The distance from the origin to a face."""
        return self.radius / math.sqrt(self.dimension)

    def gaussian_width(self) -> float:
        """Return the radius times the mean of the largest of N absolute values."""
        return self.radius * largest_size(self.dimension)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the corner opposite to the direction's largest entry; ties go to the first."""
        values = as_list(direction)
        first = 0
        for i in range(direction.size):
            if abs(values[i]) > abs(values[first]):
                first = i
        corner = self.radius if values[first] < 0.0 else -self.radius
        point[:] = 0.0
        point[first] = corner

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one; NaN counts as 0, infinite entries share evenly."""
        total = sum_of_sizes(point)
        if math.isnan(total):
            clear_nan(point)
            total = sum_of_sizes(point)
        if total > self.radius:
            pour(point, self.radius, True)

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = min -Σ ln(t² - x²) - ln(r - Σ t) over t: 2 for each entry, and 1.

        The minimum of a self-concordant barrier over some of its variables is a barrier with the
        same ϑ (Nesterov & Nemirovski 1994, Proposition 5.1.5).
        """
        return 2.0 * self.dimension + 1.0

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write x = -2 c z² / (1 - c² z²), c = rate · sums, with the slack z = r - Σ t.

        t = 2 z / (1 - c² z²), so z solves Σ t + z = r, whose left side grows with z. NaN counts as
        0.
        """
        values = as_list(sums)
        steepest = STEEPEST / self.radius
        most = 0.0
        for i in range(point.size):
            point[i] = clip_slope(rate * values[i], steepest)
            most = max(most, abs(point[i]))
        low, high = 0.0, min(self.radius, 1.0 / max(most, 1e-300))
        for _ in range(BISECTIONS):
            slack = 0.5 * (low + high)
            total = slack
            for i in range(point.size):
                total += 2.0 * slack / max(1.0 - (point[i] * slack) ** 2, 1e-300)
            if total > self.radius:
                high = slack
            else:
                low = slack
            if not low < 0.5 * (low + high) < high:
                break
        total = 0.0
        for i in range(point.size):
            pull = point[i]
            point[i] = -2.0 * pull * low * low / max(1.0 - (pull * low) ** 2, 1e-300)
            total += abs(point[i])
        inside = self.radius * (1.0 - 1e-14)
        if total > inside:  # rounding
            for i in range(point.size):
                point[i] *= inside / total

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻ᵀ u for C = diag(√e) (I - α g gᵀ / |g|²), C Cᵀ = H⁻¹.

        t² - x² = 2 z t and Σ t + z = r at the minimum. The block of x in the inverse of the
        Hessian for (x, t) is diag(e) - h hᵀ / ω with e = (t² + x²) / 2, h = t x, ω = z² + Σ e; and
        g = h / √e, (1 - α)² = 1 - |g|² / ω.
        """
        low, high = 0.0, self.radius
        for _ in range(BISECTIONS):
            slack = 0.5 * (low + high)
            total = slack
            for i in range(point.size):
                total += slack + math.sqrt(slack * slack + point[i] * point[i])
            if total > self.radius:
                high = slack
            else:
                low = slack
            if not low < 0.5 * (low + high) < high:
                break
        slack = max(low, 1e-15 * self.radius)
        weight, squares, product = slack * slack, 0.0, 0.0
        for i in range(point.size):
            top = slack + math.sqrt(slack * slack + point[i] * point[i])
            even = 0.5 * (top * top + point[i] * point[i])
            tilt = top * point[i] / math.sqrt(even)
            weight += even
            squares += tilt * tilt
            product += tilt * direction[i]
        kept = math.sqrt(max(1.0 - squares / weight, 1e-30))
        share = product / squares if squares > 0.0 else 0.0
        for i in range(point.size):
            top = slack + math.sqrt(slack * slack + point[i] * point[i])
            root = math.sqrt(0.5 * (top * top + point[i] * point[i]))
            along = share * top * point[i] / root
            step[i] = root * (direction[i] - (1.0 - kept) * along)
            slope[i] = (direction[i] + (1.0 / kept - 1.0) * along) / root

    def gauge(self, point: Floats) -> float:
        """Return the sum of absolute values, divided by the radius."""
        return sum_of_sizes(point) / self.radius

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the sum of absolute values exceeds the radius by at most the tolerance."""
        return point.size == self.dimension and sum_of_sizes(point) <= self.radius + tolerance

    def support(self, direction: Floats) -> float:
        """Return the radius times the largest absolute value."""
        return self.radius * largest_entry(direction, True)

    def largest(self, norm: float) -> float:
        """Return the radius, the norm of a corner."""
        check_norm(norm)
        return self.radius

    def plan(self) -> ExplorationPlan:
        """Return all corners."""
        axes = self.radius * np.eye(self.dimension)
        return uniform_plan(np.vstack([axes, -axes]))

    def label(self, point: Floats) -> str:
        """Return the coordinates of a corner."""
        return name_corner(point)


class L2Ball(Ball, Barrier):
    """Vectors of Euclidean length at most the radius.

    >>> point = np.array([3.0, -4.0])
    >>> L2Ball(2, 1.0).project(point)
    >>> point.round(9)
    array([ 0.6, -0.8])
    """

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(1, 0.5), cls(6, 2.5)]

    @property
    def inner(self) -> float:
        """The radius."""
        return self.radius

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = -ln(radius² - |x|²): 1."""
        return 1.0

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the point of the sphere opposite to the direction; the origin if that is 0."""
        for i in range(direction.size):
            point[i] = -direction[i]
        stretch(point, sum_of_squares(point), self.radius)

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one; NaN counts as 0, infinite entries share evenly."""
        total = sum_of_squares(point)
        if math.isnan(total):
            clear_nan(point)
            total = sum_of_squares(point)
        if total > self.radius * self.radius:
            stretch(point, total, self.radius)

    def gauge(self, point: Floats) -> float:
        """Return the length, divided by the radius."""
        return length(point) / self.radius

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser, which is opposite to the sums; the origin if one of them is NaN.

        Its length s solves rate |sums| = 2 s / (radius² - s²).
        """
        for i in range(sums.size):
            point[i] = -sums[i]
        reach = abs(balance(rate * self.radius * length(sums)))
        stretch(point, sum_of_squares(point), self.radius * reach)

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻¹ u for C = H⁻¹ᐟ², H = (2/q) I + (4/q²) x xᵀ and q = radius² - |x|²."""
        squares, product = 0.0, 0.0
        for i in range(point.size):
            squares += point[i] * point[i]
            product += point[i] * direction[i]
        room = max(self.radius * self.radius - squares, 1e-15 * self.radius * self.radius)
        across = math.sqrt(2.0 / room)
        along = math.sqrt(2.0 / room + 4.0 * squares / (room * room))
        share = product / squares if squares > 0.0 else 0.0
        for i in range(point.size):
            part = share * point[i]
            rest = direction[i] - part
            step[i] = rest / across + part / along
            slope[i] = rest * across + part * along

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the length exceeds the radius by at most the tolerance."""
        return (
            point.size == self.dimension
            and math.sqrt(sum_of_squares(point)) <= self.radius + tolerance
        )

    def support(self, direction: Floats) -> float:
        """Return the radius times the length of the direction."""
        return self.radius * length(direction)

    def largest(self, norm: float) -> float:
        """Return the radius; in the 1-norm, times sqrt(N), on the diagonal."""
        check_norm(norm)
        return math.sqrt(self.dimension) * self.radius if norm == 1 else self.radius


def ball(dimension: int, radius: float, norm: float) -> L1Ball | L2Ball | Box:
    """Return the ball around the origin in the norm 1, 2 or infinity.

    >>> ball(2, 1.0, 1)
    L1Ball(dimension=2, radius=1.0)
    """
    check_norm(norm)
    if norm == math.inf:
        return Box.cube(dimension, -_radius(radius), _radius(radius))
    return L1Ball(dimension, radius) if norm == 1 else L2Ball(dimension, radius)


def _radius(radius: object) -> float:
    return check_range("radius", radius, 1e-100, 1e100)
