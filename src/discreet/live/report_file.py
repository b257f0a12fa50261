"""Storage for a server of devices: the reports it received, in memory or in a file.

Reports are noisy before they leave a device, so there is no key, and nothing has to be on disk
before it counts. A report and the fact that it was received share a transaction: a crash loses both
or neither. Only a published model waits for the disk, so that no two models ever have the same
version.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import weakref
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from discreet.errors import DiscreetError, check_path, no_file, shorten
from discreet.ledger.guards import is_damage, sqlite_lock
from discreet.live import file_access
from discreet.live.keys import new_file
from discreet.live.messages import PAYLOAD
from discreet.mechanisms.exact_directions import SEED

FAMILY = file_access.SERVERS  # the application id of a server's file: this, its format's digit
FORMAT = 1
MARK = (FAMILY << 8) + ord(str(FORMAT))
CHECK = 8  # bytes of a digest that detects damage; it does not prevent tampering
TABLES = (
    # one row; ``state`` is that of the learner after ``checkpoint_at`` reports
    "CREATE TABLE server (recipe TEXT, task BLOB, version INTEGER, published_at INTEGER, message "
    "BLOB, checkpoint_at INTEGER, state BLOB, digest BLOB)",
    # since the checkpoint; each checksum covers all payloads up to this one
    "CREATE TABLE report (number INTEGER PRIMARY KEY, payload BLOB, checksum INTEGER)",
    # of the versions that count
    "CREATE TABLE seen (version INTEGER, seed BLOB, PRIMARY KEY (version, seed)) WITHOUT ROWID",
)


class Published(NamedTuple):
    """The last published model: its version, the number of reports before it, and the message."""

    version: int
    reports: int
    message: bytes


class FileContent(NamedTuple):
    """The content of a file."""

    published: Published
    checkpoint_at: int
    state: bytes  # of the learner at the checkpoint
    payloads: list[bytes]  # of all reports since


class ReportsInMemory:
    """Received seeds, by version of the model."""

    name = ""

    def __init__(self, lag: int) -> None:
        self._lag = lag
        self._seen: dict[int, set[bytes]] = {0: set()}

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Add reports; remove them again if that fails."""
        self._entered: list[tuple[int, bytes]] = []
        try:
            yield
        except BaseException:
            for version, seed in self._entered:
                self._seen[version].discard(seed)
            raise

    def enter(self, number: int, version: int, payload: bytes) -> bool:
        """Add a report; return False if it was received before."""
        seed = payload[:SEED]
        if seed in self._seen[version]:
            return False
        self._entered.append((version, seed))
        self._seen[version].add(seed)
        return True

    def checkpoint(self, reports: int, state: bytes) -> None:
        """Do nothing: the state is in memory."""

    def publish(self, published: Published, reports: int, state: bytes) -> None:
        """Begin a new version, and drop the oldest."""
        self._seen[published.version] = set()
        self._seen.pop(published.version - self._lag, None)

    def close(self) -> None:
        """Do nothing."""


