"""Runs in a SQLite database, for one process."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from discreet.errors import DiscreetError
from discreet.live import file_access
from discreet.live.database.sessions import Session, grouped
from discreet.live.database.tables import BYTES, REAL, RECORD, TEXT, WHOLE, Row, SqlTable, replacing
from discreet.live.keys import new_file
from discreet.live.tags import StoredValue
from discreet.live.watched_file import MAY_SHRINK, WatchedDatabase

# the application id of a database of runs: this number and a digit
MARK = (file_access.DATABASES << 8) + ord("1")
MOST_AT_ONCE = 64  # rows in one statement
LISTED = "(SELECT value FROM json_each(?))"  # a parameter that is a list


class SqliteSession:
    """The only connection that writes; threads take turns, so it holds every lock."""

    shares: ClassVar[bool] = False

    def __init__(self, path: Path) -> None:
        self.is_broken = False
        self._path, self._watched = path, WatchedDatabase(path, least=MAY_SHRINK)
        self._file = file_access.connect(f"{path.as_uri()}?mode=rw", cached=256)
        weakref.finalize(self, file_access.close, self._file, os.getpid())
        file_access.be_careful(self._file)
        self._synchronous = "FULL"
        self._statements: dict[tuple[str, int, bool], str] = {}

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction has begun."""
        return self._file.in_transaction

    def begin(self, *, durable: bool) -> None:
        """Begin a transaction, which waits for the disk if it is ``durable``."""
        self._watched.check(f"{self._path} or its -wal file")
        synchronous = "FULL" if durable else "NORMAL"
        if synchronous != self._synchronous:
            self._synchronous = ""
            self._file.execute(f"PRAGMA synchronous = {synchronous}")
            self._synchronous = synchronous
        self._file.execute("BEGIN IMMEDIATE")

    def enter(self, run: int, query: str, values: Sequence[StoredValue]) -> list[tuple[Any, ...]]:
        """Return the result of a query."""
        return self.execute(query, values)

    def leave(self, run: int) -> None:
        """Do nothing: threads take turns."""

    def lock_until_commit(self, number: int) -> None:
        """Do nothing: transactions never overlap."""

    def execute(self, statement: str, values: Sequence[StoredValue] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement, and return its rows."""
        return self._file.execute(statement, values).fetchall()

    def in_one_go(self) -> contextlib.AbstractContextManager[object]:
        """Do nothing: there is no round trip to save."""
        return contextlib.nullcontext()

    def write(self, statement: str, values: Sequence[StoredValue]) -> None:
        """Execute a statement that returns nothing."""
        self._file.execute(statement, values)

    def put(self, table: SqlTable, rows: Sequence[Row], *, new: bool = False) -> None:
        """Write rows."""
        # Many in one statement: after each, another thread may take the interpreter's lock, and
        # the writer would wait for it. Sizes are powers of two, so that there are few statements.
        done, left = 0, len(rows)
        while left:
            size = min(1 << (left.bit_length() - 1), MOST_AT_ONCE)
            values = tuple(chain.from_iterable(rows[done : done + size]))
            self._file.execute(self._inserting(table, size, new=new), values)
            done, left = done + size, left - size

    def _inserting(self, table: SqlTable, size: int, *, new: bool) -> str:
        statement = self._statements.get((table.name, size, new))
        if statement is None:
            row = f"({', '.join('?' * len(table.columns))})"
            statement = f"INSERT INTO {table.name} VALUES {', '.join([row] * size)}"
            statement += "" if new else replacing(table)
            self._statements[table.name, size, new] = statement
        return statement

    def remove(self, table: SqlTable, run: int, numbers: Iterable[int]) -> None:
        """Delete rows of a run."""
        statement = f"DELETE FROM {table.name} WHERE run = ? AND number IN {LISTED}"
        self._file.execute(statement, (run, json.dumps(list(numbers))))

    def find(self, table: SqlTable, run: int, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
        """Return rows of a run by their numbers."""
        statement = (
            f"SELECT * FROM {table.name} WHERE run = ? AND number IN {LISTED} ORDER BY number"
        )
        return self.execute(statement, (run, json.dumps(list(numbers))))

    def find_named(self, kind: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return records of a kind by their names."""
        statement = f"SELECT * FROM {RECORD.name} WHERE kind = ? AND name IN {LISTED}"
        return self.execute(statement, (kind, json.dumps(list(names))))

    def commit(self) -> None:
        """Commit."""
        self._file.execute("COMMIT")

    def rollback(self) -> None:
        """Roll the transaction back."""
        with contextlib.suppress(sqlite3.Error):
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(sqlite3.Error):
            self._file.close()


class Sqlite:
    """A SQLite file. While it is open here, other processes are refused."""

    one_session = True
    types: ClassVar[dict[str, str]] = {
        WHOLE: "INTEGER",
        REAL: "REAL",
        TEXT: "TEXT",
        BYTES: "BLOB",
    }
    endings: ClassVar[dict[str, str]] = {}
    clock: ClassVar[str] = "NULL"  # the clock of the process is the same

    def __init__(self, path: str) -> None:
        self._path = new_file(path)
        self.name = str(self._path)
        with self.explained():
            self._lock = file_access.only_writer(self._path, "database")
        weakref.finalize(self, file_access.close, self._lock, os.getpid())

    def connect(self) -> Session:
        """Return a connection to the file, or refuse a file of another kind."""
        session = SqliteSession(self._path)
        ((mark,),) = session.execute("PRAGMA application_id")
        if mark != MARK:
            if session.execute("SELECT count(*) FROM sqlite_master") != [(0,)]:
                session.close()
                raise DiscreetError(f"{self.name} is a file of another kind, not a database.")
            session.execute(f"PRAGMA application_id = {MARK}")
        return session

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of SQLite into refusals."""
        with file_access.Explained(self.name):
            yield

    def tables(self, session: Session) -> dict[str, set[str]]:
        """Return the tables of the file, with their columns."""
        return grouped(
            session.execute(
                "SELECT made.name, place.name FROM sqlite_master AS made, "
                "pragma_table_info(made.name) AS place WHERE made.type = 'table'"
            )
        )

    def system(self, session: Session) -> str:
        """Return the path of the file."""
        return self.name

    def close(self) -> None:
        """Let another process open the file."""
        self._lock.close()
