"""What a live run consists of: rows of a few tables, and the changes that are made to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from discreet.live.blocks import Bytes


class Counters(NamedTuple):
    """How far a run is."""

    asked: int = 0  # decisions so far; the next one has this number
    group: int = -1  # the running group
    left: int = 0  # decisions that are still to be asked for in it
    released: int = 0  # releases so far: the version of the learner


class Group(NamedTuple):
    """Rounds that share one action: what the learner needs of it, and what the channel holds of their outcomes."""

    number: int  # of its first round
    action: Any
    trace: Any
    size: int  # rounds
    told: int
    due: bool  # whether all is held that its release needs
    held: Bytes | None  # raw; None where nothing is held, or all rounds are one stream

    def __repr__(self) -> str:
        return f"Group(number={self.number}, size={self.size}, held=<hidden>)"


class Open(NamedTuple):
    """A decision whose outcome has not been told."""

    id: int
    group: int
    choice: int  # the arm or the expert, -1 where there is none
    token: str


class Release(NamedTuple):
    """What was released of a group; None if the channel is not private, for then it would be raw."""

    group: int
    value: Any


class Draws(NamedTuple):
    """The state of the generators: of seeded simulations only. All other randomness is the operating system's."""

    learner: Mapping[str, Any]
    privacy: Mapping[str, Any]


class Change(NamedTuple):
    """One transaction: the new rows, and those that go. None leaves things as they are."""

    counters: Counters
    opened: Open | None = None
    told: int | None = None
    group: Group | None = None
    closed: int | None = None
    release: Release | None = None
    learner: Bytes | None = None
    stream: Bytes | None = None
    draws: Draws | None = None

    def __repr__(self) -> str:
        return f"Change(counters={self.counters}, rows=<hidden>)"


class Rows:
    """All tables of a run, in memory."""

    def __init__(self, recipe: Mapping[str, Any], token: str, learner: Bytes) -> None:
        self.recipe = recipe
        self.token = token  # of the run: decisions carry it
        self.session = 0  # how often the run was opened: a decision that a power loss took back is not given again
        self.counters = Counters()
        self.learner = learner
        self.stream: Bytes | None = None  # raw: what the channel holds, if all rounds are one stream
        self.draws: Draws | None = None
        self.groups: dict[int, Group] = {}
        self.open: dict[int, Open] = {}

    def apply(self, change: Change) -> None:
        """Make a change; to make it again changes nothing more."""
        self.counters = change.counters
        if change.group is not None:
            self.groups[change.group.number] = change.group
        if change.closed is not None:
            self.groups.pop(change.closed, None)
        if change.opened is not None:
            self.open[change.opened.id] = change.opened
        if change.told is not None:
            self.open.pop(change.told, None)
        if change.learner is not None:
            self.learner = change.learner
        if change.stream is not None:
            self.stream = change.stream
        if change.draws is not None:
            self.draws = change.draws

    def __repr__(self) -> str:
        return f"Rows(counters={self.counters}, open={len(self.open)}, held=<hidden>)"
