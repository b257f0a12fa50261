"""A run in a database: its own row, and how its other rows are read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, cast

import numpy as np

from discreet.errors import DiscreetError, OldCopy, count
from discreet.live.database.connections import Connections
from discreet.live.database.lazy_rows import LazyOutcomes, LazyRows, LazyTable, LazyUsage
from discreet.live.database.sealing import Seal, digest
from discreet.live.database.sessions import Session
from discreet.live.database.tables import (
    BATCH,
    COUNTERS,
    DECISION,
    HELD,
    LARGE,
    RELEASE,
    RUN,
    USAGE,
    VERSION,
    Row,
    SqlTable,
)
from discreet.live.database.witness import Witness, is_fresh
from discreet.live.keys import NEW, Version
from discreet.live.release_log import ReleaseRow
from discreet.live.row_cipher import RowCipher
from discreet.live.row_text import draws_from, from_text, numbers_from, release_row
from discreet.live.rows import Drawn, Example, GroupRow, OpenRow
from discreet.live.slots import slots_from
from discreet.live.store import Store
from discreet.live.tags import StoredValue

DRAWN = -1_000  # the number of the row with a single release
# In place of a choice, among their numbers: the number of rows of users. It is authenticated with
# them; other versions read it as a choice that is never shown.
USER_ROWS = -1_000
of_tag = itemgetter(*(name for name in RUN.columns if name != "tag"))
NAMES = tuple(RUN.columns)


class RunRows(Store):
    """Reads the rows of a run; ``DatabaseStore`` writes them."""

    rows: LazyRows

    def __init__(
        self, connections: Connections, cipher: RowCipher, witness: Witness | None, name: str
    ) -> None:
        self._connections, self._cipher, self._witness = connections, cipher, witness
        self._run_name = name
        self.name = f"the run {name!r} in {connections.dialect.name}"
        self._seal = Seal(cipher)
        self._number = -1
        self._columns: dict[str, Any] = {}  # of the run's row, as committed
        self._digests: dict[str, bytes] = {}  # of its large columns
        self._version = NEW
        self._known: Version | None = NEW  # the last version that the witness knows
        self._example: Example = (0, 0)
        self._session = ""
        self._user_rows = 0  # rows of users in the database, at least
        self._buckets: set[int] = set()  # those of them that were there when last looked

    def _read_run(self, session: Session, *, check_age: bool = True) -> None:
        """Read the run's row; refuse a changed one, and one older than the witness knows."""
        query = f"SELECT * FROM {RUN.name} WHERE name = ?"
        found = session.execute(query, (self._run_name,))
        if not found:
            raise DiscreetError(f"{self._connections.dialect.name} has no run {self._run_name!r}.")
        columns = dict(zip(NAMES, found[0], strict=True))
        token, number = columns["token"], columns["run"]
        if number != self._number or token != self._token:
            if self._token:
                raise DiscreetError(f"{self.name} was replaced by another run: open it again.")
            self._enter_run(number, token, protected=bool(columns["protected"]))
        digests = {name: digest(columns[name]) for name in LARGE}
        if not self._seal.fits("run", self._tagged(columns, digests), columns["tag"]):
            raise self._not_authentic("its row")
        self._columns, self._digests = columns, digests
        self._version = Version(*(columns[name] for name in VERSION))
        if self._witness is not None and check_age:
            known = self._witness.read(token)
            if not is_fresh(self._version, known):
                raise self._is_old(known)
            self._catch_up(known)

    def _enter_run(self, number: int, token: str, *, protected: bool) -> None:
        cipher = self._cipher.of_run(token)
        self._number, self._token, self._seal = number, token, Seal(cipher)
        self._key = cipher if protected else None
        self._buckets = set()

    def _catch_up(self, known: Version | None) -> None:
        """Update the witness to what a worker committed before it ended."""
        assert self._witness is not None, "there is one"
        if known != self._version and not self._witness.advance(self._token, known, self._version):
            raise self._is_old(self._witness.read(self._token))
        self._known = self._version

    def _is_old(self, known: Version | None) -> OldCopy:
        if known is None:
            return OldCopy(
                f"{self.name} is not known to its witness, so it may be a restored backup: give "
                "the witness that it was created with, or declare it restored."
            )
        # The number of changes reveals how many outcomes arrived, so it is not shown.
        return OldCopy(
            f"{self.name} is an old copy: it has {count(self._version.releases, 'release')}, but "
            f"the run made {known.releases:,} and more outcomes, or continued in another copy; "
            "use its latest database, or declare it restored."
        )

    def _tagged(self, columns: dict[str, Any], digests: dict[str, bytes]) -> Row:
        return cast(Row, of_tag(columns | digests))

    def _rows(self, session: Session, example: Example) -> LazyRows:
        """Return the rows of the run; other rows are read when used."""
        columns, self._example = self._columns, example
        recipe = json.loads(columns["recipe"])
        rows = LazyRows(recipe, columns["token"], columns["learner"], columns["last_window"])
        rows.session = self._session
        *counters, epoch, start = (columns[name] for name in COUNTERS)
        rows.counters, rows.epoch = cast(Any, tuple(counters)), (epoch, start)
        rows.stream = self._decrypted(columns["stream"], "stream")
        rows.draws, rows.slots = draws_from(columns["draws"]), slots_from(columns["slots"])
        clock, final = columns["clock"], columns["final"]
        rows.clock = () if clock is None else tuple(map(tuple, json.loads(clock)))
        rows.final = None if final is None else np.frombuffer(final, np.float64)
        rows.choices = {int(k): n for k, n in json.loads(columns["choices"] or "{}").items()}
        self._user_rows = rows.choices.pop(USER_ROWS, 0)
        rows.ended, rows.restored = columns["ended"], bool(columns["restored"])
        rows.open = self._table(DECISION, columns["open"], self._read_decision)
        rows.outcomes = LazyOutcomes(rows.open)
        rows.groups = self._table(BATCH, columns["waiting"], self._read_batch)
        rows.usage = LazyUsage(self._find_usage, self._all_usage)
        if columns["untaught"]:
            self._read_held(session, rows)
        return rows

    def _check_number(self, kind: str, found: int, wanted: int) -> None:
        """Refuse a table from which rows are missing, or that has others."""
        if found != wanted:
            raise self._not_authentic(f"the number of rows of {kind!r}")

    def _table(self, table: SqlTable, length: int, read: Any) -> LazyTable[Any]:  # noqa: ANN401
        of_run = f"SELECT * FROM {table.name} WHERE run = ? AND number > ? ORDER BY number LIMIT ?"
        last = f"SELECT * FROM {table.name} WHERE run = ? ORDER BY number DESC LIMIT ?"

        def query(statement: str, *values: StoredValue) -> list[tuple[int, Any]]:
            with self._here() as session:
                found = session.execute(statement, values)
            return [(row[1], read(row)) for row in found]

        def find(numbers: Sequence[int]) -> list[tuple[int, Any]]:
            with self._here() as session:
                found = session.find(table, self._number, numbers)
            return [(row[1], read(row)) for row in found]

        def check(length: int) -> None:
            query = f"SELECT count(*) FROM {table.name} WHERE run = ?"
            with self._here() as session:
                ((found,),) = session.execute(query, (self._number,))
            self._check_number(table.name.removeprefix("discreet_"), found, length)

        return LazyTable(
            length,
            find,
            check,
            lambda after, most: query(of_run, self._number, after, most),
            lambda most: query(last, self._number, most),
        )

    def _here(self) -> Any:  # noqa: ANN401 - a context manager of a session
        """Return the session of the operation, to read with."""
        raise NotImplementedError

    def _checked(self, table: str, row: Row) -> Row:
        """Return a row without run and tag, or refuse a changed one."""
        columns = row[1:-1]
        if not self._seal.fits(table, columns, row[-1]):
            raise self._not_authentic(f"a row of the table {table!r}")
        return columns

    def _read_decision(self, row: Row) -> OpenRow:
        *columns, outcome = self._checked("decision", row)
        number = cast(int, columns[0])
        if outcome is not None:
            raw = self._decrypted(cast(bytes, outcome), "outcome", number)
            self.rows.outcomes.memory.setdefault(number, raw or b"")
        return cast(OpenRow, (*columns, None))

    def _read_batch(self, row: Row) -> GroupRow:
        number, action, trace, size, told, held = cast(Any, self._checked("batch", row))
        action, trace = from_text(self._example, f"[{action}, {trace}]")
        return number, action, trace, size, told, self._decrypted(held, "batch", number, told)

    def _read_held(self, session: Session, rows: LazyRows) -> None:
        query = f"SELECT * FROM {HELD.name} WHERE run = ? ORDER BY place"
        found = session.execute(query, (self._number,))
        # without its row, a release would be drawn again
        self._check_number("held", len(found), self._columns["untaught"])
        for row in found:
            checked = cast(Any, self._checked("held", row))
            number, _, decision, shape, value, held, draws = checked
            content = self._decrypted(value, "drawn", number) or b""
            drawn = numbers_from(shape, content)
            if number == DRAWN:
                held = self._decrypted(held, "drawn", number, 1)
                rows.drawn = Drawn(decision, drawn, held, draws_from(draws))
            else:
                rows.unlearned[number] = decision, drawn

    def _find_usage(self, buckets: Sequence[int]) -> dict[int, tuple[int, bytes] | None]:
        """Return users by bucket; None for a bucket without users."""
        with self._here() as session:
            found = session.find(USAGE, self._number, buckets)
        users = {row[1]: cast(Any, self._checked("usage", row)[1:]) for row in found}
        if len(users) < len(buckets):
            known = self._known_buckets()
            if any(bucket in known for bucket in buckets if bucket not in users):
                raise self._not_authentic("the number of rows of 'usage'")
        return {bucket: users.get(bucket) for bucket in buckets}

    def _known_buckets(self) -> set[int]:
        """Return the buckets that have users, or refuse a table from which one is missing.

        Its users would start again. Anybody can add rows, so only those that were checked count.
        """
        usage = self.rows.usage
        if usage.known is None:
            with self._here() as session:
                query = f"SELECT number FROM {USAGE.name} WHERE run = ?"
                numbers = {row[0] for row in session.execute(query, (self._number,))}
                for row in session.find(USAGE, self._number, sorted(numbers - self._buckets)):
                    self._checked("usage", row)
            self._check_number("usage", len(self._buckets - numbers), 0)
            self._check_usage(len(numbers))
            usage.known = numbers
            if not self._connections.joined:  # else a rollback may remove some of them
                self._buckets = set(numbers)
        return usage.known

    def _check_usage(self, found: int) -> None:
        # there may be more: a worker of an earlier version does not count them
        self._check_number("usage", min(found, self._user_rows), self._user_rows)

    def _all_usage(self) -> dict[int, tuple[int, bytes]]:
        with self._here() as session:
            query = f"SELECT * FROM {USAGE.name} WHERE run = ?"
            found = session.execute(query, (self._number,))
        users = {row[1]: cast(Any, self._checked("usage", row)[1:]) for row in found}
        self._check_usage(len(users))
        return users

    def releases(self) -> Iterator[ReleaseRow]:
        """Return all releases, by batch."""
        with self._here() as session:
            query = f"SELECT * FROM {RELEASE.name} WHERE run = ? ORDER BY number"
            found = session.execute(query, (self._number,))
        least = 0 if self._columns["restored"] else self._columns["released"]
        self._check_number("release", min(len(found), least), least)
        return iter([release_row(self._checked("release", row)) for row in found])

    def prefetch(
        self, decisions: Iterable[int], names: Iterable[str] = (), buckets: Iterable[int] = ()
    ) -> None:
        """Read decisions, their batches and users, with at most three statements."""
        rows = self.rows
        wanted_buckets = rows.usage.want(buckets)
        if wanted_buckets:
            rows.usage.enter(self._find_usage(wanted_buckets))
        wanted = rows.open.want(decisions)
        if wanted:
            with self._here() as session:
                for row in session.find(DECISION, self._number, wanted):
                    rows.open.enter(row[1], self._read_decision(row))
        of = {row[1] for number in wanted if (row := rows.open.get(number)) is not None}
        missing = rows.groups.want(of)
        if missing:
            with self._here() as session:
                for row in session.find(BATCH, self._number, missing):
                    rows.groups.enter(row[1], self._read_batch(row))

    def verify(self) -> None:
        """Check all rows, and their number."""
        self.load(self._example)
        with self._here() as session:
            for table, kind, count in ((DECISION, "decision", "open"), (BATCH, "batch", "waiting")):
                query = f"SELECT * FROM {table.name} WHERE run = ?"
                found = session.execute(query, (self._number,))
                for row in found:
                    self._checked(kind, row)
                self._check_number(kind, len(found), self._columns[count])
        self._all_usage()
        list(self.releases())
