"""Prefix sums by the square root of their matrix: the smallest error known in closed form."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.contracts import Floats
from discreet.factorisations.contract import Spread, Toeplitz
from discreet.factorisations.convolution import BLOCK, Filter, pass_on, quadrature, row_in_stream


class SquareRoot(Toeplitz):
    """B = C, with c(k) = binom(2k, k) / 4^k: the release is C (C x + z).

    c(k) = (2/π) ∫ (1 + s²)^-(k + 1) ds over s > 0. Beyond the first coefficients, about forty
    points of this integral give all digits of a double. So there C is a sum of exponentials, and
    long streams need no additional memory.
    """

    name: ClassVar[str] = "sqrt-toeplitz"

    matrix: Filter
    raw: Raw[Floats]  # the stream of vectors
    noisy: Raw[Floats]  # the stream of noisy rows

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the factorisation before the first round."""
        matrix = square_root_filter(prefixes)
        return cls(
            prefixes=prefixes,
            matrix=matrix,
            raw=matrix.stream(dimension),
            noisy=matrix.stream(dimension),
        )

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Add what earlier vectors contribute to this row."""
        place = row_in_stream(time)
        for i in range(vector.size):
            noisy[i] = self.raw[i, place] + vector[i]

    def prefix(self, time: int, noisy: Floats, released: Floats) -> None:
        """Add what earlier noisy rows contribute to this sum."""
        place = row_in_stream(time)
        for i in range(noisy.size):
            released[i] = self.noisy[i, place] + noisy[i]

    def advance(self, time: int, vector: Floats, noisy: Floats) -> None:
        """Add the vector and the noisy row to later rows."""
        pass_on(self.raw, time, vector, self.matrix)
        pass_on(self.noisy, time, noisy, self.matrix)

    def raw_sums(self, rounds: int) -> Floats:
        """Return what earlier vectors contribute to the next row."""
        return self.raw[:, row_in_stream(rounds + 1)]

    def forget(self) -> None:
        """Empty both streams."""
        self.raw[:] = 0.0
        self.noisy[:] = 0.0

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c."""
        return self.matrix.norm(rounds)

    def noise_spread(self) -> Spread:
        """Return the spread from the first sum to the last: the noise grows in every round."""
        return Spread(1.0, self.column_norm(self.prefixes), 1, True)

    def variances_by_digits(self) -> Floats:
        """Return the squared norms of some rows of B."""
        lengths = [
            min(2**digits - 1, self.prefixes) for digits in range(1, self.prefixes.bit_length() + 1)
        ]
        return np.array([0.0, *(self.column_norm(length) ** 2 for length in lengths)])

    def variances(self, rounds: int) -> Floats:
        """Return the squared norm of every row of B."""
        return np.cumsum(square_root(rounds) ** 2)

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the squared norm of every row of B, times that of the largest column of C."""
        rows: Floats = np.cumsum(square_root(rounds) ** 2)
        curve: Floats = rows * rows[-1]
        return curve

    def row_error(self, largest: float) -> float:
        """Return the bound for sums of exponentials (docs/proofs.md: Sums on a grid)."""
        return self.matrix.error_bound(self.prefixes, largest)


def square_root(rounds: int) -> Floats:
    """Return the coefficients binom(2k, k) / 4^k of the square root of A, which is both B and C.

    >>> square_root(4)
    array([1.    , 0.5   , 0.375 , 0.3125])
    """
    k = np.arange(1, rounds)
    return np.concatenate([[1.0], np.cumprod((2.0 * k - 1.0) / (2.0 * k))])


def square_root_filter(rounds: int) -> Filter:
    """Return the square root of A for a number of rounds, ready to be applied to streams."""
    points, weights = quadrature(rounds)
    rate = np.log1p(points**2)
    return Filter.of(square_root(BLOCK), (2.0 / np.pi) * weights * np.exp(-rate), rate)
