"""The part of a run that holds rounds out, and the probabilities of its decisions."""

from __future__ import annotations

from discreet.contracts import Generator
from discreet.errors import DiscreetError
from discreet.live.engine import Engine
from discreet.live.frames import withhold_frames
from discreet.live.holdout import HELD_OUT, RELEASE, HoldOut
from discreet.live.rows import Change, GroupRow, Rows, Ticket
from discreet.live.run_state import RunState


class RunWithHoldOut(RunState):
    """The part of a run that holds rounds out (docs/proofs.md: Hold-out).

    The held-out sums are the stream of the run; the public state of the hold-out follows the
    learner's state. So both are committed, encrypted and authenticated like those.
    """

    __slots__ = ()

    def chance_of(self, group: GroupRow) -> float | None:
        """Return the probability of a group's action, given what was public before it."""
        # If arms come and go, batches pause, and which continues depends on more than one draw.
        number, action, trace, _, _, _ = group
        if not self._shows_chances or number < 0 or self._store.rows.slots is not None:
            return None
        chance = self._engine.private.learner.chance(trace, action)
        return chance if chance == chance else None  # NaN if it is not known

    def _probability(self, rows: Rows, ticket: Ticket) -> float | None:
        """Return the probability of a decision."""
        if ticket.group == HELD_OUT:
            return self._plan.read_chance(rows.outcomes[ticket.id])
        group = rows.groups.get(ticket.group)
        chance = None if group is None else self.chance_of(group)
        return chance if self._side is None else self._side.mixed(ticket.id, chance)

    def _set_aside(self, side: HoldOut, asked: int, group: GroupRow | None, rng: Generator) -> int:
        """Toss the coin of a round: return the arm if the round is held out, else -1.

        ``group`` is the group that begins with this round, if any.
        """
        if group is not None:
            _, _, trace, _, _, _ = group
            side.note_chances(self._engine.private.learner, trace, self._shows_chances)
        return side.toss(asked, rng)

    @withhold_frames
    def held_out(self) -> list[tuple[int, int, float]] | None:
        """Return the release of the hold-out; None before it, or if there is no hold-out.

        For each arm: its index, its rounds, and the noisy sum of their losses in widths of the
        range (low is 0, high is 1).
        """
        self._check_caller()
        with self._lock:
            self._committed()
            return None if self._side is None else self._side.sums()

    @withhold_frames
    def finish_holdout(self, *, give_up: bool = False) -> bool:
        """End the hold-out; return whether it is released.

        It is released once all its outcomes have arrived. With ``give_up``, it does not wait.
        """
        self._check_caller()
        with self._lock:
            self._recover()
            rows, side = self._committed(), self._side
            if side is None:
                raise DiscreetError("this run has no hold-out: start it with explore or holdout.")
            if give_up and self._wait is not None:
                raise DiscreetError(
                    "this run has a wait, so a decision ends by its outcome or deadline only, and "
                    "cannot be given up."
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
        """Remove a round from the hold-out because its outcome was given up."""
        self._changing = True
        side.drop(ticket.choice)
        given_up = (ticket.id,)
        self._commit(Change(rows.counters, learner=self._learned(), given_up=given_up))
        self._changing = False

    def _aside(self, rows: Rows, decision: int) -> tuple[GroupRow, Engine]:
        """Return a held-out round as a group, and the engine of the hold-out."""
        assert self._side is not None, "only called if there is a hold-out"
        choice = RELEASE if decision == HELD_OUT else Ticket(*rows.open[decision]).choice
        return self._side.group(choice), self._side.engine

    def _group_of(self, rows: Rows, decision: int) -> tuple[GroupRow, Engine]:
        """Return the group of a decision that triggered a release, and its engine."""
        of = HELD_OUT if decision == HELD_OUT else Ticket(*rows.open[decision]).group
        return self._aside(rows, decision) if of == HELD_OUT else (rows.groups[of], self._engine)

    def _given_up(self, trace: object) -> bytes:
        """Notify the learner that a batch is lost; return the public state."""
        self._engine.give_up(trace)
        return self._learned()

    def _release_held_out(self, rows: Rows) -> None:
        """Release the hold-out if it is due, in the same way as a batch."""
        if self._side is not None and self._side.is_due(rows):
            self._count(rows, HELD_OUT, HELD_OUT, 0.0)

    def _count(self, rows: Rows, decision: int, of: int, feedback: object) -> None:
        """Record an outcome, or trigger the release of the hold-out."""
        raise NotImplementedError
