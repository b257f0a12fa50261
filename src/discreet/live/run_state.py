"""A run between two operations: the rows of its store, and the engine built from them."""

from __future__ import annotations

import math
import os
import secrets
import weakref
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Any, Self, TypeVar

from discreet.contracts import Generator, Learner
from discreet.errors import DiscreetError, Finished
from discreet.estimates.released import ReleaseSum
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.ledger.guards import NotCopyable
from discreet.ledger.inputs import User
from discreet.live.engine import Engine
from discreet.live.feedback import check_page, check_reader
from discreet.live.frames import withhold_frames
from discreet.live.holdout import HoldOut
from discreet.live.keys import KeyPlace
from discreet.live.progress import Progress
from discreet.live.release_log import ReleaseFacts, ReleaseRow
from discreet.live.rows import RELEASED, Draws, Group, GroupRow, OpenRow, Recipe, Rows, Ticket
from discreet.live.run_plan import RunPlan, action_number, run_guarantee
from discreet.live.slots import Slots
from discreet.live.store import MemoryStore, Store
from discreet.live.users import Admission, UserCount
from discreet.processes import forked, process_mark
from discreet.randomness import InBlocks, streams

Read = TypeVar("Read")
OVER = (
    "the run is over: its final release was made, so it makes no further decisions and takes no "
    "outcomes."
)


