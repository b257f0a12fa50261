"""What every set says about itself, against all of its vertices, which are listed here in another way."""

from __future__ import annotations

import inspect
import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from discreet import DiscreetError, kernel, sets
from discreet.kernel.digest import fingerprint
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
    check_ability,
    check_room,
    set_named,
)

ABILITIES = {LinearOracle, Projecting, ConvexSet, Gauged, Barrier, Vertices}
FOUND = [kind for kind in vars(sets).values() if inspect.isclass(kind) and issubclass(kind, LinearOracle)]
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
every_projecting = over(each for each in ALL if isinstance(each, Projecting) and not isinstance(each, ConvexSet))
every_with_vertices = over(each for each in ALL if isinstance(each, Vertices))
every_compiled = over(max(kind.examples(), key=lambda each: each.dimension) for kind in FOUND if kind.compiles)


def binary(size, is_vertex):
    """Return all vectors of zeros and ones that pass a test."""
    return np.array([row for row in itertools.product((0.0, 1.0), repeat=size) if is_vertex(np.array(row))])


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
        return binary(n, lambda row: all(row[g].sum() == k for g, k in zip(groups, each.picks, strict=True)))
    if isinstance(each, GraphicMatroid):
        return binary(n, lambda row: is_tree(each, row))
    if isinstance(each, Birkhoff):
        return np.array([np.eye(each.workers)[list(p)].ravel() for p in itertools.permutations(range(each.workers))])
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
    vectors = np.array([tangent(each, vector) for vector in rng.normal(size=(count, each.dimension))])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_sets_are_found():
    assert len(FOUND) == 15
    assert all(kind.examples() for kind in FOUND), "every set has examples"


# Oracles


@every_polytope
def test_no_vertex_has_a_lower_cost_than_what_the_oracle_answers(each):
    vertices = vertices_of(each)
    for direction in directions(each.dimension, 6 if isinstance(each, Polytope) else 60, np.random.default_rng(1)):
        found = least(each, direction)
        assert np.abs(vertices - found).max(axis=1).min() < 1e-9, "it is a vertex"
        assert direction @ found == pytest.approx((vertices @ direction).min(), rel=1e-9, abs=1e-12)
        assert each.support(direction) == pytest.approx((vertices @ direction).max(), rel=1e-9, abs=1e-12)
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
    points = np.array([least(each, direction) for direction in asked]) if is_round(each) else vertices_of(each)
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
    """Return the distance from the centre to the nearest facet of the convex hull of some points, in their plane."""
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
        left, _, right = np.linalg.svd(direction.reshape(each.rows, each.columns), full_matrices=False)
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
    assert graph.inner == pytest.approx(min(*graph._rooms_of_edges(), *graph._rooms_of_nodes()), rel=1e-9)


# Gauges


@every_gauged
def test_the_gauge_of_the_boundary_is_1_and_grows_in_proportion(each):
    centre = each.centre()
    assert each.gauge(centre) == pytest.approx(0.0, abs=1e-9)
    for direction in unit_tangents(each, 8, np.random.default_rng(7)):
        inside, outside = 0.0, 2.0 * each.outer
        while outside - inside > 1e-9:
            middle = 0.5 * (inside + outside)
            inside, outside = (middle, outside) if each.contains(centre + middle * direction, 1e-12) else (inside, middle)
        assert each.gauge(centre + inside * direction) == pytest.approx(1.0, abs=1e-7 / each.inner)
        assert each.gauge(centre + 2.5 * inside * direction) == pytest.approx(2.5, abs=1e-6 / each.inner)


# Nearest points; those of sets that know their sizes are tested beside them


def nearest(each, point):
    result = np.array(point, dtype=float)
    each.project(result)
    return result


@every_projecting
def test_projections_meet_the_variational_inequality(each):
    """Point p of the set is nearest to y if and only if <y - p, z - p> ≤ 0 for all z of the set, so for the farthest."""
    rng = np.random.default_rng(8)
    offered = rng.normal(size=(60, each.dimension)) * 10.0 ** rng.uniform(-2, 12, size=(60, 1))
    for y in np.vstack([directions(each.dimension, 10, rng), offered, offered[:5] * 0.0 + each.centre()]):
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
    assert np.linalg.matrix_rank(plan.moments(), tol=1e-9) == np.linalg.matrix_rank(vertices, tol=1e-9)
    losses = np.random.default_rng(9).normal(size=each.dimension)
    estimate = plan.weights * (plan.vertices @ losses) @ plan.estimators()
    assert vertices @ estimate == pytest.approx(vertices @ losses, abs=1e-9), "estimates are right on average"


