"""Prefix sums by the square root of their matrix: the least error known in closed form."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError
from discreet.factorisations.contract import Spread
from discreet.factorisations.convolution import Filter, block_sizes, error_bound, pass_on
from discreet.factorisations.toeplitz import Toeplitz
from discreet.kernel import Raw

MOST_NUMBERS = 2**25  # in memory, 8 bytes each


class SquareRoot(Toeplitz):
    """B = C, with c(k) = binom(2k, k) / 4^k: the release is C (C x + z).

    It remembers all rounds: for long streams :class:`Buffered` comes within 1 % of the error with a few buffers.
    """

    name: ClassVar[str] = "sqrt-toeplitz"

    matrix: Raw[Filter]  # its work space holds parts of the streams
    raw: Raw[Floats]  # coordinate, round: vectors that came, and what they add to later rows
    noisy: Raw[Floats]  # the same of noisy rows

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the factorisation before the first round."""
        needed = prefixes * (2 * dimension + 1) + 7 * sum(block_sizes(prefixes)[-1:])
        if needed > MOST_NUMBERS:
            raise DiscreetError(
                f"prefixes is {prefixes:,}, but sqrt-toeplitz remembers all rounds, which would take {needed:,} numbers "
                f"where {MOST_NUMBERS:,} are allowed: blt has nearly the same error with a few buffers."
            )
        shape = dimension, prefixes
        return cls(prefixes=prefixes, matrix=Filter.of(square_root(prefixes)), raw=np.zeros(shape), noisy=np.zeros(shape))

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Add what earlier vectors give to this row."""
        for i in range(vector.size):
            noisy[i] = self.raw[i, time - 1] + vector[i]

    def prefix(self, time: int, noisy: Floats, released: Floats) -> None:
        """Add what earlier noisy rows give to this sum."""
        for i in range(noisy.size):
            released[i] = self.noisy[i, time - 1] + noisy[i]

    def advance(self, time: int, vector: Floats, noisy: Floats) -> None:
        """Keep vector and noisy row, and pass them on to later rows."""
        for i in range(vector.size):
            self.raw[i, time - 1] = vector[i]
            self.noisy[i, time - 1] = noisy[i]
        pass_on(self.raw, time, self.matrix)
        pass_on(self.noisy, time, self.matrix)

    def forget(self) -> None:
        """Empty both streams."""
        self.raw[:] = 0.0
        self.noisy[:] = 0.0

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c."""
        return float(np.sqrt((self.matrix.coefficients[:rounds] ** 2).sum()))

    def noise_spread(self) -> Spread:
        """Return that of the first sum and of the last: the noise grows from sum to sum."""
        return Spread(1.0, self.column_norm(self.prefixes), 1, True)

    def variances_by_digits(self) -> Floats:
        """Return the squared norms of some rows of B."""
        squares = np.concatenate([[0.0], self.variances(self.prefixes)])
        return squares[[min(2**digits - 1, self.prefixes) for digits in range(self.prefixes.bit_length() + 1)]]

    def variances(self, rounds: int) -> Floats:
        """Return the squared norm of every row of B."""
        return np.cumsum(self.matrix.coefficients[:rounds] ** 2)

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the squared norm of every row of B, times that of the largest column of C."""
        rows: Floats = np.cumsum(square_root(rounds) ** 2)
        curve: Floats = rows * rows[-1]
        return curve

    def row_error(self, largest: float) -> float:
        """Return the bound for convolutions block by block (docs/proofs.md: Sums on a grid)."""
        return error_bound(self.matrix.coefficients, largest)


def square_root(rounds: int) -> Floats:
    """Return the coefficients of the square root of A, binom(2k, k) / 4^k: B and C are both this matrix.

    >>> square_root(4)
    array([1.    , 0.5   , 0.375 , 0.3125])
    """
    k = np.arange(1, rounds)
    return np.concatenate([[1.0], np.cumprod((2.0 * k - 1.0) / (2.0 * k))])
