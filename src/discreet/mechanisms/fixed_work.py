"""Constant-time arithmetic, with which live mechanisms process raw values.

Operations on Python integers take longer the more digits they have, and on fractions much longer.
Here raw values enter integers only together with a large offset, so all have equally many digits.
"""

from __future__ import annotations

# 1.5 · 2^52: a double next to it is a whole number, so adding it rounds to the nearest one, ties to
# even, as ``round`` does. It is even, so the result has the parity of the number added.
ROUNDING = 1.5 * 2.0**52
LOW_BITS = 30  # the lower part of a rounded number
TO_HIGH, TO_LOW = 2.0**-LOW_BITS, 2.0**LOW_BITS
ADDED = (int(ROUNDING) << LOW_BITS) + int(ROUNDING)  # by rounding both parts
LARGEST = 2.0**80  # larger doubles are whole numbers, and beyond any live value
OFFSET = 1 << 100  # beyond all rounded numbers


def rounded_plus(value: float, number: int) -> int:
    """Return ``round(value) + number``, with the same work for all values.

    ``number`` must not depend on the data. The value is split into a multiple of 2^30 and a rest;
    both are rounded next to ``ROUNDING``, where all doubles are whole numbers with 53 digits.

    >>> [rounded_plus(x, 5) for x in (0.0, 0.5, 1.5, -2.5, 2.0**70, -7.6)] == [
    ...     round(x) + 5 for x in (0.0, 0.5, 1.5, -2.5, 2.0**70, -7.6)
    ... ]
    True
    """
    if not -LARGEST < value < LARGEST:
        return round(value) + number
    high = value * TO_HIGH + ROUNDING
    low = value - (high - ROUNDING) * TO_LOW + ROUNDING
    return (int(high) << LOW_BITS) + int(low) + (number - ADDED)
