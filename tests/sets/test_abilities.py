"""What every set says about itself, against all of its vertices."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from vertex_lists import (
    ALL,
    FOUND,
    directions,
    every,
    every_gauged,
    every_polytope,
    every_projecting,
    every_with_vertices,
    is_round,
    least,
    over,
    tangent,
    unit_tangents,
    vertices_of,
)

from discreet.sets import GraphicMatroid, NuclearBall, Paths, Polytope, Spectrahedron, set_named


def test_sets_are_found():
    assert len(FOUND) == 15
    assert all(kind.examples() for kind in FOUND), "every set has examples"


# Oracles


@every_polytope
def test_no_vertex_has_a_lower_cost_than_what_the_oracle_answers(each):
    vertices = vertices_of(each)
    for direction in directions(
        each.dimension, 6 if isinstance(each, Polytope) else 60, np.random.default_rng(1)
    ):
        found = least(each, direction)
        assert np.abs(vertices - found).max(axis=1).min() < 1e-9, "it is a vertex"
        assert direction @ found == pytest.approx((vertices @ direction).min(), rel=1e-9, abs=1e-12)
        assert each.support(direction) == pytest.approx(
            (vertices @ direction).max(), rel=1e-9, abs=1e-12
        )
        assert np.array_equal(least(each, direction), found), "the same every time"


@over(each for each in ALL if is_round(each))
def test_oracles_of_round_sets_attain_the_dual_norm(each):
    for direction in directions(each.dimension, 30, np.random.default_rng(2)):
        if isinstance(each, NuclearBall):
            best = -each.radius * np.linalg.norm(direction.reshape(each.rows, each.columns), ord=2)
        elif isinstance(each, Spectrahedron):
            matrix = direction.reshape(each.side, each.side)
            best = np.linalg.eigvalsh((matrix + matrix.T) / 2.0)[0]
        else:
            best = -each.outer * np.linalg.norm(direction)
        found = least(each, direction)
        assert each.contains(found, 1e-12)
        assert direction @ found == pytest.approx(best, rel=1e-12, abs=1e-13)


@every
def test_whatever_is_asked_the_answer_is_in_the_set(each):
    for pattern in itertools.product([math.nan, math.inf, -math.inf, 1e300, 0.0], repeat=2):
        assert each.contains(least(each, np.resize(np.array(pattern), each.dimension)), 1e-9)


# Membership


@every_polytope
def test_mixtures_of_vertices_are_members_and_what_is_beyond_is_not(each):
    rng, vertices = np.random.default_rng(3), vertices_of(each)
    for weights in rng.dirichlet(np.full(len(vertices), 0.2), size=10):
        assert each.contains(weights @ vertices, 1e-9)
    for direction in rng.normal(size=(10, each.dimension)):
        beyond = least(each, -direction) + 1e-3 * direction / np.linalg.norm(direction)
        assert not each.contains(beyond, 1e-6)
    assert not each.contains(np.full(each.dimension, math.nan), 1.0)
    assert not each.contains(np.append(each.centre(), 0.0), 1.0)


# The hull


@every
def test_the_hull_has_the_dimension_that_is_stated(each):
    asked = directions(each.dimension, 40, np.random.default_rng(4))
    points = (
        np.array([least(each, direction) for direction in asked])
        if is_round(each)
        else vertices_of(each)
    )
    assert np.linalg.matrix_rank(points - points[0], tol=1e-9) == each.flat
    assert each.contains(each.centre(), 1e-9)
    assert tangent(each, points[-1] - points[0]) == pytest.approx(points[-1] - points[0], abs=1e-12)


@every
def test_tangent_is_the_projection_onto_the_directions_of_the_hull(each):
    rng = np.random.default_rng(5)
    matrix = np.array([tangent(each, axis) for axis in np.eye(each.dimension)])
    assert np.allclose(matrix, matrix.T, atol=1e-13)
    assert np.allclose(matrix @ matrix, matrix, atol=1e-13)
    assert np.trace(matrix) == pytest.approx(each.flat, abs=1e-9)
    vector = rng.normal(size=each.dimension)
    assert tangent(each, vector) == pytest.approx(matrix @ vector, abs=1e-12)


# Radii


def nearest_facet(points, centre):
    """Return the distance from the centre to the nearest facet of a convex hull, in its plane."""
    away = points - centre
    _, values, basis = np.linalg.svd(away)
    flat = away @ basis[: int(np.sum(values > 1e-9 * values[0]))].T
    if flat.shape[1] == 1:
        return min(flat.max(), -flat.min())
    return float(-ConvexHull(flat, qhull_options="QJ Pp").equations[:, -1].max())


@over(each for each in ALL if not is_round(each) and each.flat)
def test_the_inner_radius_is_the_distance_of_the_nearest_facet(each):
    assert each.inner == pytest.approx(nearest_facet(vertices_of(each), each.centre()), rel=1e-6)


@every_polytope
def test_no_vertex_is_farther_than_the_outer_radius(each):
    farthest = np.linalg.norm(vertices_of(each) - each.centre(), axis=1).max()
    assert farthest <= each.outer * (1.0 + 1e-12)
    if not isinstance(each, Polytope):  # known for a box around it only
        assert each.outer == pytest.approx(farthest, rel=1e-12)


@over(each for each in ALL if is_round(each))
def test_radii_of_round_sets_are_attained_and_not_exceeded(each):
    rng = np.random.default_rng(6)
    for direction in unit_tangents(each, 300, rng):
        assert each.contains(each.centre() + each.inner * direction, 1e-9)
        vertex = least(each, direction)
        assert np.linalg.norm(vertex - each.centre()) == pytest.approx(each.outer, rel=1e-9)
    if isinstance(each, NuclearBall):  # all singular values equal
        left, _, right = np.linalg.svd(
            direction.reshape(each.rows, each.columns), full_matrices=False
        )
        direction = (left @ right).ravel()
    else:
        direction = each.centre() - vertex
    direction = direction / np.linalg.norm(direction)
    assert not each.contains(each.centre() + 1.001 * each.inner * direction, 1e-6)


def test_golden_values_of_slates():
    slates = set_named("k-sets(10,3)")
    assert slates.flat == 9
    assert slates.inner == pytest.approx(0.316228, abs=5e-7)
    assert slates.outer == pytest.approx(1.449138, abs=5e-7)
    assert len(slates.plan().vertices) == 120
    assert slates.plan().longest() == pytest.approx(6.299408, abs=5e-7)


@pytest.mark.parametrize("nodes", [3, 5, 7])
def test_the_inner_radius_of_complete_graphs_is_that_of_all_sets_of_nodes(nodes):
    graph = GraphicMatroid.complete(nodes)
    assert graph.inner == pytest.approx(
        min(*graph._rooms_of_edges(), *graph._rooms_of_nodes()), rel=1e-9
    )


# Gauges


@every_gauged
def test_the_gauge_of_the_boundary_is_1_and_grows_in_proportion(each):
    centre = each.centre()
    assert each.gauge(centre) == pytest.approx(0.0, abs=1e-9)
    for direction in unit_tangents(each, 8, np.random.default_rng(7)):
        inside, outside = 0.0, 2.0 * each.outer
        while outside - inside > 1e-9:
            middle = 0.5 * (inside + outside)
            inside, outside = (
                (middle, outside)
                if each.contains(centre + middle * direction, 1e-12)
                else (inside, middle)
            )
        assert each.gauge(centre + inside * direction) == pytest.approx(1.0, abs=1e-7 / each.inner)
        assert each.gauge(centre + 2.5 * inside * direction) == pytest.approx(
            2.5, abs=1e-6 / each.inner
        )


# Nearest points; those of sets that know their sizes are tested beside them


def nearest(each, point):
    result = np.array(point, dtype=float)
    each.project(result)
    return result


@every_projecting
def test_projections_meet_the_variational_inequality(each):
    """p is nearest to y if and only if <y - p, z - p> ≤ 0 for all z of the set."""
    rng = np.random.default_rng(8)
    offered = rng.normal(size=(60, each.dimension)) * 10.0 ** rng.uniform(-2, 12, size=(60, 1))
    for y in np.vstack(
        [directions(each.dimension, 10, rng), offered, offered[:5] * 0.0 + each.centre()]
    ):
        p = nearest(each, y)
        assert each.contains(p, 1e-12 * each.outer)
        away = y - p
        reach = 1.0 + np.linalg.norm(away)
        assert each.support(away) - away @ p <= 1e-11 * reach * (1.0 + each.outer)
        assert np.allclose(nearest(each, p), p, rtol=0.0, atol=1e-12)


@every_projecting
def test_nothing_that_is_offered_leads_outside_of_the_set(each):
    for pattern in itertools.product([math.nan, math.inf, -math.inf, 1e300, -1e12, 0.0], repeat=2):
        assert each.contains(nearest(each, np.resize(np.array(pattern), each.dimension)), 1e-9)


# Plans and labels


@every_with_vertices
def test_a_plan_explores_whatever_the_set_spans(each):
    vertices, plan = vertices_of(each), each.plan()
    assert plan.weights.sum() == pytest.approx(1.0)
    assert np.all(plan.weights > 0.0)
    assert all(np.abs(vertices - row).max(axis=1).min() < 1e-9 for row in plan.vertices)
    assert np.linalg.matrix_rank(plan.moments(), tol=1e-9) == np.linalg.matrix_rank(
        vertices, tol=1e-9
    )
    losses = np.random.default_rng(9).normal(size=each.dimension)
    estimate = plan.weights * (plan.vertices @ losses) @ plan.estimators()
    assert vertices @ estimate == pytest.approx(vertices @ losses, abs=1e-9), (
        "estimates are right on average"
    )


@every_with_vertices
def test_labels_tell_vertices_apart(each):
    rows = each.plan().vertices
    labels = {each.label(row) for row in rows}
    parallel = isinstance(each, Paths) and each.dimension == 2  # both edges lead from a to b
    assert len(labels) == (1 if parallel else len(rows))


@pytest.mark.parametrize(
    "text", ["k-sets(14,5)", "permutations(8)", "partition(9,4,8,4)", "paths(6,4)"]
)
def test_plans_of_large_sets_span_the_same(text):
    each = set_named(text)
    plan = each.plan()
    assert np.linalg.matrix_rank(plan.moments(), tol=1e-9) == each.flat + 1, (
        "no hull of these contains the origin"
    )
    assert plan.longest() < 20.0 * each.dimension
