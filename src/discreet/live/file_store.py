"""A run in one SQLite file, with one process that writes."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np

from discreet.errors import DiscreetError
from discreet.ledger.turns import turn
from discreet.live.encoding import as_text, from_text, recipe_text
from discreet.live.rows import Change, Draws, Example, Group, Recipe, Rows, Ticket

MARK = 0x4C697631  # "Liv1", the application id of a run's file
TABLES = (
    "CREATE TABLE run (recipe TEXT, token TEXT, session INTEGER, asked INTEGER, running INTEGER, left_over INTEGER, "
    "released INTEGER, learner BLOB, stream BLOB, draws TEXT)",
    "CREATE TABLE batch (number INTEGER PRIMARY KEY, action TEXT, trace TEXT, size INTEGER, told INTEGER, due INTEGER, "
    "held BLOB)",
    "CREATE TABLE decision (id INTEGER PRIMARY KEY, batch INTEGER, choice INTEGER, token TEXT)",
    "CREATE TABLE release (batch INTEGER PRIMARY KEY, value BLOB)",  # at most one for each batch; 64-bit floats
)
COUNT = "UPDATE run SET asked = ?, running = ?, left_over = ?, released = ?"
NEW_BATCH = "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?, ?)"
HELD = "UPDATE batch SET told = ?, due = ?, held = ? WHERE number = ?"


class FileStore:
    """Keeps a run in a file: what was told and released is on the disk before anybody hears of it.

    Another process is refused while this one has the file, by a lock that ends with its process, however it ends; reading
    is open to all who may read the file. An ask may be lost with the power, a tell or a release may not.
    """

    rows: Rows
    tells = "FULL"  # how SQLite writes what must not be lost: it waits for the disk
    asks = "NORMAL"  # and the rest

    def __init__(self, path: Path) -> None:
        """Open the file; ``create`` and ``open`` say whether it must be new."""
        self._path = path
        self._writes = ""
        with self._using():
            self._writer = _only_writer(path)
            weakref.finalize(self, _close, self._writer, os.getpid())
            self._file = sqlite3.connect(
                f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None, check_same_thread=False
            )
            weakref.finalize(self, _close, self._file, os.getpid())
            self._new = not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if not self._new and self._file.execute("PRAGMA application_id").fetchone()[0] != MARK:
                raise DiscreetError(f"{path} is a file of another kind, not a run.")

    @classmethod
    def create(cls, path: str | os.PathLike[str], rows: Rows) -> FileStore:
        """Return the store of a new run."""
        text = recipe_text(dict(rows.recipe))
        store = cls(_new_file(path))
        if not store._new:
            store.close()
            raise DiscreetError(f"path is {str(path)!r}, where a run is kept already: open goes on with it.")
        with store._using():
            file = store._file
            file.execute("PRAGMA journal_mode = WAL")
            store._be_careful()
            with store._transaction():
                file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    file.execute(table)
                first = (text, rows.token, rows.session, *rows.counters, rows.learner, rows.stream)
                file.execute("INSERT INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*first, _draws_text(rows.draws)))
        return store

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> FileStore:
        """Return the store of a run that goes on; decisions that were given before keep their names."""
        if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
            raise DiscreetError(f"path is {str(path)!r}, but there is no file.")
        store = cls(Path(path).absolute())
        if store._new:
            store.close()
            raise DiscreetError(f"path is {str(path)!r}, but that is a file of another kind, not a run.")
        with store._using():
            store._be_careful()
            with store._transaction():
                store._file.execute("UPDATE run SET session = session + 1")
        return store

    def _be_careful(self) -> None:
        """Overwrite what is erased, and wait for the disk; macOS does so only if it is told to."""
        for setting in ("secure_delete = ON", "synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"):
            self._file.execute(f"PRAGMA {setting}")

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        with self._using(), self._reading():
            (text,) = self._file.execute("SELECT recipe FROM run").fetchone()
            return cast(Recipe, json.loads(text))

    def load(self, example: Example) -> None:
        """Read what is committed."""
        with self._using(), self._reading():
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            text, token, session, *counters, learner, stream, draws = self._file.execute("SELECT * FROM run").fetchone()
            rows = Rows(json.loads(text), token, learner)
            rows.session, rows.counters = session, tuple(counters)
            rows.stream = stream
            rows.draws = None if draws is None else Draws(*json.loads(draws))
            for number, action, trace, size, told, due, held in self._file.execute("SELECT * FROM batch ORDER BY number"):
                action, trace = from_text(example, f"[{action}, {trace}]")
                rows.groups[number] = Group(number, action, trace, size, told, bool(due), held)
            for row in self._file.execute("SELECT * FROM decision ORDER BY id"):
                rows.open[row[0]] = Ticket(*row)
        self.rows = rows

    def commit(self, change: Change) -> None:
        """Make a change, in the file first."""
        with self._using():
            writes = self.asks if change.told is None and change.released is None else self.tells
            if writes != self._writes:
                self._file.execute(f"PRAGMA synchronous = {writes}")
                self._writes = writes
            with self._transaction():
                self._write(change, self.rows)
        self.rows.apply(change)

    def _write(self, change: Change, rows: Rows) -> None:
        execute, group = self._file.execute, change.group
        execute(COUNT, change.counters)
        if group is not None and group.number in rows.groups:
            execute(HELD, (group.told, group.due, group.held, group.number))
        elif group is not None:
            facts = as_text(group.action), as_text(group.trace), group.size, group.told, group.due
            execute(NEW_BATCH, (group.number, *facts, group.held))
        if change.released is not None:
            value = None if change.value is None else np.asarray(change.value, np.float64).tobytes()
            execute("INSERT INTO release VALUES (?, ?)", (change.released, value))  # of one size, whatever was drawn
        if change.closed is not None:
            execute("DELETE FROM batch WHERE number = ?", (change.closed,))
        if change.opened is not None:
            execute("INSERT INTO decision VALUES (?, ?, ?, ?)", change.opened[:4])
        if change.told is not None:
            execute("DELETE FROM decision WHERE id = ?", (change.told,))
        if change.learner is not None:
            execute("UPDATE run SET learner = ?", (change.learner,))
        if change.stream is not None:
            execute("UPDATE run SET stream = ?", (change.stream,))
        if change.draws is not None:
            execute("UPDATE run SET draws = ?", (_draws_text(change.draws),))

    def close(self) -> None:
        """Give the file free for another process."""
        with turn:
            self._file.close()
            self._writer.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Do all of what follows or nothing."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _using(self) -> Iterator[None]:
        """Use SQLite alone, and say in one sentence what went wrong."""
        with turn:
            try:
                yield
            except (sqlite3.Error, OSError) as error:
                if isinstance(error, sqlite3.DatabaseError) and error.args[:1] == ("file is not a database",):
                    raise DiscreetError(f"{self._path} is a file of another kind, not a run.") from None
                raise DiscreetError(f"{self._path} cannot be used ({error}), so nothing has changed.") from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Say so if what is read makes no sense."""
        try:
            yield
        except (TypeError, ValueError, KeyError):
            raise DiscreetError(f"{self._path} is damaged: it cannot be read.") from None


def _only_writer(path: Path) -> sqlite3.Connection:
    """Return a lock on the file that another process, or another run in this one, cannot get before it is closed.

    SQLite gives it back when the process ends, and a forked process does not inherit it. It is a file of its own, because
    a lock on the run itself would keep readers out, too.
    """
    address = _new_file(path.with_name(path.name + ".writer")).as_uri()
    lock = sqlite3.connect(address, uri=True, timeout=0.0, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # nothing is ever written to it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise DiscreetError(f"{path} is in use: a run has one writer, so close it there first.") from None
    return lock


def _close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, if this is still the process that opened it."""
    if os.getpid() == process:
        connection.close()


def _new_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; if there is none, make an empty one that only its owner can read, and that stays."""
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            _keep_entry(Path(path).absolute().parent)
    except (OSError, ValueError, TypeError) as error:
        raise DiscreetError(f"path is {path!r}, where no file can be made ({error}).") from None
    return Path(path).absolute()


def _keep_entry(folder: Path) -> None:
    """Write to the disk which files a folder has; where folders cannot be opened, the system sees to it."""
    with contextlib.suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _draws_text(draws: Draws | None) -> str | None:
    return None if draws is None else json.dumps(draws)
