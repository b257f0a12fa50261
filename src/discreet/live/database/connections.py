"""The connections of a process to a database: one per thread while it works."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from discreet.errors import Busy, DiscreetError
from discreet.live.database.sessions import Dialect, Session

TURN = 30.0  # seconds that a thread waits for its turn


class _OfThread(threading.local):
    session: Session | None = None
    committed: list[Callable[[], None]] | None = None  # called after the commit
    finished: list[Callable[[], None]] | None = None  # called then, or after a failure


class Connections:
    """Idle sessions, and the session of each thread."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        # How often a connection was lost. Decisions made before that and not yet durable may be
        # lost, too, so stores begin a new session of decisions.
        self.losses = 0
        self._idle: list[Session] = []
        self._guard, self._turn = threading.Lock(), threading.RLock()
        self._mine = _OfThread()
        self._process, self._closed = os.getpid(), False

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Provide a session; nested blocks share that of the thread."""
        if self._mine.session is not None:
            yield self._mine.session
            return
        session = self.borrow()
        try:
            yield session
        finally:
            self.give_back()

    @contextmanager
    def transaction(self, *, durable: bool = True) -> Iterator[Session]:
        """Run the block in a transaction; a nested block joins the outer one."""
        with self.session() as session:
            if self._mine.committed is not None:
                yield session
                return
            after: list[Callable[[], None]] = []
            finished: list[Callable[[], None]] = []
            self._mine.committed, self._mine.finished = after, finished
            try:
                try:
                    with self.dialect.explained():
                        session.begin(durable=durable)
                        yield session
                        session.commit()
                except BaseException:
                    session.rollback()
                    raise
                finally:
                    self._mine.committed = self._mine.finished = None
                for do in after:
                    do()
            finally:
                for do in finished:
                    do()

    @property
    def joined(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._mine.committed is not None

    def when_committed(self, do: Callable[[], None]) -> None:
        """Call this after the transaction of this thread is committed."""
        assert self._mine.committed is not None, "in a transaction"
        self._mine.committed.append(do)

    def when_finished(self, do: Callable[[], None]) -> None:
        """Call this at the very end of the transaction of this thread, in any case."""
        assert self._mine.finished is not None, "in a transaction"
        self._mine.finished.append(do)

    def borrow(self) -> Session:
        """Return a session for this thread, until ``give_back``."""
        if os.getpid() != self._process:
            raise DiscreetError(
                f"{self.dialect.name} was opened by another process: open it again in this one."
            )
        if self._closed:
            raise DiscreetError(f"{self.dialect.name} is closed: open it again.")
        if self.dialect.one_session and not self._turn.acquire(timeout=TURN):
            raise Busy(f"{self.dialect.name} is in use by other threads: try again.")
        try:
            with self._guard:
                session = self._idle.pop() if self._idle else None
            if session is None:
                with self.dialect.explained():
                    session = self.dialect.connect()
        except BaseException:
            if self.dialect.one_session:
                self._turn.__exit__(None, None, None)
            raise
        self._mine.session = session
        return session

    def give_back(self) -> None:
        """Return this thread's session to the pool."""
        session, self._mine.session = self._mine.session, None
        assert session is not None, "it was borrowed"
        try:
            if session.in_transaction:
                session.rollback()
            if session.is_broken or self._closed:
                self.lose(session)
            else:
                with self._guard:
                    self._idle.append(session)
        finally:
            if self.dialect.one_session:
                self._turn.__exit__(None, None, None)

    def lose(self, session: Session) -> None:
        """Drop a lost connection, and all idle ones, which may be lost, too."""
        with self._guard:
            lost, self._idle = [session, *self._idle], []
            self.losses += 1
        for each in lost:
            each.close()

    def replace(self) -> Session:
        """Return a new session for this thread, in place of a broken one."""
        assert self._mine.session is not None, "it was borrowed"
        self.lose(self._mine.session)
        with self.dialect.explained():
            self._mine.session = self.dialect.connect()
        return self._mine.session

    def close(self) -> None:
        """Close all idle sessions, and soon the others."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()
        self.dialect.close()
