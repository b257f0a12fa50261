"""Convex sets: nearest points, least points and sizes, against definitions, linear programmes and exact arithmetic."""

from __future__ import annotations

import inspect
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import linprog

from discreet import DiscreetError, kernel, sets
from discreet.kernel.digest import fingerprint
from discreet.sets import Box, ConvexSet, L1Ball, L2Ball, Polytope, Simplex, ball, simplex

NORMS = [1, 2, math.inf]


FOUND = [kind for kind in vars(sets).values() if inspect.isclass(kind) and issubclass(kind, ConvexSet)]
FOUND.remove(ConvexSet)
EXAMPLES = {kind: kind.examples() for kind in FOUND}  # all tests below that take `each` run on all of them
ALL = [each for kind in FOUND for each in EXAMPLES[kind]]
COMPILED = [each for each in ALL if not isinstance(each, Polytope)]
SHARP = [each for each in ALL if not isinstance(each, L2Ball)]


def name(value):
    return f"{type(value).__name__}-{value.dimension}" if isinstance(value, tuple) else str(value)


every = pytest.mark.parametrize("each", ALL, ids=name)
every_compiled = pytest.mark.parametrize("each", COMPILED, ids=name)


def rows_of(each):
    """Return (a, b) of the set as a polytope."""
    n = each.dimension
    axes = np.vstack([np.eye(n), -np.eye(n)])
    if isinstance(each, Polytope):
        return each.a, each.b
    if isinstance(each, Box):
        return axes, np.append(each.high, -each.low)
    if isinstance(each, L1Ball):
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=n)))
        return signs, np.full(len(signs), each.radius)
    return np.vstack([-np.eye(n), np.ones(n), -np.ones(n)]), np.array([0.0] * n + [1.0, -1.0])


def least(each, direction):
    point = np.full(each.dimension, math.nan)
    each.minimise_linear(np.asarray(direction, float), point)
    return point


def nearest(each, point):
    result = np.array(point, dtype=float)
    each.project(result)
    return result


def directions(dimension, count, rng):
    """Return the axes, vectors of signs, and random vectors of very different lengths."""
    signs = rng.choice([-1.0, 1.0], size=(count, dimension))
    random = rng.normal(size=(count, dimension)) * 10.0 ** rng.uniform(-3, 3, size=(count, 1))
    return np.vstack([np.eye(dimension), -np.eye(dimension), np.ones(dimension), signs, random])


def members(each, count, rng):
    """Return extreme points of the set, and random mixtures of them."""
    extreme = np.array([least(each, direction) for direction in directions(each.dimension, count, rng)])
    mixtures = rng.dirichlet(np.full(len(extreme), 0.1), size=count) @ extreme
    return np.vstack([extreme, mixtures, each.centre()])


def test_sets_are_found():
    assert len(FOUND) == 5
    assert all(EXAMPLES.values()), "every set has examples"


# Nearest points


@every
def test_projections_meet_the_variational_inequality(each):
    """Point p of the set is nearest to y if and only if <y - p, z - p> ≤ 0 for all z of the set."""
    rng = np.random.default_rng(1)
    inside = members(each, 10, rng)
    for y in np.vstack([directions(each.dimension, 15, rng), inside[:3] * 1.001]):
        p = nearest(each, y)
        assert each.contains(p, 1e-12)
        assert np.max((inside - p) @ (y - p)) <= 1e-11 * (1.0 + np.linalg.norm(y - p))
        assert np.allclose(nearest(each, p), p, rtol=0.0, atol=1e-14 * (1.0 + np.abs(p).max())), "again changes nothing"


@every
def test_points_of_the_set_stay(each):
    for point in members(each, 10, np.random.default_rng(2)):
        assert np.allclose(nearest(each, point), point, rtol=0.0, atol=1e-13)


@every
def test_projections_bring_no_two_points_apart(each):
    rng = np.random.default_rng(3)
    for one in directions(each.dimension, 10, rng):
        other = one + rng.normal(size=each.dimension) * 10.0 ** rng.uniform(-6, 1)
        moved = np.linalg.norm(nearest(each, one) - nearest(each, other))
        assert moved <= np.linalg.norm(one - other) * (1.0 + 1e-9) + 1e-12


@every
def test_nothing_that_is_offered_leads_outside_of_the_set(each):
    values = [math.nan, math.inf, -math.inf, 1e300, -1e12, 0.0]
    for pattern in itertools.product(values, repeat=min(each.dimension, 2)):
        offered = np.resize(np.array(pattern), each.dimension)
        assert each.contains(nearest(each, offered), 1e-9)
        assert each.contains(least(each, offered), 1e-9)


