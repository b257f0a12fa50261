"""Convex sets: minimisers, sizes and members, against definitions and linear programmes."""

from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest
from convex_examples import ALL, EXAMPLES, FOUND, directions, every, least, members, name
from scipy.optimize import linprog

import componentjit
from componentjit.digest import fingerprint
from discreet import DiscreetError
from discreet.sets import Box, L1Ball, L2Ball, Polytope, Simplex, ball

NORMS = [1, 2, math.inf]
COMPILED = [each for each in ALL if not isinstance(each, Polytope)]
SHARP = [each for each in ALL if not isinstance(each, L2Ball)]
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


def test_sets_are_found():
    assert len(FOUND) == 5
    assert all(EXAMPLES.values()), "every set has examples"


# Least points


@pytest.mark.slow
@pytest.mark.parametrize("each", SHARP, ids=name)
def test_no_point_has_a_lower_cost_than_the_least_one(each):
    a, b = rows_of(each)
    for direction in directions(each.dimension, 8, np.random.default_rng(7)):
        found = least(each, direction)
        best = linprog(direction, A_ub=a, b_ub=b, bounds=(None, None)).fun
        assert each.contains(found, 1e-12)
        assert direction @ found == pytest.approx(
            best, rel=1e-9, abs=1e-9 * np.abs(direction).max()
        )


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
        assert each.support(np.array([2.0, -1.0, 2.0]) * scale) == pytest.approx(
            6.0 * scale, rel=1e-14
        )


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
    """Search a longest x - partner(direction): from many starts, on to the farthest found."""
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
    assert (
        np.max(np.linalg.norm(inside[:, None] - inside[None], ord=norm, axis=2)) <= diameter + 1e-14
    )
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
    odd = rng.choice(
        [math.nan, math.inf, -math.inf, 1e300, 1e-300, 1e12, 0.3], size=(60, each.dimension)
    )
    usual = directions(each.dimension, 40, rng), members(each, 20, rng), np.zeros(each.dimension)
    offered = np.vstack([odd, *usual])
    compiled = componentjit.compile_for(use_all, each)
    for plain, fast in zip(
        used(use_all, each, offered), used(compiled, each, offered), strict=True
    ):
        assert np.array_equal(plain, fast, equal_nan=True)
    assert not compiled.must_allocate
    assert componentjit.compilable(each)
    assert fingerprint(use_all, (each,), "") is not None, "compiled code is kept on disk"


def test_polytopes_say_that_they_are_not_compiled():
    assert not componentjit.compilable(EXAMPLES[Polytope][0])


@every
def test_copies_are_the_same_and_have_arrays_of_their_own(each):
    for copy in (componentjit.copy(each), pickle.loads(pickle.dumps(each))):
        assert type(copy) is type(each)
        assert all(np.array_equal(one, other) for one, other in zip(copy, each, strict=True))
        assert not any(
            one is other
            for one, other in zip(copy, each, strict=True)
            if isinstance(one, np.ndarray)
        )


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
        (
            lambda: Box([], []),
            "low has the shape \\(0,\\), but must be a vector with at least one number",
        ),
        (lambda: Box(["a"], [1.0]), "low must be a vector of numbers"),
        (lambda: Box([0.0], [math.inf]), "high must contain only finite numbers"),
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
        (
            lambda: Polytope([[1.0, 0.0], [-1.0, 0.0]], [1.0, 1.0]),
            "describes a set that is unbounded",
        ),
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
