"""Backups of databases, and how they are restored: a file, or all rows of all tables."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import psycopg

from discreet.live.database.schema import ABOUT
from discreet.live.database.tables import TABLES

EVERY = [ABOUT, *TABLES]


def copy_file(url, path):
    """Copy a SQLite database while it is open, as backup programs do; return the URL."""
    Path(path).unlink(missing_ok=True)
    with (
        contextlib.closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file,
        contextlib.closing(sqlite3.connect(path)) as copy,
    ):
        file.backup(copy)
    return f"sqlite:///{path}"


def dump(url):
    """Return all rows of a PostgreSQL database, as they are at one moment."""
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        return {
            table.name: connection.execute(f"SELECT * FROM {table.name}").fetchall()
            for table in EVERY
        }


def put_back(url, rows):
    """Put the rows of a backup in the place of what is there."""
    with psycopg.connect(url) as connection:
        for table in EVERY:
            connection.execute(f"DELETE FROM {table.name}")
            places = ", ".join(["%s"] * len(table.columns))
            with connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {table.name} VALUES ({places})", rows[table.name])
