"""Arrangements of given numbers: k-sets and permutahedra are polytopes of the same kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from componentjit import as_list, helper
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int
from discreet.sets.contract import Barrier, Gauged, Projecting, Vertices
from discreet.sets.vectors import (
    BISECTIONS,
    STEEPEST,
    balance,
    clip_slope,
    finite_array,
    height,
    remove_mean,
    select_least,
    sort_items,
)
from discreet.sets.vertices import (
    ExplorationPlan,
    name_items,
    plan_by_list,
)
from discreet.sets.widths import FEW_ITEMS, by_number, greedy_width


class Arrangements(Projecting, Gauged, Vertices):
    """The convex hull of all vectors that have the given values as entries, in any order.

    A vector is in the hull if its sum is that of the values and, for every j, the sum of its j
    largest entries is at most that of the j largest values (Rado). As with matroids, the oracle is
    greedy. The nearest point comes from an isotonic regression.
    """

    values: Floats  # descending
    order: Integers  # scratch, like all following fields
    starts: Integers
    heights: Floats
    means: Floats

    @classmethod
    def _over(cls, values: Floats) -> Self:
        size = values.size
        return cls(
            values=-np.sort(-values),
            order=np.zeros(size, dtype=np.int64),
            starts=np.zeros(size, dtype=np.int64),
            heights=np.zeros(size),
            means=np.zeros(size),
        )

    @property
    def dimension(self) -> int:
        """The number of values."""
        return self.values.size

    @property
    def flat(self) -> int:
        """All dimensions but one, as all points have the same sum."""
        return self.values.size - 1

    @property
    def inner(self) -> float:
        """The minimum distance from the centre to a constraint, by their numbers of entries."""
        sizes = np.arange(1, self.dimension)
        room = np.cumsum(self.values)[:-1] - sizes * self.values.mean()
        return float((room / np.sqrt(sizes * (1.0 - sizes / self.dimension))).min())

    @property
    def outer(self) -> float:
        """The distance from the centre to every vertex."""
        return float(np.linalg.norm(self.values - self.values.mean()))

    def gaussian_width(self) -> float:
        """Return the width: f is the sum of the j largest values."""
        if self.dimension > FEW_ITEMS:
            return super().gaussian_width()
        return greedy_width(by_number(np.concatenate([[0.0], np.cumsum(self.values)])))

    def centre(self) -> Floats:
        """Return the point with all entries equal."""
        return np.full(self.dimension, self.values.mean())

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the largest value where the direction is smallest, and so on; ties by index."""
        sort_items(as_list(direction), self.order)
        for i in range(point.size):
            point[self.order[i]] = self.values[i]

    def tangent(self, vector: Floats) -> None:
        """Subtract the mean."""
        remove_mean(vector)

    def gauge(self, point: Floats) -> float:
        """Return the largest ratio of a sum of j largest entries to its limit, from the centre."""
        sort_items(as_list(point), self.order)
        mean = 0.0
        for i in range(point.size):
            mean += self.values[i] / point.size
        most, taken, room = 0.0, 0.0, 0.0
        for i in range(point.size - 1):
            taken += point[self.order[point.size - 1 - i]] - mean
            room += self.values[i] - mean
            most = max(most, taken / room)
        return most

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether sums of largest entries, and the sum of all, are within the tolerance."""
        if point.size != self.values.size:
            return False
        sort_items(as_list(point), self.order)
        excess = 0.0
        for i in range(point.size):
            excess += point[self.order[point.size - 1 - i]] - self.values[i]
            if not excess <= tolerance:
                return False
        return excess >= -tolerance

    def project(self, point: Floats) -> None:
        """Replace the point z by the nearest one; NaN counts as minus infinity, infinities win.

        With entries and values w sorted, the nearest point is z - v for the descending v nearest to
        z - w. It is found by pooling neighbours whose means of z - w ascend. Entries of a block are
        measured relative to its first one, so that huge entries cost no precision.
        """
        for i in range(point.size):
            if math.isnan(point[i]):
                point[i] = -math.inf
        entries = as_list(point)
        sort_items(entries, self.order)
        blocks, size = 0, point.size
        for j in range(size):
            self.starts[blocks], self.heights[blocks], self.means[blocks] = j, 0.0, self.values[j]
            blocks += 1
            while blocks > 1:
                last = blocks - 1
                first, second = self.starts[last - 1], self.starts[last]
                fall = height(
                    entries[self.order[size - 1 - second]],
                    entries[self.order[size - 1 - first]],
                    False,
                )
                fall += self.heights[last]
                if not self.heights[last - 1] - fall < self.means[last - 1] - self.means[last]:
                    break
                share = (j + 1 - second) / (j + 1 - first)
                self.heights[last - 1] += share * (fall - self.heights[last - 1])
                self.means[last - 1] += share * (self.means[last] - self.means[last - 1])
                blocks = last
        end = size
        while blocks > 0:
            blocks -= 1
            top = entries[self.order[size - 1 - self.starts[blocks]]]
            for j in range(self.starts[blocks], end):
                i = self.order[size - 1 - j]
                point[i] = (
                    height(entries[i], top, False) - self.heights[blocks] + self.means[blocks]
                )
            end = self.starts[blocks]

    def plan(self) -> ExplorationPlan:
        """Return all arrangements, or random ones if there are more than 1024."""
        rows = (np.array(row) for row in arrangements(self.values.tolist()))
        return plan_by_list(rows, self.minimise_linear, self.dimension)


class Permutahedron(Arrangements):
    """Rankings: entry i is the value of the place of item i, such as one of 1, 2, ..., N.

    >>> ranks = Permutahedron.of([1.0, 2.0, 3.0])
    >>> point = np.zeros(3)
    >>> ranks.minimise_linear(np.array([0.2, 0.9, 0.4]), point)
    >>> point, ranks.label(point)
    (array([3., 1., 2.]), 'order 1, 2, 0')
    """

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Return the permutahedron of these values, of which at least two must differ."""
        array = finite_array("values", values, axes=1)
        if not array.max() > array.min():
            raise DiscreetError(
                f"all {array.size} values are {array[0]:g}, so the set is a single point: at least "
                "two values must differ."
            )
        return cls._over(array)

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [
            cls.of([1.0, 2.0]),
            cls.of([1.0, 2.0, 3.0, 4.0]),
            cls.of([-2.5, 0.0, 0.0, 0.5, 7.0]),
        ]

    def label(self, point: Floats) -> str:
        """Return the items from the smallest value to the largest."""
        return f"order {', '.join(map(str, np.argsort(point, kind='stable')))}"


