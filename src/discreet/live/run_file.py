"""The file of a run: how it is created, opened, authenticated and closed."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from discreet.errors import DiscreetError, check_path, shorten
from discreet.ledger.guards import sqlite_lock
from discreet.live import file_access
from discreet.live.file_access import FORMAT, MARK, TABLES
from discreet.live.keys import Key, KeyPlace, new_file
from discreet.live.rows import (
    RELEASED,
    Counters,
    Drawn,
    Recipe,
    Rows,
    as_json,
    drawn_from,
    new_session,
    recipe_text,
)
from discreet.live.store import Store
from discreet.live.tags import Tag

FIRST = (
    "INSERT INTO run (recipe, token, session, key, epoch, epoch_start, learner, stream, draws) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
COUNT = (
    "UPDATE run SET {}asked = ?, running = ?, left_over = ?, released = ?, lost = ?, changes = ?, "
    "tag = ? WHERE session = ?"
)
TOTALS = "SELECT released + (SELECT count(*) FROM drawn), changes FROM run"


class RunFile(Store):
    """A file with one writer and authentic content; ``FileStore`` reads and writes its rows."""

    layout = FORMAT
    tells = "FULL"  # SQLite's ``synchronous`` for what must not be lost: it waits for the disk
    asks = "NORMAL"  # and for the rest

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._given = check_path("path", path)
        self.name = self._given
        self._session = self._synchronous = ""
        self._fingerprint: str | None = None  # of the key
        self._changes = 0  # that must not be lost
        self._contents: dict[str, str | bytes] = {}  # of columns of ``run``, to be written
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
            self._be_careful()
            with self._transaction():
                self._file.execute(f"PRAGMA application_id = {MARK}")
                for table in TABLES:
                    self._file.execute(table)
                fingerprint = None if self._key is None else self._key.fingerprint
                names = (rows.token, rows.session, fingerprint)
                state = (rows.learner, self._encrypted(rows.stream, "stream"))
                self._file.execute(FIRST, (text, *names, *rows.epoch, *state, as_json(rows.draws)))
                self._measure()
                self._seal(rows.counters, rows.epoch, 0)
            self._advance()

    def open(self, key: KeyPlace | None = None) -> None:
        """Take the run in the file."""
        path = self._given
        # Unlike Path.is_file, this is false for impossible names.
        if not os.path.isfile(path):
            raise DiscreetError(f"path is {shorten(path)}, but there is no file.")
        if self._connect(Path(path).resolve()):
            self.close()
            raise DiscreetError(f"{self.name} is a file of another kind, not a run.")
        with self._closed_by_failure(), sqlite_lock, self._explained(), self._reading():
            file_access.check_structure(self._file)
            self._be_careful()
            token, fingerprint = self._file.execute("SELECT token, key FROM run").fetchone()
            releases, changes = self._file.execute(TOTALS).fetchone()
            if not token.isalnum() or not type(releases) is type(changes) is int:
                raise ValueError("not what a run writes")
            self._token, place = token, key or KeyPlace()
            if fingerprint is not None and place.lost:
                self._key = place.create(token)
                self._begin_session(self._key.fingerprint)
            else:
                if fingerprint is not None:
                    self._key = place.find(token, fingerprint)
                    self._check_age(self._key, releases, changes)
                self._verify()
                self._begin_session()
            self._advance()

    def _check_age(self, key: Key, releases: int, changes: int) -> None:
        """Refuse a run that is older than its key."""
        had, made = key.version
        noted = self._noted(releases, changes) is not None
        if releases + noted < had:
            raise DiscreetError(
                f"{self.name} is an old copy: it has {releases} releases, but the run has had "
                f"{had}. Continuing it would release batches twice; use the file that the run was "
                "last in."
            )
        if changes < made:
            raise DiscreetError(
                f"{self.name} is an old copy: outcomes that were told since then are missing (it "
                f"has {changes} changes, but the run has had {made}). Use the file that the run "
                "was last in."
            )

    def _noted(self, releases: int, changes: int) -> tuple[Drawn, int] | None:
        """Return the release that the key keeps for a run with these numbers, and its group."""
        key = self._key
        if key is None or not key.note or key.version != (releases + 1, changes):
            return None
        try:
            content = key.decrypt(key.note, self._row_name("note", releases, changes))
        except ValueError:
            return None
        return drawn_from(content)

    def _begin_session(self, new_key: str | None = None) -> None:
        """Take the run for this process: whoever had it before can no longer change it."""
        session = new_session()
        with self._transaction():
            if new_key is not None:
                self._forget_unfinished(new_key)
            else:
                self._drop_undone()
            self._file.execute("UPDATE run SET session = ?", (session,))
            self._session = session
            *counters, epoch, start = self._file.execute(
                "SELECT asked, running, left_over, released, lost, epoch, epoch_start FROM run"
            ).fetchone()
            self._seal(cast(Counters, tuple(counters)), (epoch, start), self._changes)

    def _connect(self, path: Path) -> bool:
        """Connect to the file, as its only writer; return whether it is empty."""
        self.name = str(path)
        with sqlite_lock, self._explained():
            self._lock = file_access.only_writer(path)
            weakref.finalize(self, file_access.close, self._lock, os.getpid())
            self._key, self._synchronous, self._session = None, "", ""
            self._file = file_access.connect(f"{path.as_uri()}?mode=rw")
            weakref.finalize(self, file_access.close, self._file, os.getpid())
            with self._closed_by_failure():
                self._path, self._identity = path, file_access.identity(path)
                if not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    return True
                file_access.check_mark(self._file, path)
        return False

    def _forget_unfinished(self, fingerprint: str) -> None:
        """Take a new key, and continue without what the old one hid."""
        if self._file.execute("SELECT stream FROM run").fetchone()[0] is not None:
            raise DiscreetError(
                f"{self.name} has one running sum, which cannot be read without its key: start "
                "again."
            )
        self._file.execute(
            "UPDATE run SET left_over = 0, lost = lost + (SELECT count(*) FROM batch), key = ?",
            (fingerprint,),
        )
        for table in ("batch", "decision", "outcome", "drawn"):
            self._file.execute(f"DELETE FROM {table}")
        self._measure()

    def _drop_undone(self) -> None:
        """Drop a group that was released, if a power loss has undone the ask of its last decision.

        A learner may have seen the release, so its group must not be released again.
        """
        execute = self._file.execute
        noted = self._noted(*execute(TOTALS).fetchone())
        if noted is None:
            return
        drawn, group = noted
        if execute("SELECT 1 FROM decision WHERE id = ?", (drawn.decision,)).fetchone():
            return
        lost = execute("DELETE FROM batch WHERE number = ?", (group,)).rowcount
        execute(
            "DELETE FROM outcome WHERE decision IN (SELECT id FROM decision WHERE batch = ?)",
            (group,),
        )
        execute("DELETE FROM decision WHERE batch = ?", (group,))
        execute(
            "UPDATE run SET released = released + 1, lost = lost + ?, "
            "left_over = CASE running WHEN ? THEN 0 ELSE left_over END",
            (lost, group),
        )
        self._measure()

    def _be_careful(self) -> None:
        """Overwrite what is erased, and wait for the disk; macOS must be told to."""
        self._file.execute("PRAGMA journal_mode = WAL")
        for setting in ("secure_delete", "fullfsync", "checkpoint_fullfsync"):
            self._file.execute(f"PRAGMA {setting} = ON")
        self._file.execute("PRAGMA synchronous = FULL")

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        with sqlite_lock, self._explained(), self._reading():
            (text,) = self._file.execute("SELECT recipe FROM run").fetchone()
            return cast(Recipe, json.loads(text))

    def _measure(self) -> tuple[bytes, bytes]:
        """Compute the tag of what is in the file; return it, and the one that is there."""
        execute = self._file.execute
        self._tag = tag = Tag(None if self._key is None else self._key.tag_secret)
        (
            (text, token, session, fingerprint, *counters, learner, stream, draws, changes, found),
        ) = execute("SELECT * FROM run").fetchall()
        columns = {"recipe": text, "learner": learner, "stream": stream, "draws": draws}
        for column, content in columns.items():
            tag.put(column, 0, content)
        for number, action, trace, size, told, held in execute("SELECT * FROM batch"):
            tag.put("batch", number, action, trace, size)
            tag.put("held", number, told, held)
        for table in ("decision", "outcome", "choice", "drawn"):
            for row in execute(f"SELECT * FROM {table}"):
                tag.put(table, *row)
        for row in execute("SELECT * FROM release"):
            tag.add("release", *row)
        self._fingerprint, self._changes = fingerprint, changes
        return tag.of(token, session, fingerprint, *counters, changes), found

    def _verify(self) -> None:
        """Refuse a file that was not written with its key."""
        tag, found = self._measure()
        if not isinstance(found, bytes) or not hmac.compare_digest(tag, found):
            if self._key is None:
                raise ValueError("the tag does not fit")
            raise self._not_authentic("the run")

    def _seal(self, counters: Counters, epoch: tuple[int, int], changes: int) -> None:
        """Write the counters, large columns that are new, and the tag of everything.

        Refuses if another process took the run.
        """
        names = (self._token, self._session, self._fingerprint)
        tag = self._tag.of(*names, *counters, *epoch, changes)
        contents, self._contents = self._contents, {}
        statement = COUNT.format("".join(f"{column} = ?, " for column in contents))
        row = (*contents.values(), *counters, changes, tag, self._session)
        if self._file.execute(statement, row).rowcount != 1:
            raise DiscreetError(
                f"{self.name} has been opened by another process: a run has one writer, so this "
                "one ends."
            )
        self._changes = changes

    def _advance(self) -> None:
        """Count releases and changes in the key, as the file has them."""
        if self._key is not None:
            self._key.advance(*self._file.execute(TOTALS).fetchone())

    @contextlib.contextmanager
    def _change(
        self,
        counters: Counters,
        lasting: bool = True,
        *,
        releasing: bool = False,
        epoch: tuple[int, int] | None = None,
    ) -> Iterator[None]:
        """Write what follows, the counters and the tag in one transaction; then count in the key.

        What is ``lasting`` is on the disk before it returns.
        """
        if file_access.identity(self._path) != self._identity:
            raise DiscreetError(
                f"{self.name} was deleted or replaced while its run is open: nothing can be kept "
                "there, so nothing has changed."
            )
        synchronous = self.tells if lasting else self.asks
        if synchronous != self._synchronous:
            self._synchronous = ""
            self._file.execute(f"PRAGMA synchronous = {synchronous}")
            self._synchronous = synchronous
        changes = self._changes + lasting
        self._contents = {}
        with self._transaction():
            yield
            self._seal(counters, epoch or self.rows.epoch, changes)
        if self._key is not None and lasting:
            self._key.advance(self.rows.counters[RELEASED] + releasing, changes, note=b"")

    def close(self) -> None:
        """Release the file for another process."""
        with sqlite_lock:
            if self._key is not None:
                # If it fails, the file is ahead of its key, which catches up when it is opened.
                # A file that was refused must not move its key.
                with contextlib.suppress(sqlite3.Error, DiscreetError, TypeError):
                    if self._session:
                        self._advance()
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

    def _transaction(self) -> contextlib.AbstractContextManager[None]:
        return file_access.transaction(self._file)

    def _explained(self) -> contextlib.AbstractContextManager[None]:
        return file_access.explained(self.name)

    def _reading(self) -> contextlib.AbstractContextManager[None]:
        return file_access.reading(self.name)
