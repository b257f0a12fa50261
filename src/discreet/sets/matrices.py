"""Sets of matrices: assignments, and those given by singular values or eigenvalues."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import check_int, check_range
from discreet.sets.balls import L1Ball
from discreet.sets.contract import Barrier, Gauged, LinearOracle, Projecting
from discreet.sets.matrix_barriers import (
    least_trace_leader,
    nuclear_inverse_hessian,
    nuclear_leader,
    trace_dikin,
)
from discreet.sets.simplex import Simplex
from discreet.sets.vectors import LARGEST, STEEPEST, scale_to_one
from discreet.sets.vertices import MOST, ExplorationPlan, Selections, plan_by_oracle, uniform_plan


class Birkhoff(Selections, Gauged):
    """Doubly stochastic matrices, row by row: the convex hull of all assignments; not compiled.

    >>> teams = Birkhoff(3)
    >>> point = np.zeros(9)
    >>> teams.minimise_linear(np.array([0.5, 0.9, 0.2, 0.2, 0.1, 0.9, 0.0, 0.5, 0.7]), point)
    >>> teams.label(point)
    'worker 0 does job 2, worker 1 does job 1, worker 2 does job 0'
    """

    compiles = False

    workers: int

    def __new__(cls, workers: int) -> Self:
        """Return the assignments of as many jobs as workers."""
        return cls._make((check_int("workers", workers, minimum=2, maximum=3000),))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(2), cls(3), cls(4)]

    @property
    def dimension(self) -> int:
        """The number of pairs of a worker and a job."""
        return self.workers * self.workers

    @property
    def flat(self) -> int:
        """The dimension of matrices whose rows and columns sum to 0."""
        return (self.workers - 1) ** 2

    @property
    def inner(self) -> float:
        """The distance from the centre to x(i) = 0: 1/n over 1 - 1/n, for n workers."""
        return 1.0 / (self.workers - 1)

    def centre(self) -> Floats:
        """Return the matrix with all entries equal."""
        return np.full(self.dimension, 1.0 / self.workers)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write an assignment with the minimum sum of entries."""
        workers, jobs = _solver()(scale_to_one(direction).reshape(self.workers, self.workers))
        point[:] = 0.0
        point[workers * self.workers + jobs] = 1.0

    def tangent(self, vector: Floats) -> None:
        """Subtract the means of rows and of columns."""
        matrix = vector.reshape(self.workers, self.workers)
        matrix -= np.add.reduce(matrix, axis=1, keepdims=True) / self.workers
        matrix -= np.add.reduce(matrix, axis=0) / self.workers

    def gauge(self, point: Floats) -> float:
        """Return 1 - n times the smallest entry, for n workers; the entry is 0 on the boundary."""
        return max(1.0 - self.workers * float(point.min()), 0.0)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether entries are at least 0 and rows and columns sum to 1, within tolerance."""
        if point.size != self.dimension or not np.all(point >= -tolerance):
            return False
        matrix = point.reshape(self.workers, self.workers)
        return bool(
            np.all(np.abs(np.append(matrix.sum(axis=0), matrix.sum(axis=1)) - 1.0) <= tolerance)
        )

    def plan(self) -> ExplorationPlan:
        """Return all assignments, or random ones if there are more than 1024."""
        if math.factorial(self.workers) > MOST:
            return _random_plan(self.workers)
        return uniform_plan(
            [
                np.eye(self.workers)[list(jobs)].ravel()
                for jobs in itertools.permutations(range(self.workers))
            ]
        )

    def label(self, point: Floats) -> str:
        """Return who does what."""
        jobs = np.argmax(point.reshape(self.workers, self.workers), axis=1)
        return ", ".join(f"worker {worker} does job {job}" for worker, job in enumerate(jobs))


@functools.cache
def _solver() -> Callable[[Floats], tuple[Integers, Integers]]:
    """Return SciPy's solver, imported when first needed and cached."""
    from scipy.optimize import linear_sum_assignment

    found: Callable[[Floats], tuple[Integers, Integers]] = linear_sum_assignment
    return found


@functools.lru_cache(maxsize=4)
def _random_plan(workers: int) -> ExplorationPlan:
    """Return a plan of random assignments; cached, because it takes a while to find."""
    return plan_by_oracle(Birkhoff(workers).minimise_linear, workers * workers)


