"""Records of a service beside its runs, by kind and name, encrypted."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from discreet.errors import DiscreetError, shorten
from discreet.live.database.connections import Connections
from discreet.live.database.tables import RECORD, Row
from discreet.live.row_cipher import RowCipher

TOKEN = "records"  # in place of the token of a run
COLUMNS = "kind, name, content, at, run"


class Records:
    """A small table of bytes; within a group of operations, changes are part of its transaction."""

    def __init__(self, connections: Connections, cipher: RowCipher) -> None:
        self._connections, self._cipher = connections, cipher.of_run(TOKEN)
        self._hashed = hashlib.blake2b(key=self._cipher.user_secret, digest_size=20)

    def get(self, kind: str, name: str) -> bytes | None:
        """Return the content of a record; None if there is none."""
        with self._connections.dialect.explained(), self._connections.session():
            return self.find(kind, [name]).get(name)

    def put(
        self,
        kind: str,
        name: str,
        content: bytes,
        at: float,
        run: str | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Store a record, with its time; refuse an existing name, unless it is to be replaced."""
        with self._connections.transaction() as session:
            if not replace and session.find_named(kind, [name]):
                raise DiscreetError(f"there is already a {kind} named {shorten(name)}.")
            session.put(RECORD, [self.row(kind, name, content, at, run)], new=not replace)

    def delete(self, kind: str, name: str) -> bool:
        """Delete a record; return whether there was one."""
        with self._connections.transaction() as session:
            there = bool(session.find_named(kind, [name]))
            query = f"DELETE FROM {RECORD.name} WHERE kind = ? AND name = ?"
            session.execute(query, (kind, name))
        return there

    def names(self, kind: str) -> list[str]:
        """Return the names of all records of a kind."""
        query = f"SELECT name FROM {RECORD.name} WHERE kind = ? ORDER BY name"
        with self._connections.dialect.explained(), self._connections.session() as session:
            return [name for (name,) in session.execute(query, (kind,))]

    def purge(self, kind: str, before: float) -> None:
        """Delete all records of a kind that are older than a time."""
        with self._connections.transaction() as session:
            query = f"DELETE FROM {RECORD.name} WHERE kind = ? AND at < ?"
            session.execute(query, (kind, before))

    # What a store needs

    def hidden(self, name: str) -> str:
        """Return a hash of a name, which does not reveal it."""
        hashed = self._hashed.copy()
        hashed.update(name.encode())
        return hashed.hexdigest()

    def find(self, kind: str, names: list[str], since: float | None = None) -> dict[str, bytes]:
        """Return records by name, unless they are older than a time."""
        with self._connections.session() as session:
            found: list[Any] = session.find_named(kind, names)
        return {
            name: self._read(kind, name, content)
            for _, name, content, at, _ in found
            if since is None or at >= since
        }

    def row(self, kind: str, name: str, content: bytes, at: float, run: str | None) -> Row:
        """Return a record in written form."""
        return kind, name, self._cipher.encrypt(content, _named(kind, name)), float(at), run

    def _read(self, kind: str, name: str, content: object) -> bytes:
        try:
            return self._cipher.decrypt(cast(bytes, content), _named(kind, name))
        except (ValueError, TypeError):
            where = self._connections.dialect.name
            raise DiscreetError(
                f"{where} was modified by another program: a record fails authentication."
            ) from None


def _named(kind: str, name: str) -> bytes:
    return f"{kind}\0{name}".encode()
