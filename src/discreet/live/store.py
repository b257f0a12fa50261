"""Where a run is kept: the contract of stores, and the store in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import ClassVar, Protocol, cast

from discreet.errors import Busy, DiscreetError, shorten
from discreet.estimates.released import ReleaseSum
from discreet.live.keys import KeyPlace
from discreet.live.release_log import ReleaseFacts, ReleaseRow, summed
from discreet.live.row_cipher import RowCipher
from discreet.live.rows import (
    Change,
    Counters,
    Drawn,
    Draws,
    Example,
    Group,
    OpenRow,
    Recipe,
    Rows,
    new_session,
)


class RunLock(Protocol):
    """A reentrant lock that knows whether this thread has it."""

    def __enter__(self) -> object: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None: ...
    def _is_owned(self) -> bool: ...


class Store:
    """Keeps one run: its rows, and changes to them in transactions, each made whole or not at all.

    A store object names a place, such as a file. ``create`` starts a run there, ``open`` continues
    one; either takes the run for this process until ``close``, and a second writer is refused.
    ``rows`` is what is committed, decrypted. If a method raises, nothing has changed, and ``load``
    goes back to what is committed.

    To add a kind of store, write a subclass, register a scheme with ``register_store``, and run
    ``discreet.testing.StoreConformance``. A store writes raw columns (``Group.held``, the stream,
    outcomes) only encrypted, if it is given the place of a key.
    """

    durable: ClassVar[bool] = True  # whether a run outlives the process
    shared: ClassVar[bool] = False  # whether several workers may have the run open at once
    layout: ClassVar[int] = 1  # the version of the format that it writes
    name: str  # what messages call it, without secrets
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
        """The secret under which users are hashed; without a key it hides nobody."""
        return self.rows.token.encode() if self._key is None else self._key.user_secret

    def make_lock(self, stale: Callable[[], None]) -> RunLock:
        """Return what a run holds during each of its operations.

        Of a store that workers share, it also keeps others out; ``stale`` is called if one of them
        has changed the run meanwhile.
        """
        return cast(RunLock, threading.RLock())

    def beginning(self) -> AbstractContextManager[object]:
        """Make what follows one transaction, if the store can: a new run, and its charge."""
        return nullcontext()

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run with these rows, or refuse if there is one; without ``key`` in plain text."""
        raise NotImplementedError

    def open(self, key: KeyPlace | None = None) -> None:
        """Take the run that is here, in a new session; decisions given before stay valid.

        A lost key is replaced by a new one; the unfinished groups that it hid are closed and
        counted as lost.
        """
        raise NotImplementedError

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        raise NotImplementedError

    def load(self, example: Example) -> None:
        """Read what is committed; ``example`` is an action and a trace of the kind in groups.

        Whatever was begun and not committed is gone afterwards.
        """
        raise NotImplementedError

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
        """Open a decision. When it returns, nobody else is given that decision.

        What is None stays as it is. ``row`` has the fields of a ``Ticket``; ``times`` is how often
        its choice was made, with this one; ``group`` is a new group; ``outcome`` is a placeholder
        of the size of an outcome, kept until the deadline; ``usage`` is a bucket of users with
        their rounds, one of them this one, in place of the bucket with the same number. A count
        may be lost in a crash only together with its decision, and a decision that was told, or of
        whose group something was released, not at all.
        """
        raise NotImplementedError

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
        """Close a decision. When it returns, what was told is durable.

        A release was drawn before, and ``hold`` has made it durable; it is no longer held now. What
        is None stays as it is. ``group`` is its group as it is now, or ``closed`` the number
        of a group that ends; ``released`` is the group that something is released of, at most
        once, and ``value`` what that is (None if the channel is not private: it would be raw);
        ``facts`` are what is public about it.
        """
        raise NotImplementedError

    def hold(self, drawn: Drawn) -> None:
        """Keep a release before the learner sees it. When it returns, it is durable and counts.

        ``rows.drawn`` then is this release, also after ``open``, until ``tell`` completes it.
        """
        raise NotImplementedError

    def change(self, change: Change) -> None:
        """Make another change."""
        raise NotImplementedError

    def releases(self) -> Iterator[ReleaseRow]:
        """Return the releases that are kept, by batch; a run in memory keeps the last ones only."""
        raise NotImplementedError

    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of all releases, by choice and by size of their batches."""
        return summed(self.releases())

    def together(self, *, lasting: bool = True) -> AbstractContextManager[None]:
        """Make all changes in a ``with`` block whole or not at all, in one transaction.

        ``rows`` has each of them at once. If the block raises, ``load`` takes them back. Unless
        ``lasting`` is False they are durable when the block ends. There is no ``hold`` in it.
        """
        raise NotImplementedError

    def defer(self, group: int, decision: int, value: object) -> None:
        """Keep one of several releases before the learner sees it, in a block of ``together``.

        It counts when the block ends. Its decision is told, and its group is there, until ``tell``
        has it as ``released``; until then ``rows.unlearned`` has it, also after ``open``.
        """
        raise NotImplementedError

    def prefetch(
        self, decisions: Iterable[int], names: Iterable[str] = (), buckets: Iterable[int] = ()
    ) -> None:
        """Read what a group of operations needs, if that is quicker than one by one.

        Decisions with their groups, names, and buckets of users.
        """

    def recall(self, name: str) -> bytes | None:
        """Return what ``remember`` keeps under a name, for a day; None if there is nothing."""
        raise DiscreetError(
            f"a decision has the name {shorten(name)}, but {self.name} keeps no names: a database "
            "does (discreet.live.database)."
        )

    def remember(self, name: str, content: bytes) -> None:
        """Keep the decision that a caller has named, in the transaction that makes it."""
        raise NotImplementedError

    def verify(self) -> None:
        """Check all that is kept, also what was not read yet; refuse what was changed."""

    def close(self) -> None:
        """Release the run, so that another process can open it."""
        raise NotImplementedError

    # What stores have in common: raw columns are written encrypted.

    def _encrypted(
        self, raw: bytes | None, kind: str, number: int = 0, version: int = 0
    ) -> bytes | None:
        """Return a raw column as it is written; ``version`` is how many outcomes are in it."""
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
        """Return what is authenticated with a row: its format, run, kind, number and version."""
        return f"{self.layout} {self._token} {kind} {number} {version}".encode()


class MemoryStore(Store):
    """Keeps a run as long as the process lives; nothing is written or encrypted."""

    durable = False
    name = "the store in memory"
    clock = staticmethod(time.time)  # which saves a call

    def __init__(self) -> None:
        self._kept: Rows | None = None
        self._in_use = False

    def create(self, rows: Rows, key: KeyPlace | None = None) -> None:
        """Start a run with these rows."""
        if self._kept is not None:
            raise DiscreetError(f"{self.name} keeps a run already: open it.")
        self._use(rows)

    def open(self, key: KeyPlace | None = None) -> None:
        """Take the run again, after it was closed."""
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
        # The tables' own methods, which saves a call per change.
        self.ask, self.tell, self.change = rows.ask, rows.tell, rows.change  # type: ignore[method-assign]
        self.hold, self.defer = rows.hold, rows.defer  # type: ignore[method-assign]

    def recipe(self) -> Recipe:
        """Return the arguments that the run was made with."""
        return self.rows.recipe

    def load(self, example: Example) -> None:
        """Complete a change that was interrupted while it entered the tables."""
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
        """Release the run."""
        self._in_use = False
