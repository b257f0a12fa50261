"""A witness in its own database, which workers on several hosts can reach."""

from __future__ import annotations

from typing import Any

from discreet.errors import DiscreetError
from discreet.live.database.connections import Connections
from discreet.live.database.dialects import dialect_of
from discreet.live.database.sessions import Dialect
from discreet.live.database.tables import RUN, VERSION, WITNESS, create_statement
from discreet.live.keys import Version

LOCK = -2  # of its table
CHANGED = ", ".join(f"{name} = ?" for name in VERSION)
EXPECTED = " AND ".join(f"{name} = ?" for name in VERSION)


class DatabaseWitness:
    """A witness in a PostgreSQL or SQLite database that holds nothing else.

    An entry is replaced by one conditional statement, so only if it is the expected one. That
    transaction is durable if there are more releases (docs/proofs.md: Groups of operations). SQLite
    is for one process.
    """

    def __init__(self, url: str) -> None:
        self._dialect = dialect_of("witness", url)
        self._connections = Connections(self._dialect)
        try:
            with self._connections.transaction() as session:
                session.lock_until_commit(LOCK)
                tables = self._dialect.tables(session)
                if RUN.name in tables:
                    raise DiscreetError(
                        f"witness is {self._dialect.name}, which has runs: a witness needs another "
                        "database, so that no backup contains both."
                    )
                if WITNESS.name not in tables:
                    session.execute(create_statement(WITNESS, self._dialect.types))
        except BaseException:
            self._connections.close()
            raise

    def read(self, run: str) -> Version | None:
        """Return the last known version of a run."""
        query = f"SELECT {', '.join(VERSION)} FROM {WITNESS.name} WHERE run = ?"
        with self._dialect.explained(), self._connections.session() as session:
            found: list[Any] = session.execute(query, (run,))
        return Version(*found[0]) if found else None

    def advance(self, run: str, old: Version | None, new: Version) -> bool:
        """Replace ``old`` by ``new``, if ``old`` is still current."""
        durable = old is None or new.releases > old.releases
        with self._connections.transaction(durable=durable) as session:
            if old is None:
                places = ", ".join("?" * len(WITNESS.columns))
                statement = f"INSERT INTO {WITNESS.name} VALUES ({places}) ON CONFLICT DO NOTHING"
                done = session.execute(f"{statement} RETURNING 1", (run, *new))
            else:
                statement = f"UPDATE {WITNESS.name} SET {CHANGED} WHERE run = ? AND {EXPECTED}"
                done = session.execute(f"{statement} RETURNING 1", (*new, run, *old))
        return bool(done) or self.read(run) == new

    def check_apart(self, dialect: Dialect) -> None:
        """Refuse a witness on the same server as the runs: one backup would contain both."""
        with self._dialect.explained(), self._connections.session() as session:
            mine = self._dialect.system(session)
        other = dialect.connect()
        try:
            with dialect.explained():
                theirs = dialect.system(other)
        finally:
            other.close()
        if mine == theirs:
            raise DiscreetError(
                f"witness is {self._dialect.name}, on the same server as the runs, so a backup of "
                "the server would contain both: use another server, or a file."
            )

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()

    def __repr__(self) -> str:
        return f"DatabaseWitness({self._dialect.name})"
