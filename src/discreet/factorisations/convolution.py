"""Online convolutions: near coefficients are stored, far ones are a sum of exponentials.

Row t of C x needs all earlier vectors. A lag below ``BLOCK`` has its own coefficient. Beyond it,
c(k) = Σ weight(j) exp(-rate(j) k), so one number per rate summarises everything older. Within a
block of rounds, each vector is added to the later rows of the block as it arrives. At the end of a
block, all rows of the next one are prepared at once, from the vectors of the block and from the
exponentials, which summarise all previous blocks. A round costs O(BLOCK + rates) per coordinate,
and the size of a stream does not depend on the number of rounds.

A stream is one array (coordinate, place) with four parts: BLOCK places for what earlier vectors add
to the rows of this block; BLOCK for the vectors of this block; what the previous block adds to the
exponentials; and the exponentials.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import compile_for, compiled_as, helper
from discreet.contracts import Floats, Integers
from discreet.factorisations.contract import UNIT

BLOCK = 32  # k₀ in docs/proofs.md; similar to the number of rates, about forty
# Products that are summed before they enter a total. BLOCK and the number of rates are multiples.
TOGETHER = 4
STEP, REACH = 0.12, 3.0  # of the quadrature; these keep its relative errors below 2^-50
FAINT = 39.0  # terms below exp(-FAINT), less than the last digit, are omitted


class Filter(NamedTuple):
    """A Toeplitz matrix with positive coefficients, ready to be applied to streams."""

    weight: Floats
    rate: Floats
    near: Floats  # c(0) .. c(BLOCK - 1)
    inside: Floats  # round of a block, row of it: 0 unless the row is later
    across: Floats  # round of a block, row of the next
    push: Floats  # round of a block, rate
    lost: Floats  # rate: the share that is lost in a block
    pull: Floats  # rate, row of a block

    @classmethod
    def of(cls, near: Floats, weight: Floats, rate: Floats) -> Filter:
        """Return the matrix with coefficients c(0) .. c(BLOCK - 1) and then exponentials."""
        place = np.arange(BLOCK)
        both = np.concatenate([near, sum_of_exponentials(weight, rate, BLOCK + place)])
        return cls(
            weight=weight,
            rate=rate,
            near=near,
            inside=np.triu(near[np.maximum(0, place - place[:, None])], 1),
            across=both[BLOCK + place - place[:, None]],
            push=np.exp(-np.outer(BLOCK - 1 - place, rate)),
            lost=-np.expm1(-BLOCK * rate),
            pull=weight[:, None] * np.exp(-np.outer(rate, BLOCK + 1 + place)),
        )

    def stream(self, dimension: int) -> Floats:
        """Return a stream before its first round."""
        return np.zeros((dimension, 2 * (BLOCK + self.rate.size)))

    def norm(self, rounds: int) -> float:
        """Return the norm of c(0) .. c(rounds - 1), by a geometric sum per pair of exponentials."""
        near = float((self.near[:rounds] ** 2).sum())
        pairs = self.rate[:, None] + self.rate
        sums = np.expm1(-max(0, rounds - BLOCK) * pairs) / np.expm1(-pairs)
        started = self.weight * np.exp(-BLOCK * self.rate)
        return math.sqrt(near + float(started @ sums @ started))

    def error_bound(self, rounds: int, largest: float) -> float:
        """Return an upper bound on the rounding errors of C x, in L2, for |x(i)| ≤ ``largest``.

        It is the claim of docs/proofs.md (Sums on a grid, Lemma 31.6). Here k₀ = BLOCK, ι = UNIT,
        ψ = ``weight``, a = ``rate``, l = ``lost``, F = ``reach``, κ = ``tables`` and S = ``whole``,
        and ``growing`` bounds the L2 norm of (t - 1)²/k₀ + t - 1. Σ t⁴ ≤ m⁵/5 and Σ t² ≤ m³/3 give
        the divisors 2.2 < sqrt(5) and 1.7 < sqrt(3). The factor 1.03 covers all terms of the order
        of ι².
        """
        reach = np.minimum(float(rounds), -1.0 / np.expm1(-self.rate))
        blocks = np.minimum(rounds / BLOCK, 1.0 / self.lost)
        tables = 2.0 * BLOCK * float(self.rate.max()) + 4.0
        whole = float(self.near.sum()) + float((self.weight * np.exp(-BLOCK * self.rate)) @ reach)
        in_row = (2 * BLOCK + 2 * self.rate.size + 8 + tables) * whole
        in_block = blocks * (3 * BLOCK + (BLOCK + 4 + tables) * np.minimum(BLOCK, reach))
        growing = np.minimum(
            rounds**2.5 / (2.2 * BLOCK) + rounds**1.5 / 1.7,
            math.sqrt(rounds) * 2.0 * reach / self.lost,
        )
        held = float(self.pull[:, 0] @ (math.sqrt(rounds) * in_block + growing))
        return 1.03 * UNIT * largest * (math.sqrt(rounds) * in_row + held)


def sum_of_exponentials(weight: Floats, rate: Floats, lags: Integers) -> Floats:
    """Return Σ weight(j) exp(-rate(j) k) for some k."""
    values: Floats = np.exp(-np.outer(lags, rate)) @ weight
    return values


def quadrature(rounds: int) -> tuple[Floats, Floats]:
    """Return points and weights of ∫ (1 + s²)^-(k + 1) ds over s > 0, for k from BLOCK to rounds.

    It is the midpoint rule after substituting s = s₀ sinh(x). The integrand is then even and
    analytic, so errors fall exponentially; s₀ is comparable to its width for the largest k.
    """
    unit = REACH / math.sqrt(max(rounds, BLOCK))
    last = math.asinh(math.sqrt(math.expm1(FAINT / (BLOCK + 2))) / unit)
    count = math.ceil(last / STEP / TOGETHER) * TOGETHER
    places = STEP * (np.arange(count) + 0.5)
    return unit * np.sinh(places), STEP * unit * np.cosh(places)


@helper
def row_in_stream(time: int) -> int:
    """Return the place in a stream of what earlier vectors add to a row; rounds count from 1."""
    return (time - 1) & (BLOCK - 1)


def _pass_on(stream: Floats, time: int, vector: Floats, matrix: Filter) -> None:
    """Add the vector of a round to the later rows of its block; at its end, prepare the next."""
    place, rates = (time - 1) & (BLOCK - 1), matrix.rate.size
    inside = matrix.inside[place]
    for i in range(stream.shape[0]):
        value, rows = vector[i], stream[i, :BLOCK]
        for k in range(place & -TOGETHER, BLOCK):
            rows[k] += value * inside[k]
        stream[i, BLOCK + place] = value
    if place < BLOCK - 1:
        return
    for i in range(stream.shape[0]):
        rows, came = stream[i, :BLOCK], stream[i, BLOCK : 2 * BLOCK]
        before, held = stream[i, 2 * BLOCK : 2 * BLOCK + rates], stream[i, 2 * BLOCK + rates :]
        for j in range(rates):
            held[j] = (held[j] - matrix.lost[j] * held[j]) + before[j]
        before[:] = 0.0
        add_products(before, came, matrix.push)
        rows[:] = 0.0
        add_products(rows, came, matrix.across)
        add_products(rows, held, matrix.pull)


@compiled_as(_pass_on)
def pass_on(stream: Floats, time: int, vector: Floats, matrix: Filter) -> None:
    """Call the compiled version from plain Python: it is fast, and adds in the same order."""
    compile_for(_pass_on)(stream, int(time), vector, matrix)


@helper
def add_products(total: Floats, factors: Floats, table: Floats) -> None:
    """Add the rows of a table times factors, four at a time: fast, with fewer rounding errors."""
    for j in range(0, factors.size, TOGETHER):
        a, b, c, d = factors[j], factors[j + 1], factors[j + 2], factors[j + 3]
        one, two, three, four = table[j], table[j + 1], table[j + 2], table[j + 3]
        for k in range(total.size):
            total[k] += (a * one[k] + b * two[k]) + (c * three[k] + d * four[k])
