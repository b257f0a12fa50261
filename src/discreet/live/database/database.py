"""A database of runs: SQLite for one process, PostgreSQL for any number of workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, cast

from discreet.errors import DiscreetError, check_text, shorten
from discreet.live.database.connections import Connections
from discreet.live.database.database_witness import DatabaseWitness
from discreet.live.database.dialects import dialect_of, is_postgres
from discreet.live.database.ledger import DatabaseLedger
from discreet.live.database.records import Records
from discreet.live.database.restoring import Restored, close_ledger, end_run, restore
from discreet.live.database.schema import prepare
from discreet.live.database.sessions import Dialect
from discreet.live.database.store import DatabaseStore
from discreet.live.database.tables import LEDGER, RUN
from discreet.live.database.witness import Witness
from discreet.live.row_cipher import RowCipher
from discreet.live.rows import Recipe
from discreet.sets import LinearOracle

SHORTEST_SECRET = 32  # bytes
LONGEST_NAME = 100


class Database:
    """Runs by name, the ledger that they are charged to, and records of the service.

    ``store`` returns the place of one run, for a live class or its ``open``.
    """

    def __init__(self, dialect: Dialect, secret: bytes, witness: Witness | None) -> None:
        self._dialect, self._witness = dialect, witness
        self._cipher = RowCipher(secret)
        self._connections = Connections(dialect)
        self.records = Records(self._connections, self._cipher)
        try:
            with dialect.explained(), self._connections.session() as session:
                prepare(session, dialect, self._cipher.tag_secret[:16])
        except BaseException:
            self._connections.close()
            raise

    @property
    def name(self) -> str:
        """The name in messages, without secrets."""
        return self._dialect.name

    def store(self, name: str) -> DatabaseStore:
        """Return the place of a run, to pass to a live class as ``store``."""
        return DatabaseStore(
            self._connections, self._cipher, self._witness, self.records, check_run_name(name)
        )

    def run_names(self) -> list[str]:
        """Return the names of all runs."""
        query = f"SELECT name FROM {RUN.name} ORDER BY name"
        with self._dialect.explained(), self._connections.session() as session:
            return [name for (name,) in session.execute(query)]

    def recipe_of(self, name: str) -> Recipe:
        """Return the arguments that created a run, without opening it."""
        store = self.store(name)
        store.peek()
        return store.recipe()

    def ledger(
        self, epsilon: float | None = None, delta: float = 0.0, *, composition: str = "basic"
    ) -> DatabaseLedger:
        """Return the ledger of the database; give its budget once, to create it.

        A run with this ledger is charged in the transaction that creates the run.
        """
        terms = None if epsilon is None else (epsilon, delta, composition)
        return DatabaseLedger(self._connections, self._cipher, self._witness, terms)

    @contextmanager
    def creating(self) -> Iterator[None]:
        """Create a run, and store its description, in one transaction; other workers wait."""
        with self._connections.transaction() as session:
            session.lock_until_commit(0)
            yield

    def end(self, name: str, why: str = "an operator has ended this run.") -> None:
        """End a run permanently: it takes no further calls, and unfinished batches are dropped."""
        with self._connections.transaction() as session:
            end_run(self.store(name), session, check_text("why", why))

    def restored(self, name: str, *, domain: LinearOracle | None = None) -> Restored:
        """Continue a run after a backup of the database was restored; return what is lost.

        Its unfinished batches are abandoned. The run ends if it limits users or has one running
        sum. If the ledger is an old copy, too, it takes no further charges. A run on your own set
        needs that set again, as ``domain``.
        """
        if self._witness is None:
            raise DiscreetError(
                "the database has no witness, so it is not known whether it was restored."
            )
        with self._connections.transaction() as session:
            lost = restore(self.store(name), session, self._witness, domain)
            if session.execute(f"SELECT 1 FROM {LEDGER.name}"):
                parts = self._connections, self._cipher, self._witness
                ledger = DatabaseLedger(*parts, None, may_be_old=True)
                close_ledger(ledger, session, self._witness)
        return lost

    def check_witness(self) -> None:
        """Refuse if the witness cannot be reached."""
        if self._witness is not None:
            self._witness.read("")

    def now(self) -> float:
        """Return the time of the database, in seconds since 1970."""
        with self._dialect.explained(), self._connections.session() as session:
            ((now,),) = session.execute(f"SELECT {self._dialect.clock}")
        return time.time() if now is None else cast(float, now)

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({self.name})"


def open_database(url: str, *, secret: bytes, witness: Witness | None = None) -> Database:
    """Open a database of runs at ``sqlite:///path`` or ``postgresql://...``; create it if needed.

    Parameters
    ----------
    url
        The address. A SQLite database belongs to one process at a time.
    secret
        At least 32 random bytes. All keys derive from it: the database without it reveals no more
        than what was released.
    witness
        Detects restored backups and clones (:class:`FileWitness`, or :class:`DatabaseWitness` if
        workers are on several hosts); PostgreSQL needs one.

    """
    if is_postgres(url) and witness is None:
        raise DiscreetError(
            "witness is None, but a PostgreSQL database cannot detect that it is a restored "
            "backup: give a witness, such as FileWitness(path)."
        )
    if not isinstance(secret, bytes) or len(secret) < SHORTEST_SECRET:
        raise DiscreetError(f"secret must be at least {SHORTEST_SECRET} random bytes.")
    dialect = dialect_of("url", url)
    if isinstance(witness, DatabaseWitness):
        try:
            witness.check_apart(dialect)
        except BaseException:
            dialect.close()
            raise
    return Database(dialect, secret, witness)


def check_run_name(name: object) -> str:
    """Return the name of a run, or refuse it."""
    text = check_text("name", name)
    if not 0 < len(text) <= LONGEST_NAME or not text.isprintable() or text != text.strip():
        raise DiscreetError(
            f"name is {shorten(name)}, but must be 1 to {LONGEST_NAME} printable characters."
        )
    return text
