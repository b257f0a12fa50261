"""Several decisions or outcomes in one transaction, and releases that deadlines make due."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from discreet.errors import DiscreetError, HorizonUsed, count
from discreet.ledger.inputs import User
from discreet.live.engine import Engine
from discreet.live.frames import withhold_frames
from discreet.live.giving_up import GivingUp
from discreet.live.rows import Change, Draws, Group, GroupRow, OpenRow, Rows, Ticket
from discreet.live.users import bare_id

CHUNK = 2_000  # due decisions per transaction
ToldOutcome = tuple[int, str | None, int | None, object]  # number, token, choice, feedback


class SeveralAtOnce(GivingUp):
    """A run that handles several decisions or outcomes in one transaction: all of them or none.

    Its releases are drawn in the order of the outcomes and stored with them; the transaction ends
    before the learner sees the first one. The learner then learns from each, in the same order
    (docs/proofs.md: One draw).
    """

    __slots__ = ()

    def _decide(self, observation: object, user: User | None) -> tuple[OpenRow, float | None]:
        raise NotImplementedError

    def _keep(self, rows: Rows, number: int, feedback: object, deadline: float) -> bool:
        raise NotImplementedError

    def _learn(
        self,
        rows: Rows,
        engine: Engine,
        before: GroupRow,
        decision: int,
        value: Any,  # noqa: ANN401 - anything that the channel releases
        after: bytes | None,
        draws: Draws | None,
    ) -> None:
        raise NotImplementedError

    @withhold_frames
    def ask_many(
        self, observations: Sequence[object], users: Sequence[User] | None = None
    ) -> list[tuple[Ticket, float | None]]:
        """Return one decision per observation, for the next rounds, and its probability.

        All of them, or none.
        """
        self._check_caller()
        with self._lock:
            self._recover()
            rows, wanted = self._committed(), len(observations)
            self._release_due(rows)
            self._release_held_out(rows)
            left = self._end - rows.counters[0]
            if self._plan.horizon is not None and wanted > left:
                raise HorizonUsed(
                    f"ask_many needs {count(wanted, 'decision')}, but {left} of the horizon of "
                    f"{self._plan.horizon} rounds are left."
                )
            if users is not None and len(users) != wanted:
                raise DiscreetError(
                    f"users has {count(len(users), 'name')}, but must have one for each of "
                    f"{count(wanted, 'decision')}."
                )
            asked: list[tuple[OpenRow, float | None]] = []
            whose: Sequence[User | None] = [None] * wanted if users is None else users
            with self._together(lasting=False):
                for observation, user in zip(observations, whose, strict=True):
                    asked.append(self._decide(observation, user))
            return [(Ticket(*row), chance) for row, chance in asked]

    @withhold_frames
    def tell_all(self, told: Iterable[ToldOutcome]) -> int:
        """Record the outcomes of several decisions: all of them, or none.

        Returns how many count: with a wait, those that met their deadlines.
        """
        self._check_caller()
        given = list(told)
        with self._lock:
            self._recover()
            rows, counted = self._committed(), 0
            with self._together(deferring=True):
                for place, each in enumerate(given):
                    try:
                        counted += self._tell_one(rows, *each)
                    except DiscreetError as refusal:
                        raise refused_pair(place, refusal) from None
            self._finish_several(rows)
            self._release_held_out(rows)
            return counted

    @contextmanager
    def _together(self, *, lasting: bool = True, deferring: bool = False) -> Iterator[None]:
        """Make several changes in one transaction; if it fails, the next operation undoes it."""
        self._changing = self._several = True
        self._deferring = deferring
        try:
            with self._store.together(lasting=lasting):
                yield
        finally:
            self._several = self._deferring = False
        self._changing = bool(self._store.rows.unlearned)  # the learner has yet to learn from these

    @withhold_frames
    def open_count(self) -> int:
        """Return how many decisions are open."""
        self._check_caller()
        with self._lock:
            return len(self._committed().open)

    @withhold_frames
    def verify(self) -> None:
        """Check everything in the store, including parts not read so far."""
        self._check_caller()
        with self._lock:
            self._committed()
            self._store.verify()

    def _tell_one(
        self, rows: Rows, number: int, token: str | None, choice: int | None, feedback: object
    ) -> bool:
        """Record one of several outcomes."""
        row = rows.open.get(number)
        if row is None:
            return self._not_open(number, token)
        _, of, chosen, given, asked_at, _ = row
        if token is None:
            if self._needs_token:
                raise bare_id(number)
        elif token != given or choice != chosen:
            return self._not_open(number, token)
        if self._wait is not None:
            deadline = rows.given_at(number, asked_at) + self._wait
            return self._keep(rows, number, feedback, deadline)
        if self._records is not None:
            feedback = self._records.record(rows.outcomes[number], feedback)
        self._count(rows, number, of, feedback)
        return True

    def _defer(
        self,
        before: GroupRow,
        decision: int,
        value: object,
        after: bytes | None,
        draws: Draws | None,
    ) -> None:
        """Count an outcome that triggers a release; the learner gets the release afterwards."""
        number, action, trace, size, told, _ = before
        stream = None
        if self._engine.streaming or self._plan.final is not None:
            stream, after = after, None
        group = number, action, trace, size, told + 1, after
        counters = self._store.rows.counters
        self._commit_tell(counters, decision, group, None, None, None, None, stream, draws)
        self._store.defer(number, decision, value)

    def _finish_several(self, rows: Rows) -> None:
        """Pass the releases of several outcomes to the learner, in the order of drawing."""
        if rows.unlearned:
            with self._together(lasting=False):
                self._learn_several(rows)

    def _learn_several(self, rows: Rows) -> None:
        """Do the same inside a transaction."""
        for number, (decision, value) in list(rows.unlearned.items()):
            group = Group(*rows.groups[number])
            before = group._replace(told=group.told - 1)
            self._learn(rows, self._engine, before, decision, value, group.held, None)

    # Deadlines

    def _release_due(self, rows: Rows) -> None:
        """Count every outcome whose deadline has passed."""
        if self._wait is not None:
            now = self._clock()
            self._correct_clock(rows, now)
            self._pass_deadlines(rows, now, self._wait)

    def _pass_deadlines(self, rows: Rows, now: float, wait: float) -> None:
        """Count every outcome whose deadline has passed, or the default, in the order of asking.

        Asking times never decrease, so the first decision that is not due ends the search.
        """
        while now >= self._next_deadline:
            due, following = self._due(rows, now, wait)
            if len(due) == 1:
                self._count_due(rows, due)
            elif due:
                with self._together(deferring=True):
                    self._count_due(rows, due)
                self._finish_several(rows)
            self._next_deadline = following  # not before: if something failed, they are still due

    def _due(self, rows: Rows, now: float, wait: float) -> tuple[list[OpenRow], float]:
        """Return the oldest decisions whose deadline has passed, and the deadline after theirs."""
        due: list[OpenRow] = []
        for row in rows.open.rising():
            deadline = rows.given_at(row[0], row[4]) + wait
            if now < deadline:
                return due, deadline
            if len(due) == CHUNK:
                return due, -math.inf
            due.append(row)
        return due, now + wait

    def _due_first(self, rows: Rows) -> list[OpenRow]:
        """Count all due decisions except the last few, and return those."""
        if self._wait is None:
            return []
        now = self._clock()
        self._correct_clock(rows, now)
        if now < self._next_deadline:
            return []
        due, following = self._due(rows, now, self._wait)
        if following == -math.inf:
            self._pass_deadlines(rows, now, self._wait)
            return []
        self._changing = True  # until they are counted: reloading resets the deadline
        self._next_deadline = following
        return due

    def _count_due(self, rows: Rows, due: list[OpenRow]) -> None:
        for number, of, *_ in due:
            self._count(rows, number, of, self._plan.read(rows.outcomes[number]))

    def _correct_clock(self, rows: Rows, now: float) -> None:
        """Date future decisions to now if the clock was set back; otherwise all would wait."""
        if now < self._latest and len(rows.open):
            kept = tuple(each for each in rows.clock if each[1] < now)
            self._changing = True
            self._commit(Change(rows.counters, clock=(*kept, (rows.counters[0], now))))
            self._changing = False
            self._next_deadline = -math.inf
        self._latest = now


def refused_pair(place: int, refusal: DiscreetError) -> DiscreetError:
    """Return the refusal of several outcomes because one of them is refused."""
    return type(refusal)(f"pairs[{place}] is refused, so nothing was recorded: {refusal}")
