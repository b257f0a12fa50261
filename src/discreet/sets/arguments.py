"""Checks of what sets are made from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import DiscreetError

LARGEST = 1e100  # of a coordinate, so that squares and sums of them stay finite


def check_norm(norm: float) -> None:
    """Refuse a norm other than 1, 2 and infinity."""
    if norm not in (1, 2, math.inf):
        raise DiscreetError(f"norm is {norm!r}, but must be 1, 2 or infinity.")


def norm_of(vector: Floats, norm: float) -> float:
    """Return the norm 1, 2 or infinity of a vector, also of one whose squares would vanish.

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
        raise DiscreetError(f"{name} must have finite numbers only, of size at most {LARGEST:g}.")
    return array


def outweighed(direction: Floats) -> Floats:
    """Return the direction with 0 for NaN, scaled to at most 1; infinite entries leave nothing of the others.

    >>> outweighed(np.array([2.0, math.nan, -4.0])).tolist(), outweighed(np.array([2.0, -math.inf])).tolist()
    ([0.5, 0.0, -1.0], [0.0, -1.0])
    """
    largest = float(np.abs(direction).max(initial=0.0))
    if 0.0 < largest < math.inf:
        return np.asarray(direction / largest)
    if np.isinf(direction).any():
        return np.where(np.isinf(direction), np.sign(direction), 0.0)
    finite = np.nan_to_num(direction, nan=0.0)
    return np.asarray(finite / (float(np.abs(finite).max(initial=0.0)) or 1.0))
