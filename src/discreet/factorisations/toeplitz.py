"""What factorisations have in common whose C is a Toeplitz matrix."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.contracts import Floats, Noise
from discreet.errors import DiscreetError
from discreet.factorisations.contract import Factorisation


class Toeplitz(Factorisation):
    """C has the coefficients c(0) = 1, c(1), .. below its diagonal: a round moves row t by c(t - s) times as much.

    With Gaussian noise all of it is one Gaussian mechanism whose sensitivity is that of a vector
    times the norm of c, also when later vectors depend on earlier releases (docs/proofs.md:
    Factorisations). In live use rows are rounded to the grid of the noise, and their rounding
    errors are paid for (Sums on a grid).
    """

    proof: ClassVar[str] = "Gaussian factorisation of prefix sums, adaptive inputs"
    sections: ClassVar[str] = "Factorisations"

    def allows(self, noise: Noise | type[Noise]) -> bool:
        """Return whether squares add up, as for Gaussian noise: of no other it is proved what rows cost together."""
        return noise.across == 2.0

    def sensitivity(self, noise: Noise | type[Noise], rounds: int) -> float:
        """Return the norm of c(0) .. c(rounds - 1), the largest column norm of C."""
        if not self.allows(noise):
            raise DiscreetError(f"noise is {noise.kind}, but {self.name} needs Gaussian noise.")
        return self.column_norm(rounds)

    def column_norm(self, rounds: int) -> float:
        """Return the norm of the first coefficients."""
        raise NotImplementedError


def toeplitz_rows(coefficients: Floats) -> Floats:
    """Return the squared norm of every row of B = A C^-1, for a C with these coefficients."""
    rows: Floats = np.cumsum(
        np.cumsum(_inverse(coefficients)) ** 2
    )  # prefix sums of the coefficients of C^-1
    return rows


def toeplitz_curve(coefficients: Floats) -> Floats:
    """Return the mean squared error of every prefix sum at sensitivity 1 and μ = 1."""
    return float((coefficients**2).sum()) * toeplitz_rows(coefficients)


def _inverse(coefficients: Floats) -> Floats:
    """Return the first coefficients of the inverse power series, by Newton's iteration with fast convolutions."""
    from scipy.signal import fftconvolve

    inverse = np.array([1.0 / coefficients[0]])
    while inverse.size < coefficients.size:
        size = min(2 * inverse.size, coefficients.size)
        twice = np.zeros(size)
        twice[: inverse.size] = 2.0 * inverse
        square = fftconvolve(inverse, inverse)[:size]
        inverse = twice - fftconvolve(square, coefficients[:size])[:size]
    return inverse
