"""The one live object: whatever is learned from people goes through a run."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from discreet import kernel
from discreet.contracts import Channel
from discreet.errors import DiscreetError, count
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.live.blocks import packed
from discreet.live.budget import Budget, User
from discreet.live.building import Plan
from discreet.live.file_store import FileStore
from discreet.live.guards import NoTwin, ProcessGuard
from discreet.live.rows import Change, Counters, Draws, Group, Open, Release, Rows
from discreet.live.store import MemoryStore, Store
from discreet.private import Private
from discreet.randomness import streams

CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"


class Ticket(NamedTuple):
    """What is to be done in one round; it comes back with the outcome."""

    id: int
    token: str  # of the run that gave it
    choice: int  # an arm or an expert, -1 where there is none
    action: Any


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
    behind, wherever it failed: the next one begins with what is committed.

    A release is a step of its own: it draws fresh noise, lets the learner learn, and is committed together with what it
    changes, the raw sum that it erases included. Noise that was drawn and not committed was seen by nobody, and whether
    something is committed does not depend on it (docs/proofs.md: Batches). Where nothing has to be waited for, the
    outcome that makes a release due is committed with it; otherwise the release is made later, or at the next start.

    Threads take turns; other processes are refused.
    """

    def __init__(self, plan: Plan, store: Store, *, ledger: Ledger | None = None) -> None:
        self._plan, self._store = plan, store
        self._process = ProcessGuard()
        self._lock = threading.Lock()
        learner, self._learner_state = packed(plan.private.learner)
        channel, self._channel_state = packed(plan.private.channel)
        self._blank = self._channel_state.copy()
        self._private = Private(channel, learner)
        self._takes = channel.holds_feedback and type(channel).take is not Channel.take  # TODO(merge): holds_feedback
        self._shows_releases = channel.guarantee.is_private
        self._streams = streams(plan.seed)
        self._example = _example(plan)
        self._closed = False
        self._reload()
        self._token = f"{self._rows.token}.{self._rows.session}"
        label = f"{plan.name} {plan.algorithm} {self._rows.token}"
        self._budget = Budget(ledger, plan.private.guarantee, label)
        self._release_due()

    @classmethod
    def start(
        cls,
        plan: Plan,
        recipe: Mapping[str, Any],
        *,
        ledger: Ledger | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> LiveRun:
        """Return a run before its first round, in memory or in a new file."""
        rows = Rows(recipe, secrets.token_hex(8), packed(plan.private.learner)[1])
        if plan.private.channel.one_stream:
            rows.stream = packed(plan.private.channel)[1]
        if plan.seed is not None:
            drawn = streams(plan.seed)
            rows.draws = Draws(drawn.learner.bit_generator.state, drawn.privacy.bit_generator.state)
        return cls(plan, MemoryStore(rows) if path is None else FileStore.create(path, rows), ledger=ledger)

    def ask(self, observation: Any = None, *, user: User | None = None) -> Ticket:
        """Return what to do in the next round."""
        self._process.check()
        with self._lock:
            rows = self._ready()
            asked, number, left, released = rows.counters
            self._budget.check(user)
            self._check_may_ask(rows)
            self._budget.admit(user)
            self._changing = True
            learner = draws = group = None
            if left == 0:
                number = asked
                group = self._new_group(number, observation)
                left = group.size
                learner = self._learner_state.copy()
            action = rows.groups[number].action if group is None else group.action
            choice = self._plan.carry(action, observation, self._streams.learner)
            if rows.draws is not None:
                draws = rows.draws._replace(learner=self._streams.learner.bit_generator.state)
            opened = Open(asked, number, choice, self._token)
            counters = Counters(asked + 1, number, left - 1, released)
            self._store.commit(Change(counters, opened, group=group, learner=learner, draws=draws))
            self._changing = False
            return Ticket(asked, self._token, choice, action)

    def tell(self, ticket: Ticket, feedback: Any) -> None:
        """Take the outcome of a decision; when it returns, the outcome counts, once, whatever happens."""
        self._process.check()
        with self._lock:
            rows = self._ready()
            group = rows.groups[self._opened(rows, ticket).group]
            self._changing = True
            try:
                change = self._heard(rows, group, feedback)._replace(told=ticket.id)
                self._store.commit(change)
            finally:
                self._channel_state[:] = self._blank
            self._changing = False

    def _new_group(self, number: int, observation: Any) -> Group:
        """Let the learner act, and begin what the channel holds for it."""
        private, channel = self._private, self._private.channel
        if private.learner.must_pause():
            private.learner.resume()
        action, trace = private.act(observation, self._streams.learner)
        size = private.hold_for(trace)
        held = None
        if channel.holds_feedback and not channel.one_stream:
            held = self._channel_state.copy()
            self._channel_state[:] = self._blank
        return Group(number, kernel.copy(action), kernel.copy(trace), size, 0, False, held)

    def _heard(self, rows: Rows, group: Group, feedback: Any) -> Change:
        """Take an outcome, and release what is due; return what is to be committed."""
        channel, query = self._private.channel, self._private.learner.query(group.trace)
        self._put_in(rows, group)
        if not self._takes:
            ready, value = channel.offer(feedback, query, self._streams.privacy)
            return self._outcome(rows, group._replace(told=group.told + 1), ready, value)
        due = channel.take(feedback, query)
        group = group._replace(told=group.told + 1, due=due)
        if due and not self._must_wait(group):
            return self._released(rows, group)
        return self._outcome(rows, group, False, None)

    def _must_wait(self, group: Group) -> bool:
        """Return whether a release must not be made yet: no wait times can be declared so far."""
        return False

    def _released(self, rows: Rows, group: Group) -> Change:
        """Draw noise, and let the learner learn; return what is to be committed."""
        query = self._private.learner.query(group.trace)
        ready, value = self._private.channel.release(query, self._streams.privacy)
        return self._outcome(rows, group._replace(due=False), ready, value)

    def _outcome(self, rows: Rows, group: Group, ready: bool, value: Any) -> Change:
        """Let the learner learn what is released, if it is; return what is to be committed."""
        channel, counters, learner, release, draws = self._private.channel, rows.counters, None, None, rows.draws
        if ready:
            self._private.learner.learn(group.trace, value)
            learner = self._learner_state.copy()
            release = Release(group.number, value if self._shows_releases else None)
            counters = counters._replace(released=counters.released + 1)
            if draws is not None:
                draws = draws._replace(privacy=self._streams.privacy.bit_generator.state)
        stream = held = None
        if channel.one_stream:
            stream = self._channel_state.copy()
        elif channel.holds_feedback:
            held = self._channel_state.copy()
        over = group.told == group.size and not group.due
        return Change(
            counters,
            group=None if over else group._replace(held=held),
            closed=group.number if over else None,
            release=release,
            learner=learner,
            stream=stream,
            draws=draws,
        )

    def _release_due(self) -> None:
        """Make the releases that were due when the run was stopped."""
        for group in list(self._rows.groups.values()):
            if group.due and not self._must_wait(group):
                self._changing = True
                try:
                    self._put_in(self._rows, group)
                    self._store.commit(self._released(self._rows, group))
                finally:
                    self._channel_state[:] = self._blank
                self._changing = False

    def _put_in(self, rows: Rows, group: Group) -> None:
        """Put into the channel what is held."""
        held = rows.stream if self._private.channel.one_stream else group.held
        if held is not None:
            self._channel_state[:] = held

    def _ready(self) -> Rows:
        """Return what is committed, with the learner in the same state."""
        if self._closed:
            raise DiscreetError("this run is closed: open its file to go on.")
        if self._changing:
            self._reload()
        return self._rows

    def _reload(self) -> None:
        """Go back to what is committed."""
        self._rows = rows = self._store.load(self._example)
        if rows.learner.size != self._learner_state.size:
            raise DiscreetError(
                f"the learner of this run has {rows.learner.size} bytes, but {self._plan.algorithm} needs "
                f"{self._learner_state.size}: it was made by another version."
            )
        self._learner_state[:] = rows.learner
        self._channel_state[:] = self._blank
        if rows.draws is not None:
            self._streams.learner.bit_generator.state = dict(rows.draws.learner)
            self._streams.privacy.bit_generator.state = dict(rows.draws.privacy)
        self._changing = False

    def _check_may_ask(self, rows: Rows) -> None:
        """Refuse when no decision is left, or when the next one must wait."""
        if rows.counters.asked >= self._plan.horizon:
            raise DiscreetError(f"the horizon of {self._plan.horizon} rounds is used up: no decision is left to ask for.")
        if rows.counters.left == 0 and rows.groups and self._private.channel.in_order:
            raise DiscreetError(
                f"{self._plan.algorithm} is private only if all outcomes so far are told before the next arm is drawn; "
                f"{count(len(rows.open), 'outcome')} still to come."
            )

    def _opened(self, rows: Rows, ticket: Ticket) -> Open:
        opened = rows.open.get(ticket.id)
        if opened is not None and opened.token == ticket.token and opened.choice == ticket.choice:
            return opened
        if opened is None and ticket.token.startswith(rows.token) and 0 <= ticket.id < rows.counters.asked:
            raise DiscreetError(f"decision {ticket.id} has been told already: each outcome counts once.")
        raise DiscreetError(f"decision {ticket.id!r} is not one that this run gave.")

    def state(self) -> Progress:
        """Return how the run is getting on."""
        self._process.check()
        with self._lock:
            rows = self._ready()
            asked, _, _, released = rows.counters
            return Progress(asked, self._plan.horizon, released, len(rows.open), len(rows.groups))

    def open_decisions(self) -> tuple[int, ...]:
        """Return the ids of the decisions whose outcome has not been told."""
        self._process.check()
        with self._lock:
            return tuple(self._ready().open)

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
        return self._rows.counters.asked

    @property
    def plan(self) -> Plan:
        """What is run."""
        return self._plan

    def snapshot(self, path: str | os.PathLike[str]) -> None:
        """Write a copy to a new file: a run of its own, without what is open here, and with other randomness.

        Decisions of this run mean nothing to it, and a ledger is charged for it again.
        """
        self._process.check()
        if self._private.channel.one_stream:
            raise DiscreetError(
                f"{self._plan.algorithm} learns from one running sum, which a copy would release again: there is no snapshot."
            )
        with self._lock:
            rows = self._ready()
            asked, _, left, released = rows.counters
            twin = Rows({**rows.recipe, "seed": None}, secrets.token_hex(8), rows.learner)
            twin.counters = Counters(min(asked + left, self._plan.horizon), released=released)
            FileStore.create(path, twin).close()

    def close(self) -> None:
        """Give the file free; a run in memory is forgotten."""
        self._process.check()
        with self._lock:
            self._closed = True
            self._store.close()


def _example(plan: Plan) -> tuple[Any, Any]:
    """Return an action and a trace of the kind that the learner makes."""
    learner = kernel.copy(plan.private.learner)
    if learner.must_pause():
        learner.resume()
    return learner.act(plan.observation, np.random.default_rng(0))
