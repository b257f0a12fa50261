"""Access to the SQLite file of a run: its tables, its only writer, and what is wrong with it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from discreet.errors import DiscreetError
from discreet.live.keys import new_file

FAMILY = 0x4C6976  # "Liv": the application id of a run's file is this and the digit of its format
FORMAT = 6  # 6: facts of releases, arms that come and go, users. Earlier ones cannot be read.
MARK = (FAMILY << 8) + ord(str(FORMAT))
TABLES = (
    # ``changes`` counts the changes that must not be lost; the last of them and the last release
    # have random names; ``tag`` authenticates all tables
    "CREATE TABLE run (recipe TEXT, token TEXT, session TEXT, key TEXT, asked INTEGER, running "
    "INTEGER, left_over INTEGER, released INTEGER, lost INTEGER, epoch INTEGER, epoch_start "
    "INTEGER, learner BLOB, stream BLOB, draws TEXT, slots TEXT, changes INTEGER, release_name "
    "BLOB, change_name BLOB, tag BLOB)",
    "CREATE TABLE batch (number INTEGER PRIMARY KEY, action TEXT, trace TEXT, size INTEGER, told "
    "INTEGER, held BLOB)",
    "CREATE TABLE decision (id INTEGER PRIMARY KEY, batch INTEGER, choice INTEGER, token TEXT, "
    "asked_at REAL)",
    # until its deadline, if there is one
    "CREATE TABLE outcome (decision INTEGER PRIMARY KEY, value BLOB)",
    "CREATE TABLE choice (choice INTEGER PRIMARY KEY, times INTEGER)",
    # at most one: a release that the learner has not learned from yet
    "CREATE TABLE drawn (decision INTEGER PRIMARY KEY, shape TEXT, value BLOB, held BLOB, draws "
    "TEXT)",
    # rounds of users: users.py
    "CREATE TABLE usage (bucket INTEGER PRIMARY KEY, window INTEGER, users BLOB)",
    # at most one for each batch; ``value`` is 64-bit floats, ``choice`` -1 if there is none
    "CREATE TABLE release (batch INTEGER PRIMARY KEY, choice INTEGER, size INTEGER, probability "
    "REAL, at REAL, value BLOB)",
)


def only_writer(path: Path) -> sqlite3.Connection:
    """Return a lock on the run that nobody else can get before it is closed.

    SQLite releases it when the process ends, and a forked process does not inherit it. It is a file
    of its own, because a lock on the run itself would also keep readers out.
    """
    address = new_file(path.with_name(path.name + ".writer")).as_uri()
    lock = connect(address, seconds=0.0)
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # nothing is ever written to it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise DiscreetError(
            f"{path} is in use: a run has one writer, so close it there first."
        ) from None
    return lock


def connect(address: str, seconds: float = 5.0) -> sqlite3.Connection:
    """Connect to a file; wait for some seconds while another connection writes."""
    options = {"uri": True, "check_same_thread": False}
    return sqlite3.connect(address, timeout=seconds, isolation_level=None, **options)


def close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, if this is still the process that opened it."""
    if os.getpid() == process:
        connection.close()


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other at its path; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_mark(file: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a run, or has another format."""
    (mark,) = file.execute("PRAGMA application_id").fetchone()
    if mark >> 8 == FAMILY and mark != MARK:
        age = "an older" if mark < MARK else "a newer"
        raise DiscreetError(f"{path} was written by {age} version of discreet and cannot be read.")
    if mark != MARK:
        raise DiscreetError(f"{path} is a file of another kind, not a run.")


def check_structure(file: sqlite3.Connection) -> None:
    """Raise ValueError if pages are damaged, or if tables, triggers or views are not the usual."""
    # Text that is not valid UTF-8 must not stop the check.
    found = file.execute("SELECT CAST(sql AS BLOB) FROM sqlite_master").fetchall()
    if sorted(sql for (sql,) in found) != sorted(table.encode() for table in TABLES):
        raise ValueError("the tables are not those of a run")
    if file.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise ValueError("pages are damaged")


@contextlib.contextmanager
def transaction(file: sqlite3.Connection) -> Iterator[None]:
    """Do all of what follows or nothing."""
    file.execute("BEGIN IMMEDIATE")
    try:
        yield
        file.execute("COMMIT")
    except BaseException:
        if file.in_transaction:
            file.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def snapshot(file: sqlite3.Connection) -> Iterator[None]:
    """Read all of what follows as it is at one moment."""
    file.execute("BEGIN")
    try:
        yield
    finally:
        if file.in_transaction:
            file.execute("ROLLBACK")


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Say in one sentence what went wrong with SQLite."""
    try:
        yield
    except UnicodeDecodeError:  # in SQLite's own message about a damaged table
        raise DiscreetError(f"{name} is damaged: it cannot be read.") from None
    except (sqlite3.Error, OSError) as error:
        if error.args[:1] == ("file is not a database",):
            raise DiscreetError(f"{name} is a file of another kind, not a run.") from None
        raise DiscreetError(f"{name} cannot be used ({error}), so nothing has changed.") from None


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Say so if what is read makes no sense."""
    try:
        yield
    except DiscreetError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        raise DiscreetError(f"{name} is damaged: it cannot be read.") from None
