"""Authentication of the rows of a database: forging one needs its secret."""

from __future__ import annotations

import hashlib
import hmac
import struct

from discreet.live.database.tables import Row
from discreet.live.row_cipher import RowCipher
from discreet.live.tags import PACKED, StoredValue, as_text_bytes

TAG = 16  # bytes: a forgery succeeds with a probability of 2^-128
BATCH = struct.Struct(">qqqiii")


class Seal:
    """Tags of rows: keyed hashes of all their columns. Each run has its own key."""

    def __init__(self, cipher: RowCipher) -> None:
        self._start = hashlib.blake2b(key=cipher.tag_secret, digest_size=TAG)

    def of(self, table: str, columns: Row) -> bytes:
        """Return the tag of a row."""
        row = self._start.copy()
        row.update(_batch(columns) if table == "batch" else _packed(table, columns))
        return row.digest()

    def fits(self, table: str, columns: Row, tag: StoredValue) -> bool:
        """Return whether a row was written with the key."""
        return isinstance(tag, bytes) and hmac.compare_digest(self.of(table, columns), tag)


def digest(content: StoredValue) -> bytes:
    """Return a hash of a large column, which replaces it in the tag."""
    if content is None:
        return b""
    raw = content if isinstance(content, bytes) else repr(content).encode()
    return hashlib.blake2b(raw, digest_size=32).digest()


def _packed(table: str, columns: Row) -> bytes:
    return PACKED.get(table, as_text_bytes)(table, columns)


def _batch(columns: Row) -> bytes:
    number, action, trace, size, told, held = columns
    try:
        first, second = action.encode(), trace.encode()  # type: ignore[union-attr]
        length = -1 if held is None else len(held)  # type: ignore[arg-type]
        sizes = BATCH.pack(number, size, told, len(first), len(second), length)
        return b"".join([b"b", sizes, first, second, held or b""])  # type: ignore[list-item]
    except (struct.error, AttributeError, TypeError):
        return as_text_bytes("batch", columns)
