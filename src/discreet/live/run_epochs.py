"""A run without a horizon: epochs, each with its own learner."""

from __future__ import annotations

from discreet.errors import HorizonUsed
from discreet.live.engine import Engine
from discreet.live.rows import Change, Rows
from discreet.live.run_holdout import RunWithHoldOut


class RunInEpochs(RunWithHoldOut):
    """The part of a run that starts a new epoch when its rounds are used up."""

    __slots__ = ()

    def _next_epoch(self, rows: Rows) -> None:
        """Start again with a longer horizon, if none was declared; open decisions are discarded.

        It waits until as many outcomes have counted as the epoch has rounds, so that an epoch with
        late outcomes still has something to learn from.
        """
        if self._plan.horizon is not None:
            raise HorizonUsed(
                f"the horizon of {self._plan.horizon} rounds is used up: the run makes no further "
                "decisions."
            )
        asked, _, _, released, lost = rows.counters
        if asked - len(rows.open) < self._end:
            return
        number = rows.epoch[0] + 1
        engine = Engine(self._plan.private_of(number), self._plan.observation)
        self._changing = True
        counters = (asked, -1, 0, released, lost + len(rows.groups))
        learner = engine.first + self._learned()[len(self._engine.learner_state) :]
        self._commit(Change(counters, learner=learner, stream=engine.stream, epoch=(number, asked)))
        self._engine, self._epoch, self._end = engine, number, asked + self._plan.rounds_of(number)
        self._changing = self._several
