"""Mistakes of stores that killing workers, or the server, must find."""

from __future__ import annotations

import contextlib
import random
import secrets

from discreet.live.database import database, ledger, run_rows, writing
from discreet.live.database.postgres import PostgresSession
from discreet.live.database.store import DatabaseStore
from discreet.live.database.tables import DECISION, HELD, RELEASE


class RepliesFirst(DatabaseStore):
    """Acknowledges what it has not committed: three changes out of four wait for the next one."""

    writes = 0

    def _write(self, session, *, lasting):
        self.writes += 1
        if self.writes % 4 == 0:
            super()._write(session, lasting=lasting)


class TwoTransactions(DatabaseStore):
    """Commits outcomes first, and the releases that they made due in a second transaction."""

    def _write_rows(self, session):
        kept = self._held_rows
        self._held_rows = {number: row for number, row in kept.items() if row is None}
        super()._write_rows(session)
        self.late = [row for row in kept.values() if row is not None]

    def _next_columns(self, version):
        return super()._next_columns(version)

    def _write(self, session, *, lasting):
        self.late = []
        super()._write(session, lasting=lasting)
        if self.late:
            session.begin(durable=lasting)
            session.put(HELD, self.late)
            session.commit()


class ForgetsDraws(DatabaseStore):
    """Does not read releases that were drawn and not yet learned from."""

    def _read_held(self, session, rows):
        session.execute(f"DELETE FROM {HELD.name} WHERE run = ?", (self._number,))


class KeepsDecisions(DatabaseStore):
    """Leaves decisions open that were told, now and then."""

    def _write_set(self, session, table, put, gone):
        if table is DECISION and gone and random.random() < 0.2:
            gone = gone[1:]
        super()._write_set(session, table, put, gone)


class DrawsAgain(DatabaseStore):
    """Writes another value for a release that is there when it opens a run."""

    def open(self, key=None):
        super().open(key)
        with self._connections.transaction() as session:
            query = f"SELECT * FROM {RELEASE.name} WHERE run = ? ORDER BY number DESC LIMIT 1"
            for row in session.execute(query, (self._number,)):
                columns = (*row[1:-2], bytes(8))
                session.put(RELEASE, [(row[0], *columns, self._seal.of("release", columns))])


class NoLock(DatabaseStore):
    """Takes what is in memory for what is committed, whoever has changed it meanwhile."""

    def enter(self):
        super().enter()
        if self._state == b"":
            return True
        session = self._session_of_thread()
        session.leave(self._number)
        ((self._columns["state"],),) = session.execute(
            "SELECT state FROM discreet_run WHERE run = ?", (self._number,)
        )
        return False


class ChargesAgain(ledger.DatabaseLedger):
    """Charges a run whenever somebody opens it."""

    def charge(self, guarantee, *, label="", once=False):
        return super().charge(guarantee, label=f"{label} {secrets.token_hex(4)}", once=once)


class NotDurable(PostgresSession):
    """Never waits for the disk."""

    def begin(self, *, durable):
        super().begin(durable=False)


# where each is put in the place of what is right, and what it takes to find it
OF_STORES = {
    "sqlite": [RepliesFirst, TwoTransactions, ForgetsDraws, KeepsDecisions, DrawsAgain],
    "postgres": [NoLock],
}


@contextlib.contextmanager
def mistaken(mistake):
    """Replace what is right by a mistake."""
    name = next(each.__name__ for each in mistake.__mro__[1:])
    module = {"PostgresSession": "postgres"}.get(name)
    if module is not None:
        from discreet.live.database import postgres as module
    else:
        module = database
    right = getattr(module, name)
    setattr(module, name, mistake)
    try:
        yield
    finally:
        setattr(module, name, right)


__all__ = ["OF_STORES", "ChargesAgain", "NotDurable", "mistaken", "run_rows", "writing"]
