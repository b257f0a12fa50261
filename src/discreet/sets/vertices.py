"""Functions on vertices that sets share: exploration, names, and distances by the oracle."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.contracts import Floats
from discreet.sets.contract import LinearOracle, Vertices

MOST = 1024  # maximum number of vertices that a plan lists completely
SPAN = 1e-9  # singular values below this share of the largest count as 0


class ExplorationPlan(NamedTuple):
    """Vertices x, as rows, and the probabilities with which they are explored.

    With M = E x xᵀ and W = M⁻¹ on the span of the vertices, E W x <ℓ, x> is ℓ, up to a part
    orthogonal to all vertices.

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


def uniform_plan(vertices: ArrayLike) -> ExplorationPlan:
    """Return the plan that explores these vertices with equal probabilities."""
    rows = np.array(vertices, dtype=np.float64)
    return ExplorationPlan(rows, np.full(len(rows), 1.0 / len(rows)))


def plan_by_oracle(
    minimise_linear: Callable[[Floats, Floats], None], dimension: int
) -> ExplorationPlan:
    """Return a plan of the oracle's answers to random directions, which are always the same.

    Directions come in opposite pairs, in groups of 2 N + 8 pairs for N dimensions, until a group
    adds nothing to the span of the vertices.
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
    """Return orthonormal rows that span the complement of the affine hull of some points.

    >>> hull_normals(np.eye(2)).round(3).tolist()
    [[0.707, 0.707]]
    """
    _, values, rows = np.linalg.svd(points - points.mean(axis=0))
    rank = int(np.sum(values > SPAN * max(float(np.abs(points).max()), 1e-300)))
    normals = np.ascontiguousarray(rows[rank:])
    return normals * np.where(normals.sum(axis=1) < 0.0, -1.0, 1.0)[:, None]


def null_space(rows: Floats) -> Floats:
    """Return orthonormal rows that span the complement of these rows."""
    _, values, basis = np.linalg.svd(rows)
    return np.ascontiguousarray(basis[int(np.sum(values > SPAN)) :])


def name_corner(point: Floats) -> str:
    """Return a description of a corner: its coordinates.

    >>> name_corner(np.array([-0.0, 1.5]))
    'corner (0, 1.5)'
    """
    return f"corner ({', '.join(f'{entry:.6g}' for entry in point + 0.0)})"


def plan_by_list(
    vertices: Iterable[Floats],
    minimise_linear: Callable[[Floats, Floats], None],
    dimension: int,
) -> ExplorationPlan:
    """Return a plan of all these vertices, or one from the oracle if there are more than 1024."""
    listed = list(itertools.islice(vertices, MOST + 1))
    if len(listed) > MOST:
        return plan_by_oracle(minimise_linear, dimension)
    return uniform_plan(listed)


class Selections(Vertices):
    """The convex hull of some vectors of zeros and ones, which represent sets of elements."""

    @property
    def outer(self) -> float:
        """The largest distance of a vertex v from the centre c.

        |v - c|² = <v, 1 - 2 c> + |c|² is linear in v, as entries are 0 or 1.
        """
        centre = self.centre()
        return math.sqrt(self.support(1.0 - 2.0 * centre) + float(centre @ centre))


def name_items(point: Floats) -> str:
    """Return a description of the items of a selection.

    >>> name_items(np.array([0.0, 1.0, 1.0]))
    'items 1, 2'
    """
    chosen = np.flatnonzero(point > 0.5)
    return f"{'item' if chosen.size == 1 else 'items'} {', '.join(map(str, chosen)) or 'none'}"


def encode_names(names: list[str]) -> NDArray[np.uint32]:
    """Return names as rows of character codes: a compiled set holds numbers only."""
    return np.array(names, dtype=np.str_).view(np.uint32).reshape(len(names), -1).copy()


def decode_names(letters: NDArray[np.uint32]) -> list[str]:
    """Undo ``encode_names``.

    >>> decode_names(encode_names(["a", "bcd"]))
    ['a', 'bcd']
    """
    rows = np.ascontiguousarray(letters, dtype=np.uint32)
    return [str(name) for name in rows.view(f"U{rows.shape[1]}")[:, 0]]


STEPS = 10_000  # maximum steps of Wolfe's algorithm, which usually needs few


def distance(points: LinearOracle, point: Floats) -> float:
    """Return the distance from a point to the set, by Wolfe's algorithm; exact for polytopes.

    The nearest point so far is a convex combination of a few vertices. The oracle finds a vertex
    that improves it; vertices that the nearest point of their affine hull does not need are
    dropped.

    >>> from discreet.sets import Simplex
    >>> distance(Simplex(2), np.array([1.0, 1.0]))
    0.7071...
    """
    if not np.all(np.isfinite(point)):
        return float("inf")
    corral = np.array([_vertex(points, point) - point])
    weights = np.ones(1)
    for _ in range(STEPS):
        nearest = weights @ corral
        vertex = _vertex(points, nearest) - point
        size = float(max(np.abs(corral).max(), np.abs(vertex).max()))
        if nearest @ nearest - nearest @ vertex <= 1e-15 * size * size or np.any(
            np.all(corral == vertex, axis=1)
        ):
            break
        corral, weights = np.vstack([corral, vertex]), np.append(weights, 0.0)
        while True:
            target = _nearest_of_plane(corral)
            if np.all(target > 1e-14):
                weights = target
                break
            leaving = target <= 1e-14
            share = min(
                1.0,
                float(
                    np.min(
                        weights[leaving] / np.maximum(weights[leaving] - target[leaving], 1e-300)
                    )
                ),
            )
            weights = weights + share * (target - weights)
            weights[leaving & (weights <= 1e-14)] = 0.0
            weights[np.argmin(np.where(leaving, weights, np.inf))] = 0.0
            corral, weights = corral[weights > 0.0], weights[weights > 0.0] / weights.sum()
    return float(np.linalg.norm(weights @ corral))


def _vertex(points: LinearOracle, direction: Floats) -> Floats:
    vertex = np.empty(direction.size)
    points.minimise_linear(direction, vertex)
    return vertex


def _nearest_of_plane(corral: Floats) -> Floats:
    """Return weights, with sum 1, of the rows for the point of their affine hull nearest to 0."""
    first = corral[0]
    rest = np.linalg.lstsq((corral[1:] - first).T, -first, rcond=None)[0]
    return np.append(1.0 - rest.sum(), rest)
