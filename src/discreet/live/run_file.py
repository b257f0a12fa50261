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
from discreet.live.keys import NEW, Key, KeyPlace, Version, new_file, new_name
from discreet.live.rows import (
    Counters,
    Drawn,
    Recipe,
    Rows,
    as_json,
    drawn_from,
    new_session,
    recipe_text,
)
from discreet.live.slots import slots_text
from discreet.live.store import Store
from discreet.live.tags import Tag

FIRST = (
    "INSERT INTO run (recipe, token, session, key, epoch, epoch_start, learner, stream, draws, "
    "slots) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
COUNT = (
    "UPDATE run SET {}asked = ?, running = ?, left_over = ?, released = ?, lost = ?, changes = ?, "
    "release_name = ?, change_name = ?, tag = ? WHERE session = ?"
)


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
        self._version = NEW
        self._recipe = ""  # as text
        self._kept_asks = 0  # how many asks are on the disk
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
                more = (as_json(rows.draws), slots_text(rows.slots))
                self._file.execute(FIRST, (text, *names, *rows.epoch, *state, *more))
                self._measure()
                self._version = NEW
                self._seal(rows.counters, rows.epoch, NEW)
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
                if [type(each) for each in self._version] != [int, int, bytes, bytes]:
                    raise ValueError("not what a run writes")
                self._begin_session()
            self._advance()

    def _check_age(self, key: Key) -> None:
        """Refuse a run that is older than its key, or that another copy has gone on from."""
        mine, known = self._version, key.version
        if mine.releases + (self._noted() is not None) < known.releases:
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
        another = mine.releases == known.releases and mine.last_release != known.last_release
        another |= mine.changes == known.changes and mine.last_change != known.last_change
        if another:
            raise DiscreetError(
                f"{self.name} is an old copy: the run went on from another one. Use the file that "
                "the run was last in."
            )

    def _noted(self) -> tuple[Drawn, int] | None:
        """Return the release that the key keeps for the run as it is, and its group."""
        key, version = self._key, self._version
        if (
            key is None
            or not key.note
            or key.version != version.with_release(key.version.last_release)
        ):
            return None
        try:
            return drawn_from(key.decrypt(key.note, self._note_name(key.version.last_release)))
        except ValueError:
            return None

    def _note_name(self, release: bytes) -> bytes:
        """Return what is authenticated with a note: it is for one state of the run."""
        releases, changes, *names = self._version
        return b"".join([self._row_name("note", releases, changes), *names, release])

    def _begin_session(self) -> None:
        """Take the run for this process: whoever had it before can no longer change it."""
        self._session = new_session()
        self._file.execute("UPDATE run SET session = ?", (self._session,))
        *counters, epoch, start = self._file.execute(
            "SELECT asked, running, left_over, released, lost, epoch, epoch_start FROM run"
        ).fetchone()
        self._kept_asks = counters[0]  # this change waits for the disk
        self._seal(cast(Counters, tuple(counters)), (epoch, start), self._version)

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
        recipe, stream = self._file.execute("SELECT recipe, stream FROM run").fetchone()
        facts = json.loads(recipe)
        aside = facts.get("explore") is not None or facts.get("holdout") is not None
        if stream is not None and not aside:
            raise DiscreetError(
                f"{self.name} has one running sum, which cannot be read without its key: start "
                "again."
            )
        if self._file.execute("SELECT 1 FROM usage LIMIT 1").fetchone():
            raise DiscreetError(
                f"{self.name} counts its users under its key, and without it nobody knows who had "
                "how many rounds: start again."
            )
        self._file.execute(
            "UPDATE run SET left_over = 0, lost = lost + ? + (SELECT count(*) FROM batch), "
            "stream = NULL, key = ?",
            (stream is not None, fingerprint),
        )
        for table in ("batch", "decision", "outcome", "drawn"):
            self._file.execute(f"DELETE FROM {table}")
        self._measure()

    def _drop_undone(self) -> None:
        """Drop a group that was released, if a power loss has undone the ask of its last decision.

        A learner may have seen the release, so its group must not be released again.
        """
        execute = self._file.execute
        noted = self._noted()
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
        assert self._key is not None, "there was a note"
        self._version = self._version._replace(last_release=self._key.version.last_release)

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
        *counters, learner, stream, draws, slots, changes, release, change, found = rest
        columns = {"recipe": text, "learner": learner, "stream": stream, "draws": draws}
        columns["slots"] = slots
        for column, content in columns.items():
            tag.put(column, 0, content)
        for number, action, trace, size, told, held in execute("SELECT * FROM batch"):
            tag.put("batch", number, action, trace, size)
            tag.put("held", number, told, held)
        for table in ("decision", "outcome", "choice", "usage", "drawn"):
            for row in execute(f"SELECT * FROM {table}"):
                tag.put(table, *row)
        for row in execute("SELECT * FROM release"):
            tag.add("release", *row)
        self._fingerprint, self._recipe = fingerprint, text
        (releases,) = execute("SELECT released + (SELECT count(*) FROM drawn) FROM run").fetchone()
        self._version = Version(releases, changes, release, change)
        names = (token, session, fingerprint)
        return tag.of(*names, *counters, changes, release, change), found

    def _verify(self) -> None:
        """Refuse a file that was not written with its key, or is older than it."""
        tag, found = self._measure()
        if not isinstance(found, bytes) or not hmac.compare_digest(tag, found):
            if self._key is None:
                raise ValueError("the tag does not fit")
            raise self._not_authentic("the run")
        if self._key is not None:
            self._check_age(self._key)

    def _seal(self, counters: Counters, epoch: tuple[int, int], version: Version) -> None:
        """Write the counters, large columns that are new, the version, and the tag of everything.

        Refuses if another process took the run.
        """
        columns = (*counters, *epoch, *version[1:])
        names = (self._token, self._session, self._fingerprint)
        tag = self._tag.of(*names, *columns)
        contents, self._contents = self._contents, {}
        statement = COUNT.format("".join(f"{column} = ?, " for column in contents))
        row = (*contents.values(), *counters, *version[1:], tag, self._session)
        if self._file.execute(statement, row).rowcount != 1:
            raise DiscreetError(
                f"{self.name} has been opened by another process: a run has one writer, so this "
                "one ends."
            )
        self._version = version

    def _advance(self) -> None:
        """Record the version of the file in the key."""
        if self._key is not None:
            self._key.advance(self._version)

    def _next(self, *, lasting: bool, releasing: bool) -> Version:
        """Return the version after a change."""
        version = self._version
        if lasting:
            version = version._replace(changes=version.changes + 1, last_change=new_name())
        if releasing:
            noted = None if self._key is None or not self._key.note else self._key.version
            version = version.with_release(new_name() if noted is None else noted.last_release)
        return version

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
        version = self._next(lasting=lasting, releasing=releasing)
        with self._transaction():
            yield
            self._seal(counters, epoch or self.rows.epoch, version)
        if lasting:
            self._kept_asks = counters[0]
            if self._key is not None:
                self._key.advance(version, note=b"")

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
