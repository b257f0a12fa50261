"""Decisions for users at their limit: the run does not learn from them."""

from __future__ import annotations

import contextlib
from typing import Any, Literal, get_args

from discreet.errors import AlreadyTold, DiscreetError, NotGiven, check_choice, shorten
from discreet.learners.arms.availability import Available
from discreet.ledger import UserLimitReached
from discreet.ledger.inputs import User
from discreet.live.features import Shown
from discreet.live.frames import withhold_frames, without_frames
from discreet.live.rows import OpenRow, Rows
from discreet.live.run_state import RunState
from discreet.randomness import streams

AtLimit = Literal["refuse", "serve"]  # what to do for a user at the limit
REFUSE: Literal["refuse"] = "refuse"  # the default
SERVED = -1  # the id of a decision without learning
SERVING = 1  # the number of their random stream; that of the run is 0


class Serving(RunState):
    """A run that can also decide for users whose outcomes it must not use.

    Such a decision is what the learner would do next. It is drawn from the committed state with
    fresh randomness and changes nothing; its outcome is discarded. So it is post-processing of
    earlier releases, and costs nothing (docs/proofs.md: Decisions that learn nothing).
    """

    __slots__ = ()

    @withhold_frames
    def users_at_limit(self) -> int | None:
        """Return how many users have no round left now; None if the run counts no users."""
        self._check_caller()
        with self._lock:
            if self._users is None:
                return None
            return self._users.at_limit(self._committed().usage, self._clock())

    @property
    def charge_label(self) -> str | None:
        """The label of this run's charge in the ledger; None without a ledger."""
        return self._admission.label

    def decide(self, observation: object, user: User | None) -> tuple[OpenRow, float | None]:
        """Return the decision of the next round and its probability; refuse at the limit."""
        raise NotImplementedError

    def decide_or_serve(
        self, observation: object, user: User | None, at_limit: AtLimit
    ) -> tuple[OpenRow, float | None]:
        """Return the decision of the next round; ``at_limit`` applies if the user has none left."""
        if check_choice("at_limit", at_limit, get_args(AtLimit)) == "refuse":
            return self.decide(observation, user)
        self._check_serving()
        with contextlib.suppress(UserLimitReached):
            return self.decide(observation, user)
        return self._serve(observation), None

    def _check_serving(self) -> None:
        """Refuse if decisions cost privacy, because the learner knows more than was released."""
        plan = self._plan
        if plan.private.guarantee.seen or self._in_order:
            raise DiscreetError(
                f"at_limit is 'serve', but {plan.algorithm} is private through its own sampling, "
                "so every decision costs privacy: use 'refuse'."
            )

    def _serve(self, observation: object) -> OpenRow:
        """Return the decision of a round without learning, as the fields of a ticket."""
        try:
            self._check_caller()
            with self._lock:
                if self._changing:
                    self._recover()
                return self._served(self._store.rows, observation)
        except BaseException as error:
            observation = None
            raise without_frames(error)  # noqa: B904 - the same error

    def _served(self, rows: Rows, observation: object) -> OpenRow:
        if self._serving is None:
            self._serving = streams(self._plan.seed, trial=SERVING).learner
        rng = self._serving
        _, number, left, _, _ = rows.counters
        action: Any = rows.action_of(number) if left > 0 else None
        shown = observation
        if type(shown) is Available and rows.slots is not None:
            places = tuple(arm for arm in shown.places if arm not in rows.slots.retired)
            if not places:
                raise DiscreetError("all available arms are retired: name one that is not.")
            shown, action = Available(places), action if action in places else None
        if action is None:
            self._changing = True
            action = self._engine.wish(rows.learner, shown, rng)
            self._changing = self._several
        if isinstance(shown, Shown):
            action = shown.arms[action]
        choice = int(action) if self._carry is None else self._carry(action, shown, rng)
        return SERVED, SERVED, choice, self._token, self._clock(), action

    def _not_open(self, number: int, token: str | None) -> bool:
        """Return False for an outcome after its deadline; refuse all others."""
        rows = self._store.rows
        mine = token is None or str(token).startswith(rows.token)
        if number == SERVED and mine and self._admission.limited:  # a decision without learning
            return False
        if number in rows.open or not mine or not 0 <= number < rows.counters[0]:
            raise NotGiven(f"decision {shorten(number)} does not belong to this run.")
        if self._wait is None:
            raise AlreadyTold(
                f"decision {number} has been told already, or given up: each outcome counts once."
            )
        return False
