"""Errors that users can act on: one sentence with the argument, its value, and what is allowed."""

from __future__ import annotations

import contextlib
import difflib
import math
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, ClassVar, TypeGuard, TypeVar, cast

from componentjit import ComponentError, shorten

__all__ = [
    "AlreadyTold",
    "Busy",
    "DiscreetError",
    "Failed",
    "Finished",
    "HorizonUsed",
    "LimitReached",
    "NotGiven",
    "OldCopy",
    "TooLate",
    "cannot_make",
    "check_callable",
    "check_choice",
    "check_finite",
    "check_flag",
    "check_int",
    "check_kind",
    "check_name",
    "check_path",
    "check_positive",
    "check_range",
    "check_share",
    "check_text",
    "closest",
    "count",
    "is_number",
    "join_words",
    "no_file",
    "reason_of",
    "renamed",
    "repeated",
    "shorten",
    "show_path",
    "unknown_name",
    "whole_number",
]

Kind = TypeVar("Kind")
LONG_PATH = 300  # characters: longer paths are shortened
LONG_NAME = 60  # characters: longer names are shortened in messages, and get no suggestion
FEW = 10  # names: so many are listed even after a suggestion
NAME = re.compile(r"\w[\w.+-]{0,59}")


class DiscreetError(ComponentError):
    """The request is not possible; the message says what is allowed.

    ``kind`` names the kind of refusal, and ``status`` is the HTTP status that a service returns.
    """

    status: ClassVar[int] = 400
    kind: ClassVar[str] = "refused"


class AlreadyTold(DiscreetError):
    """The outcome of this decision was already told or given up: each counts once."""

    status, kind = 409, "already-told"


class NotGiven(DiscreetError):
    """The run did not make this decision."""

    status, kind = 404, "not-given"


class TooLate(DiscreetError):
    """The message arrived after its deadline and does not count."""

    status, kind = 410, "too-late"


class Finished(DiscreetError):
    """The run is over: its final release was made, or an operator ended it."""

    status, kind = 409, "finished"


class HorizonUsed(DiscreetError):
    """All rounds of the run have been used."""

    status, kind = 409, "horizon-used"


class OldCopy(DiscreetError):
    """A file or database is a restored backup or a clone: continuing it could release twice."""

    status, kind = 503, "old-copy"


class LimitReached(DiscreetError):
    """A limit was reached: nothing was counted or charged."""

    status, kind = 409, "limit-reached"


class Failed(DiscreetError):
    """An unexpected failure; only its type is reported."""

    status, kind = 500, "failed"


class Busy(DiscreetError):
    """A lock or a place in a queue was not available in time: nothing changed, so try again."""

    status, kind = 503, "busy"


def unknown_name(
    kind: str, name: object, known: Iterable[str], *, owner: str = ""
) -> DiscreetError:
    """Return the error for an unknown name, such as an option of an owner, with the closest one.

    A long list of known names is left out if one of them is close.
    """
    names = sorted(known)
    every, close = ", ".join(names), closest(name, names)
    help_ = f"choose from {every}."
    if close is not None:
        also = f" Choose from {every}." if 1 < len(names) <= FEW else ""
        help_ = f"did you mean '{close}'?{also}"
    of = f" of {owner}" if owner else ""
    return DiscreetError(f"unknown {kind} {shorten(name)}{of}: {help_}")


def closest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that resembles a mistyped one most; None if none does.

    >>> closest("algorithim", ["algorithm", "arms"]), closest("foo", ["ftpl-olo"])
    ('algorithm', None)
    """
    if not isinstance(name, str) or len(name) > LONG_NAME:
        return None
    return next(iter(difflib.get_close_matches(name, known, n=1)), None)


@contextlib.contextmanager
def renamed(**names: str) -> Iterator[None]:
    """Name an argument as the caller knows it, in errors that begin with its name.

    >>> with renamed(epsilon="budget"):
    ...     raise DiscreetError("epsilon is -1.0, but must be positive.")
    Traceback (most recent call last):
        ...
    discreet.errors.DiscreetError: budget is -1.0, but must be positive.
    """
    try:
        yield
    except DiscreetError as error:
        name, space, rest = str(error).partition(" ")
        if name in names:
            error.args = (f"{names[name]}{space}{rest}",)
        raise


def check_int(name: str, value: object, *, minimum: int, maximum: int = 10**15) -> int:
    """Return value as an int, or refuse it."""
    number = whole_number(value)
    if number is None or number < minimum:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be a whole number of at least {minimum}."
        )
    if number > maximum:
        raise DiscreetError(
            f"{name} is {shorten(value)}, which is too large: at most {maximum:,} is possible."
        )
    return number


def whole_number(value: object) -> int | None:
    """Return a whole number of any type as an int, and None for anything else.

    NumPy counts ``timedelta64`` among its whole numbers, although it is a length of time.
    """
    if type(value) is int:
        return value
    if isinstance(value, bool) or not isinstance(value, Integral):
        return None
    try:
        return operator.index(value)
    except Exception:
        return None


def check_flag(name: str, value: object) -> bool:
    """Return True or False, or refuse anything else."""
    if not isinstance(value, bool):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be True or False.")
    return value


def check_choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return one of the allowed words, or refuse anything else."""
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        raise DiscreetError(f"{name} is {shorten(value)}, but must be one of {', '.join(words)}.")
    return value


