"""Polytopes: bounded sets with finitely many linear constraints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.contracts import Floats
from discreet.errors import DiscreetError
from discreet.sets.box import Box
from discreet.sets.contract import Barrier, ConvexSet, Gauged, Vertices
from discreet.sets.vectors import LARGEST, check_norm, finite_array, remove_normals, scale_to_one
from discreet.sets.vertices import ExplorationPlan, name_corner, null_space, plan_by_oracle

ENOUGH = 1e-12  # Newton decrement at which the search ends
STEPS = 1000  # maximum steps of Newton's method
# The largest slope times the size of the set: beyond it, rounding destroys the leader's slacks.
STEEPEST = 1e8
TOLERANCE = 1e-10  # of the solver, for b scaled to at most 1
OUTWARDS = 1e-9  # sizes are rounded up by this share of them and of b, above the solver's error
FEW = 8  # maximum dimension in which all 2^N vectors of signs are tried


def hessian_factor(rows: Floats, slack: Floats) -> Floats:
    """Return a triangular R with Rᵀ R = Σ row rowᵀ / slack², without forming that product."""
    return np.asarray(np.linalg.qr(rows / np.maximum(slack, 1e-300)[:, None])[1])


def follow_leader(a: Floats, b: Floats, basis: Floats, slope: Floats, point: Floats) -> None:
    """Move an interior point of {a x ≤ b} to the minimiser of <slope, x> - Σ ln(b - a x).

    It moves along the rows of the basis, by Newton's method. Steps are damped to a length below 1
    in the local norm, so the point never leaves the set.
    """
    rows, along = a @ basis.T, basis @ slope
    before = math.inf
    for _ in range(STEPS):
        slack = b - a @ point
        factor = hessian_factor(rows, slack)
        half = np.linalg.solve(factor.T, along + rows.T @ (1.0 / slack))
        decrement = float(np.linalg.norm(half))
        # If a small decrement stops falling, only rounding errors remain.
        if decrement <= ENOUGH or (decrement < 1e-6 and decrement >= before):
            return
        before = decrement
        point -= (
            basis.T @ np.linalg.solve(factor, half) / (1.0 + decrement if decrement > 0.25 else 1.0)
        )
    raise DiscreetError(
        f"no minimiser was found in {STEPS} steps: a and b are ill-conditioned, or the rate is too "
        "large."
    )


class Polytope(ConvexSet, Gauged, Barrier, Vertices):
    """Vectors with A x ≤ b, not compiled: every linear minimisation is a linear program.

    Rows are scaled to length 1, so that tolerances are distances. The set may be flat: an equation
    is a pair of constraints. Solutions are exact up to 1e-10 times the largest entry of b; a
    coefficient below 1e-9 of the length of its row counts as 0.

    >>> triangle = Polytope([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]], [0.0, 0.0, 1.0])
    >>> point = np.array([2.0, 1.5])
    >>> triangle.project(point)
    >>> point.round(9), round(triangle.support(np.array([1.0, 3.0])), 9)
    (array([0.75, 0.25]), 3.0)
    """

    compiles = False

    a: Floats
    b: Floats
    # Orthonormal rows that span the complement of the affine hull.
    normals: Floats = np.zeros((0, 0))

    def __new__(cls, a: ArrayLike, b: ArrayLike, normals: Floats | None = None) -> Self:
        """Return the polytope of these rows, or refuse an empty or unbounded one."""
        matrix, limits = finite_array("a", a, axes=2), finite_array("b", b, axes=1)
        if matrix.shape[0] != limits.size:
            raise DiscreetError(
                f"a has {matrix.shape[0]} rows and b has length {limits.size}, but they must agree."
            )
        lengths = np.linalg.norm(matrix, axis=1)
        if not np.all(lengths > 0.0):
            raise DiscreetError(
                f"a has only zeros in row {int(np.argmin(lengths))}, but every row must constrain "
                "x."
            )
        lengths[np.abs(lengths - 1.0) < 1e-14] = 1.0  # so that copies are identical bit for bit
        matrix, limits = matrix / lengths[:, None], limits / lengths
        matrix.flags.writeable = limits.flags.writeable = False
        if normals is None:
            chebyshev_ball(matrix, limits, matrix)
            normals = _normals(matrix, limits)
            cls._make((matrix, limits, normals)).bounding_box()
        return cls._make((matrix, limits, normals))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        corners = np.random.default_rng(5).normal(size=(12, 5))
        axes = np.vstack([np.eye(5), -np.eye(5)])
        return [
            cls(np.array([[-2.0], [0.5]]), np.array([4.0, 0.5])),
            cls(np.array([[-1.0, 0.0], [0.0, -1.0], [1.0, 1.0]]), np.array([0.0, 0.0, 1.0])),
            # without interior points
            cls(
                np.vstack([-np.eye(4), np.ones(4), -np.ones(4)]), np.array([0.0] * 4 + [1.0, -1.0])
            ),
            cls(
                np.vstack([corners, axes]),
                np.append(np.abs(corners).sum(axis=1) * 0.3, np.full(10, 1.5)),
            ),
        ]

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.a.shape[1])

    @property
    def flat(self) -> int:
        """The dimension minus the number of independent equations among the constraints."""
        return self.dimension - len(self.normals)

    @property
    def inner(self) -> float:
        """The radius of a largest ball of the hull in the polytope."""
        return max(self._ball()[1], 0.0) if self.flat else 0.0

    @property
    def outer(self) -> float:
        """An upper bound: the distance from the centre to the bounding box's farthest corner."""
        return Box(*(ends - self.centre() for ends in self._around())).largest(2)

    @property
    def complexity(self) -> float:
        """ϑ of R(x) = -Σ ln(b - a x): the number of constraints that are not equations."""
        return float(np.sum(self._loose()))

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write a corner that minimises <direction, x>; NaN in a direction counts as 0."""
        point[:] = _minimiser(self.a, self.b, scale_to_one(direction))

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one; NaN counts as 0, entries above 1e100 as infinite.

        The first result has an error of about 1e-16 times the distance, and may be outside the set.
        Projecting it again moves it back, and not away from the nearest point.
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

    def tangent(self, vector: Floats) -> None:
        """Subtract the part orthogonal to the hull."""
        remove_normals(vector, self.normals)

    def gauge(self, point: Floats) -> float:
        """Return how far the point is from the centre to the nearest constraint, as a share."""
        centre, loose = self.centre(), self._loose()
        gone = self.a[loose] @ (point - centre) / (self.b - self.a @ centre)[loose]
        return float(gone.max(initial=0.0))

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser, by Newton's method from the given point, or else from the centre.

        The given point must be inside the set. NaN counts as 0, and infinite sums outweigh all
        others. Slopes are limited so that slacks are accurate to 8 digits.
        """
        loose = self._loose()
        slack = self.b - self.a @ point
        if not (np.all(slack[loose] > 0.0) and np.all(np.abs(slack[~loose]) <= self._room())):
            point[:] = self.centre()
        if self.flat:
            direction = scale_to_one(sums)
            largest = float(np.nan_to_num(np.abs(sums), nan=0.0).max())
            steepest = STEEPEST / (float(np.abs(self.b).max()) or 1.0)
            slope = min(rate * largest, steepest) * direction
            follow_leader(self.a[loose], self.b[loose], null_space(self.normals), slope, point)

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻ᵀ u for C = R⁻¹; Q R are the constraints divided by their slacks."""
        loose, basis = self._loose(), null_space(self.normals)
        factor = hessian_factor(self.a[loose] @ basis.T, self.b[loose] - self.a[loose] @ point)
        step[:] = basis.T @ np.linalg.solve(factor, basis @ direction)
        slope[:] = basis.T @ (factor.T @ (basis @ direction))

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether all constraints hold within a distance of the tolerance."""
        return point.size == self.dimension and bool(np.all(self.a @ point <= self.b + tolerance))

    def support(self, direction: Floats) -> float:
        """Return the largest <direction, x>, at the corner that the solver finds."""
        return float(direction @ _minimiser(self.a, self.b, -direction))

    def diameter(self, norm: float) -> float:
        """Return the largest distance between two points, or an upper bound on it.

        In the maximum norm it is exact: the longest side of the bounding box. In the 1-norm it is
        exact up to 8 dimensions, from the widths along all vectors of signs; above, it is the sum
        of the sides. In the 2-norm it is the smaller of two bounds: the diagonal of the bounding
        box, and, as |x|₂² ≤ |x|₁ |x|∞, the square root of the product of the other two diameters.
        """
        check_norm(norm)
        box = self._around()
        if norm == math.inf:
            return box.diameter(math.inf) * (1.0 + OUTWARDS)
        l1 = box.diameter(1)
        if self.dimension <= FEW:
            room = 2.0 * self.dimension * self._room()
            l1 = room + max(
                self.support(signs) + self.support(-signs) for signs in _signs(self.dimension)
            )
        return (
            l1 if norm == 1 else min(box.diameter(2), math.sqrt(l1 * box.diameter(math.inf)))
        ) * (1.0 + OUTWARDS)

    def largest(self, norm: float) -> float:
        """Return the largest norm of a point, or an upper bound; exact where the diameter is."""
        check_norm(norm)
        box = self._around()
        if norm == math.inf:
            return box.largest(math.inf) * (1.0 + OUTWARDS)
        l1 = box.largest(1)
        if self.dimension <= FEW:
            room = self.dimension * self._room()
            l1 = room + max(
                max(self.support(signs), self.support(-signs)) for signs in _signs(self.dimension)
            )
        return (l1 if norm == 1 else min(box.largest(2), math.sqrt(l1 * box.largest(math.inf)))) * (
            1.0 + OUTWARDS
        )

    def centre(self) -> Floats:
        """Return the Chebyshev centre: that of a largest ball of the hull in the polytope."""
        return self._ball()[0]

    def plan(self) -> ExplorationPlan:
        """Return corners in random directions, which span the same space as the polytope."""
        return plan_by_oracle(self.minimise_linear, self.dimension)

    def label(self, point: Floats) -> str:
        """Return the coordinates of a corner."""
        return name_corner(point)

    def bounding_box(self) -> Box:
        """Return the smallest box around the polytope."""
        axes = np.eye(self.dimension)
        corners = [[-self.support(-axis) for axis in axes], [self.support(axis) for axis in axes]]
        return Box(*np.array(corners))

    def _ball(self) -> tuple[Floats, float]:
        """Return the centre and the radius of a largest ball of the hull in the polytope."""
        return chebyshev_ball(self.a, self.b, self.a - self.a @ self.normals.T @ self.normals)

    def _loose(self) -> NDArray[np.bool_]:
        """Return which constraints are not equations: their rows are not orthogonal to the hull."""
        return np.asarray(
            np.linalg.norm(self.a - self.a @ self.normals.T @ self.normals, axis=1) > 1e-9
        )

    def _room(self) -> float:
        """Return an upper bound on the error of a computed corner, which is relative to b."""
        return OUTWARDS * float(np.abs(self.b).max())

    def _around(self) -> Box:
        """Return a box that contains the polytope and all projected points, despite rounding."""
        low, high = self.bounding_box()
        return Box(low - self._room(), high + self._room())


