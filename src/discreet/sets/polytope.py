"""Polytopes: bounded sets with finitely many linear constraints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import DiscreetError
from discreet.sets.arguments import LARGEST, check_norm, finite_array
from discreet.sets.box import Box
from discreet.sets.contract import ConvexSet

TOLERANCE = 1e-10  # of the solver, for b scaled to at most 1
OUTWARDS = 1e-9  # sizes are rounded up by more than the solver's error, relative to them and to b
FEW = 8  # dimensions up to which all 2^n vectors of signs are tried


class Polytope(ConvexSet):
    """Vectors with A x ≤ b, not compiled: every linear minimisation is a linear programme.

    Rows are scaled to length 1, so that a tolerance is a distance. The set may be flat, as with a pair of constraints for
    an equation. Solutions are exact up to 1e-10 times the largest entry of b; a coefficient below 1e-9 of the length of
    its row counts as 0.

    >>> triangle = Polytope([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]], [0.0, 0.0, 1.0])
    >>> point = np.array([2.0, 1.5])
    >>> triangle.project(point)
    >>> point.round(9), round(triangle.support(np.array([1.0, 3.0])), 9)
    (array([0.75, 0.25]), 3.0)
    """

    compiles = False

    a: Floats
    b: Floats

    def __new__(cls, a: ArrayLike, b: ArrayLike) -> Self:
        """Return the polytope with these rows, or refuse it if it is empty or unbounded."""
        matrix, limits = finite_array("a", a, axes=2), finite_array("b", b, axes=1)
        if matrix.shape[0] != limits.size:
            raise DiscreetError(f"a has {matrix.shape[0]} rows and b has length {limits.size}, but they must agree.")
        lengths = np.linalg.norm(matrix, axis=1)
        if not np.all(lengths > 0.0):
            raise DiscreetError(f"a has only zeros in row {int(np.argmin(lengths))}, but every row must constrain x.")
        lengths[np.abs(lengths - 1.0) < 1e-14] = 1.0  # so that a copy is the same to the last bit
        matrix, limits = matrix / lengths[:, None], limits / lengths
        matrix.flags.writeable = limits.flags.writeable = False
        polytope = cls._make(
            (
                matrix,
                limits,
            )
        )
        polytope.centre()
        polytope.bounding_box()
        return polytope

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return some to check the contract with."""
        corners = np.random.default_rng(5).normal(size=(12, 5))
        axes = np.vstack([np.eye(5), -np.eye(5)])
        return [
            cls(np.array([[-2.0], [0.5]]), np.array([4.0, 0.5])),
            cls(np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]]), np.array([0.0, 0.0, 1.0])),
            cls(
                np.vstack([-np.eye(4), np.ones(4), -np.ones(4)]), np.array([0.0] * 4 + [1.0, -1.0])
            ),  # without inner points
            cls(np.vstack([corners, axes]), np.append(np.abs(corners).sum(axis=1) * 0.3, np.full(10, 1.5))),
        ]

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.a.shape[1])

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write a corner at which <direction, x> is least; NaN in a direction counts as 0."""
        cost = _outweighed(direction)
        point[:] = _minimiser(self.a, self.b, cost)

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one; NaN counts as 0, entries above 1e100 as infinite: they outweigh others.

        A first result has an error of about 1e-16 times the distance, also off the set; projecting it again brings it
        back, and not farther from the nearest point.
        """
        if np.any(np.abs(point) > LARGEST):
            self.minimise_linear(np.where(np.abs(point) > LARGEST, -point, 0.0), point)
            return
        point[np.isnan(point)] = 0.0
        within = 1e-15 * (1.0 + float(np.abs(self.b).max()))
        for _ in range(20):
            excess = self.a @ point - self.b
            if not excess.max() > within:
                return
            point += _least_move(self.a, excess)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the point is beyond no constraint by a distance of more than the tolerance."""
        return point.size == self.dimension and bool(np.all(self.a @ point <= self.b + tolerance))

    def support(self, direction: Floats) -> float:
        """Return the largest <direction, x>, at a corner that the solver finds."""
        return float(direction @ _minimiser(self.a, self.b, -direction))

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points, or a bound on it that is never too small.

        In the maximum norm it is exact: the longest side of the bounding box. In the 1-norm it is exact up to 8
        dimensions, where the widths in all directions of signs are computed, else the sum of sides. In the 2-norm it is
        the smaller one of two bounds: the diagonal of the bounding box, and, as |x|₂² ≤ |x|₁ |x|∞, the root of the
        product of the two others.
        """
        check_norm(norm)
        box = self._around()
        if norm == math.inf:
            return box.diameter(math.inf) * (1.0 + OUTWARDS)
        l1 = box.diameter(1)
        if self.dimension <= FEW:
            room = 2.0 * self.dimension * self._room()
            l1 = room + max(self.support(signs) + self.support(-signs) for signs in _signs(self.dimension))
        return (l1 if norm == 1 else min(box.diameter(2), math.sqrt(l1 * box.diameter(math.inf)))) * (1.0 + OUTWARDS)

    def largest(self, norm: float) -> float:
        """Return the largest norm of a point, or a bound that is never too small: exact where the diameter is."""
        check_norm(norm)
        box = self._around()
        if norm == math.inf:
            return box.largest(math.inf) * (1.0 + OUTWARDS)
        l1 = box.largest(1)
        if self.dimension <= FEW:
            room = self.dimension * self._room()
            l1 = room + max(max(self.support(signs), self.support(-signs)) for signs in _signs(self.dimension))
        return (l1 if norm == 1 else min(box.largest(2), math.sqrt(l1 * box.largest(math.inf)))) * (1.0 + OUTWARDS)

    def centre(self) -> Floats:
        """Return the centre of a largest ball in the polytope (Chebyshev's)."""
        rows = np.column_stack([self.a, np.ones(self.b.size)])
        found = _minimiser(rows, self.b, np.append(np.zeros(self.dimension), -1.0))
        if found[-1] < -10.0 * TOLERANCE * (float(np.abs(self.b).max()) or 1.0):
            raise DiscreetError("a and b describe an empty set, but some x must satisfy a x ≤ b.")
        return found[:-1].copy()

    def bounding_box(self) -> Box:
        """Return the smallest box around the polytope."""
        axes = np.eye(self.dimension)
        corners = [[-self.support(-axis) for axis in axes], [self.support(axis) for axis in axes]]
        return Box(*np.array(corners))

    def _room(self) -> float:
        """Return what a coordinate of a computed corner is off by at most: the solver's error is relative to b."""
        return OUTWARDS * float(np.abs(self.b).max())

    def _around(self) -> Box:
        """Return a box that surely contains the polytope, and what is projected onto it."""
        low, high = self.bounding_box()
        return Box(low - self._room(), high + self._room())


