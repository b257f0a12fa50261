"""Writing the changes of a run to a database: as sets of rows, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from discreet.errors import DiscreetError
from discreet.live.database.connections import Connections
from discreet.live.database.lazy_rows import MOST_KEPT, LazyRows
from discreet.live.database.records import Records
from discreet.live.database.run_rows import NAMES, USER_ROWS, RunRows
from discreet.live.database.sealing import digest
from discreet.live.database.sessions import Session
from discreet.live.database.tables import (
    BATCH,
    COUNTERS,
    DECISION,
    HELD,
    LARGE,
    RECORD,
    RELEASE,
    RUN,
    USAGE,
    VERSION,
    Row,
)
from discreet.live.database.witness import Witness
from discreet.live.keys import Version, new_name
from discreet.live.release_log import ReleaseFacts
from discreet.live.row_cipher import RowCipher
from discreet.live.row_text import as_json, as_text, facts_columns, number_bytes
from discreet.live.rows import Draws, Rows
from discreet.live.slots import slots_text

# Columns that nearly every change writes. If another worker has changed the run meanwhile, which
# its lock prevents unless it was lost, the version would be undefined: then nothing is written.
SMALL = (*COUNTERS, "open", "waiting", "untaught", "last_window", *VERSION, "state", "tag")
NEXT = "version = version + 1 / (CASE WHEN state = ? THEN 1 ELSE 0 END)"


@cache
def _updating(noted: frozenset[str]) -> tuple[str, Callable[[dict[str, Any]], Row]]:
    """Return the statement that writes a run's row, and what extracts its values from columns."""
    names = [*SMALL, *(name for name in LARGE if name in noted)]
    changed = ", ".join(f"{name} = ?" for name in names)
    return f"UPDATE {RUN.name} SET {NEXT}, {changed} WHERE run = ?", itemgetter(*names)