@every_with_vertices
def test_labels_tell_vertices_apart(each):
    rows = each.plan().vertices
    labels = {each.label(row) for row in rows}
    parallel = isinstance(each, Paths) and each.dimension == 2  # both edges lead from a to b
    assert len(labels) == (1 if parallel else len(rows))


@pytest.mark.parametrize("text", ["k-sets(14,5)", "permutations(8)", "partition(9,4,8,4)", "paths(6,4)"])
def test_plans_of_large_sets_span_the_same(text):
    each = set_named(text)
    plan = each.plan()
    assert np.linalg.matrix_rank(plan.moments(), tol=1e-9) == each.flat + 1, "no hull of these contains the origin"
    assert plan.longest() < 20.0 * each.dimension


# Both speeds


def ask(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        points.minimise_linear(vector, answers[row])


def flatten(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            answers[row, i] = offered[row, i]
        points.tangent(answers[row])


def measure(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        answers[row, 0] = points.gauge(vector)


def check(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        answers[row, 0] = 1.0 if points.contains(vector, 0.3) else 0.0


def put(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            answers[row, i] = offered[row, i]
        points.project(answers[row])


@pytest.mark.slow
@every_compiled
def test_compiled_and_plain_agree_and_allocate_nothing(each):
    rng = np.random.default_rng(10)
    finite = directions(each.dimension, 40, rng)
    odd = np.vstack([finite, rng.choice([math.nan, math.inf, -math.inf, 1e300, 0.3], size=(40, each.dimension))])
    uses = [(ask, odd), (flatten, finite)]
    if isinstance(each, Gauged):
        uses.append((measure, finite))
    if isinstance(each, Projecting) and not isinstance(each, ConvexSet):
        uses.append((put, odd))
    if not isinstance(each, GraphicMatroid):
        uses.append((check, np.vstack([odd, finite * 0.1])))
    assert kernel.compilable(each)
    for use, offered in uses:
        compiled = kernel.compile_for(use, each)
        plain, fast = np.zeros_like(offered), np.zeros_like(offered)
        use(kernel.copy(each), offered, np.zeros(each.dimension), plain)
        compiled(kernel.copy(each), offered, np.zeros(each.dimension), fast)
        assert np.array_equal(plain, fast)
        assert not compiled.must_allocate
        assert fingerprint(use, (each,), "") is not None, "compiled code is kept on disk"


def test_sets_with_an_oracle_in_python_say_that_they_are_not_compiled():
    plain = {kind for kind in FOUND if not kind.compiles}
    assert plain == {Polytope, BasePolytope, Birkhoff, NuclearBall, Spectrahedron, Custom}
    assert not any(kernel.compilable(kind.examples()[0]) for kind in plain)


@every
def test_copies_are_the_same_and_have_arrays_of_their_own(each):
    copies = [kernel.copy(each)]
    if not isinstance(each, Custom | BasePolytope) or "<lambda>" not in repr(each):
        copies.append(pickle.loads(pickle.dumps(each)))
    direction = np.random.default_rng(11).normal(size=each.dimension)
    for copy in copies:
        assert type(copy) is type(each)
        assert not any(one is other for one, other in zip(copy, each, strict=True) if isinstance(one, np.ndarray))
        assert np.array_equal(least(copy, direction), least(each, direction))
        assert np.array_equal(copy.centre(), each.centre())
        assert (copy.inner, copy.outer, copy.flat) == (each.inner, each.outer, each.flat)


# Abilities


@every
def test_abilities_are_said_in_words(each):
    assert each.abilities[0] == "a linear oracle"
    assert ("a projection" in each.abilities) == isinstance(each, Projecting)
    assert ("a barrier" in each.abilities) == isinstance(each, Barrier)
    assert ("vertices" in each.abilities) == isinstance(each, Vertices)


def test_what_a_set_lacks_is_refused():
    check_ability(Simplex(3), Barrier)
    with pytest.raises(DiscreetError, match=r"type KSets, which has a linear oracle, .*, but must have a barrier"):
        check_ability(KSets.of(3, 1), Barrier)
    check_room(KSets.of(3, 1), least=2)
    with pytest.raises(DiscreetError, match="type KSets has a hull of dimension 1, but must have at least 2"):
        check_room(KSets.of(2, 1), least=2)
    with pytest.raises(DiscreetError, match="type Box has a hull of dimension 0"):
        check_room(Box([1.0], [1.0]))
