"""What all running sums have in common in live use."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self, cast

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, count


class Live:
    """A running sum in live use: it takes vectors of the right length only, and has no twin in the middle of a run.

    The noise of a copy is drawn anew. Two of them would release one sum twice, each with noise of its own, and together
    that is less noise than is paid for.
    """

    __slots__ = ()

    def __new__(cls, *fields: Any) -> Self:
        """Return the channel with these fields, before its first round: every kind of copy is made here."""
        channel = cast(Any, super()).__new__(cls, *fields)
        if channel.seen[0] > 0:
            raise DiscreetError(
                f"this live running sum has seen {count(int(channel.seen[0]), 'round')}, but copies and pickles must be "
                "made before the first, or sums would be released again with fresh noise."
            )
        return cast(Self, channel)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        twin = type(self)(*cast(Any, self))  # made here already: what cannot be copied is not written either
        return type(self), tuple(cast(Any, twin))

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum of all so far, with exact noise."""
        vector = vector_of(feedback, cast(Any, self).losses.dimension)
        return cast(tuple[bool, Any], cast(Any, super()).offer(vector, query, rng))

    def live(self) -> Self:
        """Return this channel."""
        return self


def vector_of(feedback: Any, dimension: int) -> Floats:
    """Return feedback as an array, or refuse it; NaN and infinities are welcome, and projected like all others.

    The message shows no number of it: feedback is sensitive.
    """
    try:
        array = np.asarray(feedback)
        real = array.dtype.kind in "biuf" or all(isinstance(each, Real) for each in array.flat)
        numbers = array.astype(np.float64) if real else None
    except (TypeError, ValueError, OverflowError):  # ragged, or too large for a double
        numbers = None
    if numbers is None:
        raise DiscreetError(f"feedback holds something that is no real number, but must be {dimension} of them.")
    if numbers.shape != (dimension,):
        raise DiscreetError(f"feedback has the shape {numbers.shape}, but must be a vector of length {dimension}.")
    return numbers
