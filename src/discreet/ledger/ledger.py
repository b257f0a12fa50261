"""A privacy budget that survives crashes: every release is charged first, or refused."""

from __future__ import annotations

import contextlib
import hmac
import os
import sqlite3
import time
import weakref
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from discreet.errors import (
    DiscreetError,
    LimitReached,
    check_flag,
    check_int,
    check_positive,
    check_range,
    has_items,
    unknown_name,
)
from discreet.guarantee import Guarantee
from discreet.guarantee_words import check_period
from discreet.ledger.guards import NotCopyable, sqlite_lock
from discreet.ledger.inputs import (
    UNREADABLE,
    User,
    check_charge,
    check_key,
    check_stored_key,
    present_file,
    unusable,
)
from discreet.ledger.rules import EXACT, RULES, Cost, exact, less, same_charge, share
from discreet.ledger.shown import ledger_html
from discreet.ledger.users import LedgerUsers, limit_words

BUSY_SECONDS = 30.0  # how long to wait for another process
# The application id of a ledger's file: "Lgr1", or "Lgr2" if its users have periods.
MARK, RENEWED_MARK = 0x4C677231, 0x4C677232

TABLES = (
    "CREATE TABLE terms (epsilon, delta, composition, max_rounds_per_user, key_check)",
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, label, epsilon, delta, rho, status, time, "
    "total)",
)

# Their keyed hash in the file identifies its key, and how users are counted.
CHECK = b"check: users are NFKC text"
BY_LABEL = "SELECT number, epsilon, delta FROM entries WHERE label = ? ORDER BY number LIMIT 1"


class BudgetExceeded(LimitReached):
    """The charge would exceed the budget; nothing was charged, so nothing may be released."""

    kind = "budget-exceeded"


class UserLimitReached(LimitReached):
    """The user has reached the limit: the round does not count; do not use its outcome."""


class LedgerEntry(NamedTuple):
    """One charge, as it was made; ``time`` is UTC in ISO format."""

    number: int
    label: str
    epsilon: float
    delta: float
    rho: float | None
    status: str
    time: str


