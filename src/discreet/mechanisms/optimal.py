"""The noise with the least mean square for the sum of a batch, found by linear programming."""

from __future__ import annotations

import functools
import itertools
import math
import secrets
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.contracts import Floats, Generator, Noise
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.bits import GRID_BITS
from discreet.mechanisms.exact import SEALED
from discreet.ranges import ROUNDING, clamp_to

PLACES = 25  # values on a grid around the middle, before rarely used ones are dropped
REACHES = (0.75, 1.0, 1.5, 2.5)  # half-widths of the grids that are tried, in batches
RARE = 1e-4  # a value with at most this probability for every sum is dropped


def least_square(epsilon: float, size: int) -> tuple[Floats, Floats]:
    """Return values as fractions of the range, and their probabilities for every sum 0 .. size.

    Each row of probabilities has its sum as mean. Neighbouring rows differ by at most e^ε, and the
    largest mean square around 1/2 is the least possible on the grid. The programme is solved again
    on the values that matter, for a more precise answer.
    """
    found = [_solve(np.linspace(-reach, reach, PLACES), epsilon, size) for reach in REACHES]
    solved = [
        (square, chances, reach)
        for (square, chances), reach in zip(found, REACHES, strict=True)
        if square
    ]
    if not solved:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but no optimal noise was found for batches of {size}."
        )
    _, chances, reach = min(solved, key=lambda each: each[0])
    values = np.linspace(-reach, reach, PLACES)[chances.max(axis=0) > RARE]
    square, chances = _solve(values, epsilon, size)
    if not square:
        raise DiscreetError(
            f"epsilon is {epsilon!r}, but no optimal noise was found for batches of {size}."
        )
    used = chances.max(axis=0) > RARE
    kept = chances[:, used]
    return values[used] + 0.5, kept / kept.sum(axis=1, keepdims=True)


def _solve(values: Floats, epsilon: float, size: int) -> tuple[float, Floats]:
    """Return the minimal largest mean square and the probabilities; 0 if there is no solution."""
    from scipy import optimize, sparse

    rows, places = size + 1, values.size
    last = rows * places  # the bound on all mean squares is the last variable
    each = sparse.eye(places)
    steps = sparse.eye(size, rows), sparse.eye(size, rows, k=1)
    grow = math.exp(epsilon)
    ratios = sparse.vstack([sparse.kron(a - grow * b, each) for a, b in (steps, steps[::-1])])
    squares = sparse.kron(sparse.eye(rows), values**2)
    upper = sparse.vstack(
        [
            sparse.hstack([ratios, np.zeros((ratios.shape[0], 1))]),
            sparse.hstack([squares, -np.ones((rows, 1))]),
        ]
    )
    fixed = sparse.vstack(
        [sparse.kron(sparse.eye(rows), np.ones(places)), sparse.kron(sparse.eye(rows), values)]
    )
    means = np.arange(rows) / size - 0.5
    answer = optimize.linprog(
        np.append(np.zeros(last), 1.0),
        A_ub=upper.tocsr(),
        b_ub=np.zeros(upper.shape[0]),
        A_eq=sparse.hstack([fixed, np.zeros((2 * rows, 1))]).tocsr(),
        b_eq=np.concatenate([np.ones(rows), means]),
        bounds=(0.0, None),
        method="highs",
    )
    if not answer.success:
        return 0.0, np.zeros((rows, places))
    return float(answer.x[-1]), np.maximum(answer.x[:-1].reshape(rows, places), 0.0)


TOTAL_BITS = 50
TOTAL = 2.0**TOTAL_BITS  # the sum of every row: whole numbers that doubles represent exactly
LONGEST = 40  # rounds of a batch, hence rows; beyond it, solving takes too long
ROOM = 2.0**-48  # e^ε is rounded down by this share, far more than its numerical error


class TableShape(Noise):
    """One of a few values for the sum S of τ numbers in [0, 1], with probabilities from a table.

    Row k of ``counts`` has the probabilities for S = k, in units of 2^-50; between whole numbers
    they are interpolated. The mean of a release is S, up to 2^-20 of the batch. If neighbouring
    rows differ by at most the factor e^ε, which is checked in whole numbers, so do the rows of any
    two sums at most 1 apart (docs/proofs.md: Tables).
    """

    kind: ClassVar[str] = "optimal"
    norm: ClassVar[float] = 1.0
    has_memory: ClassVar[bool] = False

    epsilon: float
    values: Floats
    counts: Floats

    @property
    def scale(self) -> float:
        """The largest standard deviation of a release."""
        chances = self.counts / TOTAL
        means = chances @ self.values
        return float(np.sqrt(chances @ self.values**2 - means**2).max())

    def unit_variance(self, dimension: int) -> float:
        """Return 1: the scale is the standard deviation."""
        return 1.0

    def spread(self) -> float:
        """Return the distance between the largest value and the least."""
        return float(self.values.max() - self.values.min())

    def square_around_middle(self, width: float) -> float:
        """Return the largest mean square around the middle of a sum whose range has this width."""
        return float(((self.counts / TOTAL) @ (self.values - width / 2.0) ** 2).max())

    def fits_vectors_of(self, size: int) -> bool:
        """Return False: it is for one number."""
        return False

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Refuse: a table is for one number."""
        raise DiscreetError("optimal noise is for one number, not for vectors.")

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of a release about a sum that moves by at most 1."""
        check_range("sensitivity", sensitivity, 0.0, 1.0)
        if not rows_are_close(self.counts, self.epsilon):
            return Guarantee.none("the rows of the table differ by more than its epsilon allows")
        source = f"{source}; table of probabilities (docs/proofs.md: Tables)"
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)


