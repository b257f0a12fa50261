"""A leader that needs few calls of a linear oracle, by reusing its answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Integers
from discreet.learners.functions.mirror_maps import FrankWolfe
from discreet.sets import LinearOracle

# Points are balanced to this share of the last gap before the oracle is called again.
EASIER = 0.125
ROOM = 16  # points beside two per dimension
MOST_MOVES = 2000  # of portions, between two calls


class Corrective(FrankWolfe):
    """The same map with far fewer calls: fully corrective Frank-Wolfe steps.

    The point is kept as a mixture Σ w_j p_j of the oracle's answers. An answer brings the usual
    step. Then portions w are moved between the points at hand, from where the objective
    |x - c|² + ⟨s, x⟩ falls least to where it falls most, by exact line search (pairwise steps),
    until the largest difference is an eighth of the last gap. That needs no call, and never
    increases the objective, so the number of steps is bounded as for :class:`FrankWolfe`, and the
    same gap proves the distance to the minimum. On faces of a polytope, where plain steps zigzag,
    it takes a hundredth of the calls or fewer.

    There is room for more points than a mixture needs; if all are in use, the two with the least
    portions become one. Before the first call the mixture is the centre.

    >>> from discreet.sets import L2Ball
    >>> ball, centre, point = L2Ball(2, 1.0), np.zeros(2), np.zeros(2)
    >>> Corrective.start(ball).lead(ball, centre, np.array([1.0, 0.0]), point, 0.01)
    >>> point.round(2).tolist()
    [-0.5, 0.0]
    """

    mixed: Floats  # p_j - c, one row each
    portions: Floats  # w_j
    products: Floats  # of the rows with each other
    falls: Floats  # the slope of the objective along each row
    rows: Integers  # how many are in use

    @classmethod
    def start(cls, around: LinearOracle, *, most: int = 1_000_000) -> Corrective:
        """Return the map before its first call."""
        plain: Any = FrankWolfe.start(around, most=most)
        room = 2 * around.dimension + ROOM
        only_centre = np.zeros(room)
        only_centre[0] = 1.0
        mixed, products = np.zeros((room, around.dimension)), np.zeros((room, room))
        return cls._make(
            (*plain, mixed, only_centre, products, np.zeros(room), np.ones(1, np.int64))
        )

    def lead(
        self, within: LinearOracle, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> None:
        """Move to the minimum: alternately balance the points at hand and call the oracle."""
        enough = near * near
        balanced = enough
        for _ in range(self.most_steps):
            self.measure_falls(sums)
            self.balance(balanced)
            self.mix_points(anchor, point)
            share = self.call(within, anchor, sums, point, near)
            if share < 0.0:
                break
            gap = 0.0
            for i in range(sums.size):
                gap += self.slope[i] * (point[i] - self.corner[i])
            balanced = max(EASIER * gap, 0.5 * enough)
            self.make_room()
            self.add_corner(share, anchor)
            for i in range(sums.size):
                point[i] += share * (self.corner[i] - point[i])

    def measure_falls(self, sums: Floats) -> None:
        """Compute the slope of the objective along every row."""
        for j in range(self.rows[0]):
            total = 0.0
            for k in range(self.rows[0]):
                total += 2.0 * self.products[j, k] * self.portions[k]
            for i in range(self.corner.size):
                total += sums[i] * self.mixed[j, i]
            self.falls[j] = total

    def balance(self, enough: float) -> None:
        """Move portions from the row where the objective falls least to where it falls most."""
        for _ in range(MOST_MOVES):
            best, worst = 0, -1
            for j in range(self.rows[0]):
                if self.falls[j] < self.falls[best]:
                    best = j
                if self.portions[j] > 0.0 and (worst < 0 or self.falls[j] > self.falls[worst]):
                    worst = j
            difference = self.falls[worst] - self.falls[best]
            if not difference > enough:
                break
            bend = (
                self.products[best, best]
                + self.products[worst, worst]
                - 2.0 * self.products[best, worst]
            )
            moved = self.portions[worst]
            if 2.0 * bend * moved > difference:
                moved = 0.5 * difference / bend
            self.portions[worst] -= moved
            self.portions[best] += moved
            for j in range(self.rows[0]):
                self.falls[j] += 2.0 * moved * (self.products[j, best] - self.products[j, worst])

    def mix_points(self, anchor: Floats, point: Floats) -> None:
        """Write the mixture of all rows."""
        total = 0.0
        for j in range(self.rows[0]):
            total += self.portions[j]
        for i in range(point.size):
            point[i] = 0.0
        for j in range(self.rows[0]):
            self.portions[j] /= total
            for i in range(point.size):
                point[i] += self.portions[j] * self.mixed[j, i]
        for i in range(point.size):
            point[i] += anchor[i]

    def make_room(self) -> None:
        """Drop points with no portion; if all have one, join the two least."""
        row = self.rows[0] - 1
        while row >= 0:
            if self.portions[row] <= 0.0:
                forget(row, self.mixed, self.portions, self.products, self.rows)
            row -= 1
        if self.rows[0] == self.portions.size:
            least, second = 0, 1
            if self.portions[1] < self.portions[0]:
                least, second = 1, 0
            for j in range(2, self.rows[0]):
                if self.portions[j] < self.portions[least]:
                    least, second = j, least
                elif self.portions[j] < self.portions[second]:
                    second = j
            both = self.portions[least] + self.portions[second]
            part = self.portions[least] / both
            for i in range(self.corner.size):
                self.mixed[second, i] += part * (self.mixed[least, i] - self.mixed[second, i])
            self.portions[second] = both
            multiply(second, self.mixed, self.products, self.rows)
            forget(least, self.mixed, self.portions, self.products, self.rows)

    def add_corner(self, share: float, anchor: Floats) -> None:
        """Add the oracle's point with this share of the mixture."""
        last = self.rows[0]
        for j in range(last):
            self.portions[j] *= 1.0 - share
        for i in range(self.corner.size):
            self.mixed[last, i] = self.corner[i] - anchor[i]
        self.portions[last] = share
        self.rows[0] = last + 1
        multiply(last, self.mixed, self.products, self.rows)


@helper
def forget(row: int, mixed: Floats, portions: Floats, products: Floats, rows: Integers) -> None:
    """Replace a row by the last one."""
    last = rows[0] - 1
    rows[0] = last
    if row == last:
        return
    portions[row] = portions[last]
    for i in range(mixed.shape[1]):
        mixed[row, i] = mixed[last, i]
    for j in range(last):
        products[row, j] = products[last, j]
        products[j, row] = products[j, last]
    products[row, row] = products[last, last]


@helper
def multiply(row: int, mixed: Floats, products: Floats, rows: Integers) -> None:
    """Compute the products of a row with all others."""
    for j in range(rows[0]):
        total = 0.0
        for i in range(mixed.shape[1]):
            total += mixed[row, i] * mixed[j, i]
        products[row, j] = total
        products[j, row] = total
