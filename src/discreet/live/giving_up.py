"""Outcomes that never come: giving up decisions, and with them their batches."""

from __future__ import annotations

from discreet.errors import DiscreetError
from discreet.live.feedback import check_id
from discreet.live.frames import withhold_frames
from discreet.live.holdout import HELD_OUT
from discreet.live.rows import Change, Group, Rows, Ticket
from discreet.live.run_epochs import RunInEpochs
from discreet.live.serving import Serving


class GivingUp(RunInEpochs, Serving):
    """The part of a run that stops waiting for outcomes.

    A batch that lacks an outcome is never released, so it is lost with all its outcomes.
    """

    __slots__ = ()

    @withhold_frames
    def give_up(self, number: int, token: str | None = None) -> bool:
        """Stop waiting for the outcome of a decision; return whether its batch is lost."""
        number = check_id(number, token)
        self._check_caller()
        with self._lock:
            self._recover()
            rows = self._committed()
            if self._wait is not None:
                raise DiscreetError(
                    "this run has a wait, so a decision ends by its outcome or deadline only, and "
                    "cannot be given up."
                )
            row = rows.open.get(number)
            if row is None or token not in (None, Ticket(*row).token):
                return self._not_open(number, token)
            if self._side is not None and row[1] == HELD_OUT:
                self._drop_held_out(rows, self._side, Ticket(*row))
                self._release_held_out(rows)
                return False
            return self._lose(rows, Ticket(*row))

    def _lose(self, rows: Rows, ticket: Ticket) -> bool:
        """Close the group of a decision without a release, and erase its content."""
        asked, running, left, released, lost = rows.counters
        group = rows.group(ticket.group)
        whole = self._engine.holding and group is not None
        gone = self._open_of(rows, group) if whole and group is not None else [ticket.id]
        closed = ticket.group if whole or (group is not None and group.size == 1) else None
        left = 0 if closed == running else left
        self._changing = True
        counters = (asked, running, left, released, lost + whole)
        learner = self._given_up(group.trace) if group and closed is not None else None
        self._commit(Change(counters, learner=learner, closed=closed, given_up=tuple(gone)))
        self._changing = self._several
        return whole

    def _open_of(self, rows: Rows, group: Group) -> list[int]:
        """Return the open decisions of a group; none is older than its first round."""
        left = rows.counters[2] if rows.counters[1] == group.number else 0
        missing, gone = group.size - left - group.told, []
        for number, of, *_ in rows.open.rising(group.number - 1):
            gone += [number] if of == group.number else []
            if len(gone) == missing:
                break
        return gone