class RunWriter(RunRows):
    """Writes those rows of a run that changed since the last transaction."""

    _only_releases = False  # only releases wait for the disk, other outcomes do not
    releases_here = 0  # releases made by this store, not by other workers
    _state = b""  # the name of the last change in memory; empty if rows must be reread

    def __init__(
        self,
        connections: Connections,
        cipher: RowCipher,
        witness: Witness | None,
        records: Records,
        name: str,
    ) -> None:
        super().__init__(connections, cipher, witness, name)
        self._records = records
        self._texts: dict[int, tuple[str, str]] = {}  # actions and traces of groups in memory
        self._begin_changes()

    def _begin_changes(self) -> None:
        """Drop all changes noted since the last transaction."""
        self._noted: set[str] = set()  # large columns
        self._held_rows: dict[int, Row | None] = {}
        self._release_rows: list[Row] = []
        self._new_records: list[Row] = []
        self._new_releases = 0

    def _note(self, **changed: object) -> None:
        """Note large columns that have changed."""
        for name, content in changed.items():
            if content is not None:
                self._noted.add(name)
        self._noted.add("")  # there is a change

    def _hold_row(
        self,
        number: int,
        place: int,
        decision: int,
        value: object,
        held: bytes | None,
        draws: Draws | None,
    ) -> None:
        shape, content = number_bytes(value)
        columns = (
            *(number, place, decision, shape),
            self._encrypted(content, "drawn", number),
            self._encrypted(held, "drawn", number, 1),
            as_json(draws),
        )
        self._held_rows[number] = (self._number, *columns, self._seal.of("held", columns))
        self._noted.add("")

    def _release_row(self, batch: int, facts: ReleaseFacts | None, numbers: bytes | None) -> None:
        columns = (batch, *facts_columns(facts), numbers)
        self._release_rows.append((self._number, *columns, self._seal.of("release", columns)))

    # Transactions

    def _write(self, session: Session, *, lasting: bool) -> None:
        """Write all noted changes in one transaction; then update the witness."""
        if not self._noted and not self._new_records:
            return
        if lasting and self._witness is not None and self._known != self._version:
            raise DiscreetError(f"{self.name} has a change that its witness does not know.")
        version = self._next_version(lasting=lasting)
        joined, dialect = self._connections.joined, self._connections.dialect
        columns = self._next_columns(version)
        try:
            with dialect.explained(), session.in_one_go():
                if not joined:
                    session.begin(durable=lasting)
                self._write_rows(session)
                self._update_run(session, columns)
                if not joined:
                    session.commit()
        except BaseException:
            if not joined:
                session.rollback()
            raise
        self._columns, self._version = columns, version
        self._state = columns["state"]
        self.releases_here += self._new_releases
        for table in (self.rows.open, self.rows.groups):
            table.committed()
        if len(self._texts) > MOST_KEPT:
            self._texts = {}
        self._user_rows += len(self.rows.usage.fresh)
        self.rows.usage.written()
        self._begin_changes()
        if lasting and self._witness is not None:
            if joined:
                self._connections.when_committed(lambda: self._witnessed(version))
            else:
                self._witnessed(version)

    def _next_version(self, *, lasting: bool) -> Version:
        version = self._version
        if lasting:
            version = version.with_change()
        if self._new_releases:
            version = version.with_release(new_name(), self._new_releases)
        return version

    def _witnessed(self, version: Version) -> None:
        """Update the witness; refuse to continue if the run continued in another copy."""
        assert self._witness is not None, "there is one"
        if not self._witness.advance(self._token, self._known, version):
            self._state = b""
            raise self._is_old(self._witness.read(self._token))
        self._known = version

    def _write_rows(self, session: Session) -> None:
        rows, run, seal = self.rows, self._number, self._seal.of
        if rows.groups.is_cleared:
            session.write(f"DELETE FROM {BATCH.name} WHERE run = ?", (run,))
        put: list[Row] = []
        gone: list[int] = []
        columns: Row
        for number in sorted(rows.groups.touched):
            group = rows.groups.changed(number)
            if group is None:
                gone.append(number)
                self._texts.pop(number, None)
                continue
            _, action, trace, size, told, held = group
            text = self._texts.get(number)
            if text is None:
                text = self._texts[number] = as_text(action), as_text(trace)
            columns = (number, *text, size, told, self._encrypted(held, "batch", number, told))
            put.append((run, *columns, seal("batch", columns)))
        self._write_set(session, BATCH, put, gone)
        put, gone = [], []
        outcomes = rows.outcomes.memory
        for number in sorted(rows.open.touched):
            row = rows.open.changed(number)
            if row is None:
                gone.append(number)
                continue
            hidden = self._encrypted(outcomes.get(number), "outcome", number)
            columns = (*row[:4], float(row[4]), hidden)
            put.append((run, *columns, seal("decision", columns)))
        self._write_set(session, DECISION, put, gone)
        put = []
        for bucket in sorted(rows.usage.touched):
            columns = (bucket, *rows.usage[bucket])
            put.append((run, *columns, seal("usage", columns)))
        self._write_set(session, USAGE, put, [])
        held_rows = self._held_rows.items()
        put = [row for _, row in held_rows if row is not None]
        self._write_set(session, HELD, put, [n for n, row in held_rows if row is None])
        if self._release_rows:
            session.put(RELEASE, self._release_rows, new=True)
        if self._new_records:
            session.put(RECORD, self._new_records)

    def _write_set(self, session: Session, table: Any, put: list[Row], gone: list[int]) -> None:  # noqa: ANN401
        if put:
            session.put(table, put)
        if gone:
            session.remove(table, self._number, gone)

    def _next_columns(self, version: Version) -> dict[str, Any]:
        """Return the run's row as it will be."""
        rows, columns = self.rows, dict(self._columns)
        columns.update(zip(COUNTERS, (*rows.counters, *rows.epoch), strict=True))
        columns.update(zip(VERSION, version, strict=True))
        columns["open"], columns["waiting"] = len(rows.open), len(rows.groups)
        columns["untaught"] = len(rows.unlearned) + (rows.drawn is not None)
        columns["last_window"] = rows.latest_window()
        for name in self._noted:
            if name:
                columns[name] = self._large(name, rows)
                self._digests[name] = digest(columns[name])
        columns["version"], columns["state"] = columns["version"] + 1, new_name()
        columns["tag"] = self._seal.of("run", self._tagged(columns, self._digests))
        return columns

    def _large(self, name: str, rows: Rows) -> object:
        """Return a large column in written form."""
        if name == "learner":
            return rows.learner
        if name == "stream":
            return self._encrypted(rows.stream, "stream")
        if name == "draws":
            return as_json(rows.draws)
        if name == "slots":
            return slots_text(rows.slots)
        if name == "clock":
            return json.dumps(rows.clock) if rows.clock else None
        if name == "choices":
            fresh = len(rows.usage.fresh) if isinstance(rows, LazyRows) else 0
            users = self._user_rows + fresh
            return json.dumps(rows.choices | ({USER_ROWS: users} if users else {}))
        assert name == "final", "there are no other large columns"
        return None if rows.final is None else np.asarray(rows.final, np.float64).tobytes()

    def _update_run(self, session: Session, columns: dict[str, Any]) -> None:
        statement, of = _updating(frozenset(self._noted))
        session.write(statement, (self._columns["state"], *of(columns), self._number))

    # Actions of an operator, within a transaction

    def old_row(
        self, session: Session, witness: Witness | None
    ) -> tuple[dict[str, Any], Version, Version | None]:
        """Return the run's row, its version, and the witness's, even if it is an old copy."""
        query = f"SELECT run FROM {RUN.name} WHERE name = ?"
        found = session.execute(query, (self._run_name,))
        if found:
            session.lock_until_commit(found[0][0])
        self._read_run(session, check_age=False)
        known = None if witness is None else witness.read(self._token)
        return dict(self._columns), self._version, known

    def rewrite(self, session: Session, columns: dict[str, Any]) -> None:
        """Write the run's row."""
        columns["version"], columns["state"] = columns["version"] + 1, new_name()
        digests = {name: digest(columns[name]) for name in LARGE}
        columns["tag"] = self._seal.of("run", self._tagged(columns, digests))
        session.put(RUN, [tuple(columns[name] for name in NAMES)])

    def tell_witness(self, known: Version | None, version: Version) -> None:
        """Update the witness to the run's version, once that is committed."""
        if self._witness is not None:
            self._known = known
            self._connections.when_committed(lambda: self._witnessed(version))

    def _insert_run(self, session: Session, rows: Rows, text: str, version: Version) -> None:
        """Write the row of a new run."""
        columns: dict[str, Any] = dict.fromkeys(NAMES)
        columns |= {"run": self._number, "name": self._run_name, "token": rows.token}
        columns |= {"recipe": text, "protected": int(self._key is not None), "restored": 0}
        columns |= dict(zip(COUNTERS, (*rows.counters, *rows.epoch), strict=True))
        columns |= {"open": 0, "waiting": 0, "untaught": 0, "last_window": 0, "version": 0}
        columns |= dict(zip(VERSION, version, strict=True))
        columns |= {name: self._large(name, rows) for name in LARGE}
        columns["state"] = new_name()
        digests = {name: digest(columns[name]) for name in LARGE}
        columns["tag"] = self._seal.of("run", self._tagged(columns, digests))
        session.put(RUN, [tuple(columns[name] for name in NAMES)], new=True)