@pytest.mark.parametrize(
    ("each", "offered", "expected"),
    [
        (Simplex(3), [math.nan, 0.2, 0.4], [0.0, 0.4, 0.6]),
        (Simplex(3), [math.inf, 1e300, math.inf], [0.5, 0.0, 0.5]),
        (Simplex(2), [math.nan, -math.inf], [0.5, 0.5]),
        (L1Ball(3, 1.0), [math.nan, 0.5, -0.5], [0.0, 0.5, -0.5]),
        (L1Ball(3, 1.0), [-math.inf, 5.0, math.inf], [-0.5, 0.0, 0.5]),
        (L2Ball(2, 1.0), [math.nan, 0.5], [0.0, 0.5]),
        (L2Ball(2, 5.0), [3e200, -4e200], [3.0, -4.0]),
        (L2Ball(2, 1.0), [-math.inf, 5.0], [-1.0, 0.0]),
        (Box([0.0, 0.0], [1.0, 1.0]), [math.nan, math.inf], [0.0, 1.0]),
        (EXAMPLES[Polytope][1], [math.nan, 5.0], [0.0, 1.0]),
        (EXAMPLES[Polytope][1], [7.0, math.inf], [0.0, 1.0]),
    ],
)
def test_what_is_not_a_number_has_a_place(each, offered, expected):
    assert nearest(each, offered) == pytest.approx(expected, abs=1e-12)


def exact_simplex_projection(values, mass):
    """Compute the projection onto {x ≥ 0, sum x = mass} in fractions, by sorting."""
    exact = [Fraction(v) for v in values]
    total, level = Fraction(0), Fraction(0)
    for count, value in enumerate(sorted(exact, reverse=True), start=1):
        total += value
        if value > (total - Fraction(mass)) / count:
            level = (total - Fraction(mass)) / count
    return [float(max(value - level, Fraction(0))) for value in exact]


awkward = some.one_of(
    some.floats(-2.0, 2.0),
    some.floats(-1e12, 1e12),
    some.sampled_from([1e12, 1e12 + 0.25, 1e12 - 1e-4, 1e-12, -1e-12, 1.0, 1.0 + 1e-12, 0.0, -1e300, 1e300]),
)


@pytest.mark.slow
@given(some.lists(awkward, min_size=1, max_size=12), some.sampled_from([1e-6, 1.0, 1e6]))
def test_simplex_and_1_ball_agree_with_exact_arithmetic(values, radius):
    expected = exact_simplex_projection(values, 1.0)
    assert nearest(Simplex(len(values)), values) == pytest.approx(expected, abs=4e-16 * len(values), rel=0.0)
    sizes = [abs(value) for value in values]
    inside = sum(map(Fraction, sizes)) <= Fraction(radius)
    expected = np.copysign(sizes if inside else exact_simplex_projection(sizes, radius), values)
    found = nearest(L1Ball(len(values), radius), values)
    assert found == pytest.approx(expected, abs=4e-16 * len(values) * radius, rel=0.0)


def project_each(convex_set, points):
    for row in range(points.shape[0]):
        convex_set.project(points[row])


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1e-12, 1e-5, 1.0, 1e5, 1e12])
def test_large_simplices_are_projected_onto_precisely(spread):
    size, rng = 100_000, np.random.default_rng(4)
    points = np.vstack([rng.normal(size=size), rng.pareto(0.5, size=size), 2.0 ** -rng.uniform(0, 60, size)]) * spread
    points = np.vstack([points, np.append(np.full(size - 1, -1.0 + 1e-6), 0.0) * spread, points[0] + 1e12])
    found = points.copy()
    kernel.compile_for(project_each, Simplex(size))(Simplex(size), found)
    for before, after in zip(points, found, strict=True):
        heights = -np.sort(before.max() - before)
        sums = np.cumsum(heights.astype(np.longdouble))
        counts = np.arange(1, size + 1)
        last = np.flatnonzero(heights * counts > sums - 1.0)[-1]
        level = float((sums[last] - 1.0) / counts[last])
        assert np.allclose(after, np.maximum(before - before.max() - level, 0.0), rtol=0.0, atol=1e-15)
        assert abs(math.fsum(after) - 1.0) < 1e-11
        assert Simplex(size).contains(after, 1e-10)