class NuclearBall(Projecting, Gauged, Barrier):
    """Matrices, row by row, whose singular values sum to at most the radius; not compiled.

    >>> point = np.zeros(4)
    >>> NuclearBall(2, 2, 1.0).minimise_linear(np.array([3.0, 0.0, 0.0, 1.0]), point)
    >>> (point + 0.0).tolist()
    [-1.0, 0.0, 0.0, 0.0]
    """

    compiles = False

    rows: int
    columns: int
    radius: float

    def __new__(cls, rows: int, columns: int, radius: float) -> Self:
        """Return the ball of that radius around 0."""
        return cls._make(
            (
                check_int("rows", rows, minimum=1, maximum=10_000),
                check_int("columns", columns, minimum=1, maximum=10_000),
                check_range("radius", radius, 1e-100, 1e100),
            )
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(2, 2, 1.0), cls(4, 3, 2.5), cls(1, 3, 0.5)]

    @property
    def dimension(self) -> int:
        """The number of entries."""
        return self.rows * self.columns

    @property
    def flat(self) -> int:
        """All dimensions."""
        return self.dimension

    @property
    def inner(self) -> float:
        """The length of a matrix with equal singular values of sum ``radius``."""
        return self.radius / math.sqrt(min(self.rows, self.columns))

    @property
    def outer(self) -> float:
        """The radius, the length of a matrix of rank 1."""
        return self.radius

    @property
    def complexity(self) -> float:
        """ϑ of R (``matrix_barriers``): one for each row and column, and one for the norm."""
        return float(self.rows + self.columns + 1)

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser, which has the singular vectors of the sums; NaN counts as 0."""
        matrix = _tamed(sums, rate).reshape(self.rows, self.columns)
        point[:] = nuclear_leader(matrix, 1.0, self.radius).ravel()

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write C u and C⁻¹ u for C = H⁻¹ᐟ²."""
        inverse = nuclear_inverse_hessian(point.reshape(self.rows, self.columns), self.radius)
        values, vectors = np.linalg.eigh(0.5 * inverse + 0.5 * inverse.T)
        roots = np.sqrt(np.maximum(values, 1e-30 * self.radius**2))
        across = vectors.T @ direction
        step[:], slope[:] = vectors @ (roots * across), vectors @ (across / roots)

    def centre(self) -> Floats:
        """Return the matrix of zeros."""
        return np.zeros(self.dimension)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write minus the radius times the product of the first pair of singular vectors."""
        left, _, right = np.linalg.svd(
            scale_to_one(direction).reshape(self.rows, self.columns), full_matrices=False
        )
        point[:] = -self.radius * np.outer(left[:, 0], right[0]).ravel()

    def tangent(self, vector: Floats) -> None:
        """Change nothing: the hull is the whole space."""

    def gauge(self, point: Floats) -> float:
        """Return the sum of the singular values, divided by the radius."""
        return self._total(point) / self.radius

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the sum of singular values exceeds the radius by at most the tolerance."""
        if point.size != self.dimension or not np.all(np.abs(point) <= LARGEST):
            return False
        return self._total(point) <= self.radius + tolerance

    def project(self, point: Floats) -> None:
        """Replace the matrix by the one with the nearest singular values; NaN counts as 0."""
        if tame(self, point):
            left, values, right = np.linalg.svd(
                point.reshape(self.rows, self.columns), full_matrices=False
            )
            if values.sum() > self.radius:
                L1Ball(values.size, self.radius).project(values)
                point[:] = (left * values @ right).ravel()

    def _total(self, point: Floats) -> float:
        return float(np.linalg.svd(point.reshape(self.rows, self.columns), compute_uv=False).sum())


