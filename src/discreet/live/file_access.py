"""Access to the SQLite file of a run: its tables, its only writer, and its errors."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discreet.errors import Busy, DiscreetError, reason_of
from discreet.ledger.guards import is_damage
from discreet.live.keys import new_file

FAMILY = 0x4C6976  # "Liv": the application id of a run's file is this and the digit of its format
SERVERS = 0x4C6F63  # "Loc": likewise for the file of a server
DATABASES = 0x4C6944  # "LiD": likewise for a database of runs
SQLITE = b"SQLite format 3\0"  # how its files begin
FORMAT = 6  # rows in blocks, facts of releases, arms that come and go, users. Earlier: unreadable.
LARGE = 4_000_000  # bytes, which take some milliseconds to check
PAGE = 1024  # bytes. A change writes whole pages, and most rows have less than a hundred bytes.
MARK = (FAMILY << 8) + ord(str(FORMAT))
TABLES = (
    # ``changes`` counts the changes that must not be lost; the last of them and the last release
    # have random names; ``tag`` authenticates all tables
    "CREATE TABLE run (recipe TEXT, token TEXT, session TEXT, key TEXT, asked INTEGER, running "
    "INTEGER, left_over INTEGER, released INTEGER, lost INTEGER, epoch INTEGER, epoch_start "
    "INTEGER, learner BLOB, stream BLOB, draws TEXT, slots TEXT, clock TEXT, changes INTEGER, "
    "release_name BLOB, change_name BLOB, tag BLOB)",
    "CREATE TABLE batch (number INTEGER PRIMARY KEY, action TEXT, trace TEXT, size INTEGER, told "
    "INTEGER, held BLOB)",
    "CREATE TABLE decision (id INTEGER PRIMARY KEY, batch INTEGER, choice INTEGER, token TEXT, "
    # until its deadline, if there is one
    "asked_at REAL, outcome BLOB)",
    "CREATE TABLE choice (choice INTEGER PRIMARY KEY, times INTEGER)",
    # at most one: a release that the learner has not learned from yet
    "CREATE TABLE drawn (decision INTEGER PRIMARY KEY, shape TEXT, value BLOB, held BLOB, draws "
    "TEXT)",
    # several such releases, in the order of drawing
    "CREATE TABLE unlearned (batch INTEGER PRIMARY KEY, place INTEGER, decision INTEGER, shape "
    "TEXT, value BLOB)",
    # blocks of rows that ``tag`` authenticates together
    "CREATE TABLE settled (kind TEXT, number INTEGER, decisions INTEGER, batches INTEGER, tag "
    "BLOB, PRIMARY KEY (kind, number)) WITHOUT ROWID",
    # rounds of users: users.py
    "CREATE TABLE usage (bucket INTEGER PRIMARY KEY, window INTEGER, users BLOB)",
    # at most one for each batch; ``value`` is 64-bit floats, ``choice`` -1 if there is none
    "CREATE TABLE release (batch INTEGER PRIMARY KEY, choice INTEGER, size INTEGER, probability "
    "REAL, at REAL, value BLOB)",
)


def check_kind(path: Path, what: str = "run", *, may_be_empty: bool = False) -> None:
    """Refuse a file that is certainly not a run, server or database, before writing beside it.

    The mark may still be only in the write-ahead log, if there is one. A file whose creation was
    killed may be empty, or a database of one page without tables.
    """
    try:
        with path.open("rb") as file:
            start = file.read(72)
    except OSError as error:
        raise DiscreetError(f"{path} cannot be read ({reason_of(error)}).") from None
    pages, mark = (int.from_bytes(start[place : place + 4], "big") for place in (28, 68))
    unfinished = not start or (start.startswith(SQLITE) and pages <= 1 and mark == 0)
    if (unfinished and may_be_empty) or path.with_name(path.name + "-wal").exists():
        return
    if not start.startswith(SQLITE) or mark >> 8 not in (FAMILY, SERVERS, DATABASES):
        raise DiscreetError(f"{path} is a file of another kind, not a {what}.")


def only_writer(path: Path, what: str = "run") -> sqlite3.Connection:
    """Return an exclusive lock on the run, which lasts until it is closed.

    SQLite releases it when the process ends, and a forked process does not inherit it. It is a
    separate file, because a lock on the run itself would also block readers.
    """
    check_kind(path, what, may_be_empty=True)
    address = new_file(path.with_name(path.name + ".writer")).as_uri()
    lock = connect(address, seconds=0.0)
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # nothing is ever written to it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise Busy(f"{path} is in use: a {what} has one writer, so close it there first.") from None
    return lock


def connect(address: str, seconds: float = 5.0, *, cached: int = 128) -> sqlite3.Connection:
    """Connect to a file; wait for up to ``seconds`` while another connection writes."""
    options: dict[str, Any] = {"uri": True, "check_same_thread": False}
    options |= {"isolation_level": None, "cached_statements": cached}
    connection: sqlite3.Connection = sqlite3.connect(address, timeout=seconds, **options)
    return connection


def close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, if this is still the process that opened it."""
    if os.getpid() == process:
        connection.close()


