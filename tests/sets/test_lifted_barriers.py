"""Barriers of the cross-polytope and of matrices, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from discreet.sets import L1Ball, NuclearBall, Spectrahedron

CROSS, NUCLEAR, WIDE, TRACE = L1Ball(5, 0.8), NuclearBall(3, 2, 1.5), NuclearBall(1, 3, 0.5), (
    Spectrahedron(3)
)  # fmt: skip
EVERY = [CROSS, L1Ball(1, 2.0), NUCLEAR, WIDE, TRACE]


def name(each):
    return f"{type(each).__name__}-{each.dimension}"


every = pytest.mark.parametrize("each", EVERY, ids=name)


def slack_of(sizes, extra, room, factor):
    """Return the z at which the least value over lifted variables is taken."""

    def excess(z):
        tops = 0.5 * factor * (z + np.sqrt(z * z + (2.0 / factor) ** 2 * sizes**2))
        return (2.0 / factor) * float(tops.sum()) + extra * z - room

    return brentq(excess, 1e-300, room, xtol=1e-300, rtol=1e-15)


def gradient(each, x):
    """Return ∇R by the definition of R: the lifted variables are at their best."""
    if isinstance(each, Spectrahedron):
        return -np.linalg.inv(x.reshape(each.side, each.side)).ravel()
    if isinstance(each, L1Ball):
        z = slack_of(np.abs(x), 1.0, each.radius, 2.0)
        t = z + np.sqrt(z * z + x * x)
        return 2.0 * x / (t * t - x * x)
    left, values, right = np.linalg.svd(x.reshape(each.rows, each.columns), full_matrices=False)
    z = slack_of(values, abs(each.rows - each.columns) + 1.0, 2.0 * each.radius, 1.0)
    t = 0.5 * (z + np.sqrt(z * z + 4.0 * values**2))
    return (left * (2.0 * values / (t * t - values**2)) @ right).ravel()


def hull_basis(each):
    matrix = np.eye(each.dimension)
    for row in matrix:
        each.tangent(row)
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, values > 0.5]


def leader(each, sums, rate):
    point = np.full(each.dimension, math.nan)
    each.leader(np.asarray(sums, dtype=float), rate, point)
    return point


def dikin(each, x, side):
    step, slope = np.empty(each.dimension), np.empty(each.dimension)
    each.dikin(x, side, step, slope)
    return step, slope


@every
def test_leaders_meet_their_first_order_condition(each):
    rng, basis = np.random.default_rng(1), hull_basis(each)
    for rate in 10.0 ** rng.uniform(-3.0, 2.0, size=20):
        sums = rng.normal(size=each.dimension)
        x = leader(each, sums, rate)
        assert each.contains(x, 1e-12)
        off = basis.T @ (rate * sums + gradient(each, x))
        assert np.linalg.norm(off) <= 1e-7 * (1.0 + rate * np.linalg.norm(sums))
    assert leader(each, np.zeros(each.dimension), 1.0) == pytest.approx(each.centre(), abs=1e-12)


@every
@pytest.mark.parametrize("sums", [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300])
def test_leaders_are_inside_whatever_the_sums_are(each, sums):
    for pattern in ([sums], [sums, 1.0], [sums, -sums]):
        for rate in (1e-9, 1.0, 1e9):
            x = leader(each, np.resize(np.array(pattern), each.dimension), rate)
            assert each.contains(x, 1e-12)
            assert np.all(np.isfinite(dikin(each, x, hull_basis(each)[:, 0])))


@every
def test_steps_and_slopes_are_square_roots_of_the_hessian(each):
    """The Hessian by differences of the gradient: to 1e-5 of its size."""
    rng, basis = np.random.default_rng(3), hull_basis(each)
    for rate in (0.1, 1.0, 5.0):
        x = leader(each, rng.normal(size=each.dimension), rate)
        h = 1e-5 * each.inner
        columns = [
            (gradient(each, x + h * u) - gradient(each, x - h * u)) / (2 * h) for u in basis.T
        ]
        hessian = np.array(columns) @ basis
        pairs = np.array([dikin(each, x, side) for side in basis.T])
        steps, slopes = pairs[:, 0], pairs[:, 1]
        inside = steps @ basis
        assert inside @ hessian @ inside.T == pytest.approx(np.eye(each.flat), abs=1e-5)
        assert slopes @ steps.T == pytest.approx(np.eye(each.flat), abs=1e-9)
        newton = np.linalg.solve(hessian, basis.T @ gradient(each, x))
        assert newton @ (basis.T @ gradient(each, x)) <= each.complexity


@every
def test_dikin_points_are_inside(each):
    rng, basis = np.random.default_rng(6), hull_basis(each)
    for rate in 10.0 ** rng.uniform(-2.0, 4.0, size=60):
        x = leader(each, rng.normal(size=each.dimension), rate)
        side = basis @ rng.normal(size=each.flat)
        step, _ = dikin(each, x, side / np.linalg.norm(side))
        assert each.contains(x + step, 1e-10)
