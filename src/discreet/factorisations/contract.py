"""The contract of factorisations of prefix sums, and the base of Toeplitz factorisations."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple, Self

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats, Noise
from discreet.errors import DiscreetError

UNIT = 2.0**-53  # unit roundoff: the largest relative error of one operation


class Errors(NamedTuple):
    """Mean squared error of prefix sums at sensitivity 1 and Gaussian noise with μ = 1."""

    largest: float  # maximum over time
    mean: float


class Spread(NamedTuple):
    """How the noise of a prefix sum is composed of single draws."""

    least: float  # the smallest standard deviation of a sum, in units of one draw
    most: float  # the largest
    draws: int  # the largest number of independent draws in a sum
    # Whether all sums have the same distribution, or are Gaussian and their variance never falls.
    steady: bool


class Shares(NamedTuple):
    """Factors by which the noise of each epoch exceeds the noise on one vector."""

    on_total: Floats  # in the last round of an epoch
    on_inside: Floats  # in all others


class Factorisation(Component):
    """Turns vectors into the rows that get noise, and noisy rows into prefix sums: A = B C.

    A is the lower triangle of ones. Releasing C x + z with independent noise z gives all prefix
    sums A x + B z. In every round, counted from 1, some rows of C x are completed: ``encode``
    writes them one by one, ``decode`` receives each with its noise, and ``prefix`` writes the sum.
    ``advance`` is called last, after all noise was drawn: until then, nothing that a repeated round
    would read has changed. Anything computed from noisy rows is as private as they are.
    """

    name: ClassVar[str]
    proof: ClassVar[str]  # a description; part of a guarantee's source
    sections: ClassVar[str]  # of docs/proofs.md
    # How an epoch may split its guarantee if sums restart.
    splits: ClassVar[tuple[str, ...]] = ("restarts",)
    # Whether rows are plain sums of vectors, and therefore exact on a grid.
    adds_up_vectors: ClassVar[bool] = False

    prefixes: int  # the number of rounds for which it is made

    @classmethod
    def start(cls, *, prefixes: int, dimension: int, padding: bool = False) -> Self:
        """Return the factorisation before the first round."""
        raise NotImplementedError

    def rows_due(self, time: int) -> int:
        """Return how many rows are complete in this round."""
        return 1

    def encode(self, time: int, row: int, vector: Floats, noisy: Floats) -> None:
        """Write a row of C x that this vector completes; it gets noise next."""
        raise NotImplementedError

    def decode(self, time: int, row: int, noisy: Floats) -> None:
        """Receive a noisy row."""

    def prefix(self, time: int, noisy: Floats, released: Floats) -> None:
        """Write the noisy prefix sum; ``noisy`` is the last noisy row."""
        raise NotImplementedError

    def pads(self, time: int) -> int:
        """Return how many extra draws the sum gets, on which no guarantee depends."""
        return 0

    def without_padding(self) -> Self:
        """Return the factorisation without these draws."""
        return self

    def advance(self, time: int, vector: Floats, noisy: Floats) -> None:
        """Store what later rounds need."""

    def raw_sums(self, rounds: int) -> Floats:
        """Return the parts of the vectors so far that later rows contain, without noise.

        Each number is a sum of at most ``rounds`` vectors, with weights from -1 to 1.
        """
        return np.zeros(0)

    def forget(self) -> None:
        """Forget all vectors and start again."""

    def sensitivity(self, noise: Noise | type[Noise], rounds: int) -> float:
        """Return how far all rows move together if a vector moves by 1 in the noise's norm."""
        raise NotImplementedError

    def rounds_to_audit(self) -> int:
        """Return how many sums an audit observes."""
        return self.prefixes

    def allows(self, noise: Noise | type[Noise]) -> bool:
        """Return whether the joint cost of rows with this noise is proved."""
        return not math.isnan(noise.across)

    def noise_spread(self) -> Spread:
        """Return how large the noise in a prefix sum is."""
        raise NotImplementedError

    def variances_by_digits(self) -> Floats:
        """Return for each j a bound on the variance of sums of fewer than 2^j vectors.

        The unit is the variance of one draw. Beyond the last entry, the last entry holds.
        """
        return np.array([0.0, self.noise_spread().most ** 2])

    def variances(self, rounds: int) -> Floats:
        """Return the variance of the noise in every prefix sum, in units of one draw."""
        raise NotImplementedError

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the mean squared error of every prefix sum at sensitivity 1 and μ = 1."""
        raise NotImplementedError

    @classmethod
    def errors(cls, rounds: int) -> Errors:
        """Return the largest and the mean error over time."""
        curve = cls.curve(rounds)
        return Errors(float(curve.max()), float(curve.mean()))

    def shares(self, split: str, noise: Noise, lengths: list[int]) -> Shares:
        """Return the noise of epochs of these lengths; each spends the whole guarantee."""
        if split not in self.splits:
            allowed = ", ".join(map(repr, self.splits))
            raise DiscreetError(
                f"split is {split!r}, but {self.name} can be restarted only with {allowed}."
            )
        # 1e-14 covers rounding errors of the sensitivity.
        each = np.array([self.sensitivity(noise, length) for length in lengths]) * (1.0 + 1e-14)
        return Shares(each, each.copy())

    def epoch_cost(self, noise: Noise, lengths: list[int], shares: Shares) -> float:
        """Return how far a unit movement moves the rows of an epoch, each in units of its noise."""
        costs = [
            self.sensitivity(noise, length) / each
            for length, each in zip(lengths, shares.on_inside, strict=True)
        ]
        return float(max(costs))

    def input_grid(self, largest: float, step: float) -> float:
        """Return the grid for vectors in live use if noise has this ``step``; 0 for none."""
        return 0.0

    def row_error(self, largest: float) -> float:
        """Return a bound on the rounding errors of a coordinate of C x, in L2 over all rounds."""
        return 0.0


def lower_bound(rounds: int) -> float:
    """Return a lower bound on the maximum squared error of any factorisation.

    It is (nuclear norm of A / rounds)².
    """
    j = np.arange(1, rounds + 1)
    singular = 0.5 / np.sin((2 * j - 1) * math.pi / (4 * rounds + 2))
    return float(singular.sum() / rounds) ** 2


class Toeplitz(Factorisation):
    """C has the coefficients c(0) = 1, c(1), ..: round s enters row t with weight c(t - s).

    With Gaussian noise this is a single Gaussian mechanism. Its sensitivity is that of a vector
    times the norm of c, even when later vectors depend on earlier releases (docs/proofs.md:
    Factorisations). In live use, rows are rounded to the grid of the noise, and the sensitivity
    includes their rounding errors (Sums on a grid).
    """

    proof: ClassVar[str] = "Gaussian factorisation of prefix sums, adaptive inputs"
    sections: ClassVar[str] = "Factorisations"

    def allows(self, noise: Noise | type[Noise]) -> bool:
        """Return whether squares of costs add up, as with Gaussian noise; only that is proved."""
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
    # Prefix sums of the coefficients of C^-1.
    rows: Floats = np.cumsum(np.cumsum(_inverse(coefficients)) ** 2)
    return rows


def toeplitz_curve(coefficients: Floats) -> Floats:
    """Return the mean squared error of every prefix sum at sensitivity 1 and μ = 1."""
    return float((coefficients**2).sum()) * toeplitz_rows(coefficients)


def _inverse(coefficients: Floats) -> Floats:
    """Return the first coefficients of the inverse power series, by Newton's iteration."""
    from scipy.signal import fftconvolve

    inverse = np.array([1.0 / coefficients[0]])
    while inverse.size < coefficients.size:
        size = min(2 * inverse.size, coefficients.size)
        twice = np.zeros(size)
        twice[: inverse.size] = 2.0 * inverse
        square = fftconvolve(inverse, inverse)[:size]
        inverse = twice - fftconvolve(square, coefficients[:size])[:size]
    return inverse
