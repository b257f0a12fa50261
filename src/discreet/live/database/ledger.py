"""The ledger of a database: a charge is in the same transaction as the run it is for."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from discreet.errors import DiscreetError, OldCopy, count
from discreet.ledger import BudgetExceeded, Ledger
from discreet.ledger.inputs import User
from discreet.live.database.connections import Connections
from discreet.live.database.sealing import Seal
from discreet.live.database.sessions import Session
from discreet.live.database.tables import CHARGE, LEDGER, VERSION, Row
from discreet.live.database.witness import Witness, is_fresh
from discreet.live.keys import NEW, Version, new_name
from discreet.live.row_cipher import RowCipher

LOCK = -2  # of the ledger
NUMBER = 1  # of its row
LAST = f"SELECT * FROM {CHARGE.name} ORDER BY number DESC LIMIT 1"


class Charges:
    """The table of charges, for statements of ``Ledger`` on the table ``entries``."""

    def __init__(self, session: Session, closed: str | None) -> None:
        self._session, self._closed, self.changed = session, closed, False

    def execute(self, statement: str, values: Row = ()) -> Found:
        """Execute a statement."""
        if statement.startswith("INSERT"):
            self.changed = True
            if self._closed is not None:
                raise BudgetExceeded(self._closed)
        return Found(self._session.execute(statement.replace("entries", CHARGE.name), values))


class Found(list[tuple[Any, ...]]):
    """Rows, in the form of a cursor."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row, if there is one."""
        return self[0] if self else None


class DatabaseLedger(Ledger):
    """A budget whose charges are in the database of its runs.

    A run is charged in the transaction that creates it. Runs limit users (``max_rounds_per_user``),
    not the ledger.
    """

    _instead = "because a copy could spend its budget twice: get it from its database"
    _uncommitted = False  # whether this thread's transaction contains a charge

    def __init__(
        self,
        connections: Connections,
        cipher: RowCipher,
        witness: Witness | None,
        terms: tuple[float, float, str] | None,
        *,
        may_be_old: bool = False,
    ) -> None:
        self._connections, self._witness = connections, witness
        self._uncommitted = may_be_old
        self._seal = Seal(cipher.of_run("ledger"))
        epsilon, delta, composition = terms or self._stored_terms()
        super().__init__(epsilon, delta, composition=composition)
        self._where = f"in {connections.dialect.name}"

    def _stored_terms(self) -> tuple[float, float, str]:
        query = f"SELECT epsilon, delta, composition FROM {LEDGER.name} WHERE number = ?"
        with self._connections.dialect.explained(), self._connections.session() as session:
            found = session.execute(query, (NUMBER,))
        if not found:
            where = self._connections.dialect.name
            raise DiscreetError(f"{where} has no ledger yet: give its epsilon.")
        return cast(tuple[float, float, str], found[0])

    def admit(self, user: User) -> int:
        """Refuse: runs limit users, not the ledger."""
        raise DiscreetError(
            "the ledger of a database does not count users: give max_rounds_per_user to its runs."
        )

    @contextmanager
    def _transaction(  # type: ignore[override]
        self, *, writing: bool = False, creating: bool = False
    ) -> Iterator[Charges]:
        if not self._connections.joined:
            self._uncommitted = False
        with self._connections.transaction(durable=writing) as session:
            # others can neither charge nor read before the witness knows of this
            session.enter(LOCK, "SELECT 1", ())
            self._connections.when_finished(lambda: session.leave(LOCK))
            columns = self._columns(session, creating=creating)
            charges = Charges(session, columns["closed"])
            yield charges
            if charges.changed:
                known = self._version(columns)
                version = known.with_release(new_name())
                version = version._replace(changes=known.changes + 1, last_change=new_name())
                self.keep(session, columns | dict(zip(VERSION, version, strict=True)))
                self.tell_witness(columns["token"], known, version)

    def _columns(self, session: Session, *, creating: bool) -> dict[str, Any]:
        """Return the ledger's row, or refuse a changed or old one; create a new one if needed."""
        query = f"SELECT * FROM {LEDGER.name} WHERE number = ?"
        found = session.execute(query, (NUMBER,))
        terms = (self._budget.epsilon, self._budget.delta, self._composition)
        if not found and creating:
            token = secrets.token_hex(8)
            columns = dict.fromkeys(LEDGER.columns)
            columns |= {
                "number": NUMBER,
                "epsilon": terms[0],
                "delta": terms[1],
                "composition": terms[2],
            }
            columns |= {"token": token} | dict(zip(VERSION, NEW, strict=True))
            if self._witness is not None:
                self._witness.advance(token, None, NEW)
            self.keep(session, columns)
            found = session.execute(query, (NUMBER,))
        columns = dict(zip(LEDGER.columns, found[0], strict=True))
        where = self._connections.dialect.name
        if not self._seal.fits("ledger", self._tagged(session, columns), columns["tag"]):
            raise DiscreetError(
                f"{where} was modified by another program: its ledger fails authentication."
            )
        for name, here in zip(("epsilon", "delta", "composition"), terms, strict=True):
            if columns[name] != here:
                raise DiscreetError(
                    f"{name} is {here!r}, but the ledger in {where} was created with "
                    f"{columns[name]!r}."
                )
        self._check_age(columns)
        return columns

    def _check_age(self, columns: dict[str, Any]) -> None:
        if self._witness is None or self._uncommitted:
            return
        mine, known = self._version(columns), self._witness.read(columns["token"])
        if not is_fresh(mine, known):
            raise OldCopy(
                f"the ledger in {self._connections.dialect.name} is an old copy: it has "
                f"{count(mine.releases, 'charge')}, but had "
                f"{'more' if known is None else f'{known.releases:,}'}; use its latest database, "
                "or declare it restored."
            )
        if mine != known:  # a worker ended before it updated the witness
            self._advance(columns["token"], known, mine)

    def tell_witness(self, token: str, known: Version | None, version: Version) -> None:
        """Update the witness to the ledger's version, once that is committed."""
        self._uncommitted = True
        self._connections.when_committed(lambda: self._advance(token, known, version))

    def _advance(self, token: str, known: Version | None, version: Version) -> None:
        self._uncommitted = False
        if self._witness is not None and not self._witness.advance(token, known, version):
            raise OldCopy(
                f"the ledger in {self._connections.dialect.name} continued in another copy."
            )

    def _version(self, columns: dict[str, Any]) -> Version:
        return Version(*(columns[name] for name in VERSION))

    def keep(self, session: Session, columns: dict[str, Any]) -> None:
        """Write the ledger's row."""
        columns["tag"] = self._seal.of("ledger", self._tagged(session, columns))
        session.put(LEDGER, [tuple(columns[name] for name in LEDGER.columns)])

    def _tagged(self, session: Session, columns: dict[str, Any]) -> Row:
        """Return the columns that the tag covers: the row, and the last charge with its sums."""
        last = session.execute(LAST)
        return (*(columns[name] for name in LEDGER.columns if name != "tag"), repr(last))
