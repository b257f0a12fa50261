"""A run in a database: operations of several workers, each in its own transactions."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, cast

from discreet.errors import DiscreetError
from discreet.live.database.records import Records
from discreet.live.database.run_rows import DRAWN
from discreet.live.database.sessions import Session
from discreet.live.database.tables import RUN
from discreet.live.database.writing import RunWriter
from discreet.live.keys import NEW, KeyPlace, new_name
from discreet.live.release_log import ReleaseFacts
from discreet.live.row_text import number_bytes, recipe_text
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
    new_session,
)
from discreet.live.store import RunLock

ONLY_RELEASES = "releases"  # the value of ``durable`` with which outcomes do not wait for the disk
NAMED = "name"  # the kind of the records of named decisions
DAY = 86_400.0  # seconds for which they are stored


class SharedLock:
    """Keeps other threads and other workers out of a run during an operation."""

    def __init__(self, store: DatabaseStore, stale: Callable[[], None]) -> None:
        self._store, self._stale = store, stale
        self._lock, self._depth = threading.RLock(), 0

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            if self._depth == 0 and self._store.enter():
                self._stale()
            self._depth += 1
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        self._depth -= 1
        try:
            if self._depth == 0:
                self._store.leave()
        finally:
            self._lock.__exit__(None, None, None)

    def _is_owned(self) -> bool:
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]


class DatabaseStore(RunWriter):
    """Stores one of the runs of a database, which several workers may have open at once.

    An operation holds the run's lock from beginning to end, and starts from the committed state:
    rows in memory stay valid until another worker changes the run. Its changes are written as sets
    of rows, in one transaction.
    """

    shared = True
    _entered = _is_closed = _in_group = False
    _losses = -1
    _offset = 0.0  # of the database's clock
    _named: dict[str, bytes | None]  # decisions by name, in this operation
    _hidden: dict[str, str]  # names in the database's form

    # Operations

    def make_lock(self, stale: Callable[[], None]) -> RunLock:
        """Return the lock that keeps others out during an operation."""
        return SharedLock(self, stale)

    def beginning(self) -> AbstractContextManager[object]:
        """Make the block one transaction."""
        return self._connections.transaction()

    def enter(self) -> bool:
        """Begin an operation; return whether the run must be reloaded."""
        if self._is_closed:
            return False
        connections, joined = self._connections, self._connections.joined
        session = self._session_of_thread() if joined else connections.borrow()
        try:
            with connections.dialect.explained():
                ((state, now),) = self._header(session, again=not joined) or [(None, None)]
        except BaseException:
            if not joined:
                connections.give_back()
            raise
        self._entered, self._joined = True, joined
        if now is not None:
            self._offset = now - time.time()
        self._named, self._hidden = {}, {}
        if self._losses == connections.losses and state == self._state:
            return False
        # Another worker changed the run, or the database lost what was not durable: a lost decision
        # must not have the same token as the one that gets its number.
        self._losses, self._session, self._state = connections.losses, new_session(), b""
        return True

    def _header(self, session: Session, *, again: bool) -> list[tuple[Any, ...]]:
        """Wait for the run's lock, and return the name of its last change, and the time."""
        query = f"SELECT state, {self._connections.dialect.clock} FROM {RUN.name} WHERE run = ?"
        try:
            return session.enter(self._number, query, (self._number,))
        except Exception:
            session.rollback()
            if not session.is_broken or not again:
                raise
            session = self._connections.replace()  # nothing has begun, so another session will do
            return session.enter(self._number, query, (self._number,))

    def leave(self) -> None:
        """End an operation."""
        if self._entered:
            self._entered = False
            session = self._session_of_thread()
            session.leave(self._number)
            if not self._joined:
                self._connections.give_back()

    def _session_of_thread(self) -> Session:
        with self._connections.session() as session:
            return session

    @contextmanager
    def _here(self) -> Iterator[Session]:
        with self._connections.dialect.explained(), self._connections.session() as session:
            yield session

    def clock(self) -> float:
        """Return the time of the database."""
        return time.time() + self._offset

    @contextmanager
    def _alone(self) -> Iterator[Session]:
        """Run the block in an operation, starting one if needed."""
        if self._entered:
            yield self._session_of_thread()
            return
        self.enter()
        try:
            yield self._session_of_thread()
        finally:
            self.leave()

    # Runs

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run with these rows; ``key`` marks it as private, without a place for a key."""
        text = recipe_text(rows.recipe)
        with self._connections.transaction() as session:
            session.lock_until_commit(0)
            query = f"SELECT 1 FROM {RUN.name} WHERE name = ?"
            if session.execute(query, (self._run_name,)):
                raise DiscreetError(f"{self.name} already exists: use open to continue it.")
            ((number,),) = session.execute(f"SELECT coalesce(max(run), 0) + 1 FROM {RUN.name}")
            self._enter_run(number, rows.token, protected=key is not None)
            first = NEW._replace(last_change=new_name())
            self._insert_run(session, rows, text, first)
            if self._witness is not None:
                self._witness.advance(rows.token, None, first)
        self._session = rows.session
        self._losses, self._state = self._connections.losses, b""

    def open(self, key: KeyPlace | None = None) -> None:
        """Open the run, beside other workers."""
        if key is not None and key.lost:
            raise DiscreetError(
                "lost_key is True, but the keys of a database derive from its secret: give that."
            )
        self.peek()
        self._is_closed, self._session = False, new_session()
        self._losses, self._state = self._connections.losses, b""
        with self._alone() as session, self._connections.dialect.explained():
            self._read_run(session)  # under the lock, so neither it nor the witness changes

    def peek(self) -> None:
        """Read the run's row without its lock, even if it is an old copy."""
        with self._here() as session:
            self._read_run(session, check_age=False)

    def recipe(self) -> Recipe:
        """Return the arguments that created the run."""
        return cast(Recipe, json.loads(self._columns["recipe"]))

    def load(self, example: Example) -> None:
        """Read the committed state, as far as it is needed now."""
        with self._alone() as session, self._connections.dialect.explained():
            if session.in_transaction and not self._connections.joined:
                session.rollback()
            self._begin_changes()
            self._texts = {}
            self._read_run(session)
            self.rows = self._rows(session, example)
            self._state = self._columns["state"]
            self._only_releases = self.rows.recipe.get("durable") == ONLY_RELEASES

    def close(self) -> None:
        """Leave the run to other workers."""
        self._is_closed = True

    # Changes

    @contextmanager
    def together(self, *, lasting: bool = True, whatever: bool = False) -> Iterator[None]:
        """Make changes in one transaction, which is durable if ``lasting``.

        If only releases wait for the disk, other changes need not be on it, unless ``whatever``.
        """
        with self._alone() as session:
            self._in_group = True
            try:
                yield
                needed = whatever or not self._only_releases or self._new_releases > 0
                self._write(session, lasting=lasting and needed)
            except BaseException:
                self._state = b""  # memory does not match the committed state
                raise
            finally:
                self._in_group = False

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
        """Open a decision."""
        if not self._in_group:
            with self.together(lasting=False):
                self.ask(counters, row, times, group, learner, draws, outcome, usage)
            return
        self.rows.ask(counters, row, times, group, learner, draws, outcome, usage)
        noted = self._noted
        noted.add("choices")
        if learner is not None:
            noted.add("learner")
        if draws is not None:
            noted.add("draws")
        if usage is not None:
            self.rows.note_window(usage[1])

    def hold(self, drawn: Drawn) -> None:
        """Store a release before the learner sees it."""
        if not self._in_group:
            with self.together():
                self.hold(drawn)
            return
        self.rows.hold(drawn)
        self._hold_row(DRAWN, -1, drawn.decision, drawn.value, drawn.held, drawn.draws)
        self._new_releases += 1

    def defer(self, group: int, decision: int, value: object) -> None:
        """Store one of several releases before the learner sees it."""
        self._hold_row(group, len(self.rows.unlearned), decision, value, None, None)
        self.rows.defer(group, decision, value)
        self._new_releases += 1

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
        """Close a decision."""
        rows = self.rows
        unlearned = released is not None and released in rows.unlearned
        known = unlearned or rows.drawn is not None  # the release is already durable
        if not self._in_group:
            change = (counters, decision, group, closed, released, value, learner, stream, draws)
            with self.together(lasting=not known):
                self.tell(*change, facts)
            return
        if unlearned:
            self._held_rows[cast(int, released)] = None
        elif known:
            self._held_rows[DRAWN] = None
        rows.tell(counters, decision, group, closed, released, value, learner, stream, draws)
        if released is not None:  # always of one size, for any value drawn
            numbers = None if value is None else number_bytes(value)[1]
            self._release_row(released, facts, numbers)
            self._new_releases += not known
            if released == FINAL:
                self._noted.add("final")
        self._note(learner=learner, stream=stream, draws=draws)

    def change(self, change: Change) -> None:
        """Make another change."""
        if not self._in_group:
            with self.together(whatever=change.outcome is None):
                self.change(change)
            return
        self.rows.change(change)
        self._note(
            learner=change.learner,
            stream=change.stream,
            slots=change.slots,
            clock=change.clock,
        )

    # Named decisions

    def prefetch(
        self, decisions: Iterable[int], names: Iterable[str] = (), buckets: Iterable[int] = ()
    ) -> None:
        """Read decisions, their batches, users, and names."""
        super().prefetch(decisions, (), buckets)
        wanted = {self._records.hidden(f"{self._token} {each}"): each for each in names}
        if wanted:
            with self._here():
                found = self._records.find(NAMED, list(wanted), since=self.clock() - DAY)
            self._named |= {each: found.get(digest) for digest, each in wanted.items()}
            self._hidden |= {each: digest for digest, each in wanted.items()}

    def recall(self, name: str) -> bytes | None:
        """Return the decision with a name, if it was made within a day."""
        if name not in self._named:
            self.prefetch((), [name])
        return self._named[name]

    def remember(self, name: str, content: bytes) -> None:
        """Store the decision with a name."""
        self._named[name] = content
        digest = self._hidden[name]  # by ``recall``
        self._new_records.append(
            self._records.row(NAMED, digest, content, self.clock(), self._run_name)
        )

    @property
    def records(self) -> Records:
        """The records of the database."""
        return self._records