def _minimiser(a: Floats, b: Floats, cost: Floats) -> Floats:
    """Return a corner with the least cost of a set {a x ≤ b} that is not empty."""
    from scipy.optimize import linprog

    size, steepness = (float(np.abs(numbers).max()) or 1.0 for numbers in (b, cost))
    found = linprog(
        cost / steepness,
        A_ub=a,
        b_ub=b / size,
        bounds=(None, None),
        method="highs-ds",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if found.status != 0:
        raise DiscreetError("a x ≤ b describes a set that is unbounded, but it must be bounded.")
    return np.asarray(found.x * size, dtype=np.float64)


def _least_move(a: Floats, excess: Floats) -> Floats:
    """Return the shortest z with a z ≤ -excess: the problem of least distance.

    Lawson and Hanson: with E = [-a, excess]' and the u ≥ 0 that minimises |E u - e|, e the last unit vector, z is the
    residual r without its last entry, divided by minus that entry. That is precise if |z| is about 1, so the problem is
    scaled by the largest excess, which |z| is not below, and by |z| where it is much longer. What counts is which
    constraints have u > 0: z is the shortest one that meets them with equality.
    """
    from scipy.optimize import nnls

    last = np.append(np.zeros(a.shape[1]), 1.0)
    scale = float(excess.max())
    for _ in range(3):
        system = np.vstack([-a.T, excess / scale])
        try:
            u, _ = nnls(system, last, maxiter=100 * a.size)
        except RuntimeError:
            raise DiscreetError("the nearest point of the polytope was not found: a and b are ill-conditioned.") from None
        residual = system @ u - last
        move = -residual[:-1] / residual[-1] * scale
        if np.linalg.norm(move) <= 10.0 * scale:
            break
        scale = float(np.linalg.norm(move))
    exact = np.linalg.lstsq(a[u > 0.0], -excess[u > 0.0], rcond=None)[0]
    return np.asarray(min(exact, move, key=lambda z: max(float((a @ z + excess).max()), 1e-13 * scale)))


def _outweighed(direction: Floats) -> Floats:
    """Return the direction with 0 for NaN; infinite entries leave nothing of the others."""
    if np.isinf(direction).any():
        return np.where(np.isinf(direction), np.sign(direction), 0.0)
    return np.nan_to_num(direction, nan=0.0)


def _signs(dimension: int) -> list[Floats]:
    """Return all vectors of signs, one of each opposite pair."""
    return [np.array([1.0, *rest]) for rest in itertools.product((1.0, -1.0), repeat=dimension - 1)]