def chebyshev_ball(a: Floats, b: Floats, within: Floats) -> tuple[Floats, float]:
    """Return the centre and the radius of a largest ball in {a x ≤ b}, or refuse an empty set.

    ``within`` has the rows of a, projected onto the subspace of the ball.
    """
    rows = np.column_stack([a, np.linalg.norm(within, axis=1)])
    found = _minimiser(rows, b, np.append(np.zeros(a.shape[1]), -1.0))
    if found[-1] < -10.0 * TOLERANCE * (float(np.abs(b).max()) or 1.0):
        raise DiscreetError("a and b describe an empty set, but some x must satisfy a x ≤ b.")
    return found[:-1].copy(), float(found[-1])


def _normals(a: Floats, b: Floats) -> Floats:
    """Return orthonormal rows that span the constraints that hold with equality everywhere."""
    room = OUTWARDS * (float(np.abs(b).max()) or 1.0)
    tight = np.array([bool(b[i] - a[i] @ _minimiser(a, b, a[i]) <= room) for i in range(b.size)])
    if not tight.any():
        return np.zeros((0, a.shape[1]))
    return null_space(null_space(a[tight]))


def _minimiser(a: Floats, b: Floats, cost: Floats) -> Floats:
    """Return a corner of minimum cost of a nonempty set {a x ≤ b}."""
    from scipy.optimize import linprog

    size, steepness = (float(np.abs(numbers).max()) or 1.0 for numbers in (b, cost))
    found = linprog(
        cost / steepness,
        A_ub=a,
        b_ub=b / size,
        bounds=(None, None),
        method="highs-ds",
        options={
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        },
    )
    if found.status != 0:
        raise DiscreetError("a x ≤ b describes a set that is unbounded, but it must be bounded.")
    return np.asarray(found.x * size, dtype=np.float64)


