"""Barriers: leaders meet their first-order condition, and Dikin's ellipsoids lie in the set."""

from __future__ import annotations

import math

import numpy as np
import pytest

import componentjit
from discreet.sets import Box, KSets, L2Ball, Polytope, Simplex

BALL, BOX, SIMPLEX = L2Ball(6, 2.5), Box([-1.0, 0.5, 2.0, 0.0], [1.0, 0.5, 5.0, 0.25]), Simplex(7)
SLATES = KSets.of(10, 3)
FLAT, SOLID = Polytope.examples()[2:]
EVERY = [
    BALL,
    L2Ball(1, 0.5),
    BOX,
    Box.cube(10, -1.0, 1.0),
    SIMPLEX,
    Simplex(2),
    SLATES,
    KSets.of(7, 5),
    FLAT,
    SOLID,
    Polytope.examples()[0],
]


def name(value):
    return f"{type(value).__name__}-{value.dimension}"


every = pytest.mark.parametrize("each", EVERY, ids=name)


def constraints(each):
    """Return (a, b) such that the barrier is -Σ ln(b - a x), for all but the ball."""
    axes = np.eye(each.dimension)
    if isinstance(each, Box):
        free = each.low < each.high
        return np.vstack([axes[free], -axes[free]]), np.append(each.high[free], -each.low[free])
    if isinstance(each, KSets):
        zeros = np.zeros(each.dimension)
        return np.vstack([axes, -axes]), np.append(zeros + 1.0, zeros)
    if isinstance(each, Simplex):
        return -axes, np.zeros(each.dimension)
    within = np.linalg.norm(each.a - each.a @ each.normals.T @ each.normals, axis=1) > 1e-9
    return each.a[within], each.b[within]


def gradient(each, x):
    if isinstance(each, L2Ball):
        return 2.0 * x / (each.radius**2 - x @ x)
    a, b = constraints(each)
    return a.T @ (1.0 / (b - a @ x))


def hessian(each, x):
    if isinstance(each, L2Ball):
        room = each.radius**2 - x @ x
        return 2.0 / room * np.eye(x.size) + 4.0 / room**2 * np.outer(x, x)
    a, b = constraints(each)
    return (a / (b - a @ x)[:, None] ** 2).T @ a


def hull_basis(each):
    """Return orthonormal columns that span the directions of the hull."""
    matrix = np.eye(each.dimension)
    for row in matrix:
        each.tangent(row)
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, values > 0.5]


def leader(each, sums, rate):
    point = np.full(each.dimension, math.nan)
    each.leader(np.asarray(sums, dtype=float), rate, point)
    return point


def dikin(each, point, direction):
    step, slope = np.full((2, each.dimension), math.nan)
    each.dikin(point, direction, step, slope)
    return step, slope


def inner_points(each, count, rng, nearest=1e-7):
    """Return leaders of random directions, from the centre to very near the boundary."""
    rates = 10.0 ** rng.uniform(-2.0, -math.log10(nearest), size=count)
    return [leader(each, rng.normal(size=each.dimension), rate) for rate in rates]


@every
def test_leaders_meet_their_first_order_condition(each):
    """In the local norm, in which an error of 1 is the size of Dikin's ellipsoid."""
    rng, basis = np.random.default_rng(1), hull_basis(each)
    closed = isinstance(each, L2Ball | Box)
    for rate in 10.0 ** rng.uniform(-3.0, 3.0, size=30):
        sums = rng.normal(size=each.dimension) * 10.0 ** rng.uniform(-1.0, 1.0)
        x = leader(each, sums, rate)
        off = basis.T @ (rate * sums + gradient(each, x))
        assert each.contains(x, 1e-12)
        assert np.linalg.norm(off) <= (1e-11 if closed else 1e-9) * (
            1.0 + rate * np.linalg.norm(sums)
        )
        decrement = off @ np.linalg.solve(basis.T @ hessian(each, x) @ basis, off)
        assert math.sqrt(max(decrement, 0.0)) <= (1e-11 if closed else 1e-9)


@every
def test_without_a_direction_the_leader_is_the_analytic_centre(each):
    x = leader(each, np.zeros(each.dimension), 1.0)
    assert hull_basis(each).T @ gradient(each, x) == pytest.approx(0.0, abs=1e-9)
    if not isinstance(each, Polytope):
        assert x == pytest.approx(each.centre(), abs=1e-12)


