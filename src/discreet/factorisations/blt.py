"""Prefix sums by a buffered linear Toeplitz factorisation: a few buffers, and nearly the least error."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import Raw
from discreet.contracts import Floats
from discreet.factorisations.buffers import Buffers, buffered, column_norm
from discreet.factorisations.contract import UNIT, Spread
from discreet.factorisations.toeplitz import Toeplitz, toeplitz_curve


class Buffered(Toeplitz):
    """C has c(0) = 1 and c(k) = Σ output(j) decay(j)^(k - 1); the estimates C⁻¹ w of single vectors are added up.

    Both C and its inverse need one buffer for each decay, however many rounds there are.
    """

    name: ClassVar[str] = "blt"

    decay: Floats
    output: Floats
    zero: Floats
    raw: Raw[Floats]  # buffer, coordinate: of C, filled by the vectors themselves
    rest: Raw[Floats]  # what is too small to be added to them yet
    noisy: Raw[Floats]  # buffer, coordinate: of its inverse, filled by estimates of single vectors
    summed: Raw[Floats]  # these estimates, added up

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the best factorisation for a number of rounds, before the first."""
        return cls.over(buffered(max(2, prefixes)), prefixes=prefixes, dimension=dimension)

    @classmethod
    def over(cls, matrix: Buffers, *, prefixes: int, dimension: int) -> Self:
        """Return the factorisation with a given matrix."""
        shape = matrix.decay.size, dimension
        return cls(
            prefixes=prefixes,
            decay=matrix.decay.copy(),
            output=matrix.output.copy(),
            zero=matrix.zero.copy(),
            raw=np.zeros(shape),
            rest=np.zeros(shape),
            noisy=np.zeros(shape),
            summed=np.zeros(dimension),
        )

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Add what the buffers still hold of earlier vectors."""
        for i in range(vector.size):
            noisy[i] = vector[i]
        for j in range(self.decay.size):  # coordinates inside: neighbours in memory
            output = self.output[j]
            for i in range(vector.size):
                noisy[i] += output * self.raw[j, i]

    def decode(self, time: int, row: int, noisy: Floats) -> None:
        """Replace the noisy row by the estimate of the vector."""
        for j in range(self.decay.size):
            output = self.output[j]
            for i in range(noisy.size):
                noisy[i] -= output * self.noisy[j, i]

    def prefix(self, time: int, noisy: Floats, released: Floats) -> None:
        """Add the estimate to those before."""
        for i in range(noisy.size):
            released[i] = self.summed[i] + noisy[i]

    def advance(self, time: int, vector: Floats, noisy: Floats) -> None:
        """Fill the buffers.

        A raw one changes by x - (1 - decay) r, which is small, so its rounding errors are; and what
        is lost when that is added to a large r is kept and added later. Of the noisy ones no
        guarantee depends.
        """
        for j in range(self.decay.size):
            decay = self.decay[j]
            lost = 1.0 - decay  # exactly
            for i in range(vector.size):
                before = self.raw[j, i]
                change = (vector[i] - lost * before) + self.rest[j, i]
                after = before + change
                self.rest[j, i] = change - (after - before)
                self.raw[j, i] = after
                self.noisy[j, i] = decay * self.noisy[j, i] + noisy[i]
        for i in range(noisy.size):
            self.summed[i] += noisy[i]

    def forget(self) -> None:
        """Empty the buffers."""
        self.raw[:] = 0.0
        self.rest[:] = 0.0
        self.noisy[:] = 0.0
        self.summed[:] = 0.0

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c, as a geometric sum for each pair of buffers."""
        return column_norm(self.decay, self.output, rounds)

    def noise_spread(self) -> Spread:
        """Return that of the first sum and of the last: the noise grows from sum to sum."""
        return Spread(1.0, self.matrix.row_norm(self.prefixes), 1, True)

    def variances_by_digits(self) -> Floats:
        """Return the squared norms of some rows of B."""
        lengths = [
            min(2**digits - 1, self.prefixes) for digits in range(1, self.prefixes.bit_length() + 1)
        ]
        return np.array([0.0, *(self.matrix.row_norm(length) ** 2 for length in lengths)])

    def variances(self, rounds: int) -> Floats:
        """Return the squared norm of every row of B."""
        return np.cumsum(self.matrix.row(rounds) ** 2)

    @property
    def matrix(self) -> Buffers:
        """The matrix C."""
        return Buffers(self.decay, self.output, self.zero)

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the errors of the best matrix for a number of rounds."""
        return toeplitz_curve(buffered(rounds).coefficients(rounds))

    def row_error(self, largest: float) -> float:
        """Return the bound: in each round a buffer gets an error of some units of a vector, and keeps it.

        It keeps it for as long as it keeps the vectors themselves (docs/proofs.md: Sums on a grid).
        """
        rounds, sizes = float(self.prefixes), np.abs(self.output)
        held = float(sizes @ np.minimum(rounds, 1.0 / (1.0 - self.decay)))
        return (
            1.03
            * UNIT
            * largest
            * math.sqrt(rounds)
            * (sizes.size + 1.0 + (sizes.size + 24.0) * held)
        )
