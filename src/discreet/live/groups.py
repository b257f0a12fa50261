"""Groups of operations: many outcomes and decisions of one run, in one or two transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from discreet.contracts import Learner
from discreet.errors import AlreadyTold, DiscreetError, Failed
from discreet.ledger import UserLimitReached
from discreet.ledger.inputs import User
from discreet.live.final_release import FinalRelease
from discreet.live.frames import withhold_frames, without_frames
from discreet.live.named_decisions import decision_bytes, decision_from
from discreet.live.rows import OpenRow, Rows, Ticket
from discreet.live.serving import AtLimit
from discreet.live.users import bare_id

Took = TypeVar("Took")
Tell = tuple[int, str | None, object]  # id, token, feedback
Ask = tuple[str | None, object, User | None, AtLimit]  # name, observation, user
# the decision, its probability, whether it is repeated
GivenTicket = tuple[Ticket, float | None, bool]
Requests = tuple[Sequence[Tell | DiscreetError], Sequence[Ask | DiscreetError]]
Ready = Callable[[Learner], None]


class Spoiled(Exception):
    """A request failed in the middle of a group, and the group is rolled back."""

    def __init__(self, refusal: DiscreetError) -> None:
        super().__init__()
        self.refusal = refusal


class GroupedOperations(FinalRelease):
    """A run that records outcomes and makes decisions in groups.

    All outcomes of a group and the releases they trigger form one durable transaction. A second
    transaction lets the learner learn and makes the decisions of the group. A refused request has
    no effect, and does not affect others (docs/proofs.md: Groups of operations).
    """

    __slots__ = ()

    @withhold_frames
    def exchange(self, read: Callable[[], Requests], ready: Ready | None = None) -> list[object]:
        """Record outcomes, then make decisions; return one result per request, in order.

        ``read`` is called once the run is locked. A result is whether an outcome counts, a ticket
        with its probability and whether its name was known, or the refusal of the request.
        ``ready`` may refuse a decision, based on what the learner has learned.
        """
        self._check_caller()
        with self._lock:
            over: DiscreetError | None = None
            try:
                self._recover()
            except DiscreetError as refusal:
                over = without_frames(refusal)
            self._reading = True
            try:
                tells, asks = read()
            finally:
                self._reading = False
            if over is not None:
                return [over for _ in range(len(tells) + len(asks))]
            try:
                return self._exchanged(tells, asks, ready)
            except Spoiled:
                return self._one_by_one(tells, asks, ready)

    def _one_by_one(
        self,
        tells: Sequence[Tell | DiscreetError],
        asks: Sequence[Ask | DiscreetError],
        ready: Ready | None,
    ) -> list[object]:
        """Process each request by itself, so that a failing one does not affect the others."""
        groups: list[Requests] = [([each], []) for each in tells]
        groups += [([], [each]) for each in asks]
        results: list[object] = []
        for group in groups:
            self._recover()
            try:
                results += self._exchanged(*group, ready)
            except Spoiled as spoiled:
                results.append(spoiled.refusal)
        return results

    def _exchanged(
        self,
        tells: Sequence[Tell | DiscreetError],
        asks: Sequence[Ask | DiscreetError],
        ready: Ready | None,
    ) -> list[object]:
        rows = self._committed()
        # Outcomes alone never trigger deadlines: a release would then show when they arrived.
        due = self._due_first(rows) if asks else []
        asked = [each for each in asks if isinstance(each, tuple)]
        users = [each[2] for each in asked if each[2] is not None]
        self._store.prefetch(
            [each[0] for each in tells if isinstance(each, tuple)],
            [each[0] for each in asked if each[0] is not None],
            () if self._users is None else self._users.buckets_of(users),
        )
        results: list[object]
        with self._group(lasting=bool(tells or due)):
            self._count_due(rows, due)
            results = [self._attempt(self._take, rows, each) for each in tells]
            learns = rows.unlearned or (self._side is not None and self._side.is_due(rows))
            if not learns:
                return results + self._gives(rows, asks, ready)
        # The outcomes are committed: they count even if something fails from here on.
        try:
            if self._side is not None:
                self._finish_several(rows)
                self._release_held_out(rows)
            with self._group(lasting=False):
                self._learn_several(rows)
                given = self._gives(rows, asks, ready)
        except Spoiled:
            given = self._one_by_one([], asks, ready)
        except Exception as error:
            self._changing = True
            refusal = refusal_of(error)
            given = [refusal for _ in asks]
        return results + given

    @contextmanager
    def _group(self, *, lasting: bool) -> Iterator[None]:
        """Make several changes in one transaction; roll all of them back on any failure."""
        try:
            with self._together(lasting=lasting, deferring=True):
                yield
        except BaseException:
            self._changing = True
            raise

    def _attempt(self, do: Callable[..., Took], rows: Rows, request: object) -> object:
        """Return the result of a request, or its refusal if the request had no effect."""
        if isinstance(request, DiscreetError):
            return request
        self._changing = False
        try:
            return do(rows, request)
        except Exception as error:
            refusal = refusal_of(error)
            repeated = isinstance(refusal, AlreadyTold)  # it rewrote the same content
            if (self._changing and not repeated) or refusal is not error:
                raise Spoiled(refusal) from None
            return refusal

    def _take(self, rows: Rows, told: Tell) -> bool:
        """Record one outcome of a group; return whether it counts."""
        number, token, feedback = told
        row = rows.open.get(number)
        if row is None or token not in (None, row[3]):
            return self._not_open(number, token)
        if token is None and self._needs_token:
            raise bare_id(number)
        return self._tell_one(rows, number, row[3], row[2], feedback)

    def _gives(
        self, rows: Rows, asks: Sequence[Ask | DiscreetError], ready: Ready | None
    ) -> list[object]:
        self._deferring = False  # no more outcomes follow
        return [self._attempt(partial(self._give, ready), rows, each) for each in asks]

    def _give(self, ready: Ready | None, rows: Rows, ask: Ask) -> GivenTicket:
        """Make one decision of a group; the same name gets the same decision again."""
        name, observation, user, at_limit = ask
        if name is not None:
            known = self._store.recall(name)
            if known is not None:
                return *decision_from(known, self._engine.example[0]), True
        if at_limit != "refuse":
            self._check_serving()
        if ready is not None:
            ready(self._engine.private.learner)
        row: OpenRow
        try:
            row, chance = self._decide(observation, user)
        except UserLimitReached:
            if at_limit == "refuse":
                raise
            row, chance = self._served(rows, observation), None
        if name is not None:
            self._store.remember(name, decision_bytes(Ticket(*row), chance))
        return Ticket(*row), chance, False

    @withhold_frames
    def recalled(self, name: str) -> tuple[Ticket, float | None] | None:
        """Return the decision with this name; None if there is none."""
        self._check_caller()
        with self._lock:
            self._committed()
            known = self._store.recall(name)
            return None if known is None else decision_from(known, self._engine.example[0])


def refusal_of(error: Exception) -> DiscreetError:
    """Return an error as a refusal; for an unexpected error, reveal only its type."""
    if isinstance(error, DiscreetError):
        return without_frames(error)
    return Failed(f"the request failed ({type(error).__name__}) and had no effect.")