def _least_move(a: Floats, excess: Floats) -> Floats:
    """Return the shortest z with a z ≤ -excess (least distance programming).

    Lawson and Hanson: let w ≥ 0 minimise |E w - e| for E = [-a, excess]' and the last unit vector
    e. Then z is the residual without its last entry, divided by minus that entry. This is accurate
    if |z| is about 1, so the problem is scaled by the largest excess, a lower bound on |z|, and by
    |z| if that is much longer. What matters is which constraints have w > 0: z is the shortest
    vector that satisfies them with equality.
    """
    from scipy.optimize import nnls

    last = np.append(np.zeros(a.shape[1]), 1.0)
    scale = float(excess.max())
    for _ in range(3):
        system = np.vstack([-a.T, excess / scale])
        try:
            multipliers, _ = nnls(system, last, maxiter=100 * a.size)
        except RuntimeError:
            raise DiscreetError(
                "the nearest point of the polytope was not found: a and b are ill-conditioned."
            ) from None
        residual = system @ multipliers - last
        move = -residual[:-1] / residual[-1] * scale
        if np.linalg.norm(move) <= 10.0 * scale:
            break
        scale = float(np.linalg.norm(move))
    active = multipliers > 0.0
    exact = np.linalg.lstsq(a[active], -excess[active], rcond=None)[0]
    return np.asarray(
        min(exact, move, key=lambda z: max(float((a @ z + excess).max()), 1e-13 * scale))
    )


def _signs(dimension: int) -> list[Floats]:
    """Return all vectors of signs, but only one of each opposite pair."""
    return [np.array([1.0, *rest]) for rest in itertools.product((1.0, -1.0), repeat=dimension - 1)]