@pytest.mark.parametrize("size", [10, 1000, 20_000])
def test_few_passes_are_enough(size, monkeypatch):
    """Also for points from which Michelot's method removes few entries at a time."""
    heights, original = [], simplex.height
    monkeypatch.setattr(simplex, "height", lambda *arguments: heights.append(1) or original(*arguments))
    ranks, rng = np.arange(1.0, size + 1), np.random.default_rng(6)
    hard = [-1.0 / ranks, -(2.0 ** -(ranks % 40)), -(size ** -(ranks % 9)), 1.5 ** (ranks % 900), rng.pareto(0.2, size)]
    for point in hard:
        heights.clear()
        Simplex(size).project(point)
        assert len(heights) / size <= 2.0 * math.log2(size) + 3.0


WEDGE = Polytope([[1e-3, 1.0], [1e-3, -1.0], [-1.0, 0.0]], [0.0, 0.0, 1.0])


@given(some.floats(-0.9, 0.9), some.floats(0.0, 1e6), some.floats(0.0, 1e6))
def test_polytopes_are_projected_onto_from_afar(along, up, right):
    """Also where the nearest point, the tip of a wedge, is much farther away than any constraint."""
    point = np.array([right, along * up])
    found = nearest(WEDGE, point)
    corners = np.array([[0.0, 0.0], [-1.0, 1e-3], [-1.0, -1e-3]])
    assert WEDGE.contains(found, 1e-14)
    distance = 1.0 + np.linalg.norm(point - found)
    assert np.max((corners - found) @ (point - found)) / distance <= 1e-12 * distance, "the tip is 1000 times as sharp"


# Least points


@pytest.mark.slow
@pytest.mark.parametrize("each", SHARP, ids=name)
def test_no_point_has_a_lower_cost_than_the_least_one(each):
    a, b = rows_of(each)
    for direction in directions(each.dimension, 8, np.random.default_rng(7)):
        found = least(each, direction)
        best = linprog(direction, A_ub=a, b_ub=b, bounds=(None, None)).fun
        assert each.contains(found, 1e-12)
        assert direction @ found == pytest.approx(best, rel=1e-9, abs=1e-9 * np.abs(direction).max())


@pytest.mark.slow
@every
def test_support_is_the_largest_product(each):
    rng = np.random.default_rng(8)
    inside = members(each, 8, rng)
    for direction in directions(each.dimension, 6, rng):
        reach = each.support(direction)
        scale = 1e-11 * np.abs(direction).sum()
        assert isinstance(reach, float)
        assert reach == pytest.approx(direction @ least(each, -direction), abs=scale)
        assert np.max(inside @ direction) <= reach + scale


def test_in_a_2_ball_the_least_point_is_against_the_direction():
    each = L2Ball(3, 2.0)
    for scale in (1e-300, 1e-160, 1.0, 1e160, 1e300):
        found = least(each, [2.0 * scale, -scale, 2.0 * scale])
        assert found == pytest.approx([-4.0 / 3.0, 2.0 / 3.0, -4.0 / 3.0], rel=1e-14)
        assert each.support(np.array([2.0, -1.0, 2.0]) * scale) == pytest.approx(6.0 * scale, rel=1e-14)


def test_ties_go_to_the_first():
    assert least(Simplex(3), [2.0, 1.0, 1.0]).tolist() == [0.0, 1.0, 0.0]
    assert least(L1Ball(3, 2.0), [1.0, -3.0, 3.0]).tolist() == [0.0, 2.0, 0.0]
    assert least(Simplex(2), [0.0, 0.0]).tolist() == [1.0, 0.0]
    assert least(L1Ball(2, 2.0), [0.0, 0.0]).tolist() == [-2.0, 0.0]
    assert least(Box([1.0, 2.0], [3.0, 4.0]), [0.0, -1.0]).tolist() == [1.0, 4.0]
    assert least(L2Ball(2, 2.0), [0.0, 0.0]).tolist() == [0.0, 0.0]


@every
def test_a_direction_of_zeros_gives_a_point_of_the_set(each):
    assert each.contains(least(each, np.zeros(each.dimension)), 1e-12)
    assert each.contains(each.centre(), 1e-12)
    assert each.centre().shape == (each.dimension,)


# Sizes


def dual(vector, norm):
    """Return the direction in which the norm grows fastest."""
    if norm == 1:
        return np.where(vector < 0.0, -1.0, 1.0)
    if norm == 2:
        return vector
    return np.where(np.arange(vector.size) == np.argmax(np.abs(vector)), np.sign(vector), 0.0)


