"""Every set with an oracle, found by reflection, and all of its vertices, listed independently."""

from __future__ import annotations

import inspect
import itertools
import math

import numpy as np
import pytest

from discreet import sets
from discreet.sets import (
    Barrier,
    BasePolytope,
    Birkhoff,
    Box,
    ConvexSet,
    Custom,
    Gauged,
    GraphicMatroid,
    KSets,
    L1Ball,
    L2Ball,
    LinearOracle,
    NuclearBall,
    PartitionMatroid,
    Paths,
    Permutahedron,
    Polytope,
    Projecting,
    Simplex,
    Spectrahedron,
    Vertices,
)

ABILITIES = {LinearOracle, Projecting, ConvexSet, Gauged, Barrier, Vertices}
FOUND = [
    kind for kind in vars(sets).values() if inspect.isclass(kind) and issubclass(kind, LinearOracle)
]
FOUND = [kind for kind in FOUND if kind not in ABILITIES]
ALL = [each for kind in FOUND for each in kind.examples()]
ROUND = (L2Ball, NuclearBall, Spectrahedron)


def name(value):
    return f"{type(value).__name__}-{value.dimension}" if isinstance(value, tuple) else str(value)


def over(some):
    some = list(some)
    assert some
    return pytest.mark.parametrize("each", some, ids=name)


def is_round(each):
    return isinstance(each, ROUND) or (isinstance(each, Custom) and each.name == "sphere")


every = over(ALL)
every_polytope = over(each for each in ALL if not is_round(each))
every_gauged = over(each for each in ALL if isinstance(each, Gauged) and each.flat)
every_projecting = over(
    each for each in ALL if isinstance(each, Projecting) and not isinstance(each, ConvexSet)
)
every_with_vertices = over(each for each in ALL if isinstance(each, Vertices))
every_compiled = over(
    max(kind.examples(), key=lambda each: each.dimension) for kind in FOUND if kind.compiles
)


def binary(size, is_vertex):
    """Return all vectors of zeros and ones that pass a test."""
    return np.array(
        [row for row in itertools.product((0.0, 1.0), repeat=size) if is_vertex(np.array(row))]
    )


def balances(paths):
    """Return what leaves minus what enters each node, as a matrix on flows."""
    matrix = np.zeros((paths.costs.size, paths.dimension))
    for edge, (tail, head) in enumerate(zip(paths.tails, paths.heads, strict=True)):
        matrix[tail, edge] += 1.0
        matrix[head, edge] -= 1.0
    return matrix


def is_tree(graph, row):
    """Return whether as many edges as a tree has have independent rows in the incidence matrix."""
    incidence = np.zeros((graph.dimension, graph.parent.size))
    for edge, (tail, head) in enumerate(zip(graph.tails, graph.heads, strict=True)):
        incidence[edge, tail], incidence[edge, head] = 1.0, -1.0
    size = graph.parent.size - 1
    return row.sum() == size and np.linalg.matrix_rank(incidence[row > 0.5]) == size


def corners(polytope):
    """Return where as many constraints as there are dimensions hold with equality."""
    rows = np.array(list(itertools.combinations(range(polytope.b.size), polytope.dimension)))
    rows = rows[np.abs(np.linalg.det(polytope.a[rows])) > 1e-9]
    points = np.linalg.solve(polytope.a[rows], polytope.b[rows][..., None])[..., 0]
    return np.array([point for point in points if polytope.contains(point, 1e-9)])


def vertices_of(each):
    """Return all vertices, from the definition of the set."""
    n = each.dimension
    if isinstance(each, Simplex) or (isinstance(each, Custom) and each.name == "custom"):
        return np.eye(n)
    if isinstance(each, L1Ball):
        return np.vstack([np.eye(n), -np.eye(n)]) * each.radius
    if isinstance(each, Box):
        return np.array(list(itertools.product(*zip(each.low, each.high, strict=True))))
    if isinstance(each, Polytope):
        return corners(each)
    if isinstance(each, KSets):
        return binary(n, lambda row: row.sum() == each.values.sum())
    if isinstance(each, Permutahedron):
        return np.array(list(set(itertools.permutations(each.values.tolist()))))
    if isinstance(each, PartitionMatroid):
        groups = [each.component == group for group in range(each.picks.size)]
        return binary(
            n, lambda row: all(row[g].sum() == k for g, k in zip(groups, each.picks, strict=True))
        )
    if isinstance(each, GraphicMatroid):
        return binary(n, lambda row: is_tree(each, row))
    if isinstance(each, Birkhoff):
        return np.array(
            [
                np.eye(each.workers)[list(p)].ravel()
                for p in itertools.permutations(range(each.workers))
            ]
        )
    if isinstance(each, Paths):
        matrix, supply = balances(each), np.zeros(each.costs.size)
        supply[each.ends] = 1.0, -1.0
        return binary(n, lambda row: np.array_equal(matrix @ row, supply))
    assert isinstance(each, BasePolytope), "a new kind of set is listed here"
    rows = []
    for order in itertools.permutations(range(n)):
        values = [each.function(frozenset(order[:j])) for j in range(n + 1)]
        rows.append(np.diff(values)[np.argsort(order)])
    return np.array(rows)


def least(each, direction):
    point = np.full(each.dimension, math.nan)
    each.minimise_linear(np.asarray(direction, float), point)
    return point


def tangent(each, vector):
    result = np.array(vector, dtype=float)
    each.tangent(result)
    return result


def directions(dimension, count, rng):
    """Return zeros, axes, vectors with many ties, and random vectors of very different lengths."""
    ties = rng.integers(-1, 2, size=(count, dimension)).astype(float)
    random = rng.normal(size=(count, dimension)) * 10.0 ** rng.uniform(-3, 3, size=(count, 1))
    return np.vstack([np.zeros(dimension), np.eye(dimension), -np.eye(dimension), ties, random])


def unit_tangents(each, count, rng):
    vectors = np.array(
        [tangent(each, vector) for vector in rng.normal(size=(count, each.dimension))]
    )
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