def check_text(name: str, value: object) -> str:
    """Return text that can be printed and stored, or refuse anything else."""
    if not isinstance(value, str):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be text.")
    whole = value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
    if not whole or "\0" in value:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be text without NUL and lone surrogates."
        )
    return value


def check_name(name: str, value: object) -> str:
    """Return a name under which something can be registered, or refuse anything else."""
    if not isinstance(value, str) or not NAME.fullmatch(value):
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be at most {LONG_NAME} letters, digits and "
            "hyphens."
        )
    return value


def check_path(name: str, value: object) -> str:
    """Return the path of a file as text, or refuse anything else."""
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
        os.fsencode(path)  # which refuses lone surrogates
    except Exception:
        path = None
    if not isinstance(path, str) or not path or "\0" in path:
        raise DiscreetError(f"{name} is {shorten(value)}, but must be the path of a file, as text.")
    return path


def cannot_make(name: str, path: str, error: Exception) -> DiscreetError:
    """Return the error for a path at which no file can be created, with the reason."""
    return DiscreetError(
        f"{name} is {shorten(path)}, but no file can be created there ({reason_of(error)})."
    )


def no_file(name: str, path: str) -> DiscreetError:
    """Return the error for a path at which there is no file, or a folder."""
    if os.path.isdir(path):  # noqa: PTH112 - false for impossible names
        return DiscreetError(f"{name} is {shorten(path)}, which is a folder: give a file.")
    return DiscreetError(f"{name} is {shorten(path)}, but there is no file.")


def reason_of(error: Exception, unknown: str = "unknown reason") -> str:
    """Return why a file or connection failed, as part of a sentence.

    It has no error number, and no path, which may be long.

    >>> reason_of(FileNotFoundError(2, "No such file or directory", "notes.csv"))
    'no such file or directory'
    """
    said = str(error) if not isinstance(error, OSError) or not error.errno else error.strerror
    text = (said or unknown).rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def show_path(path: object) -> str:
    """Return a path for a message: unchanged if it is short and printable, else shortened."""
    text = str(path)
    return text if text.isprintable() and len(text) <= LONG_PATH else shorten(text, most=LONG_PATH)


def check_kind(name: str, value: object, kind: type[Kind], example: str) -> Kind:
    """Return an object of this type, or refuse anything else; ``example`` says what is allowed."""
    if not isinstance(value, kind):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be {example}.")
    return value


def check_callable(name: str, value: object) -> Callable[..., object]:
    """Return a function, or refuse anything else."""
    if not callable(value):
        raise DiscreetError(f"{name} is {shorten(value)}, but must be a function.")
    return value


def count(number: int, thing: str) -> str:
    """Return a number with its noun, in the plural if needed.

    >>> count(1, "row"), count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def join_words(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> join_words(["a gauge"]), join_words(["a linear oracle", "a gauge", "vertices"])
    ('a gauge', 'a linear oracle, a gauge and vertices')
    """
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])


def repeated(what: str, times: int) -> DiscreetError:
    """Return the error for something that is in a list more than once."""
    often = "twice" if times == 2 else f"{times} times"
    return DiscreetError(f"{what} is listed {often}; list each once.")


def check_finite(name: str, value: object) -> float:
    """Return value as a float, or refuse it."""
    number = _float(value)
    if not abs(number) <= 1e300:
        is_finite = math.isfinite(number) or (math.isinf(number) and value != number)
        allowed = "between -1e+300 and 1e+300" if is_finite else "a finite number"
        raise DiscreetError(f"{name} is {shorten(value)}, but must be {allowed}.")
    return number


def check_positive(name: str, value: object) -> float:
    """Return value as a float above 0, or refuse it."""
    if not 0.0 < _float(value) < math.inf:
        raise DiscreetError(f"{name} is {shorten(value)}, but must be a finite number above 0.")
    return check_range(name, value, 1e-200, 1e200)


def check_range(name: str, value: object, low: float, high: float) -> float:
    """Return value as a float in [low, high], or refuse it."""
    if not low <= _float(value) <= high:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be {_a_number(value)}between {low:g} and "
            f"{high:g}."
        )
    return _float(value)


def check_share(name: str, value: object) -> float:
    """Return a number above 0 and below 1, or refuse it."""
    number = _float(value)
    if not 0.0 < number < 1.0:
        raise DiscreetError(
            f"{name} is {shorten(value)}, but must be {_a_number(value)}above 0 and below 1."
        )
    return number


def has_items(value: object) -> TypeGuard[Iterable[Any]]:
    """Return whether a value is a list or the like: text, bytes and arrays without axes are not."""
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        return False
    try:
        iter(value)
    except TypeError:
        return False
    return True


def is_number(value: object) -> bool:
    """Return whether a value is a real number, infinity included."""
    number = _float(value)
    return math.isfinite(number) or (math.isinf(number) and bool(value == number))


def _a_number(value: object) -> str:
    """Return words that ask for a number, if a value is none; NaN of a float type is one here."""
    if isinstance(value, Decimal):
        return "a float "
    of_float = isinstance(value, Real) and not isinstance(value, Integral)
    return "" if of_float or not math.isnan(_float(value)) else "a number "


def _float(value: object) -> float:
    """Return a real number as a float, infinity if it is too large, and NaN for anything else."""
    if isinstance(value, Integral):
        value = whole_number(value)
    if not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, 1.0 if cast(Any, value) > 0 else -1.0)
    except Exception:
        return math.nan
