"""Least squares by rows: the same bits compiled and in NumPy, and right."""

from __future__ import annotations

import numpy as np
import pytest

from componentjit import compile_for
from discreet.least_squares import (
    MomentPlaces,
    _add_moments,
    _factorise,
    _invert,
    _most_plausible,
    _publish,
    add_moments,
    factorise,
    invert,
    most_plausible,
    publish,
)


def fitted(functions, matrix, vector, reach):
    fact, inv, pub = functions
    size = vector.size
    upper, inverse, spread = (np.zeros((size, size)) for _ in range(3))
    estimate = np.zeros(size)
    assert fact(matrix, 0.7, upper)
    inv(upper, inverse)
    widest = pub(inverse, vector, 1.3, reach, estimate, spread)
    return estimate, spread, inverse, upper, np.array([widest])


def problem(size, seed=1):
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((2 * size, size))
    return half.T @ half, rng.standard_normal(size), rng.standard_normal((5, size))


@pytest.mark.parametrize("size", [1, 2, 7, 33])
@pytest.mark.parametrize("reach", [0.0, 0.6])
def test_compiled_and_in_numpy_it_has_the_same_bits(size, reach):
    compiled = [compile_for(each) for each in (_factorise, _invert, _publish)]
    matrix, vector, shown = problem(size)
    one = fitted((factorise, invert, publish), matrix, vector, reach)
    other = fitted(compiled, matrix, vector, reach)
    for mine, yours in zip(one, other, strict=True):
        assert np.array_equal(mine, yours)
    estimate, spread, *_, widest = one
    choose = compile_for(_most_plausible)
    for first in range(5):
        arguments = estimate, spread, widest[0], shown, 1.0 + 1e-9, first
        assert choose(*arguments) == most_plausible(*arguments)
    places, rng = MomentPlaces.of(size), np.random.default_rng(2)
    sums = [(matrix.copy(), vector.copy()) for _ in range(2)]
    released = rng.standard_normal(places.rows.size + size)
    for add, (into, vectors) in zip((add_moments, compile_for(_add_moments)), sums, strict=True):
        add(into, vectors, places.rows, places.columns, 0.9, released)
    assert all(np.array_equal(*pair) for pair in zip(*sums, strict=True))


def test_it_is_ridge_regression():
    matrix, vector, _ = problem(12)
    estimate, spread, inverse, _, widest = fitted((factorise, invert, publish), matrix, vector, 0.6)
    right = np.linalg.inv(matrix + 0.7 * np.eye(12))
    np.testing.assert_allclose(inverse, right, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(estimate, right @ vector, rtol=1e-9)
    np.testing.assert_allclose(spread, 1.69 * right + 0.36 * right @ right, rtol=1e-8, atol=1e-12)
    assert widest[0] >= np.linalg.eigvalsh(spread)[-1]


@pytest.mark.parametrize("function", [factorise, _factorise])
def test_what_is_not_positive_definite_is_refused_in_both(function):
    for matrix in (-np.eye(3), np.full((3, 3), np.nan), np.full((3, 3), 1e200), np.zeros((3, 3))):
        assert not function(matrix, 0.0, np.zeros((3, 3)))


def test_ties_go_to_the_first_from_where_it_begins():
    shown = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.0, 0.5]])
    chosen = [
        most_plausible(np.zeros(2), np.eye(2), 1.0, shown, 1.0 + 1e-9, first) for first in range(4)
    ]
    assert chosen[:2] == [0, 1]
    assert chosen[3] == 0