class Spectrahedron(Projecting, Gauged, Barrier):
    """Positive semidefinite matrices of trace 1, row by row; not compiled.

    They are the convex hull of all v vᵀ with |v| = 1.

    >>> point = np.zeros(4)
    >>> Spectrahedron(2).minimise_linear(np.array([3.0, 0.0, 0.0, 1.0]), point)
    >>> point.tolist()
    [0.0, 0.0, 0.0, 1.0]
    """

    compiles = False

    side: int

    def __new__(cls, side: int) -> Self:
        """Return the matrices with that many rows and columns."""
        return cls._make((check_int("side", side, minimum=2, maximum=10_000),))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls(2), cls(4)]

    @property
    def dimension(self) -> int:
        """The number of entries."""
        return self.side * self.side

    @property
    def flat(self) -> int:
        """The dimension of symmetric matrices with trace 0."""
        return self.side * (self.side + 1) // 2 - 1

    @property
    def inner(self) -> float:
        """The distance from the centre to matrices with an eigenvalue 0, as in the simplex."""
        return 1.0 / math.sqrt(self.side * (self.side - 1))

    @property
    def outer(self) -> float:
        """The distance from the centre to a matrix of rank 1, as in the simplex."""
        return math.sqrt(1.0 - 1.0 / self.side)

    @property
    def complexity(self) -> float:
        """ϑ of R(X) = -ln det X, which is n - 1 on the hull, as for the simplex."""
        return float(self.side - 1)

    def leader(self, sums: Floats, rate: float, point: Floats) -> None:
        """Write the minimiser: the eigenvalues are those of a simplex; NaN counts as 0."""
        matrix = _tamed(sums, rate).reshape(self.side, self.side)
        point[:] = least_trace_leader(0.5 * matrix + 0.5 * matrix.T, 1.0).ravel()

    def dikin(self, point: Floats, direction: Floats, step: Floats, slope: Floats) -> None:
        """Write the step and its slope."""
        matrix = point.reshape(self.side, self.side)
        found = trace_dikin(0.5 * matrix + 0.5 * matrix.T, direction.reshape(matrix.shape))
        step[:], slope[:] = found[0].ravel(), found[1].ravel()

    def centre(self) -> Floats:
        """Return the unit matrix divided by its trace."""
        return np.asarray(np.eye(self.side).ravel() / self.side)

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write v vᵀ for a unit eigenvector v of the smallest eigenvalue of the symmetric part."""
        matrix = scale_to_one(direction).reshape(self.side, self.side)
        vector = np.linalg.eigh(0.5 * matrix + 0.5 * matrix.T)[1][:, 0]
        point[:] = np.outer(vector, vector).ravel()

    def tangent(self, vector: Floats) -> None:
        """Take the symmetric part, and make its trace 0."""
        matrix = vector.reshape(self.side, self.side)
        matrix[:] = 0.5 * matrix + 0.5 * matrix.T
        matrix[np.diag_indices(self.side)] -= np.trace(matrix) / self.side

    def gauge(self, point: Floats) -> float:
        """Return 1 - n times the smallest eigenvalue, which is 0 on the boundary; n is the side."""
        return max(1.0 - self.side * float(self._values(point)[0]), 0.0)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether eigenvalues, trace and symmetry are right within the tolerance."""
        if point.size != self.dimension or not np.all(np.abs(point) <= LARGEST):
            return False
        matrix = point.reshape(self.side, self.side)
        even = (
            np.abs(matrix - matrix.T).max() <= tolerance
            and abs(np.trace(matrix) - 1.0) <= tolerance
        )
        return bool(even and self._values(point)[0] >= -tolerance)

    def project(self, point: Floats) -> None:
        """Replace the matrix by the one with the nearest eigenvalues; NaN counts as 0."""
        if tame(self, point):
            matrix = point.reshape(self.side, self.side)
            values, vectors = np.linalg.eigh(0.5 * matrix + 0.5 * matrix.T)
            Simplex(self.side).project(values)
            point[:] = (vectors * values @ vectors.T).ravel()

    def _values(self, point: Floats) -> Floats:
        matrix = point.reshape(self.side, self.side)
        return np.asarray(np.linalg.eigvalsh(0.5 * matrix + 0.5 * matrix.T), dtype=np.float64)


def _tamed(sums: Floats, rate: float) -> Floats:
    """Return rate · sums with all entries finite and small enough for a decomposition."""
    largest = STEEPEST / max(rate, 1e-150)
    found = np.nan_to_num(sums, nan=0.0, posinf=largest, neginf=-largest)
    return np.asarray(rate * np.clip(found, -largest, largest))


def tame(points: LinearOracle, point: Floats) -> bool:
    """Replace NaN by 0, and return whether all entries are small enough for a decomposition.

    If not, the point becomes the farthest one in the direction of the huge entries, which outweigh
    all others.
    """
    point[np.isnan(point)] = 0.0
    huge = np.abs(point) > LARGEST
    if huge.any():
        points.minimise_linear(np.where(huge, -point, 0.0), point)
    return not huge.any()
