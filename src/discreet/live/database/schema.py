"""Versions of the schema of a database, and upgrades from older ones."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from discreet.errors import DiscreetError
from discreet.live.database.sessions import Dialect, Session
from discreet.live.database.tables import (
    BYTES,
    TABLES,
    WHOLE,
    WITNESS,
    SqlTable,
    create_statement,
)

SCHEMA = 1  # the version that this program reads and writes
ABOUT = SqlTable("discreet_schema", {"version": WHOLE, "secret": BYTES}, ("version",))
LOCK = -1  # of the schema
Step = Callable[[Session, Dialect], None]
# The upgrade from each earlier version to the next; none may ever be removed.
STEPS: dict[int, Step] = {}


def prepare(session: Session, dialect: Dialect, check: bytes) -> None:
    """Create the tables in an empty database, and upgrade an older one.

    ``check`` identifies the secret that the database was created with, and reveals nothing of it.
    """
    session.begin(durable=True)
    try:
        session.lock_until_commit(LOCK)
        tables = dialect.tables(session)
        if WITNESS.name in tables:
            raise DiscreetError(
                f"{dialect.name} holds a witness: runs need another database, so that no backup "
                "contains both."
            )
        if ABOUT.name not in tables:
            _make(session, dialect, check)
        about = session.execute(f"SELECT version, secret FROM {ABOUT.name}")
        if len(about) != 1:
            raise DiscreetError(
                f"{dialect.name} is damaged: the table {ABOUT.name} must have one row, but has "
                f"{len(about)}."
            )
        ((version, secret),) = about
        if not hmac.compare_digest(secret, check):
            raise DiscreetError(f"secret is not the one that {dialect.name} was created with.")
        _update(session, dialect, version)
        _check_tables(dialect, dialect.tables(session))
        session.commit()
    except BaseException:
        session.rollback()
        raise


def _make(session: Session, dialect: Dialect, check: bytes) -> None:
    for table in (ABOUT, *TABLES):
        ending = dialect.endings.get(table.name, "")
        session.execute(create_statement(table, dialect.types, ending=ending))
    session.execute(f"INSERT INTO {ABOUT.name} VALUES (?, ?)", (SCHEMA, check))


def _check_tables(dialect: Dialect, found: dict[str, set[str]]) -> None:
    """Refuse tables that do not match the database's stated version."""
    for table in TABLES:
        if not set(table.columns) <= found.get(table.name, set()):
            raise DiscreetError(
                f"{dialect.name} has a table {table.name} that does not match schema {SCHEMA}: it "
                "is damaged, or from a version before the first release."
            )


def _update(session: Session, dialect: Dialect, version: int) -> None:
    if version > SCHEMA:
        raise DiscreetError(
            f"{dialect.name} has schema {version}, but this version of discreet supports at most "
            f"schema {SCHEMA}: use a newer one."
        )
    for each in range(version, SCHEMA):
        if each not in STEPS:
            raise DiscreetError(
                f"{dialect.name} has schema {version}, which this version of discreet cannot "
                f"upgrade to {SCHEMA}: use an older one first."
            )
        STEPS[each](session, dialect)
        session.execute(f"UPDATE {ABOUT.name} SET version = ?", (each + 1,))