class KSets(Arrangements, Barrier):
    """Slates: vectors x with 0 ≤ x ≤ 1 and sum k, the convex hull of all sets of k items.

    These are the bases of a uniform matroid.

    >>> slates = KSets.of(10, 3)
    >>> slates.flat, round(slates.inner, 6), round(slates.outer, 6)
    (9, 0.316228, 1.449138)
    >>> round(slates.plan().longest(), 6)
    6.299408
    """

    @classmethod
    def of(cls, items: int, chosen: int) -> Self:
        """Return all sets of ``chosen`` out of ``items`` items; ``chosen`` must be smaller."""
        size = check_int("items", items, minimum=2, maximum=10_000_000)
        many = check_int("chosen", chosen, minimum=1)
        if many >= size:
            raise DiscreetError(
                f"chosen is {many}, but must be less than the number of items, {size}."
            )
        return cls._over(np.where(np.arange(size) < many, 1.0, 0.0))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls.of(2, 1), cls.of(5, 2), cls.of(7, 5)]

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write 1 for the k items where the direction is smallest; ties go to the first."""
        chosen = 0
        while self.values[chosen] > 0.0:
            chosen += 1
        select_least(as_list(direction), self.order, chosen)
        for i in range(point.size):
            point[i] = 0.0
        for i in range(chosen):
            point[self.order[i]] = 1.0

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = -Σ ln x + ln(1 - x): 1 for each item, as in a box."""
        return float(self.dimension)

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser: that of a box for rate · sums + level, with Σ x = k.

        Σ x decreases in the level, which is found by bisection. NaN counts as 0.
        """
        values = as_list(sums)
        chosen, least, most = 0.0, math.inf, -math.inf
        for i in range(point.size):
            chosen += self.values[i]
            pull = clip_slope(rate * values[i], STEEPEST)
            least, most = min(least, pull), max(most, pull)
        share = chosen / point.size
        even = 1.0 / share - 1.0 / (1.0 - share)  # with this level alone, every x would be k/N
        low, high = even - most, even - least
        for _ in range(BISECTIONS):
            level = 0.5 * low + 0.5 * high
            total = 0.0
            for i in range(point.size):
                total += 0.5 + 0.5 * balance(0.5 * (clip_slope(rate * values[i], STEEPEST) + level))
            if total > chosen:
                low = level
            else:
                high = level
            if not low < 0.5 * low + 0.5 * high < high:
                break
        total = 0.0
        for i in range(point.size):
            point[i] = 0.5 + 0.5 * balance(0.5 * (clip_slope(rate * values[i], STEEPEST) + high))
            total += min(point[i], 1.0 - point[i])
        short = chosen
        for i in range(point.size):
            short -= point[i]
        for i in range(point.size):  # distributes the rounding error by the distance from 0 and 1
            point[i] += short * min(point[i], 1.0 - point[i]) / total

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻ᵀ u for C = diag(d) Q, where the reflection Q maps 1/√N to -d/|d|.

        H is diag(1/d²), d = 1/sqrt(1/x² + 1/(1 - x)²). The simplex is the same with d = x.
        """
        squares = 0.0
        for i in range(point.size):
            squares += room(point[i]) ** 2
        even, size = 1.0 / math.sqrt(point.size), math.sqrt(squares)
        squares, product = 0.0, 0.0
        for i in range(point.size):
            along = even + room(point[i]) / size
            squares += along * along
            product += along * direction[i]
        for i in range(point.size):
            length = room(point[i])
            reflected = direction[i] - 2.0 * product / squares * (even + length / size)
            step[i] = length * reflected
            slope[i] = reflected / length
        remove_mean(slope)

    def label(self, point: Floats) -> str:
        """Return the items chosen.

        >>> KSets.of(4, 2).label(np.array([0.0, 1.0, 0.0, 1.0]))
        'items 1, 3'
        """
        return name_items(point)


@helper
def room(share: float) -> float:
    """Return 1/sqrt(1/x² + 1/(1 - x)²) for an x in (0, 1)."""
    below, above = max(share, 1e-15), max(1.0 - share, 1e-15)
    return 1.0 / math.sqrt(1.0 / (below * below) + 1.0 / (above * above))


def arrangements(values: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """Yield all distinct arrangements of the values in lexicographic order.

    >>> list(arrangements([0, 1, 1]))
    [(0, 1, 1), (1, 0, 1), (1, 1, 0)]
    """
    row = sorted(values)
    while True:
        yield tuple(row)
        falls = [i for i in range(len(row) - 1) if row[i] < row[i + 1]]
        if not falls:
            return
        low = falls[-1]
        high = max(i for i in range(low + 1, len(row)) if row[i] > row[low])
        row[low], row[high] = row[high], row[low]
        row[low + 1 :] = row[:low:-1]
