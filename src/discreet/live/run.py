"""The one live object: whatever is learned from people goes through a run."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from os import getpid
from typing import Self

import numpy as np

from discreet.contracts import Feedback, Observation, Release
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.budget import Budget, User
from discreet.live.building import Plan
from discreet.live.engine import Engine
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin
from discreet.live.mask import Key
from discreet.live.progress import Progress, stated
from discreet.live.rows import Change, Draws, Group, Recipe, Rows, Ticket, new_change, new_group, new_ticket
from discreet.live.store import MemoryStore, Store
from discreet.private import Private
from discreet.randomness import streams


class LiveRun(NoTwin):
    """A private learner in use: it decides, hears outcomes, and releases what is due.

    All that it knows is rows of a store. What a group of rounds holds is put into the channel while an outcome is taken,
    and taken out again; the learner's arrays are a copy of the committed ones. So an operation that fails leaves nothing
    behind, wherever it failed: the next one begins with what is committed. (Random numbers that it drew are gone. Only
    the file of a simulation with a seed keeps its generators, and turns them back.)

    A release draws fresh noise, lets the learner learn, and is committed together with what it changes, the raw sum that
    it erases included. Noise that was drawn and not committed was seen by nobody, and whether something is committed does
    not depend on it (docs/proofs.md: Batches).

    With a wait time, outcomes are kept until their deadlines. Then, in the order of asking, each counts, or the default
    in its place; that is done when the next decision is asked for, never when an outcome is told (Deadlines).

    Threads take turns; other processes are refused.
    """

    def __init__(
        self, plan: Plan, store: Store, *, ledger: Ledger | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._plan, self._store, self._commit, self._clock = plan, store, store.commit, clock
        self._process = getpid()
        self._lock = threading.Lock()
        self._engine = Engine(plan.private, plan.observation)
        self._epoch, self._end = 0, plan.rounds_of(0)
        drawn = streams(plan.seed)
        self._rng, self._noise_rng = drawn.learner, drawn.privacy
        self._carry, self._wait = plan.carry, plan.wait
        self._in_order = plan.private.channel.in_order
        self._closed = self._changing = False
        self._reload()
        token, session = store.rows.token, store.rows.session
        self._token = f"{token}.{session}"
        label = f"{plan.name} {plan.algorithm} {token}"
        self._budget = None if ledger is None else Budget(ledger, plan.private.guarantee, label)

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
        make_key = partial(Key.for_new, key, rows.token, plan.keeps_raw)
        return cls(plan, FileStore.create(path, rows, make_key), ledger=ledger, clock=clock)

    @classmethod
    def over(cls, private: Private, *, horizon: int, observation: Observation = 0) -> Self:
        """Return a run in memory of a private learner of one's own, with exact noise; ``ask`` gives tickets.

        >>> from discreet import Private, Range, channels, learners
        >>> channel = channels.Batch.laplace(size=2, epsilon=1.0, bounds=Range(0.0, 1.0))
        >>> run = LiveRun.over(Private(channel, learners.Exp3.start(arms=3, learning_rate=0.1)), horizon=100)
        >>> for _ in range(2):
        ...     ticket = run.ask()              # ticket.action is an arm
        ...     _ = run.tell(ticket, 0.5)
        >>> run.state().released
        1
        """
        return cls.start(Plan.over(private, horizon=horizon, observation=observation), {})

    def ask(self, observation: Observation = None, *, user: User | None = None) -> Ticket:
        """Return what to do in the next round."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            if self._changing or self._closed:
                self._recover()
            rows, now = self._store.rows, self._clock()
            if self._wait is not None:
                self._pass_deadlines(rows, now, self._wait)
            if self._budget is None and user is not None:
                raise DiscreetError("user is given, but there is no ledger that limits the rounds of a user.")
            if rows.counters[0] >= self._end:
                self._next_epoch(rows)
            asked, number, left, released, lost = rows.counters
            if left == 0 and self._in_order and rows.groups:
                raise self._out_of_order(rows)
            if self._budget is not None:
                self._budget.admit(user)
            self._changing = True
            group = learner = draws = None
            if left == 0:
                number = asked
                group = self._engine.new_group(number, observation, self._rng)
                left, action = group.size, group.action
                learner = self._engine.learner_state.tobytes()
            else:
                action = rows.groups[number].action
            choice = self._carry(action, observation, self._rng)
            if rows.draws is not None:
                draws = Draws(self._rng.bit_generator.state, rows.draws.privacy)
            ticket = new_ticket((asked, number, choice, self._token, now, action))
            counters = (asked + 1, number, left - 1, released, lost)
            chosen = rows.choices.get(choice, 0) + 1
            self._commit(
                new_change(
                    (counters, ticket, chosen, None, group, None, None, None, learner, None, draws, None, (), None)
                )
            )
            self._changing = False
            return ticket

    def tell(self, ticket: Ticket, feedback: Feedback) -> bool:
        """Take the outcome of a decision; when it returns, the outcome counts, once, whatever happens.

        With a wait time it returns False for an outcome that comes after its deadline, and does not count.
        """
        return self.hear(ticket.id, ticket.token, ticket.choice, feedback)

    def hear(self, number: int, token: str | None, choice: int | None, feedback: Feedback) -> bool:
        """Take the outcome of the decision with this number, token and choice; without a token the number is enough."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            if self._changing or self._closed:
                self._recover()
            rows = self._store.rows
            ticket = rows.open.get(number)
            if ticket is None or (token is not None and (ticket.token != token or ticket.choice != choice)):
                return self._not_open(number, token)
            if self._wait is not None:
                return self._keep(rows, ticket, feedback, ticket.asked_at + self._wait)
            self._count(rows, ticket, feedback)
            return True

    def _count(self, rows: Rows, ticket: Ticket, feedback: Feedback) -> None:
        """Take an outcome, and commit it with what is released, if something is."""
        group, engine = rows.groups.get(ticket.group), self._engine
        self._changing = True
        try:
            if group is None:  # of an epoch that is over: nobody learns from it any more
                self._commit(Change(rows.counters, told=ticket.id))
            else:
                engine.put(rows, group)
                self._take(rows, group, feedback, ticket.id)
        finally:
            if engine.raw:
                engine.clear()
        self._changing = False

    def _take(self, rows: Rows, group: Group, feedback: Feedback, told: int) -> None:
        engine = self._engine
        query = engine.learner.query(group.trace)
        if not engine.taking:
            ready, value = engine.channel.offer(feedback, query, self._noise_rng)
        elif engine.channel.take(feedback, query):
            ready, value = engine.channel.release(query, self._noise_rng)
        else:
            ready, value = False, None
        self._finish(rows, group, ready, value, told)

    def _finish(self, rows: Rows, group: Group, ready: bool, value: Release, told: int) -> None:
        """Let the learner learn what is released, if something is, and commit all that has changed."""
        number, action, trace, size, heard, _ = group
        engine = self._engine
        counters, released, learner, draws = rows.counters, None, None, None
        if ready:
            engine.learner.learn(trace, value)
            released, learner = number, engine.learner_state.tobytes()
            asked, running, left, releases, lost = counters
            counters = (asked, running, left, releases + 1, lost)
            if rows.draws is not None:
                draws = Draws(rows.draws.learner, self._noise_rng.bit_generator.state)
        kept = closed = None
        if heard + 1 == size:
            closed = number
        else:
            held = engine.channel_state.tobytes() if engine.holding else None
            kept = new_group((number, action, trace, size, heard + 1, held))
        stream = engine.channel_state.tobytes() if engine.streaming else None
        shown = value if engine.showing else None
        self._commit(
            new_change((counters, None, 0, told, kept, closed, released, shown, learner, stream, draws, None, (), None))
        )

    def _keep(self, rows: Rows, ticket: Ticket, feedback: Feedback, deadline: float) -> bool:
        """Keep an outcome until the deadline of its decision, unless it comes too late."""
        if ticket.id in rows.outcomes:
            raise DiscreetError(f"decision {ticket.id} has been told already: each outcome counts once.")
        if self._clock() >= deadline:
            return False
        self._changing = True
        self._commit(Change(rows.counters, outcome=(ticket.id, np.asarray(feedback, np.float64).tobytes())))
        self._changing = False
        return True

    def _pass_deadlines(self, rows: Rows, now: float, wait: float) -> None:
        """Let everything count whose deadline has passed, in the order of asking: the outcome, or else the default."""
        while rows.open:
            ticket = next(iter(rows.open.values()))
            if now < ticket.asked_at + wait:
                return
            self._count(rows, ticket, self._plan.read(rows.outcomes.get(ticket.id)))

    def release_due(self) -> int:
        """Make the releases whose time has come, and return how many: asking for a decision does so first."""
        with self._turn() as rows:
            before = rows.counters[3]
            if self._wait is not None:
                self._pass_deadlines(rows, self._clock(), self._wait)
            return rows.counters[3] - before

    def give_up(self, number: int) -> bool:
        """Wait no longer for the outcome of a decision; its batch is lost. Return whether one was."""
        with self._turn() as rows:
            if self._wait is not None:
                raise DiscreetError("wait was declared, so the time decides what comes too late: nothing is given up.")
            ticket = rows.open.get(number)
            if ticket is None:
                self._not_open(number, None)
            else:
                self._lose(rows, ticket)
            return ticket is not None and self._engine.holding

    def _lose(self, rows: Rows, ticket: Ticket) -> None:
        """Close the group of a decision without a release; what it holds is erased."""
        asked, running, left, released, lost = rows.counters
        whole = self._engine.holding and ticket.group in rows.groups
        gone = [other.id for other in rows.open.values() if whole and other.group == ticket.group] or [ticket.id]
        group = rows.groups.get(ticket.group)
        closed = ticket.group if whole or (group is not None and group.size == 1) else None
        left = 0 if closed == running else left
        self._changing = True
        self._commit(Change((asked, running, left, released, lost + whole), closed=closed, given_up=tuple(gone)))
        self._changing = False

    def _next_epoch(self, rows: Rows) -> None:
        """Begin again with a longer horizon, if none was declared; what is still open is not learned from any more."""
        if self._plan.horizon is not None:
            horizon = self._plan.horizon
            raise DiscreetError(f"the horizon of {horizon} rounds is used up: no decision is left to ask for.")
        asked, _, _, released, lost = rows.counters
        number = rows.epoch[0] + 1
        engine = Engine(self._plan.private_of(number), self._plan.observation)
        self._changing = True
        counters = (asked, -1, 0, released, lost)
        self._commit(Change(counters, learner=engine.first, stream=engine.stream, epoch=(number, asked)))
        self._engine, self._epoch, self._end = engine, number, asked + self._plan.rounds_of(number)
        self._changing = False

    def _foreign(self) -> DiscreetError:
        """Return the refusal in a forked process: what is held would be released twice, with two noises."""
        return DiscreetError("this run belongs to another process: close it there, and open its file here.")

    def _recover(self) -> None:
        """Go back to what is committed, after an operation that failed."""
        if self._closed:
            raise DiscreetError("this run is closed: open its file to go on.")
        self._reload()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[Rows]:
        """Look at what is committed, alone."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            if self._changing or self._closed:
                self._recover()
            yield self._store.rows

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
                f"the learner of this run has {len(rows.learner)} bytes, but {plan.algorithm} needs "
                f"{len(state)}: it was made by another version."
            )
        state[:] = rows.learner
        self._engine.clear()
        if rows.draws is not None:
            self._rng.bit_generator.state = dict(rows.draws.learner)
            self._noise_rng.bit_generator.state = dict(rows.draws.privacy)
        self._changing = False

    def _out_of_order(self, rows: Rows) -> DiscreetError:
        return DiscreetError(
            f"{self._plan.algorithm} is private only if all outcomes so far are told before the next arm is drawn; "
            f"{count(len(rows.open), 'outcome')} still to come."
        )

    def _not_open(self, number: int, token: str | None) -> bool:
        """Return False for an outcome that comes after its deadline, and refuse any other that cannot be told."""
        rows = self._store.rows
        mine = token is None or str(token).startswith(rows.token)
        if number in rows.open or not mine or not 0 <= number < rows.counters[0]:
            raise DiscreetError(f"decision {number!r} is not one that this run gave.")
        if self._wait is None:
            or_not = ", or given up" if rows.counters[4] else ""
            raise DiscreetError(f"decision {number} has been told already{or_not}: each outcome counts once.")
        return False

    def state(self) -> Progress:
        """Return how the run is getting on."""
        with self._turn() as rows:
            asked, _, _, released, lost = rows.counters
            shares: dict[Hashable, float] = {
                choice: times / asked for choice, times in sorted(rows.choices.items()) if choice >= 0
            }
            return Progress(asked, self._plan.horizon, shares, released, len(rows.open), len(rows.groups), lost)

    def open_decisions(self) -> tuple[tuple[Ticket, float], ...]:
        """Return the decisions whose outcome may still come, with their ages in seconds."""
        with self._turn() as rows:
            now = self._clock()
            return tuple((ticket, max(0.0, now - ticket.asked_at)) for ticket in rows.open.values())

    @property
    def guarantee(self) -> Guarantee:
        """What is promised, and on which condition; to a user with as many rounds as the ledger allows."""
        return stated(self._plan).for_user(rounds=1 if self._budget is None else self._budget.rounds_per_user)

    @property
    def round(self) -> int:
        """How many decisions were asked for."""
        return self._store.rows.counters[0]

    @property
    def plan(self) -> Plan:
        """What is run."""
        return self._plan

    def snapshot(self, path: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None) -> None:
        """Write a copy to a new file: a run of its own, without what is open here, and with other randomness.

        Decisions of this run mean nothing to it, and a ledger is charged for it again.
        """
        if self._engine.streaming:
            raise DiscreetError(
                f"{self._plan.algorithm} learns from one running sum, which a copy would release again: use its file."
            )
        with self._turn() as rows:
            asked, _, left, released, _ = rows.counters
            twin = Rows({**rows.recipe, "seed": None}, secrets.token_hex(8), rows.learner)
            twin.counters = (min(asked + left, self._end), -1, 0, released, 0)
            twin.epoch = rows.epoch
            FileStore.create(path, twin, partial(Key.for_new, key, twin.token, self._plan.keeps_raw)).close()

    def close(self) -> None:
        """Give the file free; a run in memory is forgotten."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            self._closed = True
            self._store.close()
