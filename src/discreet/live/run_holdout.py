"""How a run holds rounds out, and how likely its decisions were."""

from __future__ import annotations

from discreet.contracts import Generator
from discreet.errors import DiscreetError
from discreet.live.engine import Engine
from discreet.live.frames import withhold_frames
from discreet.live.holdout import HELD_OUT, RELEASE, HoldOut
from discreet.live.rows import Change, Group, Rows, Ticket
from discreet.live.run_state import RunState


class RunWithHoldOut(RunState):
    """The part of a run that holds rounds out (docs/proofs.md: Hold-out).

    The sums of what is held out are the stream of the run; what is public about it follows the
    learner's state. So both are committed, encrypted and authenticated as those are.
    """

    def chance_of(self, group: Group) -> float | None:
        """Return how likely the action of a group was, given what was public before it."""
        # Arms that come and go pause batches, and which goes on depends on more than one draw.
        number, action, trace, _, _, _ = group
        if not self._shows_chances or number < 0 or self._store.rows.slots is not None:
            return None
        chance = self._engine.private.learner.chance(trace, action)
        return chance if chance == chance else None  # not a number if it is not known

    def _probability(self, rows: Rows, ticket: Ticket) -> float | None:
        """Return the probability that a decision had."""
        if ticket.group == HELD_OUT:
            return self._plan.read_chance(rows.outcomes[ticket.id])
        group = rows.groups.get(ticket.group)
        chance = None if group is None else self.chance_of(group)
        return chance if self._side is None else self._side.mixed(ticket.id, chance)

    def _set_aside(self, side: HoldOut, asked: int, group: Group | None, rng: Generator) -> int:
        """Toss the coin of a round: return the arm if it is held out, else -1.

        ``group`` is the one that begins with this round, if one does.
        """
        if group is not None:
            side.note_chances(self._engine.private.learner, group.trace, self._shows_chances)
        return side.toss(asked, rng)

    @withhold_frames
    def held_out(self) -> list[tuple[int, int, float]] | None:
        """Return what was released of the hold-out; None before that, or if there is none.

        For each arm its number, its rounds, and the noisy sum of their losses in widths of the
        range (low is 0, high is 1).
        """
        self._check_caller()
        with self._lock:
            self._committed()
            return None if self._side is None else self._side.sums()

    @withhold_frames
    def finish_holdout(self, *, give_up: bool = False) -> bool:
        """Hold nothing more out; return whether the hold-out is released.

        It is when all its outcomes have come. With ``give_up`` it does not wait for them.
        """
        self._check_caller()
        with self._lock:
            self._recover()
            rows, side = self._committed(), self._side
            if side is None:
                raise DiscreetError(
                    "this run holds nothing out: it has neither explore nor holdout."
                )
            if give_up and self._wait is not None:
                raise DiscreetError(
                    "wait was declared, so the time decides what comes too late: nothing is "
                    "given up."
                )
            asked = rows.counters[0]
            if side.is_open(asked):
                self._changing = True
                side.end(asked)
                self._commit(Change(rows.counters, learner=self._learned()))
                self._changing = False
            if give_up:
                for ticket in rows.tickets():
                    if ticket.group == HELD_OUT:
                        self._drop_held_out(rows, side, ticket)
            self._release_due(rows)
            self._release_held_out(rows)
            return side.sums() is not None

    def _release_due(self, rows: Rows) -> None:
        """Count every outcome whose deadline has passed."""
        raise NotImplementedError

    def _drop_held_out(self, rows: Rows, side: HoldOut, ticket: Ticket) -> None:
        """Leave a round out of the hold-out, because nobody waits for its outcome any more."""
        self._changing = True
        side.drop(ticket.choice)
        given_up = (ticket.id,)
        self._commit(Change(rows.counters, learner=self._learned(), given_up=given_up))
        self._changing = False

    def _aside(self, rows: Rows, decision: int) -> tuple[Group, Engine]:
        """Return a round that is held out as a group, and the engine of the hold-out."""
        assert self._side is not None, "only called if rounds are held out"
        choice = RELEASE if decision == HELD_OUT else Ticket(*rows.open[decision]).choice
        return self._side.group(choice), self._side.engine

    def _group_of(self, rows: Rows, decision: int) -> Group:
        """Return the group of a decision that made a release due, or of the hold-out."""
        if decision == HELD_OUT:
            return self._aside(rows, decision)[0]
        return rows.groups[Ticket(*rows.open[decision]).group]

    def _given_up(self, trace: object) -> bytes:
        """Tell the learner that a batch is lost; return the public state."""
        self._engine.give_up(trace)
        return self._learned()

    def _release_held_out(self, rows: Rows) -> None:
        """Release the hold-out if it is due, in the same way as a batch."""
        if self._side is not None and self._side.is_due(rows):
            self._count(rows, HELD_OUT, HELD_OUT, 0.0)

    def _count(self, rows: Rows, decision: int, of: int, feedback: object) -> None:
        """Take an outcome, or ask for the release of the hold-out."""
        raise NotImplementedError
