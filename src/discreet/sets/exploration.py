"""Plans for exploring a set by its vertices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats

MOST = 1024  # vertices of a plan that lists all of them
SPAN = 1e-9  # singular values below that part of the largest one count as 0


class Plan(NamedTuple):
    """Vertices x, the rows, and the probabilities with which they are explored.

    With M = E x xᵀ and W = M⁻¹ on the span of the vertices, E W x <ℓ, x> is ℓ, up to what no vertex
    can tell.

    >>> plan = uniform_plan([[1.0, 0.0], [0.0, 1.0]])
    >>> plan.moments().tolist(), plan.longest()
    ([[0.5, 0.0], [0.0, 0.5]], 2.0)
    """

    vertices: Floats
    weights: Floats

    def moments(self) -> Floats:
        """Return M = E x xᵀ."""
        return np.asarray(self.vertices.T @ (self.vertices * self.weights[:, None]))

    def estimators(self) -> Floats:
        """Return the row W x for every vertex x."""
        return np.asarray(
            self.vertices @ np.linalg.pinv(self.moments(), rcond=SPAN, hermitian=True)
        )

    def longest(self) -> float:
        """Return the largest length of a row W x."""
        return float(np.linalg.norm(self.estimators(), axis=1).max())


def uniform_plan(vertices: ArrayLike) -> Plan:
    """Return the plan that explores all of these alike."""
    rows = np.array(vertices, dtype=np.float64)
    return Plan(rows, np.full(len(rows), 1.0 / len(rows)))


def plan_by_oracle(minimise_linear: Callable[[Floats, Floats], None], dimension: int) -> Plan:
    """Return a plan of vertices that the oracle answers random directions with, the same ones every time.

    Directions come in opposite pairs, twice as many pairs as there are dimensions at a time, until
    the last of them have added nothing to the span of the vertices.
    """
    rng = np.random.default_rng(1)
    found: dict[bytes, Floats] = {}
    rank = 0
    while True:
        for _ in range(2 * dimension + 8):
            direction = rng.normal(size=dimension)
            for way in (direction, -direction):
                vertex = np.empty(dimension)
                minimise_linear(way, vertex)
                found.setdefault(vertex.tobytes(), vertex)
        rows = np.array(list(found.values()))
        before, rank = rank, span_rank(rows)
        if rank == before:
            return uniform_plan(rows)


def span_rank(rows: Floats) -> int:
    """Return the dimension of the linear span of some rows."""
    values = np.linalg.svd(rows, compute_uv=False)
    return int(np.sum(values > SPAN * max(float(values[0]), 1e-300)))


def hull_normals(points: Floats) -> Floats:
    """Return orthonormal rows that span what is orthogonal to the affine hull of some points.

    >>> hull_normals(np.eye(2)).round(3).tolist()
    [[0.707, 0.707]]
    """
    _, values, rows = np.linalg.svd(points - points.mean(axis=0))
    rank = int(np.sum(values > SPAN * max(float(np.abs(points).max()), 1e-300)))
    normals = np.ascontiguousarray(rows[rank:])
    return normals * np.where(normals.sum(axis=1) < 0.0, -1.0, 1.0)[:, None]


def null_space(rows: Floats) -> Floats:
    """Return orthonormal rows that span what is orthogonal to all of these rows."""
    _, values, basis = np.linalg.svd(rows)
    return np.ascontiguousarray(basis[int(np.sum(values > SPAN)) :])


def corner_of(point: Floats) -> str:
    """Return a corner in words: its coordinates.

    >>> corner_of(np.array([-0.0, 1.5]))
    'corner (0, 1.5)'
    """
    return f"corner ({', '.join(f'{entry:.6g}' for entry in point + 0.0)})"


def first_few(vertices: Iterable[Floats], most: int = MOST) -> list[Floats] | None:
    """Return all of these vertices if they are at most that many, else None."""
    listed = []
    for vertex in vertices:
        listed.append(vertex)
        if len(listed) > most:
            return None
    return listed
