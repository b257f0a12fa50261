"""A run in one SQLite file, with one process that writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from discreet.ledger.guards import sqlite_lock
from discreet.live.keys import LONGEST_NOTE, OVERHEAD, new_name
from discreet.live.release_log import ReleaseFacts, ReleaseRow
from discreet.live.rows import (
    FINAL,
    Change,
    Counters,
    Drawn,
    Draws,
    Example,
    Group,
    OpenRow,
    Rows,
    as_json,
    as_text,
    drawn_bytes,
    from_text,
    number_bytes,
    numbers_from,
)
from discreet.live.run_file import RunFile
from discreet.live.slots import Slots, slots_from, slots_text

# an update in place, which writes less than to replace the row
COUNT_USER = (
    "INSERT INTO usage VALUES (?, ?, ?) ON CONFLICT (bucket) DO UPDATE SET window = "
    "excluded.window, users = excluded.users"
)


class FileStore(RunFile):
    """Keeps a run in a file: what was told and released is on the disk before ``tell`` returns.

    Other processes are refused while this one has the file, by a lock that ends with its process,
    however it ends; anybody who may read the file can read it meanwhile. A power loss may undo an
    ask, but not a tell or a release. Everything in the file is authenticated with the key: a file
    that somebody else has changed is refused.
    """

    _in_table = False  # whether a release is held by a row of the file, not by a note in the key

    def load(self, example: Example) -> None:
        """Read what is committed."""
        with sqlite_lock, self._explained(), self._reading(), self._snapshot():
            execute = self._file.execute
            self._verify()
            text, token, session, _, *far, learner, stream, draws, slots, _, _, _, _ = execute(
                "SELECT * FROM run"
            ).fetchone()
            rows = Rows(json.loads(text), token, learner)
            rows.session, rows.counters, rows.epoch = session, tuple(far[:5]), tuple(far[5:])
            rows.stream = self._decrypted(stream, "stream")
            rows.draws, rows.slots = _draws(draws), slots_from(slots)
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
            for (value,) in execute("SELECT value FROM release WHERE batch = ?", (FINAL,)):
                rows.final = np.frombuffer(value, np.float64)
            rows.usage = {bucket: tuple(rest) for bucket, *rest in execute("SELECT * FROM usage")}
            noted = self._noted()
            rows.drawn = None if noted is None else noted[0]
            self._in_table = False
            for number, shape, value, held, later in execute("SELECT * FROM drawn"):
                content = self._decrypted(value, "drawn", number) or b""
                held = self._decrypted(held, "drawn", number, 1)
                rows.drawn = Drawn(number, numbers_from(shape, content), held, _draws(later))
                self._in_table = True
            # An interrupt may have come between a release and the count of it.
            self._advance()
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
        usage: tuple[int, int, bytes] | None = None,
    ) -> None:
        """Open a decision, in the file first."""
        with sqlite_lock, self._explained(), self._change(counters, lasting=False):
            execute, tag = self._file.execute, self._tag
            if group is not None:
                held = self._encrypted(group.held, "batch", group.number, group.told)
                facts = (as_text(group.action), as_text(group.trace), group.size)
                state = (group.told, held)
                execute(
                    "INSERT INTO batch VALUES (?, ?, ?, ?, ?, ?)", (group.number, *facts, *state)
                )
                tag.put("batch", group.number, *facts)
                tag.put("held", group.number, *state)
            number, of, choice, token, asked_at, _ = row
            open_row = (number, of, choice, token, float(asked_at))
            execute("INSERT OR REPLACE INTO decision VALUES (?, ?, ?, ?, ?)", open_row)
            tag.put("decision", *open_row)
            execute("INSERT OR REPLACE INTO choice VALUES (?, ?)", (choice, times))
            tag.put("choice", choice, times)
            self._write_state(learner, None, draws)
            if outcome is not None:
                self._write_outcome(number, outcome)
            if usage is not None:
                execute(COUNT_USER, usage)
                tag.put("usage", *usage)
        self.rows.ask(counters, row, times, group, learner, draws, outcome, usage)

    def hold(self, drawn: Drawn) -> None:
        """Keep a release, and count it in the key, before the learner sees it.

        A small one is a note in the key, which saves a transaction; any other is a row of the file.
        """
        with sqlite_lock, self._explained():
            if not self._write_note(drawn):
                self._write_drawn(drawn)
        self.rows.hold(drawn)

    def _write_note(self, drawn: Drawn) -> bool:
        """Keep a release in the key; return False if it does not belong there."""
        key = self._key
        # A stream cannot do without its last round, whose ask a power loss may undo.
        if key is None or drawn.draws is not None or self.rows.stream is not None:
            return False
        if drawn.decision < 0:  # a hold-out, which no decision makes due
            return False
        # Nor may the count of a user be lost whose outcome is in a release.
        if self.rows.usage and drawn.decision >= self._kept_asks:
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
            self._file.execute("INSERT INTO drawn VALUES (?, ?, ?, ?, ?)", (decision, *row))
            self._tag.put("drawn", decision, *row)
            self._in_table = True

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
        facts: ReleaseFacts | None = None,
    ) -> None:
        """Close a decision, in the file first."""
        # A release in the table is on the disk already, with all that is needed to repeat this.
        # A note is too, but the next one takes its place.
        lasting = not self._in_table
        releasing = released is not None and lasting
        with sqlite_lock, self._explained(), self._change(counters, lasting, releasing=releasing):
            execute, tag = self._file.execute, self._tag
            if group is not None:
                held = self._encrypted(group.held, "batch", group.number, group.told)
                row = (group.told, held, group.number)
                execute("UPDATE batch SET told = ?, held = ? WHERE number = ?", row)
                tag.put("held", group.number, group.told, held)
            if closed is not None:
                self._close_group(closed)
            self._delete("decision", "id", decision)
            if decision in self.rows.outcomes:
                self._delete("outcome", "decision", decision)
            if self._in_table:
                self._delete("drawn", "decision", decision)
            if released is not None:  # of one size, whatever was drawn
                numbers = None if value is None else number_bytes(value)[1]
                choice, size, probability, at = facts or (None, None, None, None)
                about = (choice, size, probability, None if at is None else float(at))
                execute(
                    "INSERT INTO release VALUES (?, ?, ?, ?, ?, ?)", (released, *about, numbers)
                )
                tag.add("release", released, *about, numbers)
            self._write_state(learner, stream, draws)
        self._in_table = False
        self.rows.tell(counters, decision, group, closed, released, value, learner, stream, draws)

    def releases(self) -> Iterator[ReleaseRow]:
        """Return all releases, by batch."""
        with sqlite_lock, self._explained(), self._reading():
            found = self._file.execute("SELECT * FROM release ORDER BY batch").fetchall()
        return map(release_row, found)

    def change(self, change: Change) -> None:
        """Make another change, in the file first."""
        with sqlite_lock, self._explained(), self._change(change.counters, epoch=change.epoch):
            if change.closed is not None:
                self._close_group(change.closed)
            self._write_state(change.learner, change.stream, None, change.slots)
            if change.outcome is not None:
                self._write_outcome(*change.outcome)
            for number in change.given_up:
                self._delete("decision", "id", number)
                if number in self.rows.outcomes:
                    self._delete("outcome", "decision", number)
            if change.epoch is not None:
                self._file.execute("UPDATE run SET epoch = ?, epoch_start = ?", change.epoch)
                self._file.execute("DELETE FROM batch")
                for table in ("batch", "held"):
                    self._tag.drop_all(table)
        self.rows.change(change)

    def _close_group(self, number: int) -> None:
        self._delete("batch", "number", number)
        self._tag.drop("held", number)

    def _delete(self, table: str, column: str, number: int) -> None:
        self._file.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,))
        self._tag.drop(table, number)

    def _write_outcome(self, decision: int, outcome: bytes) -> None:
        row = (decision, self._encrypted(outcome, "outcome", decision))
        self._file.execute("INSERT OR REPLACE INTO outcome VALUES (?, ?)", row)
        self._tag.put("outcome", *row)

    def _write_state(
        self,
        learner: bytes | None,
        stream: bytes | None,
        draws: Draws | None,
        slots: Slots | None = None,
    ) -> None:
        hidden = self._encrypted(stream, "stream")
        columns = (
            ("learner", learner),
            ("stream", hidden),
            ("draws", as_json(draws)),
            ("slots", slots_text(slots)),
        )
        for column, content in columns:
            if content is not None:
                self._contents[column] = content
                self._tag.put(column, 0, content)


def release_row(row: tuple[Any, ...]) -> ReleaseRow:
    """Return a row of the table of releases; a release of one number is a float."""
    batch, choice, size, probability, at, content = row
    numbers = None if content is None else np.frombuffer(content, np.float64)
    value = float(numbers[0]) if numbers is not None and numbers.size == 1 else numbers
    return ReleaseRow(batch, choice, size, probability, at, value)


def _draws(text: str | None) -> Draws | None:
    """Return the state of the generators, if there is one."""
    return None if text is None else Draws(*json.loads(text))
