"""Errors that a user can act on: one sentence that names the argument, its value and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real


class DiscreetError(ValueError):
    """Something the user asked for is not possible; the message says what would be."""


def nearest(kind: str, name: str, known: Iterable[str]) -> DiscreetError:
    """Return the error for an unknown name, suggesting the closest known one."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return DiscreetError(f"unknown {kind} '{name}': {hint}known are {', '.join(names)}.")


def whole(name: str, value: object, *, least: int) -> int:
    """Return value as an int, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise DiscreetError(f"{name} is {value!r}, but must be a whole number of at least {least}.")
    return int(value)


def finite(name: str, value: object) -> float:
    """Return value as a float, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
        raise DiscreetError(f"{name} is {value!r}, but must be a finite number.")
    return float(value)


def positive(name: str, value: object) -> float:
    """Return value as a float above 0, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < math.inf:
        raise DiscreetError(f"{name} is {value!r}, but must be a finite number above 0.")
    return float(value)


def within(name: str, value: object, low: float, high: float) -> float:
    """Return value as a float in [low, high], or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
        raise DiscreetError(f"{name} is {value!r}, but must be between {low:g} and {high:g}.")
    return float(value)