class Ledger(NotCopyable):
    """A budget of (epsilon, delta)-differential privacy; every release is charged to it first.

    If every release is charged first, with a guarantee that is true of it, then everything released
    together is (epsilon, delta)-differentially private. This also holds if later releases and their
    guarantees are chosen after looking at earlier ones, and if long-running ones overlap (Haney et
    al. 2023). All guarantees must be about the same unit: to protect people who take part in up to
    m rounds, set ``max_rounds_per_user=m``, ``admit`` every round, and charge
    ``guarantee.for_user(rounds=m)``. The guarantee is about the whole budget; ``spent`` is the part
    used so far.

    ``composition="basic"`` adds up epsilons and deltas (Rogers et al. 2016). ``"zcdp"`` adds up rho
    and converts the sum to ``epsilon = rho + 2 sqrt(rho ln(1/delta))`` at the budget's delta
    (Feldman & Zrnic 2021; Whitehouse et al. 2023). Choose ``"zcdp"`` for Gaussian noise and for
    many small charges, ``"basic"`` for few or large ones: equal pure charges of e cost less by
    ``"zcdp"`` when there are more than ``4 t ln(1/delta) / (e (1 - t)^2)``, ``t = tanh(e/2)``. The
    rule is fixed at the start: each rule is proved for all charges together, stopped by that rule.
    Picking the better one along the way would let released values choose the rule, which neither
    proof covers.

    Numbers mean the decimals they print as, and sums are exact: ten charges of 0.1 make exactly 1,
    and a budget of 1 has no room left.

    With ``path``, the ledger is a SQLite file that processes may share. When ``charge`` or
    ``admit`` returns, the entry is on disk: a crash may leave a charge without its release, but
    never a release without its charge. Use a local disk; deleting the file or restoring an old copy
    loses charges. The file holds labels in plain text, and users only as HMAC-SHA256 under ``key``,
    which is never stored and is needed to open the file again.

    With ``per`` (a ``timedelta``), users have ``max_rounds_per_user`` rounds in each period, and
    the budget is for all rounds of one user in one period, against everything ever released.
    Periods are windows that begin at fixed times (:meth:`Guarantee.for_periods`).

    >>> facts = {"model": "central", "status": "proved", "source": "a theorem"}
    >>> guarantee = Guarantee(epsilon=0.2, delta=0.0, **facts).for_user(rounds=2)
    >>> ledger = Ledger(1.0, max_rounds_per_user=2)
    >>> ledger.charge(guarantee, label="May"), ledger.charge(guarantee, label="June")
    (1, 2)
    >>> ledger.spent.epsilon, ledger.remaining.epsilon
    (0.8, 0.2)
    >>> ledger.charge(guarantee, label="July")
    Traceback (most recent call last):
    ...
    discreet.ledger.ledger.BudgetExceeded: a charge of 0.4-differential privacy would make epsilon
    1.2 and delta 0.0 in all, but the budget is epsilon 1.0 and delta 0.0: a pure guarantee of
    epsilon at most 0.2, which is 0.1 per round, would fit.
    >>> ledger.admit("Ada"), ledger.admit("Ada")
    (1, 2)
    """

    _instead = "because a copy could spend its budget twice: open its path"

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        *,
        composition: str = "basic",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        path: str | os.PathLike[str] | None = None,
        key: bytes | None = None,
    ) -> None:
        if not isinstance(composition, str) or composition not in RULES:
            raise unknown_name("composition", composition, RULES)
        self._budget = Cost(
            check_positive("epsilon", epsilon), check_range("delta", delta, 0.0, 1.0)
        )
        self._composition = composition
        self._rule = RULES[composition](self._budget.epsilon, self._budget.delta)
        limit = max_rounds_per_user
        self._limit = None if limit is None else check_int("max_rounds_per_user", limit, minimum=1)
        self._key = check_key(key, limited=self._limit is not None, in_memory=path is None)
        per = None if per is None else check_period("per", per)
        self._users = LedgerUsers(self._limit, per, self._key)
        self._closed = False
        self._process = os.getpid()
        self._path = None if path is None else present_file(path)
        self._where = "in memory" if path is None else f"in {str(self._path)!r}"
        # unused with a path
        self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._memory.close)
        with self._transaction(writing=True, creating=True):
            pass

    def charge(self, guarantee: Guarantee, *, label: str = "", once: bool = False) -> int:
        """Charge a guarantee to the budget and return the entry's number; release only afterwards.

        A charge that would exceed the budget raises ``BudgetExceeded``, and nothing is charged.
        With ``once``, the label identifies the charge: if it is already in the ledger, this returns
        its entry's number and charges nothing. So a program that stopped right after a charge can
        simply repeat it.
        """
        check_charge(guarantee, label, self._limit or 1, self.per)
        check_flag("once", once)
        epsilon, delta = float(guarantee.epsilon), float(guarantee.delta)
        facts = (label, epsilon, delta, guarantee.rho, guarantee.status)
        with self._transaction(writing=True) as file:
            if once and (known := file.execute(BY_LABEL, (label,)).fetchone()) is not None:
                return same_charge(known, facts)
            number, total = self._with(file, guarantee)
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            row = (number + 1, *facts, now, " ".join(map(str, total)))
            file.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        return number + 1

    def check_room(self, guarantee: Guarantee) -> None:
        """Refuse a guarantee that ``charge`` would refuse now; charge nothing."""
        check_charge(guarantee, "", self._limit or 1, self.per)
        with self._transaction() as file:
            self._with(file, guarantee)

    def _with(
        self, file: sqlite3.Connection, guarantee: Guarantee
    ) -> tuple[int, tuple[Decimal, ...]]:
        """Return the number of the last entry, and the sums with one more charge, if it fits."""
        price, (number, before) = self._rule.price(guarantee), self._last(file)
        total = tuple(EXACT.add(old, more) for old, more in zip(before, price, strict=True))
        if any(sum_ > limit for sum_, limit in zip(total, self._rule.limit, strict=True)):
            then, most = self._rule.cost(total), self._budget
            raise BudgetExceeded(
                f"a charge of {guarantee.short} would make epsilon {then.epsilon!r} and delta "
                f"{then.delta!r} in all, but the budget is epsilon {most.epsilon!r} and delta "
                f"{most.delta!r}: {self._rule.offer(before, guarantee)}."
            )
        return number, total

    def epsilon_a_round(self, *, runs: int = 1) -> float:
        """Return the largest epsilon per round that each of ``runs`` more pure runs can have.

        The remaining budget is split among the runs, and in each among the rounds of a user.

        >>> ledger = Ledger(2.0, max_rounds_per_user=4)
        >>> ledger.epsilon_a_round(), ledger.epsilon_a_round(runs=5)
        (0.5, 0.1)
        """
        number = check_int("runs", runs, minimum=1)
        with self._transaction() as file:
            _, before = self._last(file)
        return share(self._rule.room(before, charges=number), self._limit or 1)

    def admit(self, user: User) -> int:
        """Count a round of a user; return their rounds so far. Use its outcome only afterwards.

        Text names a user. A whole number stands for the text it prints as, and bytes for the text
        they encode. Compatible characters are equal (NFKC), and invisible ones are ignored:
        surrounding blanks, zero-width and other format characters, NUL. So 17, "17", b"17", " 17"
        and "１７" are one user. Beyond ``max_rounds_per_user``, this raises ``UserLimitReached``
        and does not count the round.
        """
        (rounds,) = self._admit([self._users.digest(user)])
        if rounds is None:
            raise UserLimitReached(limit_words(self._limit or 0, self.per))
        return rounds

    def admit_all(self, users: Iterable[User]) -> list[int | None]:
        """Count one round for each user in one transaction, which is much faster than one by one.

        Returns the rounds so far of each, in the same order; None for a user at the limit, who is
        not counted and whose outcome must not be used. If one name is refused, no user is counted.

        >>> Ledger(1.0, max_rounds_per_user=2).admit_all(["Ada", "Bob", "Ada", "Ada"])
        [1, 1, 2, None]
        """
        if not has_items(users):
            raise DiscreetError(
                f"users is of type {type(users).__name__}, but must be a list of users."
            )
        return self._admit([self._users.digest(user) for user in users])

    def _admit(self, digests: list[bytes]) -> list[int | None]:
        with self._transaction(writing=True) as file:
            window = self._users.window(file, time.time())
            rounds = [self._users.count(file, digest, window) for digest in digests]
            self._users.keep(file, window)
        return rounds

    def rounds_of(self, user: User) -> int:
        """Return the number of rounds that a user has had, in the current period."""
        digest = self._users.digest(user)
        with self._transaction() as file:
            return self._users.rounds(file, digest, self._users.window(file, time.time()))

    @property
    def budget(self) -> Cost:
        """The total budget."""
        return self._budget

    @property
    def max_rounds_per_user(self) -> int | None:
        """How many rounds ``admit`` allows each user."""
        return self._limit

    @property
    def per(self) -> timedelta | None:
        """The period after which ``admit`` renews the limit of users; None if it never does."""
        return self._users.per

    @property
    def spent(self) -> Cost:
        """The total of all charges so far, rounded up."""
        with self._transaction() as file:
            return self._rule.cost(self._last(file)[1])

    @property
    def remaining(self) -> Cost:
        """The budget less what is spent, rounded down; with zCDP also the remaining ``rho``."""
        spent, most = self.spent, self._budget
        rho = None if spent.rho is None else less(self._rule.limit[0], spent.rho)
        return Cost(
            less(exact(most.epsilon), spent.epsilon), less(exact(most.delta), spent.delta), rho
        )

    def entries(self) -> list[LedgerEntry]:
        """Return all charges, oldest first."""
        with self._transaction() as file:
            rows = file.execute(
                "SELECT number, label, epsilon, delta, rho, status, time FROM entries ORDER BY "
                "number"
            )
            return [LedgerEntry(*row) for row in rows]

    def close(self) -> None:
        """Refuse everything from now on; a ledger in memory is lost."""
        with sqlite_lock:
            self._closed = True
            self._memory.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return ledger_html(self, self._composition)

    def __repr__(self) -> str:
        try:
            spent = f"spent {self.spent}"
        except DiscreetError:
            spent = "closed" if self._closed else "unreadable"
        return (
            f"Ledger(epsilon={self._budget.epsilon!r}, delta={self._budget.delta!r}, "
            f"composition={self._composition!r}, max_rounds_per_user={self._limit!r}; {spent}; "
            f"kept {self._where})"
        )

    @contextlib.contextmanager
    def _transaction(
        self, *, writing: bool = False, creating: bool = False
    ) -> Iterator[sqlite3.Connection]:
        """Run the block in an exclusive transaction, which is on disk afterwards.

        The file is opened every time: then no connection outlives a fork or is shared by threads, a
        missing file is noticed, and the cost is small compared with the disk's delay. The rollback
        journal keeps every commit in one file, which the write-ahead log (faster, with a corrupting
        bug before SQLite 3.51.3) would not. EXTRA, because with FULL a power failure may restore a
        deleted journal and so undo the last commit.
        """
        with sqlite_lock:
            if self._closed:
                raise DiscreetError("this ledger is closed: create it again to use it.")
            if self._path is None and os.getpid() != self._process:
                raise DiscreetError(
                    "this ledger is in the memory of another process: give it a path to share it."
                )
            try:
                with self._connection() as file:
                    file.execute("PRAGMA synchronous = EXTRA")
                    file.execute("PRAGMA fullfsync = ON")  # else macOS does not wait for the disk
                    file.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
                    try:
                        self._check(file, creating)
                        yield file
                        file.execute("COMMIT")
                    finally:
                        if file.in_transaction:
                            file.execute("ROLLBACK")
            except UNREADABLE as error:
                raise unusable(error, self._where) from None

    def _connection(self) -> contextlib.AbstractContextManager[sqlite3.Connection]:
        if self._path is None:
            return contextlib.nullcontext(self._memory)
        # not rwc: a missing file must not be created again
        address = f"{self._path.as_uri()}?mode=rw"
        return contextlib.closing(
            sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        )

    def _check(self, file: sqlite3.Connection, creating: bool) -> None:
        """Refuse a file that is not this ledger; fill it if it is new."""
        terms = (self._budget.epsilon, self._budget.delta, self._composition, self._limit)
        check = None if self._key is None else hmac.digest(self._key, CHECK, "sha256")
        if creating and not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in TABLES:
                file.execute(statement)
            self._users.create(file)
            mark = MARK if self.per is None else RENEWED_MARK
            file.execute(f"PRAGMA application_id = {mark}")
            file.execute("INSERT INTO terms VALUES (?, ?, ?, ?, ?)", (*terms, check))
        if file.execute("PRAGMA application_id").fetchone()[0] not in (MARK, RENEWED_MARK):
            raise DiscreetError(f"the ledger {self._where} is a file of another kind.")
        *stored, stored_check = file.execute("SELECT * FROM terms").fetchone()
        names = ("epsilon", "delta", "composition", "max_rounds_per_user", "per")
        here_all, stored = (*terms, self.per), [*stored, self._users.stored_period(file)]
        for name, here, there in zip(names, here_all, stored, strict=True):
            if here != there:
                raise DiscreetError(
                    f"{name} is {here!r}, but the ledger {self._where} was created with {there!r}."
                )
        check_stored_key(self._key, check, stored_check, self._where)

    def _last(self, file: sqlite3.Connection) -> tuple[int, tuple[Decimal, ...]]:
        """Return the number of the last entry, and the exact sums up to it."""
        row = file.execute(
            "SELECT number, total FROM entries ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return 0, (Decimal(0),) * len(self._rule.limit)
        return row[0], tuple(map(Decimal, row[1].split()))
