"""Bases of matroids, by the greedy algorithm: what is chosen, and how much of each kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int, shorten
from discreet.sets.contract import Gauged
from discreet.sets.exploration import MOST, Plan, plan_by_oracle, uniform_plan
from discreet.sets.selections import Selections, items_of
from discreet.sets.sorting import sort_items


class Matroid(Selections):
    """The convex hull of the bases of a matroid, its largest independent sets of elements.

    Its subclasses say which elements may be added to those chosen so far. A greedy choice is then
    optimal for every direction (Edmonds). Within each connected component of the matroid the sum is
    the same for all bases, and that is all that is: the affine hull.
    """

    component: Integers  # of each element
    lengths: Floats  # of each component, in elements
    order: Integers  # to work in, as the next one
    totals_of: Floats

    @property
    def dimension(self) -> int:
        """The number of elements."""
        return self.component.size

    @property
    def flat(self) -> int:
        """The number of elements less that of components."""
        return self.component.size - self.lengths.size

    def drop_all(self) -> None:
        """Forget which elements were chosen."""
        raise NotImplementedError

    def admit(self, element: int) -> bool:
        """Choose the element if it is independent of those chosen, and return whether it is."""
        raise NotImplementedError

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write 1 for the elements that a greedy choice takes, the least direction first; ties go to the first."""
        sort_items(as_list(direction), self.order)
        self.drop_all()
        for i in range(point.size):
            element = self.order[i]
            point[element] = 1.0 if self.admit(element) else 0.0

    def tangent(self, vector: Floats) -> None:
        """Subtract the mean of its component from every entry."""
        for c in range(self.lengths.size):
            self.totals_of[c] = 0.0
        for i in range(vector.size):
            self.totals_of[self.component[i]] += vector[i]
        for i in range(vector.size):
            vector[i] -= self.totals_of[self.component[i]] / self.lengths[self.component[i]]


class PartitionMatroid(Matroid, Gauged):
    """Choices of some items from each of several groups: 0 ≤ x ≤ 1 with a given sum over each group.

    >>> menu = PartitionMatroid.of([3, 4], [1, 2])
    >>> point = np.zeros(7)
    >>> menu.minimise_linear(np.array([0.5, 0.1, 0.3, 0.0, 0.9, 0.2, 0.1]), point)
    >>> menu.label(point)
    'items 1, 3, 6'
    """

    picks: Integers  # from each group
    picked: Integers  # to work in

    @classmethod
    def of(cls, sizes: Sequence[int], picks: Sequence[int]) -> Self:
        """Return the choices from groups of these sizes; items of a group follow one another."""
        if len(sizes) != len(picks) or not len(sizes):
            raise DiscreetError(
                f"there are {len(sizes)} sizes and {len(picks)} picks, but must be as many of "
                "both, at least one."
            )
        for group, (size, many) in enumerate(zip(sizes, picks, strict=True)):
            check_int(f"sizes[{group}]", size, minimum=2, maximum=1_000_000)
            if check_int(f"picks[{group}]", many, minimum=1) >= size:
                raise DiscreetError(
                    f"picks[{group}] is {shorten(many)} of {size} items, but must be fewer: there "
                    "is nothing to choose."
                )
        component = np.repeat(np.arange(len(sizes)), sizes)
        return cls(
            component=component,
            lengths=np.array(sizes, dtype=np.float64),
            order=np.zeros(component.size, dtype=np.int64),
            totals_of=np.zeros(len(sizes)),
            picks=np.array(picks, dtype=np.int64),
            picked=np.zeros(len(sizes), dtype=np.int64),
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return some to check the contract with."""
        return [cls.of([2], [1]), cls.of([3, 4], [1, 2]), cls.of([2, 2, 3], [1, 1, 2])]

    @property
    def inner(self) -> float:
        """That of the k-sets of a group, the least one."""
        share = self.picks / self.lengths
        return float(
            np.min(np.minimum(share, 1.0 - share) * np.sqrt(self.lengths / (self.lengths - 1.0)))
        )

    def centre(self) -> Floats:
        """Return the point that chooses all items of a group alike."""
        return np.asarray((self.picks / self.lengths)[self.component])

    def drop_all(self) -> None:
        """Forget how many were picked."""
        for group in range(self.picked.size):
            self.picked[group] = 0

    def admit(self, element: int) -> bool:
        """Pick the item if its group is not complete, and return whether it was picked."""
        group = self.component[element]
        if self.picked[group] == self.picks[group]:
            return False
        self.picked[group] += 1
        return True

    def gauge(self, point: Floats) -> float:
        """Return how much of the way from the centre to 0 or 1 an entry has gone, at most."""
        most = 0.0
        for i in range(point.size):
            share = self.picks[self.component[i]] / self.lengths[self.component[i]]
            most = max(most, (point[i] - share) / (1.0 - share), (share - point[i]) / share)
        return most

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether entries and the sums of groups are off by no more than the tolerance."""
        if point.size != self.component.size:
            return False
        for group in range(self.picks.size):
            self.totals_of[group] = 0.0
        for i in range(point.size):
            if not -tolerance <= point[i] <= 1.0 + tolerance:
                return False
            self.totals_of[self.component[i]] += point[i]
        inside = True
        for group in range(self.picks.size):
            inside = inside and abs(self.totals_of[group] - self.picks[group]) <= tolerance
        return inside

    def plan(self) -> Plan:
        """Return all choices, or, if they are more than 1024, random ones that span whatever all span."""
        if (
            math.prod(
                math.comb(int(n), int(k)) for n, k in zip(self.lengths, self.picks, strict=True)
            )
            > MOST
        ):
            return plan_by_oracle(self.minimise_linear, self.dimension)
        groups = [
            np.flatnonzero(self.component == group).tolist() for group in range(self.picks.size)
        ]
        ways = [
            list(itertools.combinations(items, int(k)))
            for items, k in zip(groups, self.picks, strict=True)
        ]
        chosen = (sum(choice, ()) for choice in itertools.product(*ways))
        return uniform_plan([np.isin(np.arange(self.dimension), items) for items in chosen])

    def label(self, point: Floats) -> str:
        """Return the items chosen."""
        return items_of(point)
