"""The square-root factorisation in live use, as plain Python with NumPy."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from discreet.channels.buffered import NOT_GAUSSIAN
from discreet.channels.live import Live, vector_of
from discreet.channels.rounding import UNIT, Checked, rounded_rows
from discreet.contracts import Floats, Generator, Integers
from discreet.guarantee import Guarantee
from discreet.mechanisms import ExactGaussian, Gaussian

AT_ONCE = 2**12  # rounds whose products are added in one go, then block by block: that keeps rounding errors small


class _Fields(NamedTuple):
    losses: Checked
    mechanism: ExactGaussian
    prefixes: int
    slack: float  # what rounding adds to the sensitivity
    backwards: Floats  # the coefficients of C, the first one last
    seen: Integers
    raw: Floats  # coordinate, round
    noisy: Floats  # coordinate, round: C x + z
    released: Floats


class LiveSquareRoot(Live, _Fields):
    """Releases C w for w = C x + z: C x is computed, rounded to the grid of the noise, and gets exact Gaussian noise.

    Rounding errors are paid for (docs/proofs.md: Sums on a grid); C w is computed from w alone. A round costs as much as
    there were rounds before, and all of them are remembered.
    """

    __slots__ = ()

    @classmethod
    def over(cls, losses: Any, mechanism: Gaussian, coefficients: Floats, promise: Guarantee) -> LiveSquareRoot:
        """Return the channel that keeps a promise, before the first round."""
        checked, rounds = Checked.of(losses), coefficients.size
        exact, slack = rounded_rows(
            mechanism,
            promise,
            sensitivity=_reach(checked, coefficients),
            losses=checked,
            prefixes=rounds,
            error=error(coefficients, checked.largest(math.inf)),
        )
        shape = losses.dimension, rounds
        backwards = np.ascontiguousarray(coefficients[::-1])
        seen, raw, noisy, released = np.zeros(1, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(losses.dimension)
        return cls(checked, exact, rounds, slack, backwards, seen, raw, noisy, released)

    def hold(self) -> int:
        """Return 1: a new action every round."""
        return 1

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with correlated noise."""
        if self.seen[0] >= self.prefixes:
            return False, self.released
        last = int(self.seen[0])
        vector = vector_of(feedback, self.released.size)
        self.losses.project(vector)
        self.raw[:, last] = vector
        row = self._filtered(self.raw, last)
        self.mechanism.perturb(row, rng)
        self.noisy[:, last] = row
        self.seen[0] += 1  # only now: a round that fails before leaves its place to the next one
        self.released[:] = self._filtered(self.noisy, last)
        return True, self.released

    def _filtered(self, rows: Floats, last: int) -> Floats:
        """Return what C makes of all rounds so far."""
        weights = self.backwards[self.prefixes - 1 - last :]
        total = np.zeros(rows.shape[0])
        for start in range(0, last + 1, AT_ONCE):
            stop = min(start + AT_ONCE, last + 1)
            total += rows[:, start:stop] @ weights[start:stop]
        return total

    def restart(self) -> None:
        """Forget everything and begin anew. It costs no privacy if other rounds follow: none may be told again."""
        self.seen[0] = 0  # rounds are written before they are read

    def fork(self) -> LiveSquareRoot:
        """Return this channel: all rounds are one stream, in the order in which they come."""
        return self

    @property
    def sensitivity(self) -> float:
        """By how much a replaced round moves C x, in L2, rounding included."""
        return _reach(self.losses, self.backwards[::-1]) + self.slack

    @property
    def guarantee(self) -> Guarantee:
        """Computed from the noise that is really added."""
        if not isinstance(self.mechanism, ExactGaussian):
            return NOT_GAUSSIAN
        source = "Gaussian factorisation of prefix sums, adaptive inputs (docs/proofs.md: Factorisations, Sums on a grid)"
        return self.mechanism.guarantee(self.sensitivity, model="central", source=source)

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """One noise, on each filtered vector."""
        return (self.mechanism.noise(),)

    def __repr__(self) -> str:
        return f"LiveSquareRoot({self.prefixes} prefixes, mechanism={self.mechanism}, raw=<hidden>)"


def error(coefficients: Floats, largest: float) -> float:
    """Return a bound on the rounding errors of a coordinate of C x, in L2 over all rounds (Sums on a grid)."""
    rounds = coefficients.size
    operations = min(rounds, AT_ONCE) - (-rounds // AT_ONCE)
    return 1.03 * math.sqrt(rounds) * operations * UNIT * largest * float(np.abs(coefficients).sum())


def _reach(losses: Checked, coefficients: Floats) -> float:
    return losses.diameter(2.0) * float(np.sqrt((coefficients**2).sum()))
