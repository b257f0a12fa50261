"""Errors that a user can act on: one sentence that names the argument, its value and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real

from componentjit import ComponentError, shorten

__all__ = [
    "DiscreetError",
    "check_finite",
    "check_flag",
    "check_int",
    "check_positive",
    "check_range",
    "check_share",
    "count",
    "shorten",
    "unknown_name",
]


class DiscreetError(ComponentError):
    """Something the user asked for is not possible; the message says what would be."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> DiscreetError:
    """Return the error for an unknown name, suggesting the closest known one."""
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    shown = shorten(name) if not isinstance(name, str) or len(name) > 60 else f"'{name}'"
    return DiscreetError(f"unknown {kind} {shown}: {hint}known are {', '.join(names)}.")


def check_int(name: str, value: object, *, least: int, most: int = 10**15) -> int:
    """Return value as an int, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be a whole number of at least {least}."
        )
    if int(value) > most:
        raise DiscreetError(
            f"{name} is {shorten(value)}, which is too large: at most {most:,} is possible."
        )
    return int(value)


def check_flag(name: str, value: object) -> bool:
    """Return True or False, or refuse anything else."""
    if not isinstance(value, bool):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be True or False.")
    return value


def count(number: int, thing: str) -> str:
    """Return a number of things, in words that agree.

    >>> count(1, "row"), count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def check_finite(name: str, value: object) -> float:
    """Return value as a float, or refuse it."""
    if not abs(_float(value)) <= 1e300:
        raise DiscreetError(f"{name} is {shorten(value)}, but must be a finite number.")
    return _float(value)


def check_positive(name: str, value: object) -> float:
    """Return value as a float above 0, or refuse it."""
    if not 0.0 < _float(value) < math.inf:
        raise DiscreetError(f"{name} is {shorten(value)}, but must be a finite number above 0.")
    return check_range(name, value, 1e-200, 1e200)


def check_range(name: str, value: object, low: float, high: float) -> float:
    """Return value as a float in [low, high], or refuse it."""
    if not low <= _float(value) <= high:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be between {low:g} and {high:g}."
        )
    return _float(value)


def check_share(name: str, value: object) -> float:
    """Return a number above 0 and below 1, or refuse it."""
    number = _float(value)
    if not 0.0 < number < 1.0:
        raise DiscreetError(f"{name} is {value!r}, but must be above 0 and below 1.")
    return number


def _float(value: object) -> float:
    """Return a real number as a float, infinity if it is too large, and NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
