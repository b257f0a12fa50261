"""Arrays of a length that does not fit are refused with both numbers."""

from __future__ import annotations

from collections.abc import Callable

from discreet.errors import DiscreetError
from discreet.kernel import compiled_as


def length_check(found: str, expects: str, what: str = "entries") -> Callable[[int, int], None]:
    """Return a check that two numbers are equal, for both speeds; compiled code has a sentence without the numbers.

    >>> length_check("query", "the channel expects")(3, 5)
    Traceback (most recent call last):
    ...
    discreet.errors.DiscreetError: query has 3 entries, but the channel expects 5.
    """
    without = f"{found} has another number of {what} than {expects}."

    def compiled(has: int, wanted: int) -> None:
        if has != wanted:
            raise DiscreetError(without)

    @compiled_as(compiled)
    def check(has: int, wanted: int) -> None:
        if has != wanted:
            raise DiscreetError(f"{found} has {has:,} {what}, but {expects} {wanted:,}.")

    return check


check_query = length_check("query", "the channel expects")
check_context = length_check("the context", "the channel expects", "features")
check_vector = length_check("the vector", "its noise was made for", "dimensions")
check_point = length_check("the point that was played", "the losses have")
check_experts = length_check("the advice", "the learner was made for", "experts")
check_arms = length_check("the advice", "the learner was made for", "arms")
