"""Online convolutions of streams, against plain convolutions and exact arithmetic."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from discreet.factorisations import square_root
from discreet.factorisations.convolution import (
    BLOCK,
    Filter,
    pass_on,
    row_in_stream,
    sum_of_exponentials,
)
from discreet.factorisations.square_roots import square_root_filter


def rows_of(matrix, vectors):
    """Return C x, row by row, as a channel asks for it."""
    rounds, dimension = vectors.shape
    stream, rows = matrix.stream(dimension), np.empty(vectors.shape)
    for time in range(1, rounds + 1):
        vector = vectors[time - 1]
        rows[time - 1] = stream[:, row_in_stream(time)] + matrix.near[0] * vector
        pass_on(stream, time, vector, matrix)
    return rows


def coefficients(matrix, rounds):
    """Return c(0) .. c(rounds - 1)."""
    far = sum_of_exponentials(matrix.weight, matrix.rate, np.arange(BLOCK, max(BLOCK, rounds)))
    return np.concatenate([matrix.near, far])[:rounds]


@pytest.mark.parametrize("rounds", [1, 2, BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 3, 40 * BLOCK])
@pytest.mark.parametrize("dimension", [1, 3])
def test_what_is_passed_on_is_the_convolution(rounds, dimension):
    rng = np.random.default_rng(rounds)
    matrix = Filter.of(rng.uniform(size=BLOCK), rng.uniform(size=8), np.geomspace(1e-4, 2.0, 8))
    vectors, c = rng.normal(size=(rounds, dimension)), coefficients(matrix, rounds)
    expected = np.stack([np.convolve(vectors[:, i], c)[:rounds] for i in range(dimension)], axis=1)
    assert rows_of(matrix, vectors) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rounds", [1, 50, 2**10, 2**14, 2**20, 2**30])
def test_the_square_root_is_a_sum_of_exponentials_to_all_digits(rounds):
    """Also for the longest lags, where Stirling's series says what binom(2k, k) / 4^k is."""
    matrix = square_root_filter(rounds)
    lags = np.unique(np.geomspace(BLOCK, max(rounds, BLOCK), 100).astype(np.int64))
    with mp.workdps(40):
        exact = [
            mp.gamma(k + mpf(1) / 2) / (mp.gamma(k + 1) * mp.sqrt(mp.pi)) for k in map(int, lags)
        ]
        found = [high_precision(matrix, int(k)) for k in lags]
        assert max(abs(a / b - 1) for a, b in zip(found, exact, strict=True)) < 2.0**-49
    assert matrix.near == pytest.approx(square_root(BLOCK), rel=1e-15)


@pytest.mark.parametrize("rounds", [1, BLOCK, BLOCK + 1, 1000])
def test_the_norm_is_that_of_the_coefficients(rounds):
    matrix = square_root_filter(1000)
    assert matrix.norm(rounds) == pytest.approx(
        math.sqrt((coefficients(matrix, rounds) ** 2).sum()), rel=1e-14
    )


@pytest.mark.parametrize("rounds", [BLOCK - 1, 4 * BLOCK, 40 * BLOCK + 7])
def test_errors_are_below_their_bound_also_beside_wild_vectors(rounds):
    """Against 64-bit mantissas and coefficients to 40 digits; losses of one sign."""
    matrix = square_root_filter(rounds)
    values = np.random.default_rng(5).uniform(0.9, 1.0, rounds)
    wild = 1e200 * (-1.0) ** np.arange(rounds)
    rows = rows_of(matrix, np.stack([values, wild], axis=1))[:, 0]
    with mp.workdps(40):
        c = np.array([np.longdouble(str(high_precision(matrix, k))) for k in range(rounds)])
    exact = np.array(
        [(c[: t + 1][::-1] * values[: t + 1].astype(np.longdouble)).sum() for t in range(rounds)]
    )
    wrong = float(np.sqrt(((rows - exact) ** 2).sum()))
    assert 0.0 < wrong <= matrix.error_bound(rounds, 1.0)
    assert matrix.error_bound(rounds, 1.0) < 1e-9


def high_precision(matrix, lag):
    """Return a coefficient of the matrix that the doubles of a filter stand for."""
    if lag < BLOCK:
        return mpf(float(matrix.near[lag]))
    pairs = zip(matrix.weight, matrix.rate, strict=True)
    return sum(mpf(float(w)) * mp.exp(-mpf(float(r)) * lag) for w, r in pairs)
