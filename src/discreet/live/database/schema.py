"""Versions of the schema of a database, and how an older one is brought up to date."""

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
# What brings a database from each earlier version to the next; nothing is ever left out here.
STEPS: dict[int, Step] = {}


def prepare(session: Session, dialect: Dialect, check: bytes) -> None:
    """Make the tables in an empty database, and bring an older one up to date.

    ``check`` shows which secret the database was made with, and nothing about it.
    """
    session.begin(durable=True)
    try:
        session.lock_until_commit(LOCK)
        tables = dialect.tables(session)
        if WITNESS.name in tables:
            raise DiscreetError(
                f"{dialect.name} holds a witness: runs need another database, so that no backup "
                "holds both."
            )
        if ABOUT.name not in tables:
            _make(session, dialect, check)
        ((version, secret),) = session.execute(f"SELECT version, secret FROM {ABOUT.name}")
        if not hmac.compare_digest(secret, check):
            raise DiscreetError(f"secret is not the one with which {dialect.name} was made.")
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
    """Refuse tables that are not those of the version that the database says it has."""
    for table in TABLES:
        if not set(table.columns) <= found.get(table.name, set()):
            raise DiscreetError(
                f"{dialect.name} has a table {table.name} that is not that of schema {SCHEMA}: it "
                "is damaged, or was made by a version before the first release."
            )


def _update(session: Session, dialect: Dialect, version: int) -> None:
    if version > SCHEMA:
        raise DiscreetError(
            f"{dialect.name} has schema {version}, but this version of discreet knows schema "
            f"{SCHEMA} at most: use a newer one."
        )
    for each in range(version, SCHEMA):
        if each not in STEPS:
            raise DiscreetError(
                f"{dialect.name} has schema {version}, which this version of discreet cannot bring "
                f"to {SCHEMA}: use an older one first."
            )
        STEPS[each](session, dialect)
        session.execute(f"UPDATE {ABOUT.name} SET version = ?", (each + 1,))
