"""Odd values, and how a call with one may end: it works, or one sentence says what is allowed."""

from __future__ import annotations

import array
import ctypes
import datetime
import enum
import io
import mmap
import pickle
import re
import warnings
from collections import Counter, UserDict, UserList, UserString, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from uuid import UUID

import numpy as np

from discreet import DiscreetError


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Word(enum.StrEnum):
    A = "a"


def _refuse(*_, **__):
    raise RuntimeError("this object refuses everything")


class NoRepr:
    """An object that cannot be printed."""

    __repr__ = __str__ = _refuse


class Hostile(NoRepr):
    """An object that refuses everything that it is asked for."""

    __float__ = __int__ = __index__ = __bool__ = __len__ = __iter__ = __array__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = _refuse
    __contains__ = __getitem__ = __call__ = __fspath__ = __complex__ = _refuse


class NoHash:
    """An object that claims to be hashable, and is not."""

    def __hash__(self):
        raise TypeError("not hashable after all")


class NoEquality:
    """An object that cannot be compared."""

    __hash__ = object.__hash__
    __eq__ = _refuse


class AlmostFloat:
    """An object with a float inside."""

    def __float__(self):
        return 0.375


class AlmostArray:
    """An object that NumPy takes for an array, and whose array is broken."""

    def __array__(self, dtype=None, copy=None):
        raise MemoryError("no room")


class Pair(NamedTuple):
    x: float
    y: float


def cycle():
    """Return a list that contains itself."""
    inner: list = []
    inner.append(inner)
    return inner


def deep():
    """Return lists in lists, too deep to print."""
    inner: list = []
    for _ in range(10_000):
        inner = [inner]
    return inner


