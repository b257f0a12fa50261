"""The kinds of databases: SQLite for one process, PostgreSQL for any number."""

from __future__ import annotations

from discreet.errors import DiscreetError, shorten
from discreet.live.database.postgres import Postgres
from discreet.live.database.sessions import Dialect
from discreet.live.database.sqlite import Sqlite

SQLITE, POSTGRES = "sqlite:///", ("postgresql://", "postgres://")


def is_postgres(url: object) -> bool:
    """Return whether a URL is for PostgreSQL."""
    return isinstance(url, str) and url.startswith(POSTGRES)


def is_url(place: object) -> bool:
    """Return whether a place is a database and not a file."""
    return isinstance(place, str) and "://" in place


def dialect_of(name: str, url: object) -> Dialect:
    """Return the database at a URL, or refuse another scheme; ``name`` is the argument's name."""
    if isinstance(url, str) and url.startswith(SQLITE) and url != SQLITE:
        return Sqlite(url.removeprefix(SQLITE))
    if isinstance(url, str) and url.startswith(POSTGRES):
        return Postgres(url)
    # Do not show the whole URL: it may contain a password.
    scheme = shorten(str(url).partition(":")[0])
    raise DiscreetError(
        f"{name} has the scheme {scheme}, but must be 'sqlite:///path' or 'postgresql://...'."
    )
