"""Stores for runs: their contract, and the store in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import ClassVar, Protocol, cast

from discreet.errors import Busy, DiscreetError, shorten
from discreet.estimates.released import ReleaseSum
from discreet.ledger.guards import NotCopyable
from discreet.live.keys import KeyPlace
from discreet.live.release_log import ReleaseFacts, ReleaseRow, summed
from discreet.live.row_cipher import RowCipher
from discreet.live.rows import (
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


class RunLock(Protocol):
    """A reentrant lock that knows whether this thread holds it."""

    def __enter__(self) -> object: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None: ...
    def _is_owned(self) -> bool: ...


class Store:
    """Stores one run: its rows, and atomic transactions that change them.

    A store object names a place, such as a file. ``create`` starts a run there, ``open`` continues
    one; either takes the run for this process until ``close``, and a second writer is refused.
    ``rows`` is the committed state, decrypted. If a method raises, nothing has changed, and
    ``load`` returns to the committed state.

    To add a kind of store, write a subclass, register a scheme with ``register_store``, and run
    ``discreet.testing.StoreConformance``. If a store gets the place of a key, it writes raw columns
    (the last one of ``GroupRow``, the stream, outcomes) only in encrypted form.
    """

    durable: ClassVar[bool] = True  # whether a run outlives the process
    shared: ClassVar[bool] = False  # whether several workers may have the run open at once
    layout: ClassVar[int] = 1  # the version of its format
    name: str  # for messages, without secrets
    rows: Rows
    _key: RowCipher | None = None  # if raw columns are encrypted
    _token = ""  # of the run

    def clock(self) -> float:
        """Return the time, in seconds since 1970."""
        return time.time()

    @property
    def has_key(self) -> bool:
        """Whether rows are encrypted and authenticated with a key."""
        return self._key is not None

    @property
    def user_secret(self) -> bytes:
        """The secret for hashes of users; without a key, hashes hide nobody."""
        return self.rows.token.encode() if self._key is None else self._key.user_secret

    def make_lock(self, stale: Callable[[], None]) -> RunLock:
        """Return the lock that a run holds during each of its operations.

        If workers share the store, the lock also keeps them out; ``stale`` is called if one of them
        has changed the run meanwhile.
        """
        return cast(RunLock, threading.RLock())

    def beginning(self) -> AbstractContextManager[object]:
        """Make the block one transaction, if the store can: a new run and its charge."""
        return nullcontext()

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run with these rows, or refuse if there is one; without ``key``, unencrypted."""
        raise NotImplementedError

    def open(self, key: KeyPlace | None = None) -> None:
        """Open the run in a new session; earlier decisions stay valid.

        A lost key is replaced by a new one; the unfinished groups that it encrypted are closed and
        counted as lost.
        """
        raise NotImplementedError

    def recipe(self) -> Recipe:
        """Return the arguments that created the run."""
        raise NotImplementedError

    def load(self, example: Example) -> None:
        """Read the committed state; ``example`` is an action and a trace of the kind in groups.

        Anything begun but not committed is discarded.
        """
        raise NotImplementedError

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
        """Open a decision. Once this returns, no other caller gets that decision.

        None leaves a part unchanged. ``row`` has the fields of a ``Ticket``; ``times`` is how often
        its choice was made, including this one; ``group`` is a new group; ``outcome`` is a
        placeholder of the size of an outcome, stored until the deadline; ``usage`` is a bucket of
        users with their rounds, including this one, in place of the bucket with the same number. A
        crash may lose a count only together with its decision, and never a decision whose outcome
        was told or whose group had a release.
        """
        raise NotImplementedError

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
        """Close a decision. Once this returns, its outcome is durable.

        If there is a release, it was drawn before, and ``hold`` made it durable; it is no longer
        held now. None leaves a part unchanged. ``group`` is the new state of its group, or
        ``closed`` the number of a group that ends; ``released`` is the group of the release, at
        most once, and ``value`` the released value (None if the channel is not private: it would be
        raw); ``facts`` are the public facts about it.
        """
        raise NotImplementedError

    def hold(self, drawn: Drawn) -> None:
        """Store a release before the learner sees it. Once this returns, it is durable and counts.

        ``rows.drawn`` is then this release, also after ``open``, until ``tell`` completes it.
        """
        raise NotImplementedError

    def change(self, change: Change) -> None:
        """Make another change."""
        raise NotImplementedError

    def releases(self) -> Iterator[ReleaseRow]:
        """Return the stored releases, by batch; a run in memory has only the last ones."""
        raise NotImplementedError

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of all releases, by choice and by size of their batches."""
        return summed(self.releases())

    def together(self, *, lasting: bool = True) -> AbstractContextManager[None]:
        """Make all changes in a ``with`` block in one transaction: all of them or none.

        ``rows`` shows each of them immediately. If the block raises, ``load`` undoes them. They are
        durable when the block ends, unless ``lasting`` is False. The block must not use ``hold``.
        """
        raise NotImplementedError

    def defer(self, group: int, decision: int, value: object) -> None:
        """Store one of several releases before the learner sees it, in a block of ``together``.

        It counts when the block ends. Its decision is closed, and its group stays until ``tell``
        gets it as ``released``; until then it is in ``rows.unlearned``, also after ``open``.
        """
        raise NotImplementedError

    def prefetch(
        self, decisions: Iterable[int], names: Iterable[str] = (), buckets: Iterable[int] = ()
    ) -> None:
        """Read what a group of operations needs, if that is faster than one by one.

        That is, decisions with their groups, names, and buckets of users.
        """

    def recall(self, name: str) -> bytes | None:
        """Return what ``remember`` stored under a name, for a day; None if there is nothing."""
        raise DiscreetError(
            f"a decision has the name {shorten(name)}, but {self.name} stores no names: use a "
            "database (discreet.live.database)."
        )

    def remember(self, name: str, content: bytes) -> None:
        """Store a named decision, in the transaction that makes it."""
        raise NotImplementedError

    def verify(self) -> None:
        """Check everything in the store, including parts not read yet; refuse changed data."""

    def close(self) -> None:
        """Close the run, so that another process can open it."""
        raise NotImplementedError

    # Common to all stores: raw columns are written encrypted.

    def _encrypted(
        self, raw: bytes | None, kind: str, number: int = 0, version: int = 0
    ) -> bytes | None:
        """Return a raw column in written form; ``version`` is the number of outcomes in it."""
        if raw is None or self._key is None:
            return raw
        return self._key.encrypt(raw, self._row_name(kind, number, version))

    def _decrypted(
        self, stored: bytes | None, kind: str, number: int = 0, version: int = 0
    ) -> bytes | None:
        if stored is None or self._key is None:
            return stored
        try:
            return self._key.decrypt(stored, self._row_name(kind, number, version))
        except ValueError:
            raise self._not_authentic(f"a row of the table {kind!r}") from None

    def _not_authentic(self, what: str) -> DiscreetError:
        return DiscreetError(
            f"{self.name} was modified by another program: {what} fails authentication, so the "
            "run is refused."
        )

    def _row_name(self, kind: str, number: int, version: int) -> bytes:
        """Return the data authenticated with a row: format, run, kind, number and version."""
        return f"{self.layout} {self._token} {kind} {number} {version}".encode()


class MemoryStore(NotCopyable, Store):
    """Stores a run for the lifetime of the process; nothing is written or encrypted."""

    durable = False
    name = "the store in memory"
    clock = staticmethod(time.time)  # which saves a call

    def __init__(self) -> None:
        self._kept: Rows | None = None
        self._in_use = False

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run with these rows."""
        if self._kept is not None:
            raise DiscreetError(f"{self.name} already holds a run: open it.")
        self._use(rows)

    def open(self, key: KeyPlace | None = None) -> None:
        """Open the run again after it was closed."""
        if self._kept is None:
            raise DiscreetError(f"{self.name} has no run.")
        if self._in_use:
            raise Busy(f"{self.name} is in use: a run has one writer, so close it there first.")
        self._kept.complete()
        self._kept.session = new_session()
        self._use(self._kept)

    def _use(self, rows: Rows) -> None:
        self._kept = self.rows = rows
        self._in_use = True
        # The methods of the tables, which saves a call per change.
        self.ask, self.tell, self.change = rows.ask, rows.tell, rows.change  # type: ignore[method-assign]
        self.hold, self.defer = rows.hold, rows.defer  # type: ignore[method-assign]

    def recipe(self) -> Recipe:
        """Return the arguments that created the run."""
        return self.rows.recipe

    def load(self, example: Example) -> None:
        """Complete a change that was interrupted while the tables were updated."""
        self.rows.complete()

    def releases(self) -> Iterator[ReleaseRow]:
        """Return the last releases."""
        return self.rows.log.rows()

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of all releases."""
        return self.rows.log.sums()

    @contextmanager
    def together(self, *, lasting: bool = True) -> Iterator[None]:
        """Make several changes, or none."""
        self.rows.begin()
        yield
        self.rows.commit()

    def close(self) -> None:
        """Close the run."""
        self._in_use = False
