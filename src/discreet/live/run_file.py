"""The file of a run: how it is created, opened, authenticated and closed."""

from __future__ import annotations

import contextlib
import functools
import hmac
import json
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from discreet.errors import DiscreetError, check_path, no_file, show_path
from discreet.ledger.guards import sqlite_lock
from discreet.live import file_access
from discreet.live.file_access import FORMAT, MARK, TABLES
from discreet.live.file_rows import FileRows
from discreet.live.forgetting import forget_unfinished
from discreet.live.keys import NEW, KeyPlace, Version, new_file
from discreet.live.one_change import OneChange
from discreet.live.row_tables import Stored
from discreet.live.row_text import as_json, from_text, recipe_text
from discreet.live.rows import Counters, Example, GroupRow, Recipe, Rows, new_session
from discreet.live.run_version import VersionedStore
from discreet.live.slots import slots_text
from discreet.live.watched_file import WatchedDatabase
from discreet.processes import forked, process_mark

ONLY_RELEASES = "releases"  # the value of ``durable`` with which outcomes do not wait for the disk
FIRST = (
    "INSERT INTO run (recipe, token, session, key, epoch, epoch_start, learner, stream, draws, "
    "slots) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
COUNTED = (
    "UPDATE run SET {}asked = ?, running = ?, left_over = ?, released = ?, lost = ?, changes = ?, "
    "release_name = ?, change_name = ?, tag = ? WHERE session = ?"
)


@functools.cache
def count_with(columns: tuple[str, ...]) -> str:
    """Return the statement that writes the counters and these columns."""
    return COUNTED.format("".join(f"{column} = ?, " for column in columns))


class RunFile(VersionedStore):
    """A file with one writer and authenticated content; ``FileStore`` reads and writes its rows."""

    layout = FORMAT
    tells = "FULL"  # SQLite's ``synchronous`` for what must not be lost: it waits for the disk
    asks = "NORMAL"  # for everything else

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._given = check_path("path", path)
        self.name = show_path(self._given)
        self._session = self._synchronous = ""
        self._fingerprint: str | None = None  # of the key
        self._version = NEW
        self._recipe = ""  # as text
        self._columns: tuple[Any, ...] = ()  # of ``run``, as read; and of small tables
        self._kept: dict[str, list[Any]] = {}
        self._kept_asks = 0  # the number of asks on the disk
        self._row_pending = False  # the row of a learned release may still be on the disk
        self._contents: dict[str, str | bytes] = {}  # columns of ``run`` to be written
        self._is_checked = False  # memory matches the file: there was no change yet
        self._example: Example = (0, 0)  # of an action and a trace
        self._together = False  # inside a block of several changes
        self._deferred = 0  # releases in that block
        self._only_releases = False  # only releases wait for the disk, other outcomes do not
        self._mark = process_mark()  # of the process that has the file open
        self._file: sqlite3.Connection
        self._lock: sqlite3.Connection

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run in a new file."""
        text = recipe_text(rows.recipe)
        if not self._connect(new_file(self._given)):
            self.close()
            raise DiscreetError(
                f"path is {str(self._given)!r}, which already holds a run: use open to continue it."
            )
        with self._closed_by_failure(), sqlite_lock, self._explained():
            if key is not None:
                self._key = key.create(rows.token)
            self._token, self._session = rows.token, rows.session
            self._file.execute(f"PRAGMA page_size = {file_access.PAGE}")
            file_access.be_careful(self._file)
            with self._transaction():
                self._file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    self._file.execute(table)
                fingerprint = None if self._key is None else self._key.fingerprint
                names = (rows.token, rows.session, fingerprint)
                state = (rows.learner, self._encrypted(rows.stream, "stream"))
                more = (as_json(rows.draws), slots_text(rows.slots))
                self._file.execute(FIRST, (text, *names, *rows.epoch, *state, *more))
                self._measure()
                self._version = NEW
                self._seal(rows.counters, rows.epoch, NEW)
            self._advance()

    def open(self, key: KeyPlace | None = None) -> None:
        """Open the run in the file."""
        path = self._given
        # Unlike Path.is_file, this is false for impossible names.
        if not os.path.isfile(path):
            raise no_file("path", path)
        file_access.check_kind(Path(path).resolve())
        if self._connect(Path(path).resolve()):
            self.close()
            raise DiscreetError(f"{self.name} is a file of another kind, not a run.")
        with self._closed_by_failure(), sqlite_lock, self._explained(), self._reading():
            file_access.be_careful(self._file)
            with self._transaction():  # so that what is checked is what is used
                file_access.check_structure(self._file)
                token, fingerprint = self._file.execute("SELECT token, key FROM run").fetchone()
                if not isinstance(token, str) or not token.isalnum():
                    raise ValueError("not written by a run")
                self._token, place = token, key or KeyPlace()
                if fingerprint is not None and place.lost:
                    self._key = place.create(token)
                    fresh = self._key.fingerprint
                    forget_unfinished(self._file, self.name, fresh, place.forget)
                    self._measure()
                else:
                    if fingerprint is not None:
                        self._key = place.find(token, fingerprint)
                    self._verify()
                    self._is_checked = True
                    self._drop_undone()
                if [type(each) for each in self._version] != [int, int, bytes, bytes]:
                    raise ValueError("not written by a run")
                self._begin_session()
            self._advance()

    def _begin_session(self) -> None:
        """Take the run for this process; the previous writer can no longer change it."""
        self._session = new_session()
        self._file.execute("UPDATE run SET session = ?", (self._session,))
        self._kept_asks = self._seal_again(self._version)  # this change waits for the disk

    def _seal_again(self, version: Version) -> int:
        """Write another version of what is in the file; return the number of asks."""
        *counters, epoch, start = self._file.execute(
            "SELECT asked, running, left_over, released, lost, epoch, epoch_start FROM run"
        ).fetchone()
        self._seal(cast(Counters, tuple(counters)), (epoch, start), version)
        return int(counters[0])

    def _end_session(self) -> None:
        """Count the end of the session as a change, so that no copy from before is accepted.

        For a run whose outcomes do not count as changes. Whether there were any must not show.
        """
        with self._explained(), self._reading():
            self._prepare(lasting=True)
            with self._transaction():
                self._verify()
                version = self._version.with_change()
                self._seal_again(version)
            self._version = version

    def _connect(self, path: Path) -> bool:
        """Connect to the file as its only writer; return whether it is empty."""
        self.name = show_path(path)
        with sqlite_lock, self._explained():
            self._lock = file_access.only_writer(path)
            weakref.finalize(self, file_access.close, self._lock, os.getpid())
            self._key, self._synchronous, self._session = None, "", ""
            self._is_checked, self._mark = False, process_mark()
            self._file = file_access.connect(f"{path.as_uri()}?mode=rw")
            weakref.finalize(self, file_access.close, self._file, os.getpid())
            with self._closed_by_failure():
                self._watched = WatchedDatabase(path)
                if not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    return True
                file_access.check_mark(self._file, path)
        return False

    def _drop_undone(self) -> None:
        """Drop a released group if a power failure has undone the ask of its last decision.

        A learner may have seen the release, so the group must not be released again.
        """
        execute = self._file.execute
        noted = self._noted()
        if noted is None:
            return
        drawn, group = noted
        if drawn.decision in self._found.open:
            return
        self._is_checked = False
        gone = execute("SELECT id FROM decision WHERE batch = ?", (group,)).fetchall()
        for (number,) in gone:
            self._tag.drop("decision", number)
            execute("DELETE FROM decision WHERE id = ?", (number,))
        for table in ("batch", "held"):
            self._tag.drop(table, group)
        lost = execute("DELETE FROM batch WHERE number = ?", (group,)).rowcount
        self._tag.write_blocks(execute)
        execute(
            "UPDATE run SET released = released + 1, lost = lost + ?, "
            "left_over = CASE running WHEN ? THEN 0 ELSE left_over END",
            (lost, group),
        )
        assert self._key is not None, "there was a note"
        self._version = self._version.with_release(self._key.version.last_release)

    def recipe(self) -> Recipe:
        """Return the arguments that created the run."""
        return cast(Recipe, json.loads(self._recipe))

    def _measure(self) -> tuple[bytes, bytes]:
        """Compute the tag of the file's content; return it, and the tag in the file.

        Of settled blocks it reads only what authenticates them; rows are checked when used.
        """
        execute, secret = self._file.execute, None if self._key is None else self._key.tag_secret
        me = weakref.proxy(self)  # otherwise a discarded store would keep its file open
        self._found = FileRows(
            secret,
            execute,
            lambda: me._loading(),
            lambda what: me._not_authentic(what),
            lambda row: me._read_group(row),
            lambda row: me._read_outcome(row),
        )
        self._tag = tag = self._found.blocks
        (self._columns,) = execute("SELECT * FROM run").fetchall()
        text, token, session, fingerprint, *rest = self._columns
        *counters, learner, stream, draws, slots, clock, changes, release, change, found = rest
        columns = (text, learner, stream, draws, slots, clock)
        large = ("recipe", "learner", "stream", "draws", "slots", "clock")
        for column, content in zip(large, columns, strict=True):
            tag.put(column, 0, content)
        self._found.read_all()
        for table in ("choice", "usage", "drawn", "unlearned"):
            self._kept[table] = execute(f"SELECT * FROM {table}").fetchall()
            for row in self._kept[table]:
                tag.put(table, *row)
        self._fingerprint, self._recipe = fingerprint, text
        self._only_releases = json.loads(text).get("durable") == ONLY_RELEASES
        (releases,) = execute(
            "SELECT released + (SELECT count(*) FROM drawn) + (SELECT count(*) FROM unlearned) "
            "FROM run"
        ).fetchone()
        self._version = Version(releases, changes, release, change)
        names = (token, session, fingerprint)
        return tag.of(names, (*counters, changes), release, change), found

    def _read_group(self, stored: Stored) -> GroupRow:
        """Return a group from the file."""
        number, action, trace, size, told, held = stored
        with self._reading():
            action, trace = from_text(self._example, f"[{action}, {trace}]")
        return number, action, trace, size, told, self._decrypted(held, "batch", number, told)

    def _read_outcome(self, stored: Stored) -> bytes:
        """Return the raw content that the file stores with a decision."""
        number, outcome = stored
        return self._decrypted(outcome, "outcome", number) or b""

    @contextlib.contextmanager
    def _loading(self) -> Iterator[None]:
        with sqlite_lock, self._explained(), self._reading():
            yield

    def verify(self) -> None:
        """Check the whole file: all pages, and the rows of all blocks."""
        with self._loading(), self._snapshot():
            file_access.check_structure(self._file, whole=True)
        self.load(self._example)
        self._tag.load_all()

    def _verify(self) -> None:
        """Refuse a file that was not written with its key, or is older than its key."""
        tag, found = self._measure()
        if not isinstance(found, bytes) or not hmac.compare_digest(tag, found):
            if self._key is None:
                raise ValueError("the tag does not match")
            raise self._not_authentic("the run")
        if self._key is not None:
            self._check_age(self._key)

    def _seal(self, counters: Counters, epoch: tuple[int, int], version: Version) -> None:
        """Write the counters, changed large columns, the version, and the tag of everything.

        Refuses if another process took the run.
        """
        execute, tags, session = self._file.execute, self._tag, self._session
        tags.write_blocks(execute)
        _, changes, release, change = version
        names = (self._token, session, self._fingerprint)
        tag = tags.of(names, (*counters, *epoch, changes), release, change)
        contents, self._contents = self._contents, {}
        row = (*contents.values(), *counters, changes, release, change, tag, session)
        if execute(count_with(tuple(contents)), row).rowcount != 1:
            raise DiscreetError(
                f"{self.name} has been opened by another process: a run has one writer, so this "
                "one stops."
            )

    def _change(
        self,
        counters: Counters,
        lasting: bool = True,
        *,
        releasing: bool = False,
        epoch: tuple[int, int] | None = None,
    ) -> contextlib.AbstractContextManager[None]:
        """Write the changes, the counters and the tag in one transaction; then count in the key.

        A ``lasting`` change is on the disk before this returns.
        """
        if self._together:
            return contextlib.nullcontext()
        return OneChange(self, counters, epoch or self.rows.epoch, lasting, releasing)

    def _prepare(self, lasting: bool) -> None:
        """Prepare for a transaction."""
        self._watched.check(f"{self.name} or its -wal file")
        if self._key is not None:
            self._key.check_present()
        synchronous = self.tells if lasting else self.asks
        if synchronous != self._synchronous:
            self._synchronous = ""
            self._file.execute(f"PRAGMA synchronous = {synchronous}")
            self._synchronous = synchronous
        self._contents = {}
        self._tag.forget()

    @contextlib.contextmanager
    def together(self, *, lasting: bool = True) -> Iterator[None]:
        """Make several changes in one transaction; then count them in the key."""
        with sqlite_lock:
            with self._explained():
                self._prepare(lasting)
                self._file.execute("BEGIN IMMEDIATE")
            self._together, self._deferred = True, 0
            try:
                yield
                with self._explained():
                    version = self._next(lasting=lasting, releases=self._deferred)
                    self._seal(self.rows.counters, self.rows.epoch, version)
                    if not self._mark[0]:  # as in OneChange
                        raise forked()
                    self._file.execute("COMMIT")
                    self._version = version
            finally:
                self._together = False
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
            if lasting:
                self._kept_asks, self._row_pending = self.rows.counters[0], False
                if self._key is not None:
                    with self._explained():
                        self._key.advance(version, note=b"")

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        with sqlite_lock:
            if self._key is not None:
                # If this fails, the file is ahead of its key, which catches up at the next open.
                # A refused file must not advance its key.
                with contextlib.suppress(sqlite3.Error, DiscreetError, TypeError):
                    if self._session and self._only_releases:
                        self._end_session()
                    if self._session:
                        with self._snapshot():
                            self._advance()
                self._key.close()
            self._file.close()
            self._lock.close()

    @contextlib.contextmanager
    def _closed_by_failure(self) -> Iterator[None]:
        """Close the file if the block fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _transaction(self) -> contextlib.AbstractContextManager[None]:
        return file_access.Transaction(self._file)

    def _snapshot(self) -> contextlib.AbstractContextManager[None]:
        if self._file.in_transaction:
            self._file.execute("ROLLBACK")
        return file_access.snapshot(self._file)

    def _explained(self) -> contextlib.AbstractContextManager[None]:
        return file_access.Explained(self.name)

    def _reading(self) -> contextlib.AbstractContextManager[None]:
        return file_access.reading(self.name)
