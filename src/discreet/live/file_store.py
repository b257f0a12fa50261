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

from discreet.errors import DiscreetError, check_path, shorten
from discreet.ledger.guards import sqlite_lock
from discreet.live.keys import KeyPlace, new_file
from discreet.live.rows import (
    RELEASED,
    Change,
    Counters,
    Draws,
    Example,
    Group,
    OpenRow,
    Recipe,
    Rows,
    as_json,
    as_text,
    from_text,
    new_session,
    recipe_text,
)
from discreet.live.store import Store

FAMILY = 0x4C6976  # "Liv": the application id of a run's file is this and the digit of its format
FORMAT = 3  # 3: rows are authenticated. Earlier formats cannot be read.
MARK = (FAMILY << 8) + ord(str(FORMAT))
TABLES = (
    "CREATE TABLE run (recipe TEXT, token TEXT, session TEXT, key TEXT, asked INTEGER, running "
    "INTEGER, left_over INTEGER, released INTEGER, lost INTEGER, epoch INTEGER, epoch_start "
    "INTEGER, learner BLOB, stream BLOB, draws TEXT)",
    "CREATE TABLE batch (number INTEGER PRIMARY KEY, action TEXT, trace TEXT, size INTEGER, told "
    "INTEGER, held BLOB)",
    "CREATE TABLE decision (id INTEGER PRIMARY KEY, batch INTEGER, choice INTEGER, token TEXT, "
    "asked_at REAL)",
    # until its deadline, if there is one
    "CREATE TABLE outcome (decision INTEGER PRIMARY KEY, value BLOB)",
    "CREATE TABLE choice (choice INTEGER PRIMARY KEY, times INTEGER)",
    # at most one for each batch; 64-bit floats
    "CREATE TABLE release (batch INTEGER PRIMARY KEY, value BLOB)",
)
FIRST = (
    "INSERT INTO run (recipe, token, session, key, epoch, epoch_start, learner, stream, draws) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
COUNT = (
    "UPDATE run SET asked = ?, running = ?, left_over = ?, released = ?, lost = ? WHERE session = ?"
)


class FileStore(Store):
    """Keeps a run in a file: what was told and released is on the disk before ``tell`` returns.

    Other processes are refused while this one has the file, by a lock that ends with its process,
    however it ends; anybody who may read the file can read it meanwhile. A power loss may undo an
    ask, but not a tell or a release.
    """

    layout = FORMAT
    tells = "FULL"  # SQLite's ``synchronous`` for what must not be lost: it waits for the disk
    asks = "NORMAL"  # and for the rest

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._given = check_path("path", path)
        self.name = self._given
        self._session = self._synchronous = ""
        self._file: sqlite3.Connection
        self._lock: sqlite3.Connection

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run in a new file."""
        text = recipe_text(rows.recipe)
        if not self._connect(new_file(self._given)):
            self.close()
            raise DiscreetError(
                f"path is {str(self._given)!r}, where a run is kept already: open continues it."
            )
        with self._closed_by_failure(), sqlite_lock, self._explained():
            if key is not None:
                self._key = key.create(rows.token)
            self._token, self._session = rows.token, rows.session
            self._file.execute("PRAGMA journal_mode = WAL")
            self._be_careful()
            with self._transaction():
                self._file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    self._file.execute(table)
                fingerprint = None if self._key is None else self._key.fingerprint
                names = (rows.token, rows.session, fingerprint)
                state = (rows.learner, self._encrypted(rows.stream, "stream"))
                self._file.execute(FIRST, (text, *names, *rows.epoch, *state, as_json(rows.draws)))
                self._count(rows.counters)
            if self._key is not None:
                self._key.advance(rows.counters[RELEASED])

    def open(self, key: KeyPlace | None = None) -> None:
        """Take the run in the file."""
        path = self._given
        if not os.path.isfile(path):  # which, unlike Path.is_file, is false for impossible names
            raise DiscreetError(f"path is {shorten(path)}, but there is no file.")
        if self._connect(Path(path).resolve()):
            self.close()
            raise DiscreetError(f"{self.name} is a file of another kind, not a run.")
        with self._closed_by_failure(), sqlite_lock, self._explained(), self._reading():
            self._be_careful()
            self._token, fingerprint, released = self._file.execute(
                "SELECT token, key, released FROM run"
            ).fetchone()
            if fingerprint is not None:
                place = key or KeyPlace()
                if place.lost:
                    self._key = place.create(self._token)
                    self._forget_unfinished(self._key.fingerprint)
                else:
                    self._key = place.find(self._token, fingerprint, released, self.name)
                self._key.advance(released)
            self._session = new_session()
            with self._transaction():
                self._file.execute("UPDATE run SET session = ?", (self._session,))

    def _connect(self, path: Path) -> bool:
        """Connect to the file, as its only writer; return whether it is empty."""
        self.name = str(path)
        with sqlite_lock, self._explained():
            self._lock = _only_writer(path)
            weakref.finalize(self, _close, self._lock, os.getpid())
            self._key, self._synchronous = None, ""
            self._file = _connection(f"{path.as_uri()}?mode=rw")
            weakref.finalize(self, _close, self._file, os.getpid())
            with self._closed_by_failure():
                if not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    return True
                (mark,) = self._file.execute("PRAGMA application_id").fetchone()
                if mark >> 8 == FAMILY and mark != MARK:
                    age = "an older" if mark < MARK else "a newer"
                    raise DiscreetError(
                        f"{path} was written by {age} version of discreet and cannot be read."
                    )
                if mark != MARK:
                    raise DiscreetError(f"{path} is a file of another kind, not a run.")
        return False

    def _forget_unfinished(self, fingerprint: str) -> None:
        """Take a new key, and continue without what the old one hid."""
        if self._file.execute("SELECT stream FROM run").fetchone()[0] is not None:
            raise DiscreetError(
                f"{self.name} has one running sum, which cannot be read without its key: start "
                "again."
            )
        with self._transaction():
            self._file.execute(
                "UPDATE run SET left_over = 0, lost = lost + (SELECT count(*) FROM batch), key = ?",
                (fingerprint,),
            )
            for table in ("batch", "decision", "outcome"):
                self._file.execute(f"DELETE FROM {table}")

    def _be_careful(self) -> None:
        """Overwrite what is erased, and wait for the disk; macOS must be told to."""
        for setting in ("secure_delete", "fullfsync", "checkpoint_fullfsync"):
            self._file.execute(f"PRAGMA {setting} = ON")
        self._file.execute("PRAGMA synchronous = FULL")

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        with sqlite_lock, self._explained(), self._reading():
            (text,) = self._file.execute("SELECT recipe FROM run").fetchone()
            return cast(Recipe, json.loads(text))

    def load(self, example: Example) -> None:
        """Read what is committed."""
        with sqlite_lock, self._explained(), self._reading():
            execute = self._file.execute
            if self._file.in_transaction:
                execute("ROLLBACK")
            text, token, session, _, *far, learner, stream, draws = execute(
                "SELECT * FROM run"
            ).fetchone()
            rows = Rows(json.loads(text), token, learner)
            rows.session, rows.counters, rows.epoch = session, tuple(far[:5]), tuple(far[5:])
            rows.stream = self._decrypted(stream, "stream")
            rows.draws = None if draws is None else Draws(*json.loads(draws))
            for number, action, trace, size, told, held in execute(
                "SELECT * FROM batch ORDER BY number"
            ):
                action, trace = from_text(example, f"[{action}, {trace}]")
                held = self._decrypted(held, "batch", number, told)
                rows.groups[number] = Group(number, action, trace, size, told, held)
            for row in execute("SELECT * FROM decision ORDER BY id"):
                rows.open[row[0]] = (*row, None)
            for number, value in execute("SELECT * FROM outcome"):
                rows.outcomes[number] = self._decrypted(value, "outcome", number) or b""
            rows.choices = dict(execute("SELECT * FROM choice"))
            # An interrupt may have come between a release and the count of it.
            if self._key is not None:
                self._key.advance(rows.counters[RELEASED])
        self.rows = rows

    def ask(
        self,
        counters: Counters,
        row: OpenRow,
        times: int,
        group: Group | None = None,
        learner: bytes | None = None,
        draws: Draws | None = None,
        outcome: bytes | None = None,
    ) -> None:
        """Open a decision, in the file first."""
        with sqlite_lock, self._explained(), self._change(counters, self.asks):
            execute = self._file.execute
            if group is not None:
                held = self._encrypted(group.held, "batch", group.number, group.told)
                facts = (as_text(group.action), as_text(group.trace), group.size, group.told)
                execute("INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?)", (group.number, *facts, held))
            execute("INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?)", row[:5])
            execute("INSERT OR REPLACE INTO choice VALUES (?, ?)", (row[2], times))
            self._write_state(learner, None, draws)
            if outcome is not None:
                self._write_outcome(row[0], outcome)
        self.rows.ask(counters, row, times, group, learner, draws, outcome)

    def tell(
        self,
        counters: Counters,
        decision: int,
        group: Group | None = None,
        closed: int | None = None,
        released: int | None = None,
        value: object = None,
        learner: bytes | None = None,
        stream: bytes | None = None,
        draws: Draws | None = None,
    ) -> None:
        """Close a decision, in the file first."""
        with sqlite_lock, self._explained(), self._change(counters, self.tells):
            execute = self._file.execute
            if group is not None:
                held = self._encrypted(group.held, "batch", group.number, group.told)
                row = (group.told, held, group.number)
                execute("UPDATE batch SET told = ?, held = ? WHERE number = ?", row)
            if released is not None:  # of one size, whatever was drawn
                numbers = None if value is None else np.asarray(value, np.float64).tobytes()
                execute("INSERT INTO release VALUES (?, ?)", (released, numbers))
            if closed is not None:
                execute("DELETE FROM batch WHERE number = ?", (closed,))
            execute("DELETE FROM decision WHERE id = ?", (decision,))
            if decision in self.rows.outcomes:
                execute("DELETE FROM outcome WHERE decision = ?", (decision,))
            self._write_state(learner, stream, draws)
        self.rows.tell(counters, decision, group, closed, released, value, learner, stream, draws)

    def change(self, change: Change) -> None:
        """Make another change, in the file first."""
        with sqlite_lock, self._explained(), self._change(change.counters, self.tells):
            execute = self._file.execute
            if change.closed is not None:
                execute("DELETE FROM batch WHERE number = ?", (change.closed,))
            self._write_state(change.learner, change.stream, None)
            if change.outcome is not None:
                self._write_outcome(*change.outcome)
            for number in change.given_up:
                execute("DELETE FROM decision WHERE id = ?", (number,))
            if change.epoch is not None:
                execute("UPDATE run SET epoch = ?, epoch_start = ?", change.epoch)
                execute("DELETE FROM batch")
        self.rows.change(change)

    @contextlib.contextmanager
    def _change(self, counters: Counters, synchronous: str) -> Iterator[None]:
        """Write the counters and what follows in one transaction; then count releases."""
        if synchronous != self._synchronous:
            self._synchronous = ""
            self._file.execute(f"PRAGMA synchronous = {synchronous}")
            self._synchronous = synchronous
        with self._transaction():
            self._count(counters)
            yield
        if self._key is not None and counters[RELEASED] > self.rows.counters[RELEASED]:
            self._key.advance(counters[RELEASED])

    def _count(self, counters: Counters) -> None:
        if self._file.execute(COUNT, (*counters, self._session)).rowcount != 1:
            raise DiscreetError(
                f"{self.name} has been opened by another process: a run has one writer, so this "
                "one ends."
            )

    def _write_outcome(self, decision: int, outcome: bytes) -> None:
        row = (decision, self._encrypted(outcome, "outcome", decision))
        self._file.execute("INSERT OR REPLACE INTO outcome VALUES (?, ?)", row)

    def _write_state(
        self, learner: bytes | None, stream: bytes | None, draws: Draws | None
    ) -> None:
        if learner is not None:
            self._file.execute("UPDATE run SET learner = ?", (learner,))
        if stream is not None:
            row = (self._encrypted(stream, "stream"),)
            self._file.execute("UPDATE run SET stream = ?", row)
        if draws is not None:
            self._file.execute("UPDATE run SET draws = ?", (as_json(draws),))

    def close(self) -> None:
        """Release the file for another process."""
        with sqlite_lock:
            if self._key is not None:
                # If it fails, the file is ahead of its key, which catches up when it is opened.
                with contextlib.suppress(sqlite3.Error, DiscreetError):
                    self._key.advance(self._file.execute("SELECT released FROM run").fetchone()[0])
                self._key.close()
            self._file.close()
            self._lock.close()

    @contextlib.contextmanager
    def _closed_by_failure(self) -> Iterator[None]:
        """Release the file if what follows fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

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
    def _explained(self) -> Iterator[None]:
        """Say in one sentence what went wrong with SQLite."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if error.args[:1] == ("file is not a database",):
                raise DiscreetError(f"{self.name} is a file of another kind, not a run.") from None
            raise DiscreetError(
                f"{self.name} cannot be used ({error}), so nothing has changed."
            ) from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Say so if what is read makes no sense."""
        try:
            yield
        except DiscreetError:
            raise
        except (TypeError, ValueError, KeyError):
            raise DiscreetError(f"{self.name} is damaged: it cannot be read.") from None


def _only_writer(path: Path) -> sqlite3.Connection:
    """Return a lock on the run that nobody else can get before it is closed.

    SQLite releases it when the process ends, and a forked process does not inherit it. It is a file
    of its own, because a lock on the run itself would also keep readers out.
    """
    address = new_file(path.with_name(path.name + ".writer")).as_uri()
    lock = _connection(address, seconds=0.0)
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # nothing is ever written to it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise DiscreetError(
            f"{path} is in use: a run has one writer, so close it there first."
        ) from None
    return lock


def _connection(address: str, seconds: float = 5.0) -> sqlite3.Connection:
    """Connect to a file; wait for some seconds while another connection writes."""
    options = {"uri": True, "check_same_thread": False}
    return sqlite3.connect(address, timeout=seconds, isolation_level=None, **options)


def _close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, if this is still the process that opened it."""
    if os.getpid() == process:
        connection.close()
