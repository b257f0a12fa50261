"""Positive definite matrices: their lower triangle, and their inverse."""

from __future__ import annotations

import math

from componentjit import helper
from discreet.contracts import Floats

LEAST = 1e-12  # of a pivot, as a share of the shift


@helper
def factorise(matrix: Floats, shift: float, lower: Floats) -> bool:
    """Write L with L L' = matrix + shift · 1; return False if that is not positive definite, and nothing is clipped."""
    size = matrix.shape[0]
    for i in range(size):
        for j in range(i + 1):
            left = matrix[i, j] + (shift if i == j else 0.0)
            for k in range(j):
                left -= lower[i, k] * lower[j, k]
            if i > j:
                lower[i, j] = left / lower[j, j]
            elif left > LEAST * max(shift, 1e-300) and left < math.inf:
                lower[i, i] = math.sqrt(left)
            else:
                return False
    return True


@helper
def invert(lower: Floats, inverse: Floats) -> None:
    """Write the inverse of L L'."""
    size = lower.shape[0]
    for column in range(size):
        for i in range(size):
            left = 1.0 if i == column else 0.0
            for k in range(i):
                left -= lower[i, k] * inverse[k, column]
            inverse[i, column] = left / lower[i, i]
        for i in range(size - 1, -1, -1):
            left = inverse[i, column]
            for k in range(i + 1, size):
                left -= lower[k, i] * inverse[k, column]
            inverse[i, column] = left / lower[i, i]