def farthest(each, norm, partner):
    """Search a longest vector x - partner(direction): from many starts, on to the farthest in the direction found."""
    best = 0.0
    starts = 4 if isinstance(each, Polytope) else 20  # a linear programme each
    for direction in directions(each.dimension, starts, np.random.default_rng(9)):
        for _ in range(2):
            vector = least(each, -direction) - partner(direction)
            best = max(best, np.linalg.norm(vector, ord=norm))
            direction = dual(vector, norm)
    return best


def is_exact(each, norm):
    return not isinstance(each, Polytope) or norm != 2 or each.dimension < 5


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
@every
def test_the_diameter_is_reached_and_never_exceeded(each, norm):
    diameter = each.diameter(norm)
    found = farthest(each, norm, lambda direction: least(each, direction))
    assert found <= diameter * (1.0 + 1e-14)
    inside = members(each, 12, np.random.default_rng(10))
    assert np.max(np.linalg.norm(inside[:, None] - inside[None], ord=norm, axis=2)) <= diameter + 1e-14
    if is_exact(each, norm):
        assert found >= 0.99 * diameter
    assert diameter <= 2.0 * each.largest(norm) * (1.0 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
@every
def test_the_largest_norm_is_reached_and_never_exceeded(each, norm):
    largest = each.largest(norm)
    found = farthest(each, norm, lambda direction: 0.0)
    assert found <= largest * (1.0 + 1e-14)
    inside = members(each, 12, np.random.default_rng(11))
    assert np.max(np.linalg.norm(inside, ord=norm, axis=1)) <= largest * (1.0 + 1e-14)
    if is_exact(each, norm):
        assert found >= 0.99 * largest


def test_sizes_of_large_polytopes_are_bounds():
    ones = np.ones(10)
    corner = Polytope(np.vstack([-np.eye(10), ones, -ones]), [0.0] * 10 + [1.0, -1.0])
    assert corner.diameter(math.inf) == pytest.approx(1.0, rel=1e-8)
    assert corner.largest(1) >= 1.0
    for norm in NORMS:
        assert corner.diameter(norm) >= Simplex(10).diameter(norm)


def test_a_polytope_has_a_bounding_box():
    box = EXAMPLES[Polytope][1].bounding_box()
    assert box.low == pytest.approx([0.0, 0.0], abs=1e-12)
    assert box.high == pytest.approx([1.0, 1.0], abs=1e-12)


# Membership


@every
def test_members_are_told_from_others(each):
    n = each.dimension
    rng = np.random.default_rng(12)
    for point in members(each, 5, rng):
        assert each.contains(point, 1e-9)
    for direction in directions(n, 5, rng):
        step = 1e-3 * direction / np.linalg.norm(direction)
        beyond = least(each, -direction) + step
        assert not each.contains(beyond, 1e-6)
        assert each.contains(beyond, 1e-3 * math.sqrt(n) + 1e-9)
    assert not each.contains(np.full(n, math.nan), 1.0)
    assert not each.contains(np.append(each.centre(), 0.0), 1.0)


# Both speeds


def use_all(convex_set, offered, direction, point, corners, found, facts):
    for row in range(offered.shape[0]):
        for i in range(direction.size):
            direction[i] = offered[row, i]
        convex_set.minimise_linear(direction, point)
        for i in range(direction.size):
            corners[row, i] = point[i]
            point[i] = direction[i]
        facts[row, 0] = 1.0 if convex_set.contains(point, 0.1) else 0.0
        convex_set.project(point)
        facts[row, 1] = 1.0 if convex_set.contains(point, 1e-9) else 0.0
        facts[row, 2] = convex_set.support(direction)
        for i in range(direction.size):
            found[row, i] = point[i]


def used(run, each, offered):
    results = np.empty_like(offered), np.empty_like(offered), np.empty((len(offered), 3))
    run(each, offered, np.empty(each.dimension), np.empty(each.dimension), *results)
    return results


@pytest.mark.slow
@every_compiled
def test_compiled_and_plain_agree_and_allocate_nothing(each):
    rng = np.random.default_rng(13)
    odd = rng.choice([math.nan, math.inf, -math.inf, 1e300, 1e-300, 1e12, 0.3], size=(60, each.dimension))
    usual = directions(each.dimension, 40, rng), members(each, 20, rng), np.zeros(each.dimension)
    offered = np.vstack([odd, *usual])
    compiled = kernel.compile_for(use_all, each)
    for plain, fast in zip(used(use_all, each, offered), used(compiled, each, offered), strict=True):
        assert np.array_equal(plain, fast, equal_nan=True)
    assert not compiled.must_allocate
    assert kernel.compilable(each)
    assert fingerprint(use_all, (each,), "") is not None, "compiled code is kept on disk"


def test_polytopes_say_that_they_are_not_compiled():
    assert not kernel.compilable(EXAMPLES[Polytope][0])


@every
def test_copies_are_the_same_and_have_arrays_of_their_own(each):
    for copy in (kernel.copy(each), pickle.loads(pickle.dumps(each))):
        assert type(copy) is type(each)
        assert all(np.array_equal(one, other) for one, other in zip(copy, each, strict=True))
        assert not any(one is other for one, other in zip(copy, each, strict=True) if isinstance(one, np.ndarray))


def test_a_box_does_not_follow_the_arrays_that_it_was_made_from():
    low = np.zeros(2)
    box = Box(low, [1.0, 1.0])
    low[0] = 5.0
    assert box.low.tolist() == [0.0, 0.0]


# Making and refusing


def test_balls_are_made_by_norm():
    assert ball(3, 2.0, 1) == L1Ball(3, 2.0)
    assert ball(3, 2.0, 2) == L2Ball(3, 2.0)
    assert ball(3, 2.0, math.inf).low.tolist() == [-2.0] * 3


def test_rows_of_a_polytope_have_length_1():
    scaled = Polytope([[2.0, 0.0], [-3.0, 0.0], [0.0, 1e-3], [0.0, -1e3]], [2.0, 3.0, 1e-3, 1e3])
    assert np.linalg.norm(scaled.a, axis=1) == pytest.approx(np.ones(4))
    assert scaled.b == pytest.approx(np.ones(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Simplex(0), "dimension is 0, but must be a whole number of at least 1"),
        (lambda: Simplex(2.5), "dimension is 2.5"),
        (lambda: L1Ball(0, 1.0), "dimension is 0"),
        (lambda: L1Ball(2, -1.0), "radius is -1.0"),
        (lambda: L2Ball(2, math.nan), "radius is nan"),
        (lambda: L2Ball(True, 1.0), "dimension is True"),
        (lambda: ball(2, 1.0, 3), "norm is 3, but must be 1, 2 or infinity"),
        (lambda: ball(2, math.inf, math.inf), "radius is inf"),
        (lambda: Simplex(2).diameter(0), "norm is 0"),
        (lambda: Box([], []), "low has the shape \\(0,\\), but must be a vector with at least one number"),
        (lambda: Box(["a"], [1.0]), "low must be a vector of numbers"),
        (lambda: Box([0.0], [math.inf]), "high must have finite numbers only"),
        (lambda: Box([0.0], [1.0, 2.0]), "low has length 1 and high has length 2"),
        (lambda: Box([0.0, 3.0], [1.0, 2.0]), "low\\[1\\] is 3 and high\\[1\\] is 2"),
        (lambda: Box.cube(0, 0.0, 1.0), "dimension is 0"),
        (lambda: Box.cube(2, 0.0, math.nan), "high is nan"),
        (lambda: Box.cube(2, 1.0, 0.0), "low\\[0\\] is 1 and high\\[0\\] is 0"),
        (lambda: Polytope([1.0], [1.0]), "a has the shape \\(1,\\), but must be a matrix"),
        (lambda: Polytope([[1.0]], [1.0, 2.0]), "a has 1 rows and b has length 2"),
        (lambda: Polytope([[1.0], [0.0]], [1.0, 1.0]), "a has only zeros in row 1"),
        (lambda: Polytope([[1.0], [-1.0]], [1.0, -2.0]), "a and b describe an empty set"),
        (lambda: Polytope([[1.0]], [1.0]), "describes a set that is unbounded"),
        (lambda: Polytope([[1.0, 0.0], [-1.0, 0.0]], [1.0, 1.0]), "describes a set that is unbounded"),
        (lambda: EXAMPLES[Polytope][0].diameter(3), "norm is 3"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(make, message):
    with pytest.raises(DiscreetError, match=message) as refusal:
        make()
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("norm", [0, 3, math.nan, "2"])
@every
def test_other_norms_are_refused(each, norm):
    for size in (each.diameter, each.largest):
        with pytest.raises(DiscreetError, match="must be 1, 2 or infinity"):
            size(norm)