def check_mark(file: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not a run, or has another format."""
    (mark,) = file.execute("PRAGMA application_id").fetchone()
    if mark >> 8 == FAMILY and mark != MARK:
        age = "an older" if mark < MARK else "a newer"
        raise DiscreetError(f"{path} was written by {age} version of discreet and cannot be read.")
    if mark != MARK:
        raise DiscreetError(f"{path} is a file of another kind, not a run.")


def check_structure(file: sqlite3.Connection, *, whole: bool = False) -> None:
    """Raise ValueError if pages are damaged, or if tables, triggers or views are unexpected.

    The pages of a large file are checked only if ``whole`` is True, otherwise when they are used.
    """
    # Text that is not valid UTF-8 must not stop the check.
    found = file.execute("SELECT CAST(sql AS BLOB) FROM sqlite_master").fetchall()
    if sorted(sql for (sql,) in found) != sorted(table.encode() for table in TABLES):
        raise ValueError("the tables are not those of a run")
    (pages,), (size,) = (
        file.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
    )
    if not whole and pages * size > LARGE:
        return
    if file.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise ValueError("pages are damaged")


class Transaction:
    """A transaction: all or nothing. It is a class because every change uses it."""

    __slots__ = ("_file",)

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file

    def __enter__(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: BaseException | None, frames: object) -> None:
        try:
            if error is None:
                self._file.execute("COMMIT")
        finally:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")


@contextlib.contextmanager
def snapshot(file: sqlite3.Connection) -> Iterator[None]:
    """Read everything in the block as it is at one moment."""
    file.execute("BEGIN")
    try:
        yield
    finally:
        if file.in_transaction:
            file.execute("ROLLBACK")


class Explained:
    """Turns errors of SQLite into one-sentence errors. A class, because every change uses it."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, frames: object) -> None:
        if isinstance(error, sqlite3.Error | OSError | UnicodeDecodeError):
            if error.args[:1] == ("file is not a database",):
                raise DiscreetError(f"{self._name} is a file of another kind, not a run.") from None
            if is_damage(error):
                raise DiscreetError(f"{self._name} is damaged: it cannot be read.") from None
            raise Busy(
                f"{self._name} cannot be used ({reason_of(error)}), so nothing has changed."
            ) from None


@contextlib.contextmanager
def reading(name: str) -> Iterator[None]:
    """Refuse a file whose content makes no sense."""
    try:
        yield
    except DiscreetError:
        raise
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, struct.error):
        raise DiscreetError(f"{name} is damaged: it cannot be read.") from None


def be_careful(file: sqlite3.Connection) -> None:
    """Overwrite erased data, and wait for the disk; macOS needs to be told."""
    file.execute("PRAGMA journal_mode = WAL")
    for setting in ("secure_delete", "fullfsync", "checkpoint_fullfsync"):
        file.execute(f"PRAGMA {setting} = ON")
    file.execute("PRAGMA synchronous = FULL")
