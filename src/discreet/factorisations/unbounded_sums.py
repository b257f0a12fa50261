"""Prefix sums for an unknown number of rounds: a buffered matrix with columns of finite norm."""

from __future__ import annotations

import functools
from typing import ClassVar, Self

import numpy as np

from discreet.contracts import Floats
from discreet.factorisations.blt import Buffered, Buffers, all_time_norm

LONGEST = 2**31  # rounds up to which the error is nearly optimal; privacy does not end there
AUDITED = 255  # maximum rounds that an audit observes

# Distances from 1, the slowest first, found by benchmarks/unbounded.py. They minimise the largest
# ratio, over t from 2^10 to 2^31, of the mean squared error after t rounds to that of the square
# root made for t rounds: 1.44 with 8 buffers. No guarantee depends on how good they are.
DECAYS = (9.35e-10, 2.39e-8, 3.66e-7, 5.34e-6, 7.3e-5, 1.66e-3, 2.82e-2, 0.289)
ZEROS = (5.25e-9, 8.72e-8, 1.28e-6, 1.76e-5, 2.16e-4, 7.97e-3, 9.45e-2, 0.699)


class Unbounded(Buffered):
    """A buffered matrix with eight buffers, the same for every number of rounds.

    All c(k) are positive and eventually fall geometrically, so the norm of a column converges.
    Noise for the limit covers every round, no matter how many there will be (docs/proofs.md:
    Unbounded sums). The decays are spread so that the error of every prefix sum from the 2^10th to
    the 2^31st is at most 1.44 times that of a square root that knows the number of rounds. After
    that, the error grows with the number of rounds.
    """

    name: ClassVar[str] = "unbounded"
    proof: ClassVar[str] = "Gaussian factorisation of prefix sums for all time, adaptive inputs"
    sections: ClassVar[str] = "Factorisations, Unbounded sums"

    @classmethod
    def start(cls, *, prefixes: int = LONGEST, dimension: int, padding: bool = False) -> Self:
        """Return the factorisation before the first round; noise does not depend on its length."""
        return cls.over(unbounded(), prefixes=prefixes, dimension=dimension)

    def column_norm(self, rounds: int) -> float:
        """Return the norm of c for infinitely many rounds, regardless of ``rounds``."""
        return all_time_norm(self.decay, self.output)

    @classmethod
    def curve(cls, rounds: int) -> Floats:
        """Return the squared norm of every row of B, times that of a column of C for all time."""
        matrix = unbounded()
        curve: Floats = (
            np.cumsum(matrix.row(rounds) ** 2) * all_time_norm(matrix.decay, matrix.output) ** 2
        )
        return curve

    def rounds_to_audit(self) -> int:
        """Return a number of rounds in which three quarters of the privacy loss occur."""
        return min(self.prefixes, AUDITED)


@functools.cache
def unbounded() -> Buffers:
    """Return the matrix.

    >>> matrix = unbounded()
    >>> round(all_time_norm(matrix.decay, matrix.output), 3), round(matrix.row_norm(2**20), 3)
    (2.183, 2.994)
    """
    return Buffers.of(1.0 - np.array(DECAYS), 1.0 - np.array(ZEROS))
