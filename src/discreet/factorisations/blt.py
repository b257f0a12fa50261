"""Buffered linear Toeplitz factorisations: a few buffers and a nearly minimal error."""

from __future__ import annotations

import functools
import math
from typing import ClassVar, NamedTuple, Self

import numpy as np

from componentjit import Raw
from discreet.contracts import Floats
from discreet.errors import check_int, check_range
from discreet.factorisations.contract import UNIT, Spread, Toeplitz, toeplitz_curve


class Buffers(NamedTuple):
    """A buffered linear Toeplitz matrix: c(0) = 1 and c(k) = Σ output(j) decay(j)^(k - 1)."""

    decay: Floats
    output: Floats
    zero: Floats  # of its generating function, Π (1 - zero(j) x) / Π (1 - decay(j) x)

    @classmethod
    def of(cls, decay: Floats, zero: Floats) -> Buffers:
        """Return the matrix with these decays and zeros.

        Outputs are positive if both alternate: 1 > decay(1) > zero(1) > decay(2) > .. > 0.
        """
        return cls(decay, residues(decay, zero) * decay, zero)

    def coefficients(self, rounds: int) -> Floats:
        """Return c(0) .. c(rounds - 1)."""
        powers = self.decay[None, :] ** np.arange(rounds - 1)[:, None]
        return np.concatenate([[1.0], powers @ self.output])

    def row(self, rounds: int) -> Floats:
        """Return the last row of B, diagonal first: prefix sums of the inverse's coefficients."""
        left = 1.0 - self.zero
        parts = -residues(self.zero, self.decay) * self.zero / left
        found = np.full(rounds, float(np.prod((1.0 - self.decay) / left)))
        for part, zero in zip(parts, self.zero, strict=True):
            found += part * np.exp(np.arange(rounds) * np.log(zero))
        return found

    def row_norm(self, rounds: int) -> float:
        """Return the norm of row ``rounds`` of B, the factor of the noise in that sum."""
        return math.sqrt(_square_sum(self.zero, self.decay, rounds, summed=True))


def fading(decay: float) -> Buffers:
    """Return the matrix with one buffer and c(k) = 7/8 decay^k for k > 0.

    Its prefix sums have more noise than those of ``buffered``, but most of the noise of a row is
    its own. So if vectors are alike over time, weighted sums of all rows so far have less.

    >>> fading(0.5).coefficients(4).tolist()
    [1.0, 0.4375, 0.21875, 0.109375]
    """
    # 1 minus a double, so that 1 - rate is exact (docs/proofs.md: Sums on a grid).
    rate = 1.0 - (1.0 - check_range("decay", decay, 1e-6, 1.0 - 1e-9))
    return Buffers.of(np.array([rate]), np.array([0.125 * rate]))


def column_norm(decay: Floats, output: Floats, rounds: int) -> float:
    """Return the norm of c(0) .. c(rounds - 1); decays are in (0, 1) and outputs positive.

    The sum of c(k)² is one geometric sum for each pair of buffers. All terms are positive and
    computed without cancellation, so the relative error is a few units in the last place for any
    number of rounds.
    """
    left, rates = 1.0 - decay, np.log(decay)
    gaps = left[:, None] + decay[:, None] * left[None, :]  # 1 - decay(i) decay(j)
    sums = -np.expm1((rounds - 1) * (rates[:, None] + rates[None, :])) / gaps
    return math.sqrt(1.0 + float(np.abs(output) @ sums @ np.abs(output)))


def all_time_norm(decay: Floats, output: Floats) -> float:
    """Return the norm for infinitely many rounds, rounded up by more than its rounding error."""
    left = 1.0 - decay
    gaps = left[:, None] + decay[:, None] * left[None, :]
    return math.sqrt(1.0 + float(output @ (1.0 / gaps) @ output)) * (1.0 + 1e-12)


@functools.lru_cache(maxsize=64)
def buffered(rounds: int, buffers: int | None = None) -> Buffers:
    """Return the buffered matrix with the smallest maximum error for a number of rounds.

    C has the generating function Π (1 - zero(j) x) / Π (1 - decay(j) x) with 1 > decay(1) > zero(1)
    > decay(2) > ... Both sums of squares have closed forms, so the search is no slower for long
    horizons. Without ``buffers``, 3 to 5 are used, enough to come within 1 % of the square root.
    """
    from scipy import optimize

    length = check_int("rounds", rounds, minimum=2)
    count = check_int(
        "buffers", _enough(length) if buffers is None else buffers, minimum=1, maximum=12
    )
    top, bottom = math.log(min(0.5, 1.0 / length)), math.log(0.9)
    start = np.concatenate(
        [[top], np.log(np.full(2 * count - 1, max(0.1, (bottom - top) / (2 * count))))]
    )

    def objective(parameters: Floats) -> float:
        decay, zero = _poles(parameters)
        if zero[-1] <= 0.0:
            return 1e6 - 1e3 * float(zero[-1])
        return math.log(
            _square_sum(decay, zero, length, summed=False)
            * _square_sum(zero, decay, length, summed=True)
        )

    best = start
    for _ in range(3):
        best = optimize.minimize(
            objective, best, method="Nelder-Mead", options={"maxiter": 4000, "fatol": 1e-10}
        ).x
        best = optimize.minimize(objective, best, method="BFGS", options={"maxiter": 400}).x
    decay, zero = _poles(best)
    return Buffers.of(decay, zero)


