"""The one live object: whatever is learned from people goes through a run."""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Iterator
from dataclasses import replace
from os import getpid
from typing import NamedTuple

import numpy as np

from discreet import kernel
from discreet.contracts import Feedback, Observation, Query, Release
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.blocks import packed
from discreet.live.budget import Budget, User
from discreet.live.building import Plan
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin
from discreet.live.rows import Draws, Example, Group, Recipe, Rows, Ticket, new_change, new_group, new_ticket
from discreet.live.store import MemoryStore, Store
from discreet.private import Private
from discreet.randomness import streams

CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"


class Progress(NamedTuple):
    """How a run is getting on; nothing in it is raw."""

    round: int
    horizon: int
    released: int
    open: int  # decisions whose outcome has not been told
    groups: int  # of rounds that wait for outcomes


class LiveRun(NoTwin):
    """A private learner in use: it decides, hears outcomes, and releases what is due.

    All that it knows is rows of a store. What a group of rounds holds is put into the channel while an outcome is taken,
    and taken out again; the learner's arrays are a copy of the committed ones. So an operation that fails leaves nothing
    behind, wherever it failed: the next one begins with what is committed. (Random numbers that it drew are gone. Only
    the file of a simulation with a seed keeps its generators, and turns them back.)

    A release is a step of its own: it draws fresh noise, lets the learner learn, and is committed together with what it
    changes, the raw sum that it erases included. Noise that was drawn and not committed was seen by nobody, and whether
    something is committed does not depend on it (docs/proofs.md: Batches). Where nothing has to be waited for, the
    outcome that makes a release due is committed with it; otherwise the release is made later, or at the next start.

    Threads take turns; other processes are refused.
    """

    def __init__(self, plan: Plan, store: Store, *, ledger: Ledger | None = None) -> None:
        self._plan, self._store, self._commit = plan, store, store.commit
        self._process = getpid()
        self._lock = threading.Lock()
        learner, self._learner_state = packed(plan.private.learner)
        channel, self._channel_state = packed(plan.private.channel)
        self._blank = self._channel_state.tobytes()
        self._private, self._learner, self._channel = Private(channel, learner), learner, channel
        self._streaming = channel.one_stream
        self._holding = channel.holds_feedback and not channel.one_stream  # for each group by itself
        self._taking = channel.holds_feedback and not channel.draws_while_taking
        self._raw = self._streaming or self._holding
        self._in_order = channel.in_order
        self._showing = channel.guarantee.is_private
        drawn = streams(plan.seed)
        self._rng, self._noise_rng = drawn.learner, drawn.privacy
        self._carry, self._horizon = plan.carry, plan.horizon
        self._example = _example(plan)
        self._buffers = tuple(any(True for _ in kernel.arrays(part)) for part in self._example)  # which have to be copied
        self._closed = self._changing = False
        self._reload()
        token, session = store.rows.token, store.rows.session
        self._token = f"{token}.{session}"
        label = f"{plan.name} {plan.algorithm} {token}"
        self._budget = None if ledger is None else Budget(ledger, plan.private.guarantee, label)
        self._release_due()

    @classmethod
    def start(
        cls,
        plan: Plan,
        recipe: Recipe,
        *,
        ledger: Ledger | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> LiveRun:
        """Return a run before its first round, in memory or in a new file."""
        rows = Rows(recipe, secrets.token_hex(8), packed(plan.private.learner)[1].tobytes())
        if plan.private.channel.one_stream:
            rows.stream = packed(plan.private.channel)[1].tobytes()
        if plan.seed is not None and path is not None:
            drawn = streams(plan.seed)
            rows.draws = Draws(drawn.learner.bit_generator.state, drawn.privacy.bit_generator.state)
        return cls(plan, MemoryStore(rows) if path is None else FileStore.create(path, rows), ledger=ledger)

    def ask(self, observation: Observation = None, *, user: User | None = None) -> Ticket:
        """Return what to do in the next round."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            if self._changing or self._closed:
                self._recover()
            rows = self._store.rows
            asked, number, left, released = rows.counters
            if self._budget is None and user is not None:
                raise DiscreetError("user is given, but there is no ledger that limits the rounds of a user.")
            if asked >= self._horizon or (left == 0 and self._in_order and rows.groups):
                raise self._not_now(rows)
            if self._budget is not None:
                self._budget.admit(user)
            self._changing = True
            group = learner = draws = None
            if left == 0:
                number = asked
                group = self._new_group(number, observation)
                left, action = group.size, group.action
                learner = self._learner_state.tobytes()
            else:
                action = rows.groups[number].action
            choice = self._carry(action, observation, self._rng)
            if rows.draws is not None:
                draws = Draws(self._rng.bit_generator.state, rows.draws.privacy)
            ticket = new_ticket((asked, number, choice, self._token, action))
            counters = (asked + 1, number, left - 1, released)
            self._commit(new_change((counters, ticket, None, group, None, None, None, learner, None, draws)))
            self._changing = False
            return ticket

    def tell(self, ticket: Ticket, feedback: Feedback) -> None:
        """Take the outcome of a decision; when it returns, the outcome counts, once, whatever happens."""
        self.hear(ticket.id, ticket.token, ticket.choice, feedback)

    def hear(self, number: int, token: str, choice: int | None, feedback: Feedback) -> None:
        """Take the outcome of the decision with this number, token and choice."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            if self._changing or self._closed:
                self._recover()
            rows = self._store.rows
            opened = rows.open.get(number)
            if opened is None or opened.token != token or opened.choice != choice:
                raise self._not_open(number, token)
            self._changing = True
            try:
                self._take(rows, rows.groups[opened.group], feedback, number)
            finally:
                if self._raw:
                    self._channel_state[:] = self._blank
            self._changing = False

    def _new_group(self, number: int, observation: Observation) -> Group:
        """Let the learner act, and begin what the channel holds for it."""
        if self._learner.must_pause():
            self._learner.resume()
        action, trace = self._private.act(observation, self._rng)
        if self._buffers[0]:
            action = kernel.copy(action)
        if self._buffers[1]:
            trace = kernel.copy(trace)
        size = self._private.hold_for(trace)
        held = None
        if self._holding:
            held = self._channel_state.tobytes()
            self._channel_state[:] = self._blank
        return new_group((number, action, trace, size, 0, False, held))

    def _take(self, rows: Rows, group: Group, feedback: Feedback, told: int) -> None:
        """Take an outcome, and commit it; with what is released, if that need not wait."""
        heard, query = group.told + 1, self._learner.query(group.trace)
        if self._raw:
            self._channel_state[:] = rows.stream if self._streaming else group.held  # type: ignore[assignment]
        if not self._taking:
            ready, value = self._channel.offer(feedback, query, self._noise_rng)
            self._finish(rows, group, heard, ready, value, told)
        elif not self._channel.take(feedback, query):
            self._finish(rows, group, heard, False, None, told)
        elif self._must_wait(group):
            self._finish(rows, group, heard, False, None, told, due=True)
        else:
            self._release(rows, group, query, heard, told)

    def _must_wait(self, group: Group) -> bool:
        """Return whether a release must not be made yet: so far, no wait times can be declared."""
        return False

    def _release(self, rows: Rows, group: Group, query: Query, heard: int, told: int | None) -> None:
        """Draw noise, let the learner learn, and commit both with what they change."""
        ready, value = self._channel.release(query, self._noise_rng)
        self._finish(rows, group, heard, ready, value, told)

    def _finish(
        self, rows: Rows, group: Group, heard: int, ready: bool, value: Release, told: int | None, *, due: bool = False
    ) -> None:
        """Let the learner learn what is released, if something is, and commit all that has changed."""
        number, action, trace, size, _, _, _ = group
        counters, released, learner, draws = rows.counters, None, None, None
        if ready:
            self._learner.learn(trace, value)
            released, learner = number, self._learner_state.tobytes()
            asked, running, left, releases = counters
            counters = (asked, running, left, releases + 1)
            if rows.draws is not None:
                draws = Draws(rows.draws.learner, self._noise_rng.bit_generator.state)
        kept = closed = None
        if heard == size and not due:
            closed = number
        else:
            held = self._channel_state.tobytes() if self._holding else None
            kept = new_group((number, action, trace, size, heard, due, held))
        stream = self._channel_state.tobytes() if self._streaming else None
        shown = value if self._showing else None
        self._commit(new_change((counters, None, told, kept, closed, released, shown, learner, stream, draws)))

    def _release_due(self) -> None:
        """Make the releases that were due when the run was stopped."""
        rows = self._store.rows
        for group in list(rows.groups.values()):
            if group.due and not self._must_wait(group):
                self._changing = True
                try:
                    self._channel_state[:] = rows.stream if self._streaming else group.held  # type: ignore[assignment]
                    self._release(rows, group, self._learner.query(group.trace), group.told, None)
                finally:
                    self._channel_state[:] = self._blank
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
        self._store.load(self._example)
        rows = self._store.rows
        if len(rows.learner) != len(self._learner_state):
            raise DiscreetError(
                f"the learner of this run has {len(rows.learner)} bytes, but {self._plan.algorithm} needs "
                f"{len(self._learner_state)}: it was made by another version."
            )
        self._learner_state[:] = rows.learner
        self._channel_state[:] = self._blank
        if rows.draws is not None:
            self._rng.bit_generator.state = dict(rows.draws.learner)
            self._noise_rng.bit_generator.state = dict(rows.draws.privacy)
        self._changing = False

    def _not_now(self, rows: Rows) -> DiscreetError:
        """Return why no decision can be asked for."""
        if rows.counters[0] >= self._plan.horizon:
            return DiscreetError(
                f"the horizon of {self._plan.horizon} rounds is used up: no decision is left to ask for."
            )
        return DiscreetError(
            f"{self._plan.algorithm} is private only if all outcomes so far are told before the next arm is drawn; "
            f"{count(len(rows.open), 'outcome')} still to come."
        )

    def _not_open(self, number: int, token: str) -> DiscreetError:
        """Return why an outcome cannot be told."""
        rows = self._store.rows
        if number not in rows.open and str(token).startswith(rows.token) and 0 <= number < rows.counters[0]:
            return DiscreetError(f"decision {number} has been told already: each outcome counts once.")
        return DiscreetError(f"decision {number!r} is not one that this run gave.")

    def state(self) -> Progress:
        """Return how the run is getting on."""
        with self._turn() as rows:
            asked, _, _, released = rows.counters
            return Progress(asked, self._plan.horizon, released, len(rows.open), len(rows.groups))

    def open_decisions(self) -> tuple[int, ...]:
        """Return the ids of the decisions whose outcome has not been told."""
        with self._turn() as rows:
            return tuple(rows.open)

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; with a caveat if this is a simulation."""
        mine = self._plan.private.guarantee
        if not self._plan.simulation or not mine.is_private:
            return mine
        seeded = "" if self._plan.seed is None else ", reproducible from its seed"
        return replace(mine, caveat=f"{mine.caveat}; " * bool(mine.caveat) + CAVEAT.format(seeded=seeded))

    @property
    def round(self) -> int:
        """How many decisions were asked for."""
        return self._store.rows.counters[0]

    @property
    def plan(self) -> Plan:
        """What is run."""
        return self._plan

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file: a run of its own, without what is open here, and with other randomness.

        Decisions of this run mean nothing to it, and a ledger is charged for it again.
        """
        if self._streaming:
            raise DiscreetError(
                f"{self._plan.algorithm} learns from one running sum, which a copy would release again: use its file."
            )
        with self._turn() as rows:
            asked, _, left, released = rows.counters
            twin = Rows({**rows.recipe, "seed": None}, secrets.token_hex(8), rows.learner)
            twin.counters = (min(asked + left, self._plan.horizon), -1, 0, released)
            FileStore.create(path, twin).close()

    def close(self) -> None:
        """Give the file free; a run in memory is forgotten."""
        if getpid() != self._process:
            raise self._foreign()
        with self._lock:
            self._closed = True
            self._store.close()


def _example(plan: Plan) -> Example:
    """Return an action and a trace of the kind that the learner makes."""
    learner = kernel.copy(plan.private.learner)
    if learner.must_pause():
        learner.resume()
    return learner.act(plan.observation, np.random.default_rng(0))
