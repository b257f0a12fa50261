"""Least squares on moments, with inner loops along rows: fast both compiled and in NumPy.

Every entry is computed by the same operations in the same order, compiled or not, so both give the
same bits. No inner loop is a running sum, so the compiler may use vector instructions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import compiled_as
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int

# The minimum pivot, as a share of the shift: a smaller one is mostly rounding error.
LEAST = 1e-12


class MomentPlaces(NamedTuple):
    """The entries of the lower triangle of x x' that are summed, row by row.

    With blocks, an arm has some features that all arms share, and its own block of features. No
    record has features in two blocks, so entries that belong to two blocks are omitted.
    """

    rows: Integers
    columns: Integers

    @classmethod
    def of(cls, dimension: int, *, arms: int = 0, block: int = 0) -> MomentPlaces:
        """Return all entries, or those for blocks: the last ``arms`` times ``block`` features.

        >>> MomentPlaces.of(3).rows.tolist()
        [0, 1, 1, 2, 2, 2]
        >>> places = MomentPlaces.of(5, arms=2, block=2)        # feature 0 is shared
        >>> list(zip(*(each.tolist() for each in places)))
        [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 3), (4, 0), (4, 3), (4, 4)]
        """
        size, own = (
            check_int("dimension", dimension, minimum=1),
            check_int("block", block, minimum=0),
        )
        shared = size - arms * own
        if shared < 0:
            raise DiscreetError(
                f"block is {own}, but {arms} blocks of that size exceed the {size} features."
            )
        rows, columns = np.tril_indices(size)
        if own > 0:
            one = (rows - shared) // own == (columns - shared) // own
            here = (columns < shared) | one
            rows, columns = rows[here], columns[here]
        return cls(rows.astype(np.int64), columns.astype(np.int64))


def _factorise(matrix: Floats, shift: float, upper: Floats) -> bool:
    size, least = matrix.shape[0], LEAST * max(shift, 1e-300)
    for i in range(size):
        for j in range(i, size):
            upper[i, j] = matrix[j, i]
        upper[i, i] += shift
    for k in range(size):
        pivot = upper[k, k]
        if not (pivot > least and pivot < math.inf):
            return False
        root = math.sqrt(pivot)
        for j in range(k, size):
            upper[k, j] /= root
        for i in range(k + 1, size):
            factor = upper[k, i]
            for j in range(i, size):
                upper[i, j] -= factor * upper[k, j]
    return True


@compiled_as(_factorise)
def factorise(matrix: Floats, shift: float, upper: Floats) -> bool:
    """Write U with U' U = matrix + shift · 1; return whether that is positive definite.

    Only the lower triangle of the matrix is read, and only the upper triangle of U is meaningful.
    A matrix that is not positive definite is not repaired.
    """
    size, least = matrix.shape[0], LEAST * max(shift, 1e-300)
    lower = np.tril(matrix)
    upper[:, :] = lower.T
    upper += np.tril(lower, -1)
    diagonal = upper.ravel()[:: size + 1]
    diagonal += shift
    with np.errstate(all="ignore"):  # a sum of released values may be anything
        for k in range(size):
            pivot = upper[k, k]
            if not (pivot > least and pivot < math.inf):
                return False
            upper[k, k:] /= math.sqrt(pivot)
            rest = upper[k, k + 1 :]
            upper[k + 1 :, k + 1 :] -= np.multiply.outer(rest, rest)
    return True


def _invert(upper: Floats, inverse: Floats) -> None:
    size = upper.shape[0]
    for i in range(size):
        for j in range(size):
            inverse[i, j] = 0.0
    for k in range(size - 1, -1, -1):  # the inverse of U, row by row from the last
        pivot = upper[k, k]
        inverse[k, k] = 1.0
        for j in range(k, size):
            inverse[k, j] /= pivot
        for i in range(k):
            factor = upper[i, k]
            for j in range(k, size):
                inverse[i, j] -= factor * inverse[k, j]
    for i in range(size):
        for j in range(size):
            upper[j, i] = inverse[i, j]
            inverse[i, j] = 0.0
    for k in range(size):  # the columns of the inverse of U are now the rows of ``upper``
        for i in range(k + 1):
            factor = upper[k, i]
            for j in range(i + 1):
                inverse[i, j] += factor * upper[k, j]
    for i in range(size):
        for j in range(i):
            inverse[j, i] = inverse[i, j]


@compiled_as(_invert)
def invert(upper: Floats, inverse: Floats) -> None:
    """Write the inverse of U' U; ``upper`` is overwritten."""
    inverse[:, :] = 0.0
    for k in range(upper.shape[0] - 1, -1, -1):
        inverse[k, k] = 1.0
        inverse[k, k:] /= upper[k, k]
        inverse[:k, k:] -= np.multiply.outer(upper[:k, k], inverse[k, k:])
    upper[:, :] = inverse.T
    inverse[:, :] = 0.0
    for k in range(upper.shape[0]):
        column = upper[k, : k + 1]
        inverse[: k + 1, : k + 1] += np.multiply.outer(column, column)