@every
@pytest.mark.parametrize("sums", [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300])
def test_leaders_are_inside_whatever_the_sums_are(each, sums):
    for pattern in ([sums], [sums, 1.0], [sums, -sums]):
        for rate in (1e-9, 1.0, 1e9):
            x = leader(each, np.resize(np.array(pattern), each.dimension), rate)
            assert each.contains(x, 1e-12)
            assert each.gauge(x) < 1.0, "strictly inside"
            direction = hull_basis(each)[:, 0]
            assert np.all(np.isfinite(dikin(each, x, direction)))


def test_the_leader_of_a_polytope_does_not_depend_on_where_it_begins():
    rng = np.random.default_rng(2)
    for each in (FLAT, SOLID):
        sums = rng.normal(size=each.dimension)
        found = leader(each, sums, 3.0)
        for start in inner_points(each, 5, rng, nearest=1e-4):
            each.leader(sums, 3.0, start)
            assert start == pytest.approx(found, abs=1e-9)


@every
def test_steps_and_slopes_are_square_roots_of_the_hessian(each):
    """Steps of unit directions have local norm 1 and slopes are dual: so estimates are unbiased."""
    rng, basis = np.random.default_rng(3), hull_basis(each)
    for x in inner_points(each, 6, rng, nearest=1e-3):
        steps, slopes = np.array([dikin(each, x, direction) for direction in basis.T]).transpose(
            1, 2, 0
        )
        assert steps.T @ hessian(each, x) @ steps == pytest.approx(np.eye(each.flat), abs=1e-9)
        assert slopes.T @ steps == pytest.approx(np.eye(each.flat), abs=1e-9)
        losses = rng.normal(size=each.dimension)
        within = losses.copy()
        each.tangent(within)
        assert slopes @ (steps.T @ losses) == pytest.approx(within, abs=1e-9), (
            "the mean over a basis, times flat"
        )


def visit(points, sums, rates, sides, point, step, slope, found):
    for row in range(rates.size):
        points.leader(sums[row], rates[row], point)
        points.dikin(point, sides[row], step, slope)
        for i in range(point.size):
            found[row, i] = point[i] + step[i]


def visited(run, each, count, seed):
    """Return points on Dikin's ellipsoid around leaders, some of them very near the boundary."""
    rng = np.random.default_rng(seed)
    sums, sides = rng.normal(size=(2, count, each.dimension))
    for row in sides:
        each.tangent(row)
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    found, work = np.empty_like(sums), (np.full(each.dimension, math.nan) for _ in range(3))
    run(each, sums, 10.0 ** rng.uniform(-2.0, 7.0, size=count), sides, *work, found)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("each", [BALL, BOX, SIMPLEX, SLATES], ids=name)
def test_all_of_20000_dikin_points_are_inside_at_both_speeds(each):
    compiled = componentjit.compile_for(visit, each)
    found = visited(compiled, each, 20_000, 4)
    rounding = 2e-15 if each is SIMPLEX else 1e-14 if each is SLATES else 0.0  # of the sum
    assert np.all(found >= 0.0) or each is not SIMPLEX
    assert all(each.contains(point, rounding) for point in found)
    assert not compiled.must_allocate
    assert np.allclose(
        visited(visit, each, 200, 5), visited(compiled, each, 200, 5), rtol=0.0, atol=1e-12
    )


@pytest.mark.parametrize("each", [FLAT, SOLID], ids=name)
def test_dikin_points_of_polytopes_are_inside(each):
    rng = np.random.default_rng(6)
    basis = hull_basis(each)
    for x in inner_points(each, 40, rng, nearest=1e-5):
        side = basis @ rng.normal(size=each.flat)
        step, _ = dikin(each, x, side / np.linalg.norm(side))
        assert each.contains(x + step, 1e-12)


@every
def test_the_complexity_is_never_exceeded_and_nearly_reached(each):
    """<∇R, u>² ≤ ϑ <u, H u>; near corners equality is approached, except with redundant rows."""
    basis, most = hull_basis(each), 0.0
    for x in inner_points(each, 60, np.random.default_rng(7), nearest=1e-5):
        slope = basis.T @ gradient(each, x)
        most = max(most, slope @ np.linalg.solve(basis.T @ hessian(each, x) @ basis, slope))
    assert most <= each.complexity * (1.0 + 1e-9)
    assert isinstance(each, Polytope) or most >= 0.9 * each.complexity
