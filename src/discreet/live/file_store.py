"""A run in one SQLite file, with one process that writes."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar, cast

import numpy as np

from discreet.errors import DiscreetError
from discreet.ledger.turns import turn
from discreet.live.disk import new_file
from discreet.live.encoding import as_text, from_text, recipe_text
from discreet.live.mask import Key
from discreet.live.rows import Asked, Change, Counters, Draws, Example, Group, Recipe, Rows, Told

MARK = 0x4C697632  # "Liv2", the application id of a run's file
TABLES = (
    "CREATE TABLE run (recipe TEXT, token TEXT, session "
    "TEXT, key "
    "TEXT, "
    "asked "
    "INTEGER, "
    "running "
    "INTEGER, "
    "left_over INTEGER, released INTEGER, lost INTEGER, "
    "epoch "
    "INTEGER, "
    "epoch_start "
    "INTEGER, "
    "learner BLOB, stream BLOB, "
    "draws TEXT)",
    "CREATE TABLE batch (number INTEGER PRIMARY KEY, "
    "action "
    "TEXT, "
    "trace "
    "TEXT, "
    "size "
    "INTEGER, "
    "told "
    "INTEGER, held BLOB)",
    "CREATE TABLE decision (id INTEGER PRIMARY KEY, batch "
    "INTEGER, "
    "choice "
    "INTEGER, "
    "token "
    "TEXT, "
    "asked_at REAL)",
    # until its deadline, if there is one
    "CREATE TABLE outcome (decision INTEGER PRIMARY KEY, value BLOB)",
    "CREATE TABLE choice (choice INTEGER PRIMARY KEY, times INTEGER)",
    # at most one for each batch; 64-bit floats
    "CREATE TABLE release (batch INTEGER PRIMARY KEY, value BLOB)",
)
COUNT = (
    "UPDATE run SET asked = ?, running = ?, left_over = ?, released = ?, lost = ? WHERE session = ?"
)
NEW_BATCH = "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?)"
HELD = "UPDATE batch SET told = ?, held = ? WHERE number = ?"
RELEASED = 3  # among the counters
OUTCOME = "INSERT OR REPLACE INTO outcome VALUES (?, ?)"
CHOSEN = (
    "INSERT INTO choice VALUES (?, ?) ON CONFLICT (choice) DO UPDATE SET times = excluded.times"
)
Kind = TypeVar("Kind", Asked, Told, Change)


class FileStore:
    """Keeps a run in a file: what was told and released is on the disk before anybody hears of it.

    Another process is refused while this one has the file, by a lock that ends with its process,
    however it ends; reading is open to all who may read the file. An ask may be lost with the
    power, a tell or a release may not.
    """

    rows: Rows
    tells = "FULL"  # how SQLite writes what must not be lost: it waits for the disk
    asks = "NORMAL"  # and the rest

    def __init__(self, path: Path) -> None:
        """Open the file; ``create`` and ``open`` say whether it must be new."""
        self._path = path
        self._key: Key | None = None
        self._session = ""
        self._writes = ""
        with turn, self._explained():
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
    def create(
        cls, path: str | os.PathLike[str], rows: Rows, make_key: Callable[[], Key | None]
    ) -> FileStore:
        """Return the store of a new run; what is raw in it is hidden by a key, if there is one."""
        text = recipe_text(rows.recipe)
        store = cls(new_file(path))
        if not store._new:
            store.close()
            raise DiscreetError(
                f"path is {str(path)!r}, where a run is kept already: open goes on with it."
            )
        try:
            store._key = key = make_key()
        except BaseException:
            store.close()
            raise
        store._session = rows.session
        with turn, store._explained():
            file = store._file
            file.execute("PRAGMA journal_mode = WAL")
            store._be_careful()
            with store._transaction():
                file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    file.execute(table)
                name = None if key is None else key.fingerprint
                far = (*rows.counters, *rows.epoch)
                first = (
                    text,
                    rows.token,
                    rows.session,
                    name,
                    *far,
                    rows.learner,
                    store._hidden(rows.stream),
                )
                file.execute(
                    f"INSERT INTO run VALUES ({', '.join('?' * 14)})",
                    (*first, _draws_text(rows.draws)),
                )
            if key is not None:
                key.advance(rows.counters[RELEASED])
        return store

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        key: str | os.PathLike[str] | None = None,
        *,
        lost_key: bool = False,
    ) -> FileStore:
        """Return the store of a run that goes on; decisions that were given before keep their names."""
        if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
            raise DiscreetError(f"path is {str(path)!r}, but there is no file.")
        store = cls(Path(path).resolve())
        if store._new:
            store.close()
            raise DiscreetError(
                f"path is {str(path)!r}, but that is a file of another kind, not a run."
            )
        try:
            with turn, store._explained(), store._reading():
                store._be_careful()
                store._find_key(key, lost_key)
                store._session = secrets.token_hex(4)
                with store._transaction():
                    store._file.execute("UPDATE run SET session = ?", (store._session,))
        except BaseException:
            store.close()
            raise
        return store

    def _find_key(self, path: str | os.PathLike[str] | None, lost: bool) -> None:
        """Read the key of the run, and refuse if it has seen more releases than the file; or make a new one."""
        token, name, released = self._file.execute(
            "SELECT token, key, released FROM run"
        ).fetchone()
        if lost and name is not None:
            self._key = Key.for_new(path, token, True)
            self._forget_unfinished()
        elif name is not None:
            self._key = Key.existing(path, token)
            if self._key.fingerprint != name:
                raise DiscreetError(
                    f"key is {str(self._key.path)!r}, but that is the key of another run."
                )
            if released < self._key.version:
                raise DiscreetError(
                    f"{self._path} is an old copy: it has "
                    f"{released} "
                    "releases, but "
                    "the run "
                    "has had "
                    f"{self._key.version}. "
                    "To go on with it would release "
                    "batches "
                    "twice; "
                    "use the "
                    "file "
                    "that the "
                    "run was "
                    "last in."
                )
        if self._key is not None:
            self._key.advance(released)

    def _forget_unfinished(self) -> None:
        """Take a new key, and go on without what the old one hid."""
        if self._file.execute("SELECT stream FROM run").fetchone()[0] is not None:
            raise DiscreetError(
                f"{self._path} has one running sum, which "
                "cannot be "
                "read "
                "without its "
                "key: "
                "start "
                "again."
            )
        with self._transaction():
            self._file.execute(
                "UPDATE run SET left_over = 0, lost = lost + (SELECT count(*) FROM batch)"
            )
            for table in ("batch", "decision", "outcome"):
                self._file.execute(f"DELETE FROM {table}")
            self._file.execute("UPDATE run SET key = ?", (cast(Key, self._key).fingerprint,))

    def _be_careful(self) -> None:
        """Overwrite what is erased, and wait for the disk; macOS does so only if it is told to."""
        for setting in (
            "secure_delete = ON",
            "synchronous = FULL",
            "fullfsync = ON",
            "checkpoint_fullfsync = ON",
        ):
            self._file.execute(f"PRAGMA {setting}")

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        with turn, self._explained(), self._reading():
            (text,) = self._file.execute("SELECT recipe FROM run").fetchone()
            return cast(Recipe, json.loads(text))

    def load(self, example: Example) -> None:
        """Read what is committed."""
        with turn, self._explained(), self._reading():
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            text, token, session, _, *far, learner, stream, draws = self._file.execute(
                "SELECT * FROM run"
            ).fetchone()
            rows = Rows(json.loads(text), token, learner)
            rows.session, rows.counters, rows.epoch = session, tuple(far[:5]), tuple(far[5:])
            rows.stream = self._shown(stream)
            rows.draws = None if draws is None else Draws(*json.loads(draws))
            for number, action, trace, size, told, held in self._file.execute(
                "SELECT * FROM batch ORDER BY number"
            ):
                action, trace = from_text(example, f"[{action}, {trace}]")
                rows.groups[number] = Group(number, action, trace, size, told, self._shown(held))
            for row in self._file.execute("SELECT * FROM decision ORDER BY id"):
                rows.open[row[0]] = (*row, None)
            for number, value in self._file.execute("SELECT * FROM outcome"):
                rows.outcomes[number] = self._shown(value) or b""
            rows.choices = dict(self._file.execute("SELECT * FROM choice"))
            if (
                self._key is not None
            ):  # an interrupt may have come between a release and the count of it
                self._key.advance(rows.counters[RELEASED])
        self.rows = rows

    def ask(self, asked: Asked) -> None:
        """Open a decision, in the file first."""
        self._transact(self._write_ask, asked, self.asks)
        self.rows.ask(asked)

    def tell(self, told: Told) -> None:
        """Close a decision, in the file first."""
        self._transact(self._write_tell, told, self.tells)
        self.rows.tell(told)

    def change(self, change: Change) -> None:
        """Make another change, in the file first."""
        self._transact(self._write_change, change, self.tells)
        self.rows.change(change)

    def _transact(self, write: Callable[[Kind], None], change: Kind, synchronous: str) -> None:
        with turn, self._explained():
            if synchronous != self._writes:
                self._writes = ""
                self._file.execute(f"PRAGMA synchronous = {synchronous}")
                self._writes = synchronous
            with self._transaction():
                self._count(change[0])
                write(change)
            if self._key is not None and change[0][RELEASED] > self.rows.counters[RELEASED]:
                self._key.advance(change[0][RELEASED])

    def _hidden(self, raw: bytes | None) -> bytes | None:
        return raw if self._key is None else self._key.hide(raw)

    def _shown(self, hidden: bytes | None) -> bytes | None:
        return hidden if self._key is None else self._key.show(hidden)

    def _count(self, counters: Counters) -> None:
        if self._file.execute(COUNT, (*counters, self._session)).rowcount != 1:
            raise DiscreetError(
                f"{self._path} has been opened by another "
                "process: "
                "a run "
                "has one "
                "writer, so "
                "this "
                "one ends."
            )

    def _write_ask(self, asked: Asked) -> None:
        _, opened, chosen, group, learner, draws, outcome = asked
        execute = self._file.execute
        if group is not None:
            facts = as_text(group.action), as_text(group.trace), group.size, group.told
            execute(NEW_BATCH, (group.number, *facts, self._hidden(group.held)))
        execute("INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?)", opened[:5])
        execute(CHOSEN, (opened[2], chosen))
        self._write_state(learner, None, draws)
        if outcome is not None:
            execute(OUTCOME, (opened[0], self._hidden(outcome)))

    def _write_tell(self, told: Told) -> None:
        _, number, group, closed, released, value, learner, stream, draws = told
        execute = self._file.execute
        if group is not None:
            execute(HELD, (group.told, self._hidden(group.held), group.number))
        if released is not None:
            numbers = None if value is None else np.asarray(value, np.float64).tobytes()
            execute(
                "INSERT INTO release VALUES (?, ?)", (released, numbers)
            )  # of one size, whatever was drawn
        if closed is not None:
            execute("DELETE FROM batch WHERE number = ?", (closed,))
        execute("DELETE FROM decision WHERE id = ?", (number,))
        if number in self.rows.outcomes:
            execute("DELETE FROM outcome WHERE decision = ?", (number,))
        self._write_state(learner, stream, draws)

    def _write_change(self, change: Change) -> None:
        _, closed, learner, stream, outcome, given_up, epoch = change
        execute = self._file.execute
        if closed is not None:
            execute("DELETE FROM batch WHERE number = ?", (closed,))
        self._write_state(learner, stream, None)
        if outcome is not None:
            execute(OUTCOME, (outcome[0], self._hidden(outcome[1])))
        for number in given_up:
            execute("DELETE FROM decision WHERE id = ?", (number,))
        if epoch is not None:
            execute("UPDATE run SET epoch = ?, epoch_start = ?", epoch)
            execute("DELETE FROM batch")

    def _write_state(
        self, learner: bytes | None, stream: bytes | None, draws: Draws | None
    ) -> None:
        if learner is not None:
            self._file.execute("UPDATE run SET learner = ?", (learner,))
        if stream is not None:
            self._file.execute("UPDATE run SET stream = ?", (self._hidden(stream),))
        if draws is not None:
            self._file.execute("UPDATE run SET draws = ?", (_draws_text(draws),))

    def close(self) -> None:
        """Give the file free for another process."""
        with turn:
            if self._key is not None:
                with contextlib.suppress(
                    sqlite3.Error, DiscreetError
                ):  # the file is ahead then: open catches up
                    self._key.advance(self._file.execute("SELECT released FROM run").fetchone()[0])
                self._key.close()
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
    def _explained(self) -> Iterator[None]:
        """Say in one sentence what went wrong with SQLite, which is used ``with turn``, alone."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and error.args[:1] == (
                "file is not a database",
            ):
                raise DiscreetError(f"{self._path} is a file of another kind, not a run.") from None
            raise DiscreetError(
                f"{self._path} cannot be used ({error}), so nothing has changed."
            ) from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Say so if what is read makes no sense."""
        try:
            yield
        except DiscreetError:
            raise
        except (TypeError, ValueError, KeyError):
            raise DiscreetError(f"{self._path} is damaged: it cannot be read.") from None


def _only_writer(path: Path) -> sqlite3.Connection:
    """Return a lock on the file that another process, or another run in this one, cannot get before it is closed.

    SQLite gives it back when the process ends, and a forked process does not inherit it. It is a
    file of its own, because a lock on the run itself would keep readers out, too.
    """
    address = new_file(path.with_name(path.name + ".writer")).as_uri()
    lock = sqlite3.connect(
        address, uri=True, timeout=0.0, isolation_level=None, check_same_thread=False
    )
    try:
        lock.execute("PRAGMA journal_mode = OFF")  # nothing is ever written to it
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        lock.close()
        raise DiscreetError(
            f"{path} is in use: a run has one writer, so close it there first."
        ) from None
    return lock


def _close(connection: sqlite3.Connection, process: int) -> None:
    """Close a connection, if this is still the process that opened it."""
    if os.getpid() == process:
        connection.close()


def _draws_text(draws: Draws | None) -> str | None:
    return None if draws is None else json.dumps(draws)
