"""Authentication of a whole run: one tag over all rows, updated with every change."""

from __future__ import annotations

import hashlib

Column = str | int | float | bytes | None  # what a column of a table holds
DIGEST = 32  # bytes of a tag
NO_KEY = b"no key"  # without a secret the tag finds damage, but nobody is kept from forging it


class Tag:
    """The tag of a run: a keyed hash of every row, combined, so that a change costs a few hashes.

    Each row is hashed with the key (BLAKE2b, a pseudorandom function), and the hashes are added
    by exclusive or. Rows have distinct names, so no two cancel; a large column of ``run`` is a row
    of its own. The tag is a keyed hash of that sum and of the other columns of ``run``; the sum
    itself is never written. Whoever does not know the
    key cannot tell the hash of any row, and so cannot find other rows with the same tag
    (docs/proofs.md: One draw).
    """

    def __init__(self, secret: bytes | None) -> None:
        self._start = hashlib.blake2b(key=secret or NO_KEY, digest_size=DIGEST)
        self._sum = 0
        self._rows: dict[tuple[str, int], int] = {}  # the hashes of rows that may change

    def add(self, table: str, *columns: Column) -> None:
        """Count a new row that never changes."""
        self._sum ^= self._hash(table, columns)

    def put(self, table: str, number: int, *columns: Column) -> None:
        """Count a row, in place of the one with the same number."""
        name, fresh = (table, number), self._hash(table, (number, *columns))
        self._sum ^= fresh ^ self._rows.get(name, 0)
        self._rows[name] = fresh

    def drop(self, table: str, number: int) -> None:
        """No longer count a row, if it is there."""
        self._sum ^= self._rows.pop((table, number), 0)

    def drop_all(self, table: str) -> None:
        """No longer count any row of a table."""
        for name in [name for name in self._rows if name[0] == table]:
            self.drop(*name)

    def of(self, *columns: Column) -> bytes:
        """Return the tag of all rows and of these columns of ``run``."""
        whole = self._start.copy()
        whole.update(repr(("run", columns)).encode())
        whole.update(self._sum.to_bytes(DIGEST, "big"))
        return whole.digest()

    def _hash(self, table: str, columns: tuple[Column, ...]) -> int:
        """Return the hash of a row; bytes are named by their length, and follow the text."""
        row = self._start.copy()
        texts = [(len(each),) if isinstance(each, bytes) else each for each in columns]
        row.update(repr((table, texts)).encode())
        for each in columns:
            if isinstance(each, bytes):
                row.update(each)
        return int.from_bytes(row.digest(), "big")
