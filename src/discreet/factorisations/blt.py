"""Prefix sums by a buffered linear Toeplitz factorisation: a few buffers, and nearly the least error."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from discreet.contracts import Floats
from discreet.factorisations.buffers import buffered, column_norm, last_row_norm
from discreet.factorisations.contract import UNIT, Spread
from discreet.factorisations.toeplitz import Toeplitz, toeplitz_curve, toeplitz_rows
from discreet.kernel import Raw


class Buffered(Toeplitz):
    """C has c(0) = 1 and c(k) = Σ output(j) decay(j)^(k - 1); the estimates C⁻¹ w of single vectors are added up.

    Both C and its inverse need one buffer for each decay, however many rounds there are.
    """

    name: ClassVar[str] = "blt"

    decay: Floats
    output: Floats
    raw: Raw[Floats]  # buffer, coordinate: of C, filled by the vectors themselves
    noisy: Raw[Floats]  # buffer, coordinate: of its inverse, filled by estimates of single vectors
    summed: Raw[Floats]  # these estimates, added up

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the best factorisation for a number of rounds, before the first."""
        matrix = buffered(max(2, prefixes))
        return cls(
            prefixes=prefixes,
            decay=matrix.decay.copy(),
            output=matrix.output.copy(),
            raw=np.zeros((matrix.decay.size, dimension)),
            noisy=np.zeros((matrix.decay.size, dimension)),
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
        """Fill the buffers."""
        for j in range(self.decay.size):
            decay = self.decay[j]
            for i in range(vector.size):
                self.raw[j, i] = decay * self.raw[j, i] + vector[i]
                self.noisy[j, i] = decay * self.noisy[j, i] + noisy[i]
        for i in range(noisy.size):
            self.summed[i] += noisy[i]

    def forget(self) -> None:
        """Empty the buffers."""
        self.raw[:] = 0.0
        self.noisy[:] = 0.0
        self.summed[:] = 0.0

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c, as a geometric sum for each pair of buffers."""
        return column_norm(self.decay, self.output, rounds)

    def noise_spread(self) -> Spread:
        """Return that of the first sum and of the last: the noise grows from sum to sum."""
        return Spread(1.0, last_row_norm(self.prefixes), 1, True)

    def variances(self, rounds: int) -> Floats:
        """Return the squared norm of every row of B."""
        powers = self.decay[None, :] ** np.arange(rounds - 1)[:, None]
        return toeplitz_rows(np.concatenate([[1.0], powers @ self.output]))

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the errors of the best matrix for a number of rounds."""
        return toeplitz_curve(buffered(rounds).coefficients(rounds))

    def row_error(self, largest: float) -> float:
        """Return the bound: a buffer of size at most r gets an error of about 2 r units in each round, and keeps it.

        It keeps it for as long as it keeps the vectors themselves (docs/proofs.md: Sums on a grid).
        """
        rounds, sizes = float(self.prefixes), np.abs(self.output)
        with np.errstate(divide="ignore"):
            reach = np.minimum(rounds, 1.0 / (1.0 - np.abs(self.decay)))
        growing = np.sqrt(np.minimum(rounds**5 / 5.0, 4.0 * rounds * reach**4))
        steady = float(sizes @ reach) + (sizes.size + 1) * (1.0 + float(sizes @ reach))
        return float(1.03 * UNIT * largest * (float(sizes @ growing) + math.sqrt(rounds) * steady))
