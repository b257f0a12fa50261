"""Authentication of a whole run: one tag over all rows, updated with every change."""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Callable

StoredValue = str | int | float | bytes | None  # the value of a column
StoredValues = tuple[StoredValue, ...]
DIGEST = 32  # bytes of a tag
NO_KEY = b"no key"  # without a secret, the tag detects damage but not forgery
# The rows that nearly every change writes, as bytes, which takes a third of the time of text.
OPEN = struct.Struct(">qqqdii")
HELD = struct.Struct(">qqi")
CHOICE = struct.Struct(">qq")
NAME = 16  # bytes of the name of a release or change
RUN = struct.Struct(f">1s8q{NAME}s{NAME}s")
BLOCK = struct.Struct(">1sqqqq")


class Tag:
    """The tag of a run: the combined keyed hashes of all rows, so that a change costs a few hashes.

    Each row is hashed with the key (BLAKE2b, a pseudorandom function), and the hashes are combined
    by exclusive or. Rows have distinct names, so no two cancel; a large column of ``run`` is its
    own row. The tag is a keyed hash of that sum and of the other columns of ``run``; the sum itself
    is never written. Without the key, the hash of a row cannot be computed, and so no other rows
    with the same tag can be found (docs/proofs.md: One draw).
    """

    def __init__(self, secret: bytes | None) -> None:
        self._start = hashlib.blake2b(key=secret or NO_KEY, digest_size=DIGEST)
        self._sum = 0
        self._rows: dict[tuple[str, int], int] = {}  # hashes of rows that may change

    def put(self, table: str, number: int, *columns: StoredValue) -> None:
        """Add a row, in place of the one with the same number."""
        name, fresh = (table, number), self.hash_of(table, (number, *columns))
        self._sum ^= fresh ^ self._rows.get(name, 0)
        self._rows[name] = fresh

    def drop(self, table: str, number: int) -> None:
        """Remove a row, if it exists."""
        self._sum ^= self._rows.pop((table, number), 0)

    def drop_all(self, table: str) -> None:
        """Remove all rows of a table."""
        for name in [name for name in self._rows if name[0] == table]:
            self.drop(*name)

    def of(
        self, names: StoredValues, numbers: StoredValues, last: StoredValue, change: StoredValue
    ) -> bytes:
        """Return the tag of all rows and of these columns of ``run``.

        Those are token, session and key; eight numbers; the names of the last release and change.
        """
        whole = self._start.copy()
        if type(last) is type(change) is bytes and len(last) == len(change) == NAME:
            row = RUN.pack(b"r", *numbers, last, change) + _names(names)
        else:  # a damaged file
            row = repr(("run", (*names, *numbers, last, change))).encode()
        whole.update(row)
        whole.update(self._sum.to_bytes(DIGEST, "big"))
        return whole.digest()

    def hash_of(self, table: str, columns: StoredValues) -> int:
        """Return the hash of a row."""
        row = self._start.copy()
        row.update(PACKED.get(table, as_text_bytes)(table, columns))
        return int.from_bytes(row.digest(), "big")


@functools.lru_cache(maxsize=64)
def _names(names: StoredValues) -> bytes:
    """Return the names of a run as bytes; they stay the same while it is open."""
    return repr([*names]).encode()


def as_text_bytes(table: str, columns: StoredValues) -> bytes:
    """Return any row as bytes: its text, in which bytes appear by length, then those bytes."""
    texts = [(len(each),) if type(each) is bytes else each for each in columns]
    parts = [each for each in columns if type(each) is bytes]
    return b"".join([repr((table, texts)).encode(), *parts])


# Rows of frequent kinds begin with a letter, and those of ``as_text_bytes`` with a bracket, so no
# two rows are alike. Values of unexpected types, as in a damaged file, are hashed as text.


def _decision(table: str, columns: StoredValues) -> bytes:
    try:
        number, batch, choice, token, asked_at, outcome = columns
        name = token.encode()  # type: ignore[union-attr]
        size = -1 if outcome is None else len(outcome)  # type: ignore[arg-type]
        row = b"d" + OPEN.pack(number, batch, choice, asked_at, len(name), size) + name
        return row if outcome is None else row + outcome  # type: ignore[operator]
    except (struct.error, AttributeError, TypeError, ValueError):
        return as_text_bytes(table, columns)


def _held(table: str, columns: StoredValues) -> bytes:
    try:
        number, told, held = columns
        if held is None:
            return b"h" + HELD.pack(number, told, -1)
        return b"h" + HELD.pack(number, told, len(held)) + held  # type: ignore[arg-type,operator]
    except (struct.error, TypeError, ValueError):
        return as_text_bytes(table, columns)


def _choice(table: str, columns: StoredValues) -> bytes:
    try:
        return b"c" + CHOICE.pack(*columns)
    except struct.error:
        return as_text_bytes(table, columns)


def _release(table: str, columns: StoredValues) -> bytes:
    """Return the same as ``as_text_bytes`` for a usual row, in less time."""
    if len(columns) != 6:
        return as_text_bytes(table, columns)
    batch, choice, size, chance, at, numbers = columns
    start = f"({table!r}, [{batch!r}, {choice!r}, {size!r}, {chance!r}, {at!r}, "
    if numbers is None:
        return (start + "None])").encode()
    if type(numbers) is not bytes:
        return as_text_bytes(table, columns)
    return f"{start}({len(numbers)},)])".encode() + numbers


def _column(table: str, columns: StoredValues) -> bytes:
    """Return the same as ``as_text_bytes`` for a column of bytes, in less time."""
    number, content = columns
    if type(content) is not bytes:
        return as_text_bytes(table, columns)
    return f"({table!r}, [{number!r}, ({len(content)},)])".encode() + content


PACKED: dict[str, Callable[[str, StoredValues], bytes]] = {
    "decision": _decision,
    "held": _held,
    "choice": _choice,
    "release": _release,
    "learner": _column,
    "stream": _column,
}
