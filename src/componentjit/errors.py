"""The errors of this package: one sentence that names the part, its value and what is allowed."""

from __future__ import annotations


class ComponentError(ValueError):
    """A component was defined or put together in a way that cannot work."""


class LoopError(ComponentError):
    """A loop does not match the interface that it declares (see ``vectorizable``)."""


class NotVectorizable(Exception):
    """A loop cannot run in lanes; it can still run one trial at a time, with the same numbers."""


def shorten(value: object, *, most: int = 60) -> str:
    """Return a value as it is shown in a sentence: on one line, cut off if it is long.

    >>> shorten([0.5] * 1000)
    '[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, ...'
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # Python does not print very large integers, nor very deep lists
        if isinstance(value, int):
            return "a number of thousands of digits"
        return f"a value of type {type(value).__name__} that cannot be printed"
    return text if len(text) <= most else f"{text[: most - 3]}..."
