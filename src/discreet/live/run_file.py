"""The file of a run: how it is created, opened, authenticated and closed."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from discreet.errors import DiscreetError, check_path, shorten
from discreet.ledger.guards import sqlite_lock
from discreet.live import file_access
from discreet.live.file_access import FORMAT, MARK, TABLES
from discreet.live.keys import NEW, STATE, Key, KeyPlace, Version, new_file
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
    "state = ?, tag = ? WHERE session = ?"
)
VERSION = "SELECT released + (SELECT count(*) FROM drawn), changes, state FROM run"


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
        self._changes, self._state = 0, NEW.state  # as in ``Version``
        self._recipe = ""  # as text
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
                _, self._changes, self._state = NEW
                self._seal(rows.counters, rows.epoch)
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
            self._be_careful()
            with self._transaction():  # whatever is checked is what is used
                file_access.check_structure(self._file)
                token, fingerprint = self._file.execute("SELECT token, key FROM run").fetchone()
                if not token.isalnum():
                    raise ValueError("not what a run writes")
                self._token, place = token, key or KeyPlace()
                if fingerprint is not None and place.lost:
                    self._key = place.create(token)
                    self._forget_unfinished(self._key.fingerprint)
                else:
                    if fingerprint is not None:
                        self._key = place.find(token, fingerprint)
                    self._verify()
                    self._drop_undone()
                self._begin_session()
            self._advance()

    def _version(self) -> Version:
        """Return how far the run in the file is."""
        found = Version(*self._file.execute(VERSION).fetchone())
        if [type(each) for each in found] != [int, int, bytes]:
            raise ValueError("not what a run writes")
        return found

    def _check_age(self, key: Key) -> None:
        """Refuse a run that is older than its key, or that another copy has gone on from."""
        mine, known = self._version(), key.version
        if mine.releases + (self._noted(mine) is not None) < known.releases:
            raise DiscreetError(
                f"{self.name} is an old copy: it has {mine.releases} releases, but the run has had "
                f"{known.releases}. Continuing it would release batches twice; use the file that "
                "the run was last in."
            )
        if mine.changes < known.changes:
            raise DiscreetError(
                f"{self.name} is an old copy: outcomes that were told since then are missing (it "
                f"has {mine.changes} changes, but the run has had {known.changes}). Use the file "
                "that the run was last in."
            )
        if mine.changes == known.changes and mine.state != known.state:
            raise DiscreetError(
                f"{self.name} is an old copy: the run went on from another one. Use the file that "
                "the run was last in."
            )

    def _noted(self, version: Version) -> tuple[Drawn, int] | None:
        """Return the release that the key keeps for a run of this version, and its group."""
        key = self._key
        if (
            key is None
            or not key.note
            or key.version != version._replace(releases=version.releases + 1)
        ):
            return None
        try:
            return drawn_from(key.decrypt(key.note, self._note_name(version)))
        except ValueError:
            return None

    def _note_name(self, version: Version) -> bytes:
        """Return what is authenticated with a note: it is for one state of the run."""
        return self._row_name("note", version.releases, version.changes) + version.state

    def _begin_session(self) -> None:
        """Take the run for this process: whoever had it before can no longer change it."""
        self._session = new_session()
        self._file.execute("UPDATE run SET session = ?", (self._session,))
        *counters, epoch, start = self._file.execute(
            "SELECT asked, running, left_over, released, lost, epoch, epoch_start FROM run"
        ).fetchone()
        self._seal(cast(Counters, tuple(counters)), (epoch, start))

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
        noted = self._noted(self._version())
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
        return cast(Recipe, json.loads(self._recipe))

    def _measure(self) -> tuple[bytes, bytes]:
        """Compute the tag of what is in the file; return it, and the one that is there."""
        execute = self._file.execute
        self._tag = tag = Tag(None if self._key is None else self._key.tag_secret)
        ((text, token, session, fingerprint, *rest),) = execute("SELECT * FROM run").fetchall()
        *counters, learner, stream, draws, changes, state, found = rest
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
        self._fingerprint, self._recipe = fingerprint, text
        self._changes, self._state = changes, state
        return tag.of(token, session, fingerprint, *counters, changes, state), found

    def _verify(self) -> None:
        """Refuse a file that was not written with its key, or is older than it."""
        tag, found = self._measure()
        if not isinstance(found, bytes) or not hmac.compare_digest(tag, found):
            if self._key is None:
                raise ValueError("the tag does not fit")
            raise self._not_authentic("the run")
        if self._key is not None:
            self._check_age(self._key)

    def _seal(self, counters: Counters, epoch: tuple[int, int], *, lasting: bool = False) -> None:
        """Write the counters, large columns that are new, and the tag of everything.

        Refuses if another process took the run.
        """
        changes, state = self._changes, self._state
        if lasting:
            changes, state = changes + 1, secrets.token_bytes(STATE)
        names = (self._token, self._session, self._fingerprint)
        tag = self._tag.of(*names, *counters, *epoch, changes, state)
        contents, self._contents = self._contents, {}
        statement = COUNT.format("".join(f"{column} = ?, " for column in contents))
        row = (*contents.values(), *counters, changes, state, tag, self._session)
        if self._file.execute(statement, row).rowcount != 1:
            raise DiscreetError(
                f"{self.name} has been opened by another process: a run has one writer, so this "
                "one ends."
            )
        self._changes, self._state = changes, state

    def _advance(self) -> None:
        """Record the version of the file in the key."""
        if self._key is not None:
            self._key.advance(self._version())

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
        self._contents = {}
        with self._transaction():
            yield
            self._seal(counters, epoch or self.rows.epoch, lasting=lasting)
        if self._key is not None and lasting:
            releases = self.rows.counters[RELEASED] + releasing
            self._key.advance(Version(releases, self._changes, self._state), note=b"")

    def close(self) -> None:
        """Release the file for another process."""
        with sqlite_lock:
            if self._key is not None:
                # If it fails, the file is ahead of its key, which catches up when it is opened.
                # A file that was refused must not move its key.
                with contextlib.suppress(sqlite3.Error, DiscreetError, TypeError):
                    if self._session:
                        with self._snapshot():
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

    def _snapshot(self) -> contextlib.AbstractContextManager[None]:
        if self._file.in_transaction:
            self._file.execute("ROLLBACK")
        return file_access.snapshot(self._file)

    def _explained(self) -> contextlib.AbstractContextManager[None]:
        return file_access.explained(self.name)

    def _reading(self) -> contextlib.AbstractContextManager[None]:
        return file_access.reading(self.name)