def _publish(
    inverse: Floats, vector: Floats, width: float, reach: float, estimate: Floats, spread: Floats
) -> float:
    size, widest = vector.size, 0.0
    for i in range(size):
        estimate[i] = 0.0
        for j in range(size):
            estimate[i] += inverse[i, j] * vector[j]
            spread[i, j] = 0.0
        if reach > 0.0:
            for k in range(size):
                factor = inverse[i, k]
                for j in range(size):
                    spread[i, j] += factor * inverse[k, j]
            for j in range(size):
                spread[i, j] *= reach * reach
        for j in range(size):
            spread[i, j] += width * width * inverse[i, j]
        total = 0.0
        for j in range(size):
            total += abs(spread[i, j])
        widest = max(widest, total)  # the largest row sum bounds all eigenvalues
    return widest


@compiled_as(_publish)
def publish(
    inverse: Floats, vector: Floats, width: float, reach: float, estimate: Floats, spread: Floats
) -> float:
    """Write W⁻¹ S and β² W⁻¹ + ω² W⁻²; return an upper bound on the latter's eigenvalues."""
    estimate[:] = 0.0
    spread[:, :] = 0.0
    total = np.zeros(vector.size)
    for j in range(vector.size):
        estimate += inverse[:, j] * vector[j]
    if reach > 0.0:
        for k in range(vector.size):
            spread += np.multiply.outer(inverse[:, k], inverse[k])
        spread *= reach * reach
    spread += width * width * inverse
    for j in range(vector.size):
        total += np.abs(spread[:, j])
    return float(total.max())


def _add_moments(
    matrix: Floats, vector: Floats, rows: Integers, columns: Integers, kept: float, released: Floats
) -> None:
    last = rows.size
    for place in range(last):
        i, j = rows[place], columns[place]
        matrix[i, j] = kept * matrix[i, j] + released[place]
    for i in range(vector.size):
        vector[i] = kept * vector[i] + released[last + i]


@compiled_as(_add_moments)
def add_moments(
    matrix: Floats, vector: Floats, rows: Integers, columns: Integers, kept: float, released: Floats
) -> None:
    """Multiply sums by ``kept`` and add moments, whose matrix entries are at these positions."""
    matrix[rows, columns] = kept * matrix[rows, columns] + released[: rows.size]
    vector[:] = kept * vector + released[rows.size :]


def _most_plausible(
    estimate: Floats, spread: Floats, widest: float, observation: Floats, slack: float, first: int
) -> int:
    size = estimate.size
    arms, best, most = observation.shape[0], 0, -math.inf
    for step in range(arms):
        arm = (first + step) % arms
        mean, length = 0.0, 0.0
        for i in range(size):
            part = observation[arm, i]
            mean += part * estimate[i]
            length += part * part
        if mean + slack * math.sqrt(max(widest * length, 0.0)) <= most:
            continue  # even with the largest uncertainty, it cannot be the best arm
        square = 0.0
        for i in range(size):
            part = 0.5 * observation[arm, i] * spread[i, i]
            for j in range(i):
                part += observation[arm, j] * spread[i, j]
            square += 2.0 * observation[arm, i] * part
        score = mean + math.sqrt(max(square, 0.0))
        if score > most:
            best, most = arm, score
    return best


@compiled_as(_most_plausible)
def most_plausible(
    estimate: Floats, spread: Floats, widest: float, observation: Floats, slack: float, first: int
) -> int:
    """Return the arm with the largest ⟨x, estimate⟩ + sqrt(x' spread x).

    Ties go to the first arm in cyclic order from ``first``. ``widest`` is an upper bound on the
    eigenvalues of the spread; in compiled code, it saves most of the work.
    """
    parts = 0.5 * observation * spread.diagonal()
    for j in range(estimate.size - 1):
        parts[:, j + 1 :] += observation[:, j : j + 1] * spread[j + 1 :, j]
    # add in the same order as the loops above: np.sum uses another order
    squares = np.add.accumulate(2.0 * observation * parts, axis=1)[:, -1]
    means = np.add.accumulate(observation * estimate, axis=1)[:, -1]
    scores = np.roll(means + np.sqrt(np.maximum(squares, 0.0)), -first)
    return (int(np.argmax(scores)) + first) % scores.size
