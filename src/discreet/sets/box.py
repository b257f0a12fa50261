"""Boxes: every coordinate has its own range."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from componentjit import as_list
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_finite, check_int
from discreet.sets.contract import Barrier, ConvexSet, Gauged, Vertices
from discreet.sets.vectors import balance, finite_array, norm_of
from discreet.sets.vertices import ExplorationPlan, name_corner, plan_by_list


class Box(ConvexSet, Gauged, Barrier, Vertices):
    """Vectors between two corners: low ≤ x ≤ high in every coordinate.

    >>> point = np.array([3.0, -4.0])
    >>> Box([0.0, 0.0], [1.0, 2.0]).project(point)
    >>> point
    array([1., 0.])
    """

    low: Floats
    high: Floats

    def __new__(cls, low: ArrayLike, high: ArrayLike) -> Self:
        """Return the box with copies of these corners; low = high fixes a coordinate."""
        lower, upper = finite_array("low", low, axes=1), finite_array("high", high, axes=1)
        if lower.size != upper.size:
            raise DiscreetError(
                f"low has length {lower.size} and high has length {upper.size}, but they must "
                "agree."
            )
        if np.any(lower > upper):
            i = int(np.argmax(lower > upper))
            raise DiscreetError(
                f"low[{i}] is {lower[i]:g} and high[{i}] is {upper[i]:g}, but low must not be "
                "above high."
            )
        lower.flags.writeable = upper.flags.writeable = False  # noise may be calibrated to it
        return cls._make((lower, upper))

    @classmethod
    def cube(cls, dimension: int, low: float, high: float) -> Self:
        """Return the box with the same range for every coordinate.

        >>> Box.cube(3, -1.0, 1.0).diameter(1)
        6.0
        """
        size = check_int("dimension", dimension, minimum=1)
        ends = (check_finite("low", low), check_finite("high", high))
        return cls(np.full(size, ends[0]), np.full(size, ends[1]))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [
            cls(np.array([-1.0, 0.5, 2.0, 0.0]), np.array([1.0, 0.5, 5.0, 0.25])),
            cls.cube(6, -1.0, 1.0),
        ]

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return self.low.size

    @property
    def flat(self) -> int:
        """The number of coordinates that are not fixed."""
        return int(np.sum(self.low < self.high))

    @property
    def inner(self) -> float:
        """Half of the shortest side, not counting fixed coordinates."""
        widths = (self.high - self.low)[self.low < self.high]
        return 0.5 * float(widths.min()) if widths.size else 0.0

    @property
    def outer(self) -> float:
        """Half of the diagonal."""
        return 0.5 * self.diameter(2)

    def gaussian_width(self) -> float:
        """Return E |g| times half the sum of all sides."""
        return self.diameter(1) / math.sqrt(2.0 * math.pi)

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = -Σ ln(x - low) + ln(high - x): 1 for each coordinate that is not fixed."""
        return float(self.flat)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the high end where the direction is negative, and the low end elsewhere."""
        for i in range(self.low.size):
            point[i] = self.high[i] if direction[i] < 0.0 else self.low[i]

    def project(self, point: Floats) -> None:
        """Move every coordinate to its nearest end if it is outside; NaN goes to the low end."""
        for i in range(self.low.size):
            if not point[i] >= self.low[i]:
                point[i] = self.low[i]
            elif point[i] > self.high[i]:
                point[i] = self.high[i]

    def tangent(self, vector: Floats) -> None:
        """Replace entries of fixed coordinates by 0."""
        for i in range(self.low.size):
            if self.low[i] == self.high[i]:
                vector[i] = 0.0

    def gauge(self, point: Floats) -> float:
        """Return the largest distance from the middle of a side, in halves of that side."""
        most = 0.0
        for i in range(self.low.size):
            if self.low[i] < self.high[i]:
                middle = 0.5 * self.low[i] + 0.5 * self.high[i]
                most = max(most, abs(point[i] - middle) / (0.5 * self.high[i] - 0.5 * self.low[i]))
        return most

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser, coordinate by coordinate; NaN counts as 0."""
        values = as_list(sums)
        for i in range(self.low.size):
            half = float(0.5 * self.high[i] - 0.5 * self.low[i])
            point[i] = (
                0.5 * self.low[i] + 0.5 * self.high[i] + half * balance(rate * half * values[i])
            )

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻¹ u for C = H⁻¹ᐟ², with H = diag(1 / (x - low)² + 1 / (high - x)²)."""
        for i in range(self.low.size):
            width = self.high[i] - self.low[i]
            step[i] = slope[i] = 0.0
            if width > 0.0:
                below = max(point[i] - self.low[i], 1e-15 * width)
                above = max(self.high[i] - point[i], 1e-15 * width)
                size = math.sqrt(1.0 / (below * below) + 1.0 / (above * above))
                step[i] = direction[i] / size
                slope[i] = direction[i] * size

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether no coordinate is outside by more than the tolerance."""
        inside = point.size == self.low.size
        for i in range(point.size if inside else 0):
            inside = inside and self.low[i] - tolerance <= point[i] <= self.high[i] + tolerance
        return inside

    def support(self, direction: Floats) -> float:
        """Return the sum of every entry times the end that makes it larger."""
        values = as_list(direction)
        total = 0.0
        for i in range(self.low.size):
            end = self.high[i] if values[i] > 0.0 else self.low[i]
            total += values[i] * float(end)
        return total

    def diameter(self, norm: float) -> float:
        """Return the norm of the widths: the distance between opposite corners."""
        return norm_of(self.high - self.low, norm)

    def largest(self, norm: float) -> float:
        """Return the norm of the corner farthest from the origin."""
        return norm_of(np.maximum(np.abs(self.low), np.abs(self.high)), norm)

    def centre(self) -> Floats:
        """Return the midpoint of the two corners."""
        return 0.5 * self.low + 0.5 * self.high

    def plan(self) -> ExplorationPlan:
        """Return all corners, or random ones if there are more than 1024."""
        ends = [
            dict.fromkeys(pair) for pair in zip(self.low.tolist(), self.high.tolist(), strict=True)
        ]
        corners = (np.array(corner) for corner in itertools.product(*ends))
        return plan_by_list(corners, self.minimise_linear, self.dimension)

    def label(self, point: Floats) -> str:
        """Return the coordinates of a corner."""
        return name_corner(point)
