"""The live run: everything that is learned from real outcomes goes through it."""

from __future__ import annotations

from typing import Any, Self

from discreet.errors import AlreadyTold, DiscreetError, count
from discreet.learners.arms.availability import Available
from discreet.ledger.inputs import User
from discreet.live.changing_arms import ChangingArms
from discreet.live.engine import Engine, own
from discreet.live.feedback import feedback_for
from discreet.live.frames import withhold_frames, without_frames
from discreet.live.groups import GroupedOperations
from discreet.live.holdout import HELD_OUT
from discreet.live.rows import (
    Change,
    Drawn,
    Draws,
    Group,
    GroupRow,
    OpenRow,
    Rows,
    Ticket,
    new_tuple,
)
from discreet.live.run_plan import RunPlan
from discreet.live.serving import AtLimit
from discreet.live.users import Usage, bare_id
from discreet.private import Private


class LiveRun(ChangingArms, GroupedOperations):
    """A private learner in use: it decides, records outcomes, and makes releases when due.

    All its state is in the rows of a store. The content of a group of rounds is loaded into the
    channel while an outcome is recorded, and unloaded again; the learner's arrays are a copy of the
    committed ones. So a failed operation leaves nothing behind: the next one starts from what is
    committed. (Random numbers that it drew are lost. Only the file of a seeded simulation stores
    its generators, and resets them.)

    A release is drawn once. It is stored before the learner sees it, with all that is needed to
    complete it; then the learner learns, and the rest is committed, including the erasure of the
    raw sum. If that fails, the next operation passes the same value to the learner again
    (docs/proofs.md: One draw).

    With a wait, outcomes are stored until their deadlines. Then each outcome, or the default if
    there is none, counts in the order of asking. This happens when the next decision is requested,
    never when an outcome is recorded (docs/proofs.md: Deadlines).

    The run is thread-safe; other processes are refused.
    """

    __slots__ = ()

    @classmethod
    def over(cls, private: Private, *, horizon: int, observation: object = 0) -> Self:
        """Return an in-memory run of a custom private learner, with exact noise.

        >>> from discreet import Private, Range, channels, learners
        >>> channel = channels.Batch.laplace(size=2, epsilon=1.0, bounds=Range(0.0, 1.0))
        >>> private = Private(channel, learners.Exp3.start(arms=3, learning_rate=0.1))
        >>> run = LiveRun.over(private, horizon=100)
        >>> for _ in range(2):
        ...     ticket = run.ask()              # ticket.action is an arm
        ...     _ = run.tell(ticket, 0.5)
        >>> run.state().released
        1
        """
        return cls.start(RunPlan.over(private, horizon=horizon, observation=observation), {})

    @withhold_frames
    def ask(
        self, observation: object = None, user: User | None = None, at_limit: AtLimit = "refuse"
    ) -> Ticket:
        """Return the decision of the next round."""
        return Ticket(*self.decide_or_serve(observation, user, at_limit)[0])

    def decide(self, observation: object, user: User | None) -> tuple[OpenRow, float | None]:
        """Return the decision of the next round as the fields of a ticket, and its probability."""
        inside = self._inside  # read first: Python is slower at calling what is in an attribute
        if not self._mark[0] or inside():
            self._check_caller()
        try:
            with self._lock:
                if self._changing:
                    self._recover()
                decided = self._decide(observation, user)
                self._changing = False
                return decided
        except BaseException as error:
            user = observation = None
            raise without_frames(error)  # noqa: B904 - the same error

    def _decide(self, observation: object, user: User | None) -> tuple[OpenRow, float | None]:
        action: Any
        rows, rng, clock = self._store.rows, self._rng, self._clock
        now = clock()
        outcome = usage = acted = group = learner = draws = None
        asked, number, left, released, lost = rows.counters
        if self._guarded or user is not None or asked >= self._end:
            outcome, usage = self._admit(rows, now, user)
            asked, number, left, released, lost = rows.counters
        if rows.slots is not None and type(observation) is Available:
            acted = self._turn_to(rows, observation, rng)
            asked, number, left, released, lost = rows.counters
        self._changing = True
        if left == 0:
            number, engine = asked, self._engine
            if acted is None and engine.acts_only:  # the usual case, which saves a call
                action, trace = engine.learner.act(observation, rng)
                left, held = engine.size, None
            else:
                action, trace, left, held = acted or engine.act(observation, rng)
            if not self._mark[0]:  # a signal handler may have forked
                self._check_caller()
            chance = None
            if self._shows_chances and rows.slots is None:  # the same as chance_of
                chance = engine.learner.chance(trace, action)
                chance = chance if chance == chance else None
            if self._records is None:
                learner = engine.learner_state.tobytes()
            else:  # a policy decided: nothing was learned, and its choice must not be shown
                unknown = self._plan.no_outcome
                outcome, chosen = self._records.opened(unknown, observation, action)
                action = 0
            group = number, action, trace, left, 0, held
            self._running = number, action, chance
        else:
            of, action, chance = self._running
            if of != number:
                running = Group(*rows.groups[number])
                action, chance = running.action, self.chance_of(running)
                self._running = number, action, chance
        choice = int(action) if self._carry is None else self._carry(action, observation, rng)
        row = asked, number, choice, self._token, now, action
        if self._side is not None:
            arm = self._set_aside(self._side, asked, group, rng)
            chance = self._side.mixed(asked, chance if arm < 0 else self._side.chance_of(arm))
            if arm >= 0:
                choice, left = arm, left + 1
                row = asked, HELD_OUT, choice, self._token, now, action
                outcome = self._plan.with_chance(outcome, chance)
            if arm >= 0 or group is not None:
                learner = self._learned()
        if rows.draws is not None:
            draws = Draws(rng.bit_generator.state, rows.draws.privacy)
        counters = asked + 1, number, left - 1, released, lost
        times = rows.choices.get(choice, 0) + 1
        commit = self._commit_ask
        # Positional arguments, in the order of the parameters: keywords would cost 1 % of the time.
        commit(counters, row, times, group, learner, draws, outcome, usage)
        return (row if self._records is None else (*row[:5], chosen)), chance

    def _admit(
        self, rows: Rows, now: float, user: User | None
    ) -> tuple[bytes | None, Usage | None]:
        """Check deadlines, the order of outcomes, ledger and users before making a decision.

        Returns the placeholder for its outcome, if that must wait for a deadline, and the rounds of
        users including this one, if the run counts them.
        """
        outcome = usage = None
        if self._wait is not None:
            if not self._several:
                self._correct_clock(rows, now)
                self._pass_deadlines(rows, now, self._wait)
            outcome = self._plan.no_outcome
        if not self._several:
            self._release_held_out(rows)  # if a failure delayed it
        self._admission.check(user)
        if rows.counters[0] >= self._end:
            self._next_epoch(rows)
        if self._in_order and rows.counters[2] == 0 and rows.groups:
            raise DiscreetError(
                f"{self._plan.algorithm} is private only if you tell all outcomes before asking "
                f"again: {count(len(rows.open), 'outcome')} still missing."
            )
        self._admission.charge()
        if self._users is not None and user is not None:
            usage = self._users.add(rows.usage, now, user)
        else:
            self._admission.count(user)
        return outcome, usage

    @withhold_frames
    def tell(self, ticket: Ticket, feedback: object) -> bool:
        """Record the outcome of a decision; once this returns, the outcome counts exactly once.

        ``feedback`` is what the channel takes: a finite number in its range, or a vector of them.
        With a wait, returns False for an outcome after its deadline, which does not count.
        """
        if not isinstance(ticket, Ticket) or type(ticket.id) is not int:
            raise DiscreetError(
                f"ticket is of type {type(ticket).__name__}, but must be the Ticket that ask() "
                "returned."
            )
        token = ticket.token if isinstance(ticket.token, str) else ""
        choice = ticket.choice if isinstance(ticket.choice, int) else None
        records = self._records is not None
        feedback = feedback_for(self._engine.private.channel, feedback, records=records)
        return self.tell_by_id(ticket.id, token, choice, feedback)

    def tell_by_id(
        self, number: int, token: str | None, choice: int | None, feedback: object
    ) -> bool:
        """Record the outcome of the decision with this id; a token and a choice must match it."""
        try:
            inside = self._inside
            if not self._mark[0] or inside():
                self._check_caller()
            with self._lock:
                if self._changing:
                    row = self._recover()
                    # with a wait, a deadline triggered the release: this outcome is late
                    if (
                        row is not None
                        and self._wait is None
                        and Ticket(*row).is_named(number, token, choice)
                    ):
                        return True
                rows = self._store.rows
                row = rows.open.get(number)
                if row is None:
                    return self._not_open(number, token)
                _, of, chosen, given, asked_at, _ = row
                if token is None:
                    if self._needs_token:
                        raise bare_id(number)
                elif token != given or choice != chosen:
                    return self._not_open(number, token)
                if self._at_once:
                    self._count(rows, number, of, feedback)
                    return True
                if self._wait is not None:
                    given_at = rows.given_at(number, asked_at) if rows.clock else asked_at
                    return self._keep(rows, number, feedback, given_at + self._wait)
                if self._records is not None:
                    feedback = self._records.record(rows.outcomes[number], feedback)
                self._count(rows, number, of, feedback)
                if self._side is not None:
                    self._release_held_out(rows)
                return True
        except BaseException as error:
            feedback = None
            raise without_frames(error)  # noqa: B904 - the same error

    def _count(self, rows: Rows, decision: int, of: int, feedback: object) -> None:
        """Record an outcome; draw the release it triggers, and store it before anybody sees it."""
        engine, before = self._engine, rows.groups.get(of)
        self._changing = True
        if before is None:
            if of >= rows.epoch[1] and rows.slots is None:
                raise DiscreetError(f"{self._store.name} is damaged: a batch is missing.")
            # its epoch is over, or its arm was retired: the learner no longer uses it
            if of != HELD_OUT:
                self._commit_tell(rows.counters, decision)
                self._changing = self._several
                return
            before, engine = self._aside(rows, decision)
        number, action, trace, size, told, held = before
        value: Any
        noise, after = self._noise_rng, None
        if engine.raw:
            raw, full = rows.stream if engine.streaming else held, told + 1 == size
            ready, value, after = engine.hand_over(raw, trace, feedback, noise, full)
        else:
            ready, value = engine.private.submit(trace, feedback, noise)
            if type(value) is not float:
                value = own(value)
        if not self._mark[0]:  # a signal handler may have forked: the parent has its own draw
            self._check_caller()
        stream = None
        if self._final:
            stream = self._with_outcome(rows, action, feedback)
            after = stream if ready else after  # a released batch holds nothing more
        if ready:
            draws = None
            if rows.draws is not None:
                draws = Draws(rows.draws.learner, self._noise_rng.bit_generator.state)
            if engine.showing:
                if self._deferring:
                    self._defer(before, decision, value, after, draws)
                    return
                commit_draw = self._commit_draw
                commit_draw(new_tuple(Drawn, (decision, value, after, draws)))
            self._learn(rows, engine, before, decision, value, after, draws)
            return
        group = closed = None
        if engine.streaming:
            stream, after = after, None
        if told + 1 == size:
            closed = number
        else:
            group = number, action, trace, size, told + 1, after
        commit = self._commit_tell
        commit(rows.counters, decision, group, closed, None, None, None, stream)
        self._changing = self._several

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
        """Let the learner learn from a release, and commit all changes."""
        number, action, trace, size, told, _ = before
        # the learner may write into an array
        engine.private.deliver(trace, value if type(value) is float else value.copy())
        asked, running, left, releases, lost = rows.counters
        group = closed = stream = None
        if engine.streaming or self._final:
            stream, after = after, None
        if told + 1 == size:
            closed = number
        else:
            group = number, action, trace, size, told + 1, after
        facts = None
        if self._noting:
            of, _, chance = self._running
            if of == number and self._carry is None:  # the usual case, which saves a call
                clock = self._clock
                facts = int(action), size, chance, clock()
            else:
                facts = self._facts(before)
        commit = self._commit_tell
        commit(
            (asked, running, left, releases + 1, lost),
            decision,
            group,
            closed,
            number,
            value if engine.showing else None,
            engine.learner_state.tobytes() if self._side is None else self._learned(),
            stream,
            draws,
            facts,
        )
        self._changing = self._several

    def _finish(self, rows: Rows) -> None:
        """Pass a stored release to the learner, which failed on it or never saw it."""
        drawn = rows.drawn
        assert drawn is not None, "only called if one is stored"
        self._changing = True
        if drawn.draws is not None:
            self._noise_rng.bit_generator.state = dict(drawn.draws.privacy)
        if self._completed_final(rows, drawn):
            return
        before, engine = self._group_of(rows, drawn.decision)
        self._learn(rows, engine, before, *drawn)

    def _keep(self, rows: Rows, number: int, feedback: object, deadline: float) -> bool:
        """Store an outcome until the deadline of its decision, unless it is too late."""
        # The deadline is checked first: a late caller must not learn who answered.
        if self._clock() >= deadline:
            return False
        self._changing = True
        before = rows.outcomes[number]
        told, kept = self._plan.is_told(before), self._plan.kept(feedback, before)
        # A repeated outcome writes the stored content again: otherwise the time this takes, or a
        # full disk, would show who has answered.
        self._commit(Change(rows.counters, outcome=(number, before if told else kept)))
        self._changing = self._several
        if told:
            raise AlreadyTold(f"decision {number} has been told already: each outcome counts once.")
        return True

    @withhold_frames
    def release_due(self) -> int:
        """Make all releases that are due, and return how many; ``ask`` does this first."""
        self._check_caller()
        with self._lock:
            before = self._committed().releases
            self._recover()
            rows = self._committed()
            self._release_due(rows)
            self._release_held_out(rows)
            return self._store.rows.releases - before