class OptimalNoise(TableShape):
    """The table with the smallest maximal mean square around the middle, for simulation.

    >>> noise = OptimalNoise.calibrate(epsilon=1.0, size=2)
    >>> laplace = 3 * (1 / 4 + 2 / 9)
    >>> round(2 * noise.square_around_middle(2.0) / 4, 2), round(laplace, 2)
    (1.04, 1.42)
    """

    @classmethod
    def calibrate(cls, *, epsilon: float, size: int) -> OptimalNoise:
        """Return the noise for the sum of a batch of ``size`` losses in [0, 1]."""
        budget = check_range(
            "epsilon of optimal noise", check_positive("epsilon", epsilon), 0.0, 20.0
        )
        rows = check_int("batch_size with optimal noise", size, minimum=1, maximum=LONGEST)
        return cls(budget, *(array.copy() for array in _table(budget, rows)))

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return one of the values; a sum outside its range is clamped first."""
        last = self.counts.shape[0] - 1
        inside = min(max(value, 0.0), float(last))
        row = min(int(inside), last - 1)
        share = inside - row
        point = rng.random() * TOTAL
        for place in range(self.values.size - 1):
            point -= (1.0 - share) * self.counts[row, place] + share * self.counts[row + 1, place]
            if point < 0.0:
                return float(self.values[place])
        return float(self.values[self.values.size - 1])

    def exact(self, guarantee: Guarantee, sensitivity: float) -> ExactTable:
        """Return the same table for exact draws."""
        return ExactTable(self.epsilon, self.values, self.counts)


class ExactTable(TableShape):
    """The table for live use: whole numbers from the operating system decide exactly."""

    compiles = False
    is_exact: ClassVar[bool] = True

    def add_noise(self, value: float, rng: object) -> float:
        """Return one of the values; ``rng`` is not used.

        It first draws one of two rows, so numbers stay small. All sums take the same work: the
        whole table is read, and the sum is neither compared nor made a whole number of Python,
        which treats 0 differently. A processor guesses which way such code goes.
        """
        rows = self.counts.shape[0]
        inside = clamp_to(value, 0.0, rows - 1.0)
        nearest = (inside + ROUNDING) - ROUNDING
        row = nearest - below(inside - nearest)
        row -= 1.0 - below(row - (rows - 1.5))  # the last row is the upper one of the last pair
        # The share of the upper row, in steps of 2^-40.
        upper = ((inside - row) * 2.0**GRID_BITS + ROUNDING) - ROUNDING
        row += below(float(secrets.randbits(GRID_BITS)) - upper)
        point = float(secrets.randbits(TOTAL_BITS))
        drawn = np.count_nonzero(np.cumsum(self.counts, axis=1)[:, :-1] <= point, axis=1)
        return float(self.values[(drawn * (np.arange(rows) == row)).sum()])

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of a release, which is the same."""
        return super().guarantee(
            sensitivity, model=model, source=f"{source}; exact noise (docs/proofs.md: Tables)"
        )

    def sealed(self) -> SealedTable:
        """Return the same table, which only a live run may draw from."""
        return SealedTable(self.epsilon, self.values, self.counts)


def below(number: float) -> float:
    """Return 1 for a negative number, -0.0 included, and 0 for others; with the same work."""
    return 0.5 - math.copysign(0.5, number)


class SealedTable(ExactTable):
    """A table that refuses to be drawn from; a live run unseals its own copy."""

    compiles = False

    def add_noise(self, value: float, rng: object) -> float:
        """Refuse."""
        raise DiscreetError(SEALED)

    def unsealed(self) -> ExactTable:
        """Return the same table, ready to draw from."""
        return ExactTable(self.epsilon, self.values, self.counts)


@functools.cache
def _table(epsilon: float, size: int) -> tuple[Floats, Floats]:
    """Return values in units of one loss, and counts whose neighbouring rows differ by e^ε."""
    # The solver keeps its constraints to about 1e-7, and rounding to whole numbers may exceed e^ε
    # as well. So the target is a slightly smaller epsilon, reduced again until the rows are close
    # enough: 40 steps of 1e-4 cost at most 0.4 % of epsilon, which hardly adds noise.
    aimed = epsilon * (1.0 - 1e-6)
    for _ in range(40):
        values, chances = least_square(aimed, size)
        counts = np.rint(chances * TOTAL)
        counts[:, counts.shape[1] // 2] += TOTAL - counts.sum(axis=1)
        if rows_are_close(counts, epsilon):
            return size * values, counts
        aimed *= 1.0 - 1e-4
    raise DiscreetError(
        f"epsilon is {epsilon!r}, but no table was found for batches of {size}: use noise=laplace."
    )


def rows_are_close(counts: Floats, epsilon: float) -> bool:
    """Return whether neighbouring rows differ by at most the factor e^ε, in whole numbers."""
    limit = Fraction(math.exp(epsilon) * (1.0 - ROOM))
    whole = [[int(entry) for entry in row] for row in counts]
    pairs = [
        (a, b) for one, two in itertools.pairwise(whole) for a, b in zip(one, two, strict=True)
    ]
    ups, down = limit.numerator, limit.denominator
    return all(sum(row) == int(TOTAL) for row in whole) and all(
        a > 0 and b > 0 and a * down <= b * ups and b * down <= a * ups for a, b in pairs
    )
