"""Directions of planes, for sets that are flat, and how far a leader goes towards a boundary."""

from __future__ import annotations

import math

from componentjit import helper
from discreet.contracts import Floats

# of a linear function over a set: leaders of steeper ones would be on the boundary, but for
# rounding
STEEPEST = 1e12


@helper
def remove_mean(vector: Floats) -> None:
    """Subtract the mean: what is left is a direction in which sums stay the same."""
    mean = 0.0
    for i in range(vector.size):
        mean += vector[i]
    mean /= vector.size
    for i in range(vector.size):
        vector[i] -= mean


@helper
def remove_normals(vector: Floats, normals: Floats) -> None:
    """Subtract what is along the orthonormal rows."""
    for row in range(normals.shape[0]):
        along = 0.0
        for i in range(vector.size):
            along += normals[row, i] * vector[i]
        for i in range(vector.size):
            vector[i] -= along * normals[row, i]


@helper
def balance(slope: float) -> float:
    """Return the y in (-1, 1) with slope + 2 y / (1 - y²) = 0: a linear function and a barrier balance; NaN counts as 0.

    >>> balance(-1.5)
    0.53518...
    """
    if math.isnan(slope):
        return 0.0
    steep = min(abs(slope), STEEPEST)
    return math.copysign(steep / (1.0 + math.sqrt(1.0 + steep * steep)), -slope)
