"""Decisions of live classes for points: a point, and no arm index."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, cast

from discreet.contracts import Floats, Generator
from discreet.ledger.inputs import User
from discreet.live.client import LiveClient
from discreet.live.frames import withhold_frames
from discreet.live.naming import Naming
from discreet.live.rows import Ticket
from discreet.live.serving import AtLimit
from discreet.live.several_client import how_many

NO_CHOICE = -1  # in place of the arm index, where there are no arms


class Point(NamedTuple):
    """The point to play in one round; pass it back with its loss."""

    point: Floats  # two points, in rows, for algorithms with two evaluations
    id: int
    token: str
    label: str | None = None  # the point in words, if it is a vertex: "items 2, 5, 7"
    learns: bool = True  # False for a user at the limit: the outcome is discarded


class PointClient(LiveClient[Point]):
    """A live class whose decisions are points."""

    _gives = Point
    _naming: Naming

    def _choice(self, decision: Point) -> int:
        return NO_CHOICE

    @withhold_frames
    def ask(self, *, user: User | None = None, at_limit: AtLimit = "refuse") -> Point:
        """Return the point, or the two points, to play in the next round."""
        return self._given(self._run.ask(0, user, at_limit))

    @withhold_frames
    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Point]:
        """Return the next n decisions, made in one transaction: all of them or none."""
        return self._ask_many(how_many(n), users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> Point:
        action = cast(Floats, ticket.action)
        words = self._naming.words(action)
        return Point(action.copy(), ticket.id, ticket.token, words, ticket.learns)

    def _shown(self, ticket: Ticket) -> Hashable:
        return None if ticket.action is None else self._naming.words(ticket.action)


def no_choice(action: object, observation: object, rng: Generator) -> int:
    """Return the index that stands for no arm: the run plays the point itself."""
    return NO_CHOICE
