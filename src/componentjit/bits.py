"""The two parts of a number, power of 2 and fraction: the same in all backends."""

from __future__ import annotations

import math

import numpy as np

from componentjit.component import compiled_as

FRACTION, ONE = (1 << 52) - 1, 1023 << 52


@compiled_as(lambda x: (np.float64(x).view(np.int64) >> 52) - 1023)
def exponent(x: float) -> int:
    """Return k of x = 2^k f with f from 1 to 2; x is positive, and at least 2^-1022.

    >>> exponent(0.75), exponent(8.0)
    (-1, 3)
    """
    return math.frexp(x)[1] - 1


@compiled_as(lambda x: np.int64((np.float64(x).view(np.int64) & FRACTION) | ONE).view(np.float64))
def fraction(x: float) -> float:
    """Return f of x = 2^k f with f from 1 to 2; x is positive, and at least 2^-1022.

    >>> fraction(0.75), fraction(8.0)
    (1.5, 1.0)
    """
    return 2.0 * math.frexp(x)[0]