def _enough(rounds: int) -> int:
    return 3 if rounds <= 2**11 else 4 if rounds <= 2**15 else 5


def _poles(parameters: Floats) -> tuple[Floats, Floats]:
    """Return alternating decays and zeros: their distances from 1 grow on a logarithmic scale."""
    distance = np.exp(np.cumsum(np.concatenate([parameters[:1], np.exp(parameters[1:])])))
    points = 1.0 - distance
    return points[0::2], points[1::2]


def residues(decay: Floats, zero: Floats) -> Floats:
    """Return r with Π (1 - zero x) / Π (1 - decay x) = constant + Σ r(j) / (1 - decay(j) x).

    Differences of neighbours are exact, so the result is accurate even if they are very close to 1.
    """
    found = np.empty(decay.size)
    for j, d in enumerate(decay):
        found[j] = np.prod((d - zero) / d) / np.prod(
            [(d - e) / d for i, e in enumerate(decay) if i != j]
        )
    return found


def _square_sum(decay: Floats, zero: Floats, rounds: int, *, summed: bool) -> float:
    """Return the sum of squares of the first coefficients, or (``summed``) of their prefix sums."""
    left, rates = 1.0 - decay, np.log(decay)
    parts = residues(decay, zero)
    first = 0 if summed else 1
    if summed:  # the prefix sums of r d^k are r (1 - d^(k+1)) / (1 - d)
        parts = -parts * decay / left
    gaps = left[:, None] + decay[:, None] * left[None, :]  # 1 - decay(i) decay(j)
    pairs = rates[:, None] + rates[None, :]
    sums = np.exp(first * pairs) * -np.expm1((rounds - first) * pairs) / gaps
    total = float(parts @ sums @ parts)
    if not summed:
        return 1.0 + total
    limit = float(np.prod((1.0 - zero) / left))  # of the prefix sums
    return total + limit * (
        rounds * limit + 2.0 * float(parts @ (-np.expm1(rounds * rates) / left))
    )


class Buffered(Toeplitz):
    """C has c(0) = 1 and c(k) = Σ output(j) decay(j)^(k - 1); sums of C⁻¹ (C x + z) are released.

    Both C and its inverse need one buffer per decay, whatever the number of rounds.
    """

    name: ClassVar[str] = "blt"

    decay: Floats
    output: Floats
    zero: Floats
    raw: Raw[Floats]  # buffer, coordinate: the buffers of C, which hold raw vectors
    rest: Raw[Floats]  # rounding errors of ``raw``, added back in the next round
    noisy: Raw[Floats]  # buffer, coordinate: those of the inverse, which hold estimated vectors
    summed: Raw[Floats]  # the sum of the estimated vectors

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
        """Add the contribution of earlier vectors, from the buffers."""
        for i in range(vector.size):
            noisy[i] = vector[i]
        for j in range(self.decay.size):  # coordinates in the inner loop: contiguous memory
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
        """Add the estimate to the previous ones."""
        for i in range(noisy.size):
            released[i] = self.summed[i] + noisy[i]

    def advance(self, time: int, vector: Floats, noisy: Floats) -> None:
        """Update the buffers.

        A raw buffer r changes by x - (1 - decay) r. That is small, and so is its rounding error.
        ``rest`` keeps what is lost when it is added to a large r. No guarantee depends on the noisy
        buffers.
        """
        for j in range(self.decay.size):
            decay = self.decay[j]
            lost = 1.0 - decay  # exact
            for i in range(vector.size):
                before = self.raw[j, i]
                change = (vector[i] - lost * before) + self.rest[j, i]
                after = before + change
                self.rest[j, i] = change - (after - before)
                self.raw[j, i] = after
                self.noisy[j, i] = decay * self.noisy[j, i] + noisy[i]
        for i in range(noisy.size):
            self.summed[i] += noisy[i]

    def raw_sums(self, rounds: int) -> Floats:
        """Return the raw buffers: sums of vectors with powers of a decay as weights."""
        return self.raw

    def forget(self) -> None:
        """Empty the buffers."""
        self.raw[:] = 0.0
        self.rest[:] = 0.0
        self.noisy[:] = 0.0
        self.summed[:] = 0.0

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c."""
        return column_norm(self.decay, self.output, rounds)

    def noise_spread(self) -> Spread:
        """Return the spread from the first sum to the last: the noise grows in every round."""
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
        """Return the bound of docs/proofs.md (Sums on a grid, Lemma 31.5).

        In each round a buffer gains an error of at most 15 UNIT ``largest``, which decays like the
        vectors in it. With J buffers, the error of a row is at most (J + 1 + (J + 24) ``held``)
        units, where ``held`` is Σ o(j) F(j). 24 covers the buffers' errors (22.3) and one product;
        1.03 covers all higher orders.
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
