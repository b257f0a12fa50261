"""The contract of a dialect of SQL: one connection, its transactions, and rows in sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

from discreet.live.database.tables import Row, SqlTable
from discreet.live.tags import StoredValue


class Session(Protocol):
    """A connection to a database. Statements have ``?`` in place of values."""

    is_broken: bool  # the connection is lost, and with it the transaction
    shares: ClassVar[bool]  # whether other processes may use the database at the same time

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction has begun."""

    def begin(self, *, durable: bool) -> None:
        """Begin a transaction; a ``durable`` one is on disk when ``commit`` returns."""

    def enter(self, run: int, query: str, values: Sequence[StoredValue]) -> list[tuple[Any, ...]]:
        """Wait for the lock of a run, and return the result of a query.

        This session holds the lock until ``leave``, across transactions.
        """

    def leave(self, run: int) -> None:
        """Release the lock of a run; never raises."""

    def lock_until_commit(self, number: int) -> None:
        """Wait for another lock, which this transaction holds until it ends."""

    def execute(self, statement: str, values: Sequence[StoredValue] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement, and return its rows."""

    def in_one_go(self) -> AbstractContextManager[object]:
        """Send the statements of a ``with`` block without waiting for each result."""

    def write(self, statement: str, values: Sequence[StoredValue]) -> None:
        """Execute a statement that returns nothing."""

    def put(self, table: SqlTable, rows: Sequence[Row], *, new: bool = False) -> None:
        """Write rows, replacing those with the same keys; if ``new``, there are none to replace."""

    def remove(self, table: SqlTable, run: int, numbers: Iterable[int]) -> None:
        """Delete rows of a run."""

    def find(self, table: SqlTable, run: int, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
        """Return those rows of a run with these numbers that exist."""

    def find_named(self, kind: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return records of a kind by their names."""

    def commit(self) -> None:
        """Commit."""

    def rollback(self) -> None:
        """Roll the transaction back, if there is one; never raises."""

    def close(self) -> None:
        """Close the connection; never raises."""


def grouped(pairs: Iterable[Sequence[Any]]) -> dict[str, set[str]]:
    """Return the columns of every table, from pairs (table, column)."""
    found: dict[str, set[str]] = {}
    for table, column in pairs:
        found.setdefault(table, set()).add(column)
    return found


class Dialect(Protocol):
    """Where a database is, and how to connect to it."""

    name: str  # without secrets
    one_session: bool  # whether all threads share one connection
    types: ClassVar[dict[str, str]]
    endings: ClassVar[dict[str, str]]  # of the statements that create tables
    clock: ClassVar[str]  # an expression: seconds since 1970

    def connect(self) -> Session:
        """Connect."""

    def explained(self) -> AbstractContextManager[object]:
        """Turn errors of the database into refusals, without data in them."""

    def tables(self, session: Session) -> dict[str, set[str]]:
        """Return the existing tables, each with the names of its columns."""

    def system(self, session: Session) -> str:
        """Return a name for everything that one backup may contain: the server, or the file."""

    def close(self) -> None:
        """Release everything that belongs to no session."""
