"""Sums and sizes of vectors, whatever their entries are, in loops that run compiled."""

from __future__ import annotations

import math

from componentjit import as_list, helper, helper_apart
from discreet.contracts import Floats


@helper
def height(value: float, top: float, signed: bool) -> float:
    """Return how far a value is above the top one, at most 0; infinite ones are at the top."""
    size = abs(value) if signed else value
    return 0.0 if size == top else size - top


@helper
def largest_entry(vector: Floats, signed: bool) -> float:
    """Return the largest entry, or the largest absolute value if signed; NaN is passed over."""
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
    """Return the Euclidean length; entries whose squares would overflow or vanish are divided by the largest first."""
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
    """Give the point, whose squares have that total, the target length; the origin stays where it is.

    Whatever the entries are: NaN counts as 0, and infinite ones outweigh all others.
    """
    if not 1e-280 < total < 1e280:
        total = tame(point)
    if total > 0.0:
        factor = target / math.sqrt(total)
        for i in range(point.size):
            point[i] *= factor


@helper_apart
def tame(point: Floats) -> float:
    """Divide a point by its largest entry, and return the sum of its squares then."""
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
