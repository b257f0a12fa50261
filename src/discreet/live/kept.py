"""A run as it is kept: rows of a store, and the engine that is made from them."""

from __future__ import annotations

import math
import os
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Self, TypeVar

from discreet.contracts import Learner
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.budget import Budget
from discreet.live.building import Plan
from discreet.live.engine import Engine
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin, process
from discreet.live.mask import Key
from discreet.live.progress import Progress, stated
from discreet.live.rows import Draws, Recipe, Rows, Ticket
from discreet.live.store import MemoryStore, Store
from discreet.randomness import InBlocks, streams

Read = TypeVar("Read")


class KeptRun(NoTwin):
    """What a run is between two operations, and how it goes back to that when one has failed.

    One thread at a time, by a lock that is taken by a plain ``with`` in every method: an interrupt
    cannot come between taking it and giving it back. One process: others are refused.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        *,
        ledger: Ledger | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._plan, self._store, self._clock = plan, store, clock
        self._commit_ask, self._commit_tell, self._commit = store.ask, store.tell, store.change
        self._process = process.number
        self._lock = threading.Lock()
        self._engine = Engine(plan.private, plan.observation)
        self._epoch, self._end = 0, plan.rounds_of(0)
        drawn = streams(plan.seed)
        self._rng, self._noise_rng = drawn.learner, drawn.privacy
        if plan.seed is None:
            self._rng = InBlocks(self._rng.bit_generator)
        self._carry, self._wait = plan.carry, plan.wait
        self._in_order = plan.private.channel.in_order
        self._closed = False
        self._changing = False  # or closed: either way an operation cannot simply begin
        self._next_deadline = -math.inf  # nothing is due before
        self._reload()
        token, session = store.rows.token, store.rows.session
        self._token = f"{token}.{session}"
        label = f"{plan.name} {plan.algorithm} {token}"
        self._budget = None if ledger is None else Budget(ledger, plan.private.guarantee, label)
        if self._budget is not None and store.rows.counters[0] > 0:
            self._budget.charge()
        self._guarded = self._budget is not None or self._wait is not None or self._in_order

    @classmethod
    def start(
        cls,
        plan: Plan,
        recipe: Recipe,
        *,
        ledger: Ledger | None = None,
        path: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Return a run before its first round, in memory or in a new file."""
        rows = Rows(recipe, secrets.token_hex(8), b"")
        engine = Engine(plan.private, plan.observation)
        rows.learner, rows.stream = engine.first, engine.stream
        if path is None:
            return cls(plan, MemoryStore(rows), ledger=ledger, clock=clock)
        if plan.seed is not None:
            drawn = streams(plan.seed)
            rows.draws = Draws(drawn.learner.bit_generator.state, drawn.privacy.bit_generator.state)
        make_key = partial(Key.for_new, key, rows.token, plan.needs_key)
        return cls(plan, FileStore.create(path, rows, make_key), ledger=ledger, clock=clock)

    def _check_process(self) -> None:
        """Refuse in a forked process: what is held would be released twice, with two noises."""
        if process.number != self._process:
            raise DiscreetError(
                "this run belongs to another process: close it there, and open its file here."
            )

    def _committed(self) -> Rows:
        """Return what is committed, after going back to it if an operation has failed."""
        if self._changing:
            self._recover()
        return self._store.rows

    def _recover(self) -> None:
        if self._closed:
            raise DiscreetError("this run is closed: open its file to go on.")
        self._reload()

    def _reload(self) -> None:
        """Go back to what is committed."""
        self._store.load(self._engine.example)
        rows, plan = self._store.rows, self._plan
        if rows.epoch[0] != self._epoch:
            self._engine = Engine(plan.private_of(rows.epoch[0]), plan.observation)
            self._epoch = rows.epoch[0]
        self._end = rows.epoch[1] + plan.rounds_of(self._epoch)
        state = self._engine.learner_state
        if len(rows.learner) != len(state):
            raise DiscreetError(
                "the learner of this run has "
                f"{len(rows.learner)} "
                "bytes, but "
                f"{plan.algorithm} "
                "needs "
                f"{len(state)}: it was made by another version."
            )
        state[:] = rows.learner
        self._engine.clear()
        if rows.draws is not None:
            self._rng.bit_generator.state = dict(rows.draws.learner)
            self._noise_rng.bit_generator.state = dict(rows.draws.privacy)
        self._changing, self._next_deadline = False, -math.inf

    def state(self) -> Progress:
        """Return how the run is getting on."""
        self._check_process()
        with self._lock:
            rows = self._committed()
            asked, _, _, released, lost = rows.counters
            made = sorted((choice, times) for choice, times in rows.choices.items() if choice >= 0)
            total = sum(times for _, times in made)
            shares: dict[Hashable, float] = {choice: times / total for choice, times in made}
            return Progress(
                asked, self._plan.horizon, shares, released, len(rows.open), len(rows.groups), lost
            )

    def open_decisions(self) -> tuple[tuple[Ticket, float], ...]:
        """Return the decisions whose outcome may still come, with their actions and their ages in seconds."""
        self._check_process()
        with self._lock:
            rows, now = self._committed(), self._clock()
            actions = {number: group.action for number, group in rows.groups.items()}
            return tuple(
                (ticket._replace(action=actions.get(ticket.group)), max(0.0, now - ticket.asked_at))
                for ticket in rows.tickets()
            )

    def read_learner(self, read: Callable[[Learner], Read]) -> Read:
        """Return what is read from the learner's committed state, which is as private as what was released."""
        self._check_process()
        with self._lock:
            self._committed()
            return read(self._engine.learner)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, and on which condition; to a user with as many rounds as the ledger allows."""
        return stated(self._plan).for_user(
            rounds=1 if self._budget is None else self._budget.rounds_per_user
        )

    @property
    def round(self) -> int:
        """How many decisions were asked for."""
        return self._store.rows.counters[0]

    @property
    def plan(self) -> Plan:
        """What is run."""
        return self._plan

    def snapshot(
        self, path: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None
    ) -> None:
        """Write a copy to a new file: a run of its own, without what is open here, and with other randomness.

        Decisions of this run mean nothing to it, and a ledger is charged for it again.
        """
        if self._engine.streaming:
            raise DiscreetError(
                f"{self._plan.algorithm} learns from one "
                "running "
                "sum, "
                "which a "
                "copy "
                "would "
                "release "
                "again: use its file."
            )
        self._check_process()
        with self._lock:
            rows = self._committed()
            if not rows.recipe:
                raise DiscreetError(
                    "a private learner of one's own is run in memory: it cannot be kept in a file."
                )
            asked, _, left, released, _ = rows.counters
            twin = Rows({**rows.recipe, "seed": None}, secrets.token_hex(8), rows.learner)
            twin.counters = (min(asked + left, self._end), -1, 0, released, 0)
            twin.epoch = rows.epoch
            FileStore.create(
                path, twin, partial(Key.for_new, key, twin.token, self._plan.needs_key)
            ).close()

    def close(self) -> None:
        """Give the file free; a run in memory is forgotten."""
        self._check_process()
        with self._lock:
            self._closed = self._changing = True
            self._store.close()