class ReportFile:
    """Reports in a SQLite file with one writing process."""

    def __init__(self, path: str | os.PathLike[str], lag: int) -> None:
        self.name, self._lag = str(path), lag
        self._file: sqlite3.Connection
        self._close: Callable[[], object] = lambda: None
        self._checksum = 0

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], lag: int, recipe: dict[str, Any], task: bytes,
        state: bytes, message: bytes,
    ) -> ReportFile:  # fmt: skip
        """Start a server in a new file."""
        found = cls(path, lag)
        if not found._connect(new_file(path)):
            found.close()
            raise DiscreetError(
                f"path is {shorten(str(path))}, which already holds a server: use "
                "LocalServer.open to continue it."
            )
        with found._closed_by_failure(), sqlite_lock, found._explained():
            found._pragmas()
            with found._waiting(), file_access.Transaction(found._file):
                found._file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    found._file.execute(table)
                row = (json.dumps(recipe), task, 0, 0, message, 0, state)
                found._file.execute(
                    "INSERT INTO server VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest_of(*row))
                )
        return found

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> tuple[ReportFile, dict[str, Any], bytes]:
        """Return the server in a file, its recipe and the digest of its task."""
        if not os.path.isfile(check_path("path", path)):
            raise no_file("path", str(path))
        found = cls(path, 1)
        file_access.check_kind(Path(path).resolve(), "server")
        if found._connect(Path(path).resolve()):
            found.close()
            raise DiscreetError(f"{path} is a file of another kind, not a server.")
        with found._closed_by_failure(), sqlite_lock, found._explained(), found._reading():
            found._check_mark()
            found._pragmas()
            tables = found._file.execute("SELECT CAST(sql AS BLOB) FROM sqlite_master").fetchall()
            if sorted(sql for (sql,) in tables if sql) != sorted(t.encode() for t in TABLES):
                raise ValueError("the tables are not those of a server")
            if found._file.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
                raise ValueError("pages are damaged")
            text, task = found._file.execute("SELECT recipe, task FROM server").fetchone()
            recipe = json.loads(text)
            found._lag = int(recipe["lag"])
        return found, recipe, task

    def load(self) -> FileContent:
        """Read the committed content."""
        with sqlite_lock, self._explained(), self._reading(), file_access.snapshot(self._file):
            ((*row, digest),) = self._file.execute("SELECT * FROM server").fetchall()
            if digest_of(*row) != digest:
                raise ValueError("the row was changed")
            _, _, version, published_at, message, checkpoint_at, state = row
            payloads: list[bytes] = []
            checksum = 0
            for number, payload, check in self._file.execute(
                "SELECT * FROM report ORDER BY number"
            ):
                checksum = zlib.crc32(payload, checksum)
                wrong = number != checkpoint_at + len(payloads) or len(payload) != PAYLOAD
                if checksum != check or wrong:
                    raise ValueError("a report was changed")
                payloads.append(payload)
            self._checksum = checksum
        return FileContent(
            Published(version, published_at, message), checkpoint_at, state, payloads
        )

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Add reports and everything that follows from them, or nothing."""
        with sqlite_lock, self._explained(), file_access.Transaction(self._file):
            yield

    def enter(self, number: int, version: int, payload: bytes) -> bool:
        """Add a report; return False if it was received before."""
        execute = self._file.execute
        row = (version, payload[:SEED])
        if execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", row).rowcount != 1:
            return False
        self._checksum = zlib.crc32(payload, self._checksum)
        execute("INSERT INTO report VALUES (?, ?, ?)", (number, payload, self._checksum))
        return True

    def checkpoint(self, reports: int, state: bytes) -> None:
        """Store the state of the learner, and drop the reports that led to it."""
        *row, _ = self._file.execute("SELECT * FROM server").fetchone()
        row[5:] = reports, state
        self._write(row)

    def publish(self, published: Published, reports: int, state: bytes) -> None:
        """Store a published model on disk; drop reports of versions no longer accepted."""
        with sqlite_lock, self._explained(), self._waiting(), file_access.Transaction(self._file):
            recipe, task, *_ = self._file.execute("SELECT * FROM server").fetchone()
            self._write([recipe, task, *published, reports, state])
            oldest = published.version - self._lag
            self._file.execute("DELETE FROM seen WHERE version <= ?", (oldest,))

    def close(self) -> None:
        """Close the file."""
        self._close()

    def _write(self, row: list[Any]) -> None:
        self._file.execute("DELETE FROM report")
        self._file.execute(
            "UPDATE server SET recipe = ?, task = ?, version = ?, published_at = ?, message = ?, "
            "checkpoint_at = ?, state = ?, digest = ?",
            (*row, digest_of(*row)),
        )
        self._checksum = 0

    def _connect(self, path: Path) -> bool:
        """Become the only writer of a file; return whether it is empty."""
        lock = file_access.only_writer(path, "server")
        try:
            self._file = file_access.connect(path.as_uri())
        except BaseException:
            lock.close()
            raise
        self._close = weakref.finalize(self, _close_both, self._file, lock, os.getpid())
        return path.stat().st_size == 0

    def _pragmas(self) -> None:
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")

    def _check_mark(self) -> None:
        (mark,) = self._file.execute("PRAGMA application_id").fetchone()
        if mark >> 8 == FAMILY and mark != MARK:
            age = "an older" if mark < MARK else "a newer"
            raise DiscreetError(
                f"{self.name} was written by {age} version of discreet and cannot be read."
            )
        if mark != MARK:
            raise DiscreetError(f"{self.name} is a file of another kind, not a server.")

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        """Wait for the disk at the end of a transaction."""
        self._file.execute("PRAGMA synchronous = FULL")
        try:
            yield
        finally:
            self._file.execute("PRAGMA synchronous = NORMAL")

    @contextlib.contextmanager
    def _closed_by_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of SQLite into one-sentence errors."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if error.args[:1] == ("file is not a database",):
                raise DiscreetError(
                    f"{self.name} is a file of another kind, not a server."
                ) from None
            if is_damage(error):
                raise DiscreetError(f"{self.name} is damaged: it cannot be read.") from None
            raise DiscreetError(
                f"{self.name} cannot be used ({error}), so nothing has changed."
            ) from None

    def _reading(self) -> contextlib.AbstractContextManager[None]:
        return file_access.reading(self.name)


def digest_of(*parts: object) -> bytes:
    """Return a digest of bytes, texts and numbers."""
    found = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.digest()[:CHECK]


def _close_both(file: sqlite3.Connection, lock: sqlite3.Connection, process: int) -> None:
    with sqlite_lock:
        file_access.close(file, process)
        file_access.close(lock, process)
