"""Laplace noise from uniform numbers: one definition for all speeds, whatever the C library."""

from __future__ import annotations

from componentjit import bits, helper
from discreet.contracts import Generator

LN2_HIGH, LN2_LOW = (
    0.6931471805592082,
    7.371002565167799e-13,
)  # 40 bits of ln 2, whose multiples are exact, and the rest
ROOT = 1.4142135623730951


@helper
def draw_laplace(scale: float, rng: Generator) -> float:
    """Return a number with density ``exp(-|z| / scale) / (2 scale)``.

    It is made from one uniform number as NumPy does, and differs from NumPy's in the last digit at
    most.

    >>> import numpy as np
    >>> round(draw_laplace(2.0, np.random.default_rng(1)), 12), round(np.random.default_rng(1).laplace(0.0, 2.0), 12)
    (0.047854472402, 0.047854472402)
    """
    u = rng.random()
    while u == 0.0:
        u = rng.random()
    size = scale * log(2.0 - u - u if u >= 0.5 else u + u)
    return -size if u >= 0.5 else size


@helper
def log(x: float) -> float:
    """Return the logarithm of a positive number, at least 2^-1022; its error is below the last digit.

    With x = 2^k (1 + f), the second factor between the roots of 1/2 and 2, and s = f / (2 + f), it
    is k ln 2 + 2 artanh(s) = k ln 2 + f - s (f - s² P(s²)), with a polynomial P of least largest
    error.

    >>> log(1.0), round(log(10.0), 12)
    (0.0, 2.302585092994)
    """
    part = bits.fraction(x)
    above = part > ROOT
    f = (0.5 * part if above else part) - 1.0
    count = float(bits.exponent(x) + (1 if above else 0))
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    low = (0.666666666666667 + z * 0.3999999999989889) + w * (
        0.28571428626253836 + z * 0.22222211089379496
    )
    high = (0.1818289243253687 + z * 0.15331611722055008) + w * 0.14617807153417325
    rest = s * (f - z * (low + w * w * high)) - count * LN2_LOW
    return count * LN2_HIGH + (f - rest)
