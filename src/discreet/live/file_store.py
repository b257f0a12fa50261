"""A run in one SQLite file with one writing process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import cast

import numpy as np

from discreet.ledger.guards import sqlite_lock
from discreet.live.keys import LONGEST_NOTE, new_name
from discreet.live.release_log import ReleaseFacts, ReleaseRow
from discreet.live.row_cipher import OVERHEAD
from discreet.live.row_text import (
    as_json,
    as_text,
    drawn_bytes,
    draws_from,
    facts_columns,
    number_bytes,
    numbers_from,
    release_row,
)
from discreet.live.rows import (
    FINAL,
    Change,
    Counters,
    Drawn,
    Draws,
    Example,
    GroupRow,
    OpenRow,
    Recipe,
    Rows,
)
from discreet.live.run_file import RunFile
from discreet.live.slots import Slots, slots_from, slots_text

# an update in place, which writes less than replacing the row
COUNT_USER = (
    "INSERT INTO usage VALUES (?, ?, ?) ON CONFLICT (bucket) DO UPDATE SET window = "
    "excluded.window, users = excluded.users"
)
# how a row is deleted from a table, by its number
NUMBERS = {"batch": "number", "decision": "id", "drawn": "decision", "unlearned": "batch"}
DELETE = {table: f"DELETE FROM {table} WHERE {column} = ?" for table, column in NUMBERS.items()}


class FileStore(RunFile):
    """Stores a run in a file: outcomes and releases are on disk before ``tell`` returns.

    A lock refuses other processes while this one has the file open, and ends with the process in
    any case; anyone with read access can still read the file. A power failure may undo an ask, but
    not a tell or a release. Everything in the file is authenticated with the key: a file that was
    changed by another program is refused.
    """

    _in_table = False  # whether a release is stored in a row of the file, not in a note in the key

    def load(self, example: Example) -> None:
        """Read the committed state."""
        with sqlite_lock, self._explained(), self._reading(), self._snapshot():
            self._example = example
            if self._key is not None:
                self._key.reread()
            if not self._is_checked:
                self._verify()
            self._is_checked = False
            text, token, _, _, *far = self._columns
            *far, learner, stream, draws, slots, clock, _, _, _, _ = far
            rows = Rows(json.loads(text), token, learner)
            rows.session, rows.counters = self._session, tuple(far[:5])
            rows.epoch = tuple(far[5:])
            rows.stream = self._decrypted(stream, "stream")
            rows.draws, rows.slots = draws_from(draws), slots_from(slots)
            rows.clock = () if clock is None else tuple(map(tuple, json.loads(clock)))
            found = self._found
            rows.open, rows.groups, rows.outcomes = found.open, found.groups, found.outcomes
            rows.choices = dict(self._kept["choice"])
            rows.usage = {bucket: tuple(rest) for bucket, *rest in self._kept["usage"]}
            rows.final = self._final(rows.recipe)
            noted = self._noted()
            rows.drawn = None if noted is None else noted[0]
            self._in_table = False
            for number, shape, value, held, later in self._kept["drawn"]:
                content = self._decrypted(value, "drawn", number) or b""
                held = self._decrypted(held, "drawn", number, 1)
                rows.drawn = Drawn(number, numbers_from(shape, content), held, draws_from(later))
                self._in_table = True
            for number, _, decision, shape, value in sorted(
                self._kept["unlearned"], key=lambda row: row[1]
            ):
                content = self._decrypted(value, "unlearned", number) or b""
                rows.unlearned[number] = decision, numbers_from(shape, content)
            # An interrupt may have come between a release and its count.
            self._advance()
        self.rows = rows

    def _final(self, recipe: Recipe) -> object:
        """Return the values of the final release, if there was one."""
        if recipe.get("final") is None:
            return None
        self._tag.load("release", FINAL)
        query = "SELECT value FROM release WHERE batch = ?"
        found = self._file.execute(query, (FINAL,)).fetchone()
        return None if found is None else np.frombuffer(found[0], np.float64)

    def ask(
        self,
        counters: Counters,
        row: OpenRow,
        times: int,
        group: GroupRow | None = None,
        learner: bytes | None = None,
        draws: Draws | None = None,
        outcome: bytes | None = None,
        usage: tuple[int, int, bytes] | None = None,
    ) -> None:
        """Open a decision, in the file first."""
        with sqlite_lock, self._explained(), self._change(counters, lasting=False):
            # Here and below, a row is authenticated before it is written: its block is read first.
            execute, tag = self._file.execute, self._tag
            if group is not None:
                number, action, trace, size, told, held = group
                facts = (as_text(action), as_text(trace), size)
                state = (told, self._encrypted(held, "batch", number, told))
                tag.put("batch", number, *facts)
                tag.put("held", number, *state)
                execute("INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?)", (number, *facts, *state))
            number, of, choice, token, asked_at, _ = row
            hidden = None if outcome is None else self._encrypted(outcome, "outcome", number)
            open_row = (number, of, choice, token, float(asked_at), hidden)
            tag.put("decision", *open_row)
            execute("INSERT INTO decision VALUES (?, ?, ?, ?, ?, ?)", open_row)
            tag.put("choice", choice, times)
            execute("INSERT OR REPLACE INTO choice VALUES (?, ?)", (choice, times))
            self._write_state(learner, None, draws)
            if usage is not None:
                tag.put("usage", *usage)
                execute(COUNT_USER, usage)
        self.rows.ask(counters, row, times, group, learner, draws, outcome, usage)

    def hold(self, drawn: Drawn) -> None:
        """Store a release, and count it in the key, before the learner sees it.

        A small one is a note in the key, which saves a transaction; any other is a row of the file.
        """
        with sqlite_lock, self._explained():
            if not self._write_note(drawn):
                self._write_drawn(drawn)
        self.rows.hold(drawn)

    def _write_note(self, drawn: Drawn) -> bool:
        """Store a release in the key; return False if it does not belong there."""
        key = self._key
        # A stream needs its last round, whose ask a power failure may undo.
        if key is None or drawn.draws is not None or self.rows.stream is not None:
            return False
        if drawn.decision < 0:  # a hold-out, which no decision triggers
            return False
        # Outcomes may be ahead of the disk, and a note must not be ahead of them. Nor may the count
        # of a user be lost if the user's outcome is in a release.
        behind = self.rows.usage and drawn.decision >= self._kept_asks
        # And a note may replace only a note: a learned row that is not yet erased from the disk
        # would come back beside it.
        if self._only_releases or behind or self._row_pending:
            return False
        content = drawn_bytes(drawn, self.rows.open[drawn.decision][1])
        if len(content) + OVERHEAD > LONGEST_NOTE:
            return False
        release = new_name()
        note = key.encrypt(content, self._note_name(release))
        key.advance(self._version.with_release(release), note)
        return True

    def _write_drawn(self, drawn: Drawn) -> None:
        decision, value, held, draws = drawn
        with self._change(self.rows.counters, releasing=True):
            shape, content = number_bytes(value)
            row = (
                shape,
                self._encrypted(content, "drawn", decision),
                self._encrypted(held, "drawn", decision, 1),
                as_json(draws),
            )
            self._tag.put("drawn", decision, *row)
            self._file.execute("INSERT INTO drawn VALUES (?, ?, ?, ?, ?)", (decision, *row))
            self._in_table = True

    def defer(self, group: int, decision: int, value: object) -> None:
        """Store one of several releases; the key counts them at the end of the transaction."""
        with sqlite_lock, self._explained():
            place, (shape, content) = len(self.rows.unlearned), number_bytes(value)
            row = (place, decision, shape, self._encrypted(content, "unlearned", group))
            self._tag.put("unlearned", group, *row)
            self._file.execute("INSERT INTO unlearned VALUES (?, ?, ?, ?, ?)", (group, *row))
            self._deferred += 1
        self.rows.defer(group, decision, value)

    def tell(
        self,
        counters: Counters,
        decision: int,
        group: GroupRow | None = None,
        closed: int | None = None,
        released: int | None = None,
        value: object = None,
        learner: bytes | None = None,
        stream: bytes | None = None,
        draws: Draws | None = None,
        facts: ReleaseFacts | None = None,
    ) -> None:
        """Close a decision, in the file first."""
        # A release in the table is already on disk, with all that is needed to repeat this. So is
        # a note, but the next one replaces it.
        unlearned = released is not None and released in self.rows.unlearned
        lasting = not self._in_table and not unlearned
        lasting = lasting and not (self._only_releases and released is None)
        releasing = released is not None and lasting
        if self._in_table or unlearned:  # before the commit: an interrupt may follow it
            self._row_pending = True
        with sqlite_lock, self._explained(), self._change(counters, lasting, releasing=releasing):
            execute, tag = self._file.execute, self._tag
            if group is not None:
                number, _, _, _, told, held = group
                state = (told, self._encrypted(held, "batch", number, told))
                tag.put("held", number, *state)
                execute("UPDATE batch SET told = ?, held = ? WHERE number = ?", (*state, number))
            if closed is not None:
                self._close_group(closed)
            if unlearned:
                self._delete("unlearned", cast(int, released))
            else:
                self._delete("decision", decision)
            if self._in_table:
                self._delete("drawn", decision)
            if released is not None:  # always of one size, for any value drawn
                numbers = None if value is None else number_bytes(value)[1]
                about = facts_columns(facts)
                tag.put("release", released, *about, numbers)
                execute(
                    "INSERT INTO release VALUES (?, ?, ?, ?, ?, ?)", (released, *about, numbers)
                )
            self._write_state(learner, stream, draws)
        self._in_table = False
        self.rows.tell(counters, decision, group, closed, released, value, learner, stream, draws)

    def releases(self) -> Iterator[ReleaseRow]:
        """Return all releases, by batch."""
        return map(release_row, sorted(self._tag.checked("release")))

    def change(self, change: Change) -> None:
        """Make another change, in the file first."""
        lasting = not (self._only_releases and change.outcome is not None)
        with (
            sqlite_lock,
            self._explained(),
            self._change(change.counters, lasting, epoch=change.epoch),
        ):
            if change.closed is not None:
                self._close_group(change.closed)
            self._write_state(change.learner, change.stream, None, change.slots)
            if change.outcome is not None:
                self._write_outcome(*change.outcome)
            for number in change.given_up:
                self._delete("decision", number)
            if change.clock is not None:
                self._write_column("clock", json.dumps(change.clock))
            if change.epoch is not None:
                for table in ("batch", "held"):
                    self._tag.drop_all(table)
                self._file.execute("UPDATE run SET epoch = ?, epoch_start = ?", change.epoch)
                self._file.execute("DELETE FROM batch")
        self.rows.change(change)

    def _close_group(self, number: int) -> None:
        self._tag.drop("held", number)
        self._delete("batch", number)

    def _delete(self, table: str, number: int) -> None:
        self._tag.drop(table, number)
        self._file.execute(DELETE[table], (number,))

    def _write_outcome(self, decision: int, outcome: bytes) -> None:
        hidden = self._encrypted(outcome, "outcome", decision)
        self._tag.put("decision", *self.rows.open[decision][:5], hidden)
        self._file.execute("UPDATE decision SET outcome = ? WHERE id = ?", (hidden, decision))

    def _write_state(
        self,
        learner: bytes | None,
        stream: bytes | None,
        draws: Draws | None,
        slots: Slots | None = None,
    ) -> None:
        self._write_column("learner", learner)
        if stream is not None:
            self._write_column("stream", self._encrypted(stream, "stream"))
        if draws is not None:
            self._write_column("draws", as_json(draws))
        if slots is not None:
            self._write_column("slots", slots_text(slots))

    def _write_column(self, column: str, content: str | bytes | None) -> None:
        if content is not None:
            self._contents[column] = content
            self._tag.put(column, 0, content)