class RunState(NotCopyable):
    """The state of a run between two operations, and its recovery after a failed one.

    Every method takes the lock by a plain ``with``, so an interrupt cannot come between acquiring
    and releasing it. Other processes are refused.
    """

    # CPython caches lookups of attributes in a dictionary only up to 30 of them.
    # fmt: off
    __slots__ = (
        "__weakref__", "_admission", "_alike", "_at_once", "_carry", "_changing", "_clock",
        "_closed", "_commit", "_commit_ask", "_commit_draw", "_commit_tell", "_deferring", "_end",
        "_engine", "_epoch", "_final", "_guarded", "_in_order", "_inside", "_latest", "_listener",
        "_lock", "_mark", "_needs_token", "_next_deadline", "_noise_rng", "_noting", "_plan",
        "_process", "_reading", "_records", "_rng", "_running", "_serving", "_several",
        "_shows_chances", "_side", "_store", "_sums", "_token", "_users", "_wait",
    )
    # fmt: on

    def __init__(
        self,
        plan: RunPlan,
        store: Store,
        *,
        ledger: Ledger | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._plan, self._store, self._clock = plan, store, clock or store.clock
        self._commit_ask, self._commit_tell, self._commit = store.ask, store.tell, store.change
        self._commit_draw = store.hold
        self._process, self._mark = os.getpid(), process_mark()
        # Reentrant only so that it knows its owner: a signal handler that calls the run in the
        # middle of an operation gets an error instead of a deadlock.
        self._lock = store.make_lock(self._is_stale)
        self._inside: Callable[[], bool] = self._lock._is_owned
        self._engine = Engine(plan.private, plan.observation)
        self._side = None if plan.holdout is None else HoldOut(plan.holdout, plan.horizon)
        self._epoch, self._end = 0, plan.rounds_of(0)
        drawn = streams(plan.seed)
        self._rng, self._noise_rng = drawn.learner, drawn.privacy
        if plan.seed is None:
            self._rng = InBlocks(self._rng.bit_generator)
        self._serving: Generator | None = None  # for decisions without learning
        self._carry, self._wait, self._records = plan.carry, plan.wait, plan.records
        self._alike = plan.carry is None or plan.carry is action_number
        self._in_order = plan.private.channel.in_order
        # an outcome counts as it is, and when it is told
        self._at_once = self._wait is None and self._records is None and self._side is None
        self._final = plan.final is not None
        self._closed = self._changing = False  # if either is set, the next operation must recover
        self._next_deadline = -math.inf  # nothing is due before this
        self._latest = -math.inf  # time of the last decision
        self._several = False  # inside a transaction of several changes
        self._deferring = False  # inside one with several outcomes: the learner learns afterwards
        # called with the current arms after rows were reread
        self._listener: weakref.WeakMethod[Callable[[Slots | None], object]] | None = None
        self._sums: Engine | None = None  # of the final release
        self._reading = False  # a group reads its requests, and may call the run meanwhile
        self._users: UserCount | None = None
        self._reload()
        label = f"{plan.name} {plan.algorithm} {store.rows.token}"
        self._admission = Admission(ledger, plan.guarantee, label, plan.users)
        if store.rows.counters[0] > 0:
            self._admission.check_known()
            self._admission.charge()
        if plan.users is not None:
            self._users = UserCount(plan.users, store.user_secret, store.rows.latest_window())
        waits = self._wait is not None or self._side is not None
        self._guarded = waits or self._in_order or self._admission.needed
        self._noting = store.durable or self._engine.showing  # whether release facts are stored
        # the learner's probabilities are shown if the guarantee covers more than actions
        self._shows_chances = not plan.private.guarantee.seen
        # the group of the last decision: its number, action and probability, which saves two calls
        self._running: tuple[int, Any, float | None] = -1, 0, None

    @classmethod
    def start(
        cls,
        plan: RunPlan,
        recipe: Recipe,
        *,
        store: Store | None = None,
        key: KeyPlace | None = None,
        ledger: Ledger | None = None,
        clock: Callable[[], float] | None = None,
    ) -> Self:
        """Return a run before its first round, in a store, or in memory if none is given."""
        Admission(ledger, plan.guarantee, "", plan.users).check_room()  # before creating a file
        store = MemoryStore() if store is None else store
        rows = Rows(recipe, secrets.token_hex(8), b"")
        engine = Engine(plan.private, plan.observation)
        plan.check_action(engine.example[0])
        rows.learner, rows.stream = engine.first, engine.stream
        if plan.holdout is not None:
            side = HoldOut(plan.holdout, plan.horizon)
            rows.learner, rows.stream = rows.learner + side.first, side.blank
        if plan.final is not None:
            rows.stream = Engine(plan.final, 0).stream
        if plan.seed is not None and store.durable:
            drawn = streams(plan.seed)
            rows.draws = Draws(drawn.learner.bit_generator.state, drawn.privacy.bit_generator.state)
        with store.beginning():
            store.create(rows, (key or KeyPlace()) if plan.needs_key else None)
            run = cls(plan, store, ledger=ledger, clock=clock)
            if store.shared:
                run._admission.charge()
        return run

    def _is_stale(self) -> None:
        """Make the next operation reload: another worker has changed the committed state."""
        self._changing = True

    def _check_caller(self) -> None:
        """Refuse in a forked process, and in the middle of an operation of this thread.

        A forked process would release the same sums with other noise. The system is asked, because
        Python does not see every fork.
        """
        if not self._mark[0] or os.getpid() != self._process:
            raise forked()
        if self._inside() and not self._reading:
            raise DiscreetError(
                "this run is in the middle of an operation of the same thread, as in a signal "
                "handler: set a flag there and use the run later, or use close_on_sigterm."
            )

    def _committed(self) -> Rows:
        """Return the committed rows, after recovering from a failed operation."""
        if self._changing:
            self._check_open()
            self._reload()
        return self._store.rows

    def _recover(self) -> OpenRow | None:
        """Return to the committed state, and let the learner learn from a stored release.

        Returns the decision that triggered that release, if there was one.
        """
        rows = self._committed()
        if rows.final is not None or rows.ended is not None:
            raise Finished(rows.ended or OVER)
        if rows.unlearned:
            self._finish_several(rows)
        if rows.drawn is None:
            return None
        row = rows.open.get(rows.drawn.decision)
        self._finish(rows)
        if rows.final is not None:
            raise Finished(OVER)
        return row

    def _finish(self, rows: Rows) -> None:
        """Complete a release that was drawn."""
        raise NotImplementedError

    def _finish_several(self, rows: Rows) -> None:
        """Complete several releases that were drawn."""
        raise NotImplementedError

    def _check_open(self) -> None:
        if self._closed:
            raise DiscreetError("this run is closed: open its file to continue.")

    def _reload(self) -> None:
        """Return to the committed state."""
        self._store.load(self._engine.example)
        rows, plan = self._store.rows, self._plan
        if rows.epoch[0] != self._epoch:
            self._engine = Engine(plan.private_of(rows.epoch[0]), plan.observation)
            self._epoch = rows.epoch[0]
        self._end = rows.epoch[1] + plan.rounds_of(self._epoch)
        state, size = self._engine.learner_state, len(self._learned())
        if len(rows.learner) != size:
            raise DiscreetError(
                f"the learner of this run has {len(rows.learner)} bytes, but {plan.algorithm} "
                f"needs {size}: another version of discreet wrote it."
            )
        held = not self._engine.streaming or self._engine.can_hold(rows.stream) or rows.ended
        if not held or not (self._side is None or self._side.load(rows)):
            raise DiscreetError(f"{self._store.name} is damaged: it cannot be read.")
        state[:] = rows.learner[: len(state)]
        self._engine.clear()
        self._running = -1, 0, None
        if rows.draws is not None:
            self._rng.bit_generator.state = dict(rows.draws.learner)
            self._noise_rng.bit_generator.state = dict(rows.draws.privacy)
        # A stored release waits for the next operation that changes something.
        self._changing = rows.drawn is not None or rows.final is not None or bool(rows.unlearned)
        self._changing |= rows.ended is not None
        self._token = f"{rows.token}.{rows.session}"
        # after a power failure or a restore, another user may get the same id
        self._needs_token = rows.restored or (plan.users is not None and self._store.durable)
        if self._users is not None:
            self._users.catch_up(rows.latest_window())
        self._next_deadline, newest = -math.inf, rows.open.newest() if self._wait else None
        self._latest = -math.inf if newest is None else rows.given_at(newest[0], newest[4])
        listener = None if self._listener is None else self._listener()
        if listener is not None:
            listener(rows.slots)

    def listen(self, listener: Callable[[Slots | None], object]) -> None:
        """Call a method with the current arms when rows are reread; others may have added some."""
        self._listener = weakref.WeakMethod(listener)

    def _learned(self) -> bytes:
        """Return the public state: the learner's, and that of the hold-out if there is one."""
        own = self._engine.learner_state.tobytes()
        return own if self._side is None else own + self._side.engine.learner_state.tobytes()

    @withhold_frames
    def state(self) -> Progress:
        """Return the progress of the run."""
        self._check_caller()
        with self._lock:
            rows = self._committed()
            asked, _, _, _, lost = rows.counters
            made = sorted((choice, times) for choice, times in rows.choices.items() if choice >= 0)
            total = sum(times for _, times in made)
            shares: dict[Hashable, float] = {choice: times / total for choice, times in made}
            horizon, is_open, waiting = self._plan.horizon, len(rows.open), len(rows.groups)
            return Progress(asked, horizon, shares, rows.releases, is_open, waiting, lost)

    @withhold_frames
    def open_decisions(
        self, after: int = -1, limit: int | None = None
    ) -> tuple[tuple[Ticket, float, float | None], ...]:
        """Return at most ``limit`` open decisions after an id, with ages in seconds and chances."""
        after, limit = check_page(after, limit)
        self._check_caller()
        with self._lock:
            rows, now, found = self._committed(), self._clock(), []
            for row in islice(rows.open.rising(after), limit):
                ticket, group = Ticket(*row), rows.group(row[1])
                age = max(0.0, now - rows.given_at(ticket.id, ticket.asked_at))
                ticket = ticket._replace(action=None if group is None else group.action)
                found.append((ticket, age, self._probability(rows, ticket)))
            return tuple(found)

    def _facts(self, group: GroupRow) -> ReleaseFacts:
        """Return the public facts about a release of a group."""
        number, action, _, size, _, _ = group
        # If an action is carried out differently from round to round, a batch has no single choice.
        choice = -1
        if self._carry is None:
            choice = int(action)
        elif self._alike:
            choice = action_number(action, None, self._rng)
        of, _, chance = self._running
        if of != number:
            chance = self.chance_of(group)
        return choice, size, chance, self._clock()

    @withhold_frames
    def releases(self) -> list[ReleaseRow]:
        """Return the releases, by batch; a run in memory keeps only the last ones.

        For a channel without privacy, values are left out: they would be raw.
        """
        self._check_caller()
        with self._lock:
            self._committed()
            return list(self._store.releases())

    @withhold_frames
    def release_sums(self) -> list[ReleaseSum]:
        """Return the sums of everything released, by choice and by size of the batch."""
        self._check_caller()
        with self._lock:
            self._committed()
            return self._store.release_sums()

    def chance_of(self, group: GroupRow) -> float | None:
        """Return the probability of a group's action, given what was public before it."""
        raise NotImplementedError

    def _given_up(self, trace: object) -> bytes:
        """Notify the learner that a batch is lost; return the public state."""
        raise NotImplementedError

    def _probability(self, rows: Rows, ticket: Ticket) -> float | None:
        """Return the probability of a decision."""
        raise NotImplementedError

    @withhold_frames
    def read_learner(self, read: Callable[[Learner], Read]) -> Read:
        """Return what ``read`` finds in the learner's committed state, as private as releases."""
        check_reader(read)
        self._check_caller()
        with self._lock:
            self._committed()
            return read(self._engine.private.learner)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee with its condition, for a user with the maximum number of rounds."""
        return self._admission.covering(run_guarantee(self._plan))

    @withhold_frames
    def rounds_of(self, user: User) -> int:
        """Return how many rounds of a user the run has counted in the current period."""
        self._check_caller()
        with self._lock:
            if self._users is None:
                raise DiscreetError(
                    "this run does not count users: ask its ledger, or create a run with "
                    "max_rounds_per_user."
                )
            return self._users.rounds(self._committed().usage, self._clock(), user)

    @property
    def round(self) -> int:
        """The number of decisions so far."""
        return self._store.rows.counters[0]

    @property
    def plan(self) -> RunPlan:
        """The plan of the run."""
        return self._plan

    @withhold_frames
    def snapshot(self, store: Store, *, key: KeyPlace | None = None) -> None:
        """Write a copy to another store: a separate run, without open decisions.

        It draws fresh randomness, refuses decisions of this run, and is charged to a ledger again.
        """
        if self._engine.streaming:
            raise DiscreetError(
                f"{self._plan.algorithm} learns from one running sum, which a copy would release "
                "again: continue with its file instead."
            )
        self._check_caller()
        with self._lock:
            self._recover()
            rows = self._committed()
            if not rows.recipe:
                raise DiscreetError(
                    "a run of a custom private learner is in memory: it cannot be stored in a file."
                )
            asked, _, left, _, _ = rows.counters
            learner = self._engine.without([Group(*group).trace for group in rows.groups.values()])
            copied = Rows({**rows.recipe, "seed": None}, secrets.token_hex(8), learner)
            if self._side is not None:  # a copy has its own hold-out
                copied.learner, copied.stream = learner + self._side.first, self._side.blank
            copied.counters = (min(asked + left, self._end), -1, 0, rows.counters[RELEASED], 0)
            copied.epoch = rows.epoch
            if self._plan.final is not None:
                copied.stream = Engine(self._plan.final, 0).stream
            copied.slots = None if rows.slots is None else rows.slots._replace(paused=())
            store.create(copied, (key or KeyPlace()) if self._plan.needs_key else None)
            store.close()

    @withhold_frames
    def close(self) -> None:
        """Close the file; a run in memory is lost."""
        self._check_caller()
        with self._lock:
            self._closed = self._changing = True
            self._store.close()
