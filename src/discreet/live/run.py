"""The one live object: whatever is learned from people goes through a run."""

from __future__ import annotations

import math
from typing import Any, Self

from discreet.errors import DiscreetError, count
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.engine import Engine
from discreet.live.guards import process
from discreet.live.kept import KeptRun
from discreet.live.rows import Change, Draws, Opened, Rows, Ticket, new_group
from discreet.private import Private


class LiveRun(KeptRun):
    """A private learner in use: it decides, hears outcomes, and releases what is due.

    All that it knows is rows of a store. What a group of rounds holds is put into the channel while
    an outcome is taken, and taken out again; the learner's arrays are a copy of the committed ones.
    So an operation that fails leaves nothing behind, wherever it failed: the next one begins with
    what is committed. (Random numbers that it drew are gone. Only the file of a simulation with a
    seed keeps its generators, and turns them back.)

    A release draws fresh noise, lets the learner learn, and is committed together with what it
    changes, the raw sum that it erases included. Noise that was drawn and not committed was seen by
    nobody, and whether something is committed does not depend on it (docs/proofs.md: Batches).

    With a wait time, outcomes are kept until their deadlines. Then, in the order of asking, each
    counts, or the default in its place; that is done when the next decision is asked for, never
    when an outcome is told (Deadlines).

    Threads take turns; other processes are refused.
    """

    @classmethod
    def over(cls, private: Private, *, horizon: int, observation: object = 0) -> Self:
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

    def ask(self, observation: object = None, *, user: User | None = None) -> Ticket:
        """Return what to do in the next round."""
        return Ticket(*self.decide(observation, user))

    def decide(self, observation: object, user: User | None) -> Opened:
        """Return what to do in the next round, as a ticket without names."""
        if process.number != self._process:
            self._check_process()
        with self._lock:
            if self._changing:
                self._recover()
            action: Any
            rows, rng, now, outcome = self._store.rows, self._rng, self._clock(), None
            if self._guarded or user is not None:
                outcome = self._admit(rows, now, user)
            elif rows.counters[0] >= self._end:
                self._next_epoch(rows)
            asked, number, left, released, lost = rows.counters
            self._changing = True
            group = learner = draws = None
            if left == 0:
                number, engine = asked, self._engine
                action, trace, left, held = engine.act(observation, rng)
                group = new_group((number, action, trace, left, 0, held))
                learner = engine.learner_state.tobytes()
            else:
                action = rows.groups[number].action
            choice = int(action) if self._carry is None else self._carry(action, observation, rng)
            if rows.draws is not None:
                draws = Draws(rng.bit_generator.state, rows.draws.privacy)
            opened = asked, number, choice, self._token, now, action
            counters, chosen = (
                (asked + 1, number, left - 1, released, lost),
                rows.choices.get(choice, 0) + 1,
            )
            self._commit_ask((counters, opened, chosen, group, learner, draws, outcome))
            self._changing = False
            return opened

    def _admit(self, rows: Rows, now: float, user: User | None) -> bytes | None:
        """See to deadlines, the order of outcomes and the ledger before a decision is asked for.

        Returns what is kept in place of its outcome, if that is to wait for a deadline.
        """
        outcome = None
        if self._wait is not None:
            self._set_back(rows, now)
            self._pass_deadlines(rows, now, self._wait)
            outcome = self._plan.no_outcome
        if self._budget is None and user is not None:
            raise DiscreetError(
                "user is given, but there is no ledger that limits the rounds of a user."
            )
        if rows.counters[0] >= self._end:
            self._next_epoch(rows)
        if self._in_order and rows.counters[2] == 0 and rows.groups:
            raise self._out_of_order(rows)
        if self._budget is not None:
            self._budget.admit(user)
        return outcome

    def tell(self, ticket: Ticket, feedback: object) -> bool:
        """Take the outcome of a decision; when it returns, the outcome counts, once, whatever happens.

        With a wait time it returns False for an outcome that comes after its deadline, and does not
        count.
        """
        return self.hear(ticket.id, ticket.token, ticket.choice, feedback)

    def hear(self, number: int, token: str | None, choice: int | None, feedback: object) -> bool:
        """Take the outcome of the decision with this number, token and choice; without a token the number is enough."""
        if process.number != self._process:
            self._check_process()
        with self._lock:
            if self._changing:
                self._recover()
            rows = self._store.rows
            opened = rows.open.get(number)
            if opened is None:
                return self._not_open(number, token)
            _, of, chosen, given, asked_at, _ = opened
            if token is not None and (token != given or choice != chosen):
                return self._not_open(number, token)
            if self._wait is not None:
                return self._keep(rows, number, feedback, asked_at + self._wait)
            self._count(rows, number, of, feedback)
            return True

    def _count(self, rows: Rows, told: int, of: int, feedback: object) -> None:
        """Take an outcome, let the learner learn what is released, if something is, and commit all that has changed."""
        group, engine, counters = rows.groups.get(of), self._engine, rows.counters
        kept = closed = released = shown = learner = stream = draws = None
        self._changing = True
        if group is None:  # of an epoch that is over: nobody learns from it any more
            self._commit_tell((counters, told, None, None, None, None, None, None, None))
            self._changing = False
            return
        number, action, trace, size, heard, held = group
        channel, query = engine.channel, engine.learner.query(trace)
        try:
            if engine.raw:
                engine.put(rows.stream if engine.streaming else held)
            if not engine.taking:
                ready, value = channel.offer(feedback, query, self._noise_rng)
            elif channel.take(feedback, query):
                ready, value = channel.release(query, self._noise_rng)
            else:
                ready, value = False, None
            if ready:
                engine.learner.learn(trace, value)
                released, learner, shown = (
                    number,
                    engine.learner_state.tobytes(),
                    value if engine.showing else None,
                )
                asked, running, left, releases, lost = counters
                counters = (asked, running, left, releases + 1, lost)
                if rows.draws is not None:
                    draws = Draws(rows.draws.learner, self._noise_rng.bit_generator.state)
            if engine.streaming:
                stream = engine.channel_state.tobytes()
            if heard + 1 == size:
                closed = number
            else:
                after = engine.channel_state.tobytes() if engine.holding else None
                kept = new_group((number, action, trace, size, heard + 1, after))
            self._commit_tell(
                (counters, told, kept, closed, released, shown, learner, stream, draws)
            )
        finally:
            if engine.raw:
                engine.clear()
        self._changing = False

    def _keep(self, rows: Rows, number: int, feedback: object, deadline: float) -> bool:
        """Keep an outcome until the deadline of its decision, unless it comes too late."""
        if (
            self._clock() >= deadline
        ):  # asked first: who has answered is not told to who comes too late
            return False
        if self._plan.is_told(rows.outcomes[number]):
            raise DiscreetError(
                f"decision {number} has been told already: each outcome counts once."
            )
        self._changing = True
        self._commit(Change(rows.counters, outcome=(number, self._plan.kept(feedback))))
        self._changing = False
        return True

    def _pass_deadlines(self, rows: Rows, now: float, wait: float) -> None:
        """Let everything count whose deadline has passed, in the order of asking: the outcome, or else the default."""
        if now < self._next_deadline:
            return
        self._next_deadline = now + wait
        for number, of, _, _, asked_at, _ in list(rows.open.values()):
            if now < asked_at + wait:
                self._next_deadline = asked_at + wait
                return
            self._count(rows, number, of, self._plan.read(rows.outcomes[number]))

    def _set_back(self, rows: Rows, now: float) -> None:
        """Where the clock was set back, let what was asked for in the future be asked for now: else all would wait."""
        if rows.open and Ticket(*next(reversed(rows.open.values()))).asked_at > now:
            for ticket in [each for each in rows.tickets() if each.asked_at > now]:
                self._changing = True
                again, chosen = ticket._replace(asked_at=now), rows.choices[ticket.choice]
                self._commit_ask((rows.counters, again, chosen, None, None, None, None))
                self._changing = False
            self._next_deadline = -math.inf

    def release_due(self) -> int:
        """Make the releases whose time has come, and return how many: asking for a decision does so first."""
        self._check_process()
        with self._lock:
            rows = self._committed()
            before = rows.counters[3]
            if self._wait is not None:
                now = self._clock()
                self._set_back(rows, now)
                self._pass_deadlines(rows, now, self._wait)
            return rows.counters[3] - before

    def give_up(self, number: int, token: str | None = None) -> bool:
        """Wait no longer for the outcome of a decision; return whether a batch is lost with it."""
        self._check_process()
        with self._lock:
            rows = self._committed()
            if self._wait is not None:
                raise DiscreetError(
                    "wait was declared, so the time "
                    "decides "
                    "what "
                    "comes too "
                    "late: "
                    "nothing is "
                    "given up."
                )
            if number not in rows.open:
                return self._not_open(number, token)
            ticket = Ticket(*rows.open[number])
            if token is not None and ticket.token != token:
                return self._not_open(number, token)
            return self._lose(rows, ticket)

    def _lose(self, rows: Rows, ticket: Ticket) -> bool:
        """Close the group of a decision without a release; what it holds is erased."""
        asked, running, left, released, lost = rows.counters
        group = rows.groups.get(ticket.group)
        whole = self._engine.holding and group is not None
        gone = [other.id for other in rows.tickets() if whole and other.group == ticket.group] or [
            ticket.id
        ]
        closed = ticket.group if whole or (group is not None and group.size == 1) else None
        left = 0 if closed == running else left
        self._changing = True
        self._commit(
            Change(
                (asked, running, left, released, lost + whole), closed=closed, given_up=tuple(gone)
            )
        )
        self._changing = False
        return whole

    def _next_epoch(self, rows: Rows) -> None:
        """Begin again with a longer horizon, if none was declared; what is still open is not learned from any more.

        It waits until as many outcomes have counted as the epoch has rounds, so that outcomes that
        come late do not leave an epoch without any.
        """
        if self._plan.horizon is not None:
            horizon = self._plan.horizon
            raise DiscreetError(
                f"the horizon of {horizon} rounds is used up: no decision is left to ask for."
            )
        asked, _, _, released, lost = rows.counters
        if asked - len(rows.open) < self._end:
            return
        number = rows.epoch[0] + 1
        engine = Engine(self._plan.private_of(number), self._plan.observation)
        self._changing = True
        counters = (asked, -1, 0, released, lost + len(rows.groups))
        self._commit(
            Change(counters, learner=engine.first, stream=engine.stream, epoch=(number, asked))
        )
        self._engine, self._epoch, self._end = engine, number, asked + self._plan.rounds_of(number)
        self._changing = False

    def _out_of_order(self, rows: Rows) -> DiscreetError:
        return DiscreetError(
            f"{self._plan.algorithm} is private only "
            "if all "
            "outcomes so "
            "far are "
            "told "
            "before the "
            "next arm is drawn; "
            f"{count(len(rows.open), 'outcome')} still to come."
        )

    def _not_open(self, number: int, token: str | None) -> bool:
        """Return False for an outcome that comes after its deadline, and refuse any other that cannot be told."""
        rows = self._store.rows
        mine = token is None or str(token).startswith(rows.token)
        if number in rows.open or not mine or not 0 <= number < rows.counters[0]:
            raise DiscreetError(f"decision {number!r} is not one that this run gave.")
        if self._wait is None:
            raise DiscreetError(
                f"decision {number} has been told already, or given up: each outcome counts once."
            )
        return False
