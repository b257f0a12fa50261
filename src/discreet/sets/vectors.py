"""Functions on vectors that sets share: checks, norms, projections onto hulls, sorting."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from componentjit import as_list, helper, helper_apart
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError

LARGEST = 1e100  # the largest coordinate, so that squares and their sums stay finite
# The steepest linear function that a leader follows: beyond it, rounding would put the leader on
# the boundary.
STEEPEST = 1e12
BISECTIONS = 200  # maximum; the precision of doubles ends a bisection earlier


def check_norm(norm: float) -> None:
    """Refuse a norm other than 1, 2 and infinity."""
    if norm not in (1, 2, math.inf):
        raise DiscreetError(f"norm is {norm!r}, but must be 1, 2 or infinity.")


def norm_of(vector: Floats, norm: float) -> float:
    """Return the norm (1, 2 or infinity) of a vector, even if squares of its entries underflow.

    >>> [norm_of(np.array([3.0, -4.0]), norm) for norm in (1, 2, math.inf)]
    [7.0, 5.0, 4.0]
    """
    check_norm(norm)
    exponent = math.frexp(float(np.abs(vector).max(initial=0.0)))[1]
    return math.ldexp(float(np.linalg.norm(np.ldexp(vector, -exponent), ord=norm)), exponent)


def finite_array(name: str, values: ArrayLike, *, axes: int) -> Floats:
    """Return a new array of finite numbers with one or two axes, or refuse it."""
    kind = "a vector" if axes == 1 else "a matrix"
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise DiscreetError(f"{name} must be {kind} of numbers.") from None
    if array.ndim != axes or array.size == 0:
        raise DiscreetError(
            f"{name} has the shape {array.shape}, but must be {kind} with at least one number."
        )
    if not np.all(np.abs(array) <= LARGEST):
        raise DiscreetError(
            f"{name} must contain only finite numbers, of size at most {LARGEST:g}."
        )
    return array


def scale_to_one(direction: Floats) -> Floats:
    """Return the direction scaled to at most 1; NaN becomes 0, infinite entries dominate.

    >>> scale_to_one(np.array([2.0, math.nan, -4.0])).tolist()
    [0.5, 0.0, -1.0]
    >>> scale_to_one(np.array([2.0, -math.inf])).tolist()
    [0.0, -1.0]
    """
    largest = float(np.abs(direction).max(initial=0.0))
    if 0.0 < largest < math.inf:
        return np.asarray(direction / largest)
    if np.isinf(direction).any():
        return np.where(np.isinf(direction), np.sign(direction), 0.0)
    finite = np.nan_to_num(direction, nan=0.0)
    return np.asarray(finite / (float(np.abs(finite).max(initial=0.0)) or 1.0))


@helper
def height(value: float, top: float, signed: bool) -> float:
    """Return a value (its size, if signed) minus the top one; 0 if both are infinite."""
    size = abs(value) if signed else value
    return 0.0 if size == top else size - top


@helper
def largest_entry(vector: Floats, signed: bool) -> float:
    """Return the largest entry, or the largest absolute value if signed; NaN is ignored."""
    values = as_list(vector)
    top = -math.inf
    for i in range(vector.size):
        size = abs(values[i]) if signed else values[i]
        if size > top:
            top = size
    return top


@helper
def sum_of_sizes(vector: Floats) -> float:
    """Return the sum of absolute values."""
    values = as_list(vector)
    total = 0.0
    for i in range(vector.size):
        total += abs(values[i])
    return total


@helper
def sum_of_squares(vector: Floats) -> float:
    """Return the squared length."""
    values = as_list(vector)
    total = 0.0
    for i in range(vector.size):
        total += values[i] * values[i]
    return total


@helper
def length(vector: Floats) -> float:
    """Return the Euclidean length, without overflow or underflow of squares."""
    total = sum_of_squares(vector)
    if 1e-280 < total < 1e280:
        return math.sqrt(total)
    top = largest_entry(vector, True)
    if not 0.0 < top < math.inf:
        return top
    values = as_list(vector)
    total = 0.0
    for i in range(vector.size):
        share = values[i] / top
        total += share * share
    return top * math.sqrt(total)


@helper
def stretch(point: Floats, total: float, target: float) -> None:
    """Scale the point, whose squares sum to ``total``, to the target length, unless it is 0.

    NaN counts as 0, and infinite entries outweigh all others.
    """
    if not 1e-280 < total < 1e280:
        total = tame(point)
    if total > 0.0:
        factor = target / math.sqrt(total)
        for i in range(point.size):
            point[i] *= factor


@helper_apart
def tame(point: Floats) -> float:
    """Divide a point by its largest entry, and return the new sum of squares."""
    clear_nan(point)
    top = largest_entry(point, True)
    for i in range(point.size):
        if abs(point[i]) == top:
            point[i] = math.copysign(1.0, point[i]) if top > 0.0 else 0.0
        else:
            point[i] /= top
    return sum_of_squares(point)


@helper
def clear_nan(point: Floats) -> None:
    """Replace NaN by 0."""
    for i in range(point.size):
        if math.isnan(point[i]):
            point[i] = 0.0


@helper
def remove_mean(vector: Floats) -> None:
    """Subtract the mean: moving in the resulting direction does not change sums."""
    mean = 0.0
    for i in range(vector.size):
        mean += vector[i]
    mean /= vector.size
    for i in range(vector.size):
        vector[i] -= mean


@helper
def remove_normals(vector: Floats, normals: Floats) -> None:
    """Subtract the components along the orthonormal rows."""
    for row in range(normals.shape[0]):
        along = 0.0
        for i in range(vector.size):
            along += normals[row, i] * vector[i]
        for i in range(vector.size):
            vector[i] -= along * normals[row, i]


@helper
def clip_slope(slope: float, most: float) -> float:
    """Return a slope limited to ±``most``; NaN counts as 0."""
    return 0.0 if math.isnan(slope) else min(max(slope, -most), most)


@helper
def balance(slope: float) -> float:
    """Return the z in (-1, 1) with slope + 2 z / (1 - z²) = 0; a NaN slope counts as 0.

    That is where the slopes of a linear function and a barrier balance.

    >>> balance(-1.5)
    0.53518...
    """
    if math.isnan(slope):
        return 0.0
    steep = min(abs(slope), STEEPEST)
    return math.copysign(steep / (1.0 + math.sqrt(1.0 + steep * steep)), -slope)


@helper
def sort_items(values: Floats | Integers, order: Integers) -> None:
    """Write all indices into ``order``, smaller values first; ties go to the first (heapsort).

    >>> import numpy as np
    >>> order = np.zeros(4, dtype=np.int64)
    >>> sort_items([0.5, 0.1, 0.5, 0.0], order)
    >>> order.tolist()
    [3, 1, 0, 2]
    """
    make_heap(values, order, order.size)
    for end in range(order.size - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        sift(values, order, end)


@helper
def select_least(values: Floats | Integers, order: Integers, count: int) -> None:
    """Write the indices of the ``count`` smallest values to the front of ``order``, unsorted.

    A heap holds the smallest so far; the next one to replace is on top.

    >>> import numpy as np
    >>> order = np.zeros(4, dtype=np.int64)
    >>> select_least([0.5, 0.1, 0.5, 0.0], order, 2)
    >>> sorted(order[:2].tolist())
    [1, 3]
    """
    make_heap(values, order, count)
    for i in range(count, order.size):
        if values[i] < values[order[0]]:
            order[0] = i
            sift(values, order, count)


@helper
def make_heap(values: Floats | Integers, order: Integers, count: int) -> None:
    """Write the first ``count`` indices into ``order`` as a heap: none comes after its parent."""
    for end in range(count):
        place = end
        while place > 0 and comes_after(values, end, order[(place - 1) // 2]):
            order[place] = order[(place - 1) // 2]
            place = (place - 1) // 2
        order[place] = end


@helper
def sift(values: Floats | Integers, order: Integers, count: int) -> None:
    """Move the top of a heap down to its place."""
    item, place = order[0], 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and comes_after(values, order[child + 1], order[child]):
            child += 1
        if not comes_after(values, order[child], item):
            break
        order[place] = order[child]
        place = child
    order[place] = item


@helper
def comes_after(values: Floats | Integers, one: int, other: int) -> bool:
    """Return whether one index is sorted after the other."""
    if values[one] == values[other]:
        return one > other
    return bool(values[one] > values[other])