# Made anew for every call: some can be used once only.
ODD = {
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus infinity": lambda: float("-inf"),
    "minus one": lambda: -1,
    "zero": lambda: 0,
    "minus zero": lambda: -0.0,
    "half": lambda: 0.5,
    "tiny": lambda: 5e-324,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "2**63": lambda: 2**63,
    "10**400": lambda: 10**400,
    "-10**5000": lambda: -(10**5000),
    "True": lambda: True,
    "complex": lambda: 0.5 + 0.5j,
    "real complex": lambda: 0.5 + 0j,
    "decimal": lambda: Decimal("0.5"),
    "signalling NaN": lambda: Decimal("sNaN"),
    "fraction": lambda: Fraction(1, 3),
    "empty text": lambda: "",
    "number as text": lambda: "0.5",
    "word": lambda: "odd",
    "long text": lambda: "x" * 100_000,
    "NUL": lambda: "a\0b",
    "lone surrogate": lambda: "\ud800",
    "line feeds": lambda: "a\nb\r\n",
    "not normal text": lambda: "ﬁ\u200b\ufeff\u0301",
    "bytes": lambda: b"0.5",
    "bad bytes": lambda: b"\xff\x00",
    "bytearray": lambda: bytearray(b"1"),
    "mmap": lambda: mmap.mmap(-1, 3),
    "C array of bytes": lambda: (ctypes.c_ubyte * 3)(0, 1, 0),
    "pickle buffer": lambda: pickle.PickleBuffer(b"\0\1\0"),
    "memoryview": lambda: memoryview(b"1"),
    "array of bytes": lambda: array.array("B", [49]),
    "array of floats": lambda: array.array("d", [0.5]),
    "UserString": lambda: UserString("0.5"),
    "UserList": lambda: UserList([0.5, 0.25]),
    "UserDict": lambda: UserDict(a=1),
    "empty list": list,
    "list": lambda: [0.5, 0.25],
    "list of lists": lambda: [[0.5], [0.25, 1.0]],
    "list of texts": lambda: ["0.5", "0.25"],
    "list of hostile objects": lambda: [Hostile(), Hostile()],
    "list in itself": cycle,
    "deep list": deep,
    "tuple": lambda: (0.5, 0.25),
    "named tuple": lambda: Pair(0.5, 0.25),
    "empty dict": dict,
    "dict": lambda: {"a": 1.0, 2: [3]},
    "set": lambda: {1, 2},
    "frozenset": lambda: frozenset({1, 2}),
    "deque": lambda: deque([1, 2]),
    "counter": lambda: Counter("abc"),
    "range": lambda: range(3),
    "generator": lambda: (number / 2 for number in range(3)),
    "object": object,
    "no repr": NoRepr,
    "hostile": Hostile,
    "no hash": NoHash,
    "no equality": NoEquality,
    "almost a float": AlmostFloat,
    "almost an array": AlmostArray,
    "namespace": SimpleNamespace,
    "class": lambda: float,
    "function": lambda: _refuse,
    "lambda": lambda: lambda: 0.5,
    "module": lambda: np,
    "exception": lambda: ValueError("odd"),
    "ellipsis": lambda: ...,
    "enum": lambda: Colour.RED,
    "int enum": lambda: Level.LOW,
    "text enum": lambda: Word.A,
    "path": lambda: Path("no/such/folder/file"),
    "stream": lambda: io.BytesIO(b"1"),
    "date": lambda: datetime.datetime(2026, 1, 1),
    "timedelta": lambda: datetime.timedelta(seconds=1),
    "negative timedelta": lambda: datetime.timedelta(days=-999_999_999),
    "UUID": lambda: UUID(int=1),
    "numpy bool": lambda: np.True_,
    "numpy int": lambda: np.int8(1),
    "numpy unsigned": lambda: np.uint64(2**64 - 1),
    "numpy half": lambda: np.float16(0.5),
    "numpy long double": lambda: np.longdouble(0.5),
    "numpy NaN": lambda: np.float32("nan"),
    "numpy complex": lambda: np.complex128(0.5),
    "numpy text": lambda: np.str_("0.5"),
    "numpy bytes": lambda: np.bytes_(b"0.5"),
    "datetime64": lambda: np.datetime64("2026-01-01"),
    "timedelta64": lambda: np.timedelta64(1, "s"),
    "NaT": lambda: np.datetime64("NaT"),
    "void": lambda: np.void(b"1"),
    "structured": lambda: np.zeros(2, [("a", "f8"), ("b", "i4")]),
    "structured scalar": lambda: np.zeros((), [("a", "f8")])[()],
    "array without axes": lambda: np.array(0.5),
    "text array without axes": lambda: np.array("0.5"),
    "object array without axes": lambda: np.array(NoRepr(), dtype=object),
    "array of one": lambda: np.array([0.5]),
    "empty array": lambda: np.zeros(0),
    "array of nothing": lambda: np.zeros((0, 3)),
    "array of objects": lambda: np.array([None, "a"], dtype=object),
    "array of texts": lambda: np.array(["0.5", "1"]),
    "array of complex": lambda: np.array([0.5 + 0j, 0.25]),
    "array of dates": lambda: np.array(["2026-01-01"], "M8[D]"),
    "cube of numbers": lambda: np.full((2, 2, 2), 0.5),
    "masked": lambda: np.ma.masked,
    "masked array": lambda: np.ma.array([0.5, 0.25, 0.5], mask=[0, 1, 0]),
    "masked array without axes": lambda: np.ma.array(0.5, mask=True),
    "matrix": lambda: np.array([[0.5, 0.25]]).view(np.matrix),
}

SENTENCE = re.compile(r"[^\n]*\.", re.DOTALL)
LONGEST = 2000  # characters of a message: some list all names of algorithms


def fault_of(call, *, secret: str = "") -> str | None:
    """Call; return what is wrong with how it ended, or None.

    It may work, or raise a DiscreetError of one printable sentence that does not hold ``secret``,
    and whose chain holds nothing else if there is one.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except DiscreetError as reason:
        text = str(reason)
        if not SENTENCE.fullmatch(text):
            return f"not one sentence: {text[-200:]!r}"
        if len(text) > LONGEST:
            return f"{len(text)} characters: {text[:200]!r}"
        try:
            text.encode()
        except UnicodeEncodeError:
            return f"cannot be printed: {text[:200]!r}"
        if secret and secret in text:
            return f"shows the outcome: {text!r}"
        if secret and (reason.__context__ is not None or reason.__cause__ is not None):
            return f"another exception is attached: {reason.__context__!r}"
        return None
    except BaseException as failure:
        trace, where = failure.__traceback__, ""
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if "discreet" in name or "componentjit" in name:
                where = f"{name.rpartition('src/')[2]}:{trace.tb_lineno}"
            trace = trace.tb_next
        try:
            said = str(failure)[:150]
        except Exception:
            said = "?"
        return f"{type(failure).__name__}: {said} ({where})"
    return None
