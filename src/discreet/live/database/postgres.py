"""Runs in a PostgreSQL database, for any number of processes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from discreet.errors import Busy, DiscreetError
from discreet.live.database.sessions import Session, grouped
from discreet.live.database.tables import BYTES, REAL, RECORD, TEXT, WHOLE, Row, SqlTable, replacing
from discreet.live.tags import StoredValue

LOCKS = 0x64697363  # the class of our advisory locks: "disc"
ARRAYS = {WHOLE: "bigint[]", REAL: "float8[]", TEXT: "text[]", BYTES: "bytea[]"}
SETTINGS = (
    "SET default_transaction_isolation = 'read committed'",
    "SET lock_timeout = '20s'",
    "SET idle_in_transaction_session_timeout = '60s'",
)


class PostgresSession:
    """One connection. The lock of a run is an advisory lock of the session."""

    shares: ClassVar[bool] = True

    def __init__(self, url: str) -> None:
        import psycopg

        self.is_broken = False
        self._connection = psycopg.connect(url, autocommit=True, prepare_threshold=1)
        self._lost = psycopg.OperationalError, psycopg.InterfaceError
        self._insertions: dict[tuple[str, bool], str] = {}
        for setting in SETTINGS:
            self._connection.execute(setting)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction has begun."""
        return int(self._connection.info.transaction_status) != 0

    def begin(self, *, durable: bool) -> None:
        """Begin a transaction, which waits for the disk if it is ``durable``."""
        self.write("BEGIN", ())
        if not durable:
            self.write("SET LOCAL synchronous_commit = off", ())

    def enter(self, run: int, query: str, values: Sequence[StoredValue]) -> list[tuple[Any, ...]]:
        """Wait for the lock of a run, and return the result of a query."""
        with self._connection.pipeline():
            self._connection.execute("SELECT pg_advisory_lock(%s::int, %s::int)", (LOCKS, run))
            found = self._connection.execute(_in_dialect(query), values)
            return found.fetchall()

    def leave(self, run: int) -> None:
        """Release the lock of a run."""
        try:
            self._connection.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", (LOCKS, run))
        except Exception:
            self.is_broken = True

    def lock_until_commit(self, number: int) -> None:
        """Wait for another lock, which this transaction holds until it ends."""
        self.execute("SELECT pg_advisory_xact_lock(?::int, ?::int)", (LOCKS, number))

    def execute(self, statement: str, values: Sequence[StoredValue] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement, and return its rows."""
        cursor = self._connection.execute(_in_dialect(statement), values)
        return cursor.fetchall() if cursor.description is not None else []

    def in_one_go(self) -> contextlib.AbstractContextManager[object]:
        """Send all statements before the first result is read."""
        return self._connection.pipeline()

    def write(self, statement: str, values: Sequence[StoredValue]) -> None:
        """Execute a statement that returns nothing."""
        self._connection.execute(_in_dialect(statement), values)

    def put(self, table: SqlTable, rows: Sequence[Row], *, new: bool = False) -> None:
        """Write rows, as one array for each column."""
        arrays = [list(column) for column in zip(*rows, strict=True)]
        statement = self._insertions.get((table.name, new))
        if statement is None:
            statement = self._insertions[table.name, new] = _insertion(table, new)
        self._connection.execute(statement, arrays)

    def remove(self, table: SqlTable, run: int, numbers: Iterable[int]) -> None:
        """Delete rows of a run."""
        self._connection.execute(
            f"DELETE FROM {table.name} WHERE run = %s AND number = ANY(%s::bigint[])",
            (run, list(numbers)),
        )

    def find(self, table: SqlTable, run: int, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
        """Return rows of a run by their numbers."""
        return self._connection.execute(
            f"SELECT * FROM {table.name} WHERE run = %s AND number = ANY(%s::bigint[]) ORDER BY "
            "number",
            (run, list(numbers)),
        ).fetchall()

    def find_named(self, kind: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return records of a kind by their names."""
        return self._connection.execute(
            f"SELECT * FROM {RECORD.name} WHERE kind = %s AND name = ANY(%s::text[])",
            (kind, list(names)),
        ).fetchall()

    def commit(self) -> None:
        """Commit."""
        self.write("COMMIT", ())

    def rollback(self) -> None:
        """Roll the transaction back."""
        try:
            if self._connection.closed or self._connection.broken:
                self.is_broken = True
            elif self.in_transaction:
                self._connection.execute("ROLLBACK")
        except Exception:
            self.is_broken = True

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(Exception):
            self._connection.close()


class Postgres:
    """A PostgreSQL database."""

    one_session = False
    types: ClassVar[dict[str, str]] = {
        WHOLE: "BIGINT",
        REAL: "DOUBLE PRECISION",
        TEXT: "TEXT",
        BYTES: "BYTEA",
    }
    # Rows that change in place stay in the same page, so that no index has to be written.
    endings: ClassVar[dict[str, str]] = dict.fromkeys(
        ("discreet_run", "discreet_batch", "discreet_usage"), " WITH (fillfactor = 50)"
    )
    clock: ClassVar[str] = "extract(epoch FROM clock_timestamp())::float8"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise DiscreetError(
                "a PostgreSQL database needs the extra 'postgres' (pip install "
                "'discreet[postgres]')."
            ) from None
        self._url, self._psycopg = url, psycopg
        parts = urlsplit(url)
        self.name = f"the database {parts.path.lstrip('/')!r} at {parts.hostname or 'a socket'}"

    def connect(self) -> Session:
        """Connect."""
        return PostgresSession(self._url)

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into refusals, without the values in them."""
        try:
            yield
        except self._psycopg.Error as error:
            code = error.sqlstate
            if code in ("55P03", "40P01", "40001", "57014") or isinstance(
                error, self._psycopg.OperationalError | self._psycopg.InterfaceError
            ):
                raise Busy(
                    f"{self.name} cannot be used now ({type(error).__name__}): try again."
                ) from None
            raise DiscreetError(
                f"{self.name} refused a statement ({type(error).__name__}), so nothing has changed."
            ) from None

    def tables(self, session: Session) -> dict[str, set[str]]:
        """Return the tables of the current schema, with their columns."""
        return grouped(
            session.execute(
                "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema "
                "= current_schema()"
            )
        )

    def system(self, session: Session) -> str:
        """Return the identifier of the server, which is the same for its copies."""
        ((found,),) = session.execute("SELECT system_identifier FROM pg_control_system()")
        return f"PostgreSQL {found}"

    def close(self) -> None:
        """Do nothing: sessions close themselves."""


@functools.cache
def _in_dialect(statement: str) -> str:
    return statement.replace("?", "%s")


def _insertion(table: SqlTable, new: bool) -> str:
    arrays = ", ".join(f"%s::{ARRAYS[kind]}" for kind in table.columns.values())
    statement = f"INSERT INTO {table.name} ({table.listed}) SELECT * FROM unnest({arrays})"
    return statement if new else statement + replacing(table)
