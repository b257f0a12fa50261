"""What a live run consists of: rows of a few tables, and the changes that are made to them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from discreet.contracts import Action, Release, Trace

Recipe = Mapping[str, Any]  # the arguments that a run was started with, by name
Example = tuple[Action, Trace]  # of the kind that a learner makes

# How far a run is: decisions asked for, the running group, decisions still to be asked for in it, releases, lost groups.
Counters = tuple[int, int, int, int, int]


Epoch = tuple[int, int]  # its number, and its first round


class Group(NamedTuple):
    """Rounds that share one action: what the learner needs of it, and what the channel holds of their outcomes."""

    number: int  # of its first round
    action: Action
    trace: Trace
    size: int  # rounds
    told: int
    held: bytes | None  # raw; None where nothing is held, or all rounds are one stream

    def __repr__(self) -> str:
        return f"Group(number={self.number}, size={self.size}, held=<hidden>)"


class Ticket(NamedTuple):
    """What is to be done in one round, while its outcome has not been told."""

    id: int
    group: int
    choice: int  # an arm or an expert, -1 where there is none
    token: str  # of the run that gave it
    asked_at: float  # seconds since 1970
    action: Action = None  # not kept: only who asks needs it


class Draws(NamedTuple):
    """The state of the generators: of seeded simulations only. All other randomness is the operating system's."""

    learner: Mapping[str, Any]
    privacy: Mapping[str, Any]


class Change(NamedTuple):
    """One transaction: the new rows, and those that go. None leaves things as they are."""

    counters: Counters
    opened: Ticket | None = None
    chosen: int = 0  # how often the choice of that ticket was made, with this one
    told: int | None = None  # a decision
    group: Group | None = None
    closed: int | None = None  # a group
    released: int | None = None  # a group: it has at most one release
    value: Release = None  # what was released; None if the channel is not private, for then it would be raw
    learner: bytes | None = None
    stream: bytes | None = None
    draws: Draws | None = None
    outcome: tuple[int, bytes] | None = None  # raw: of a decision, until its deadline
    given_up: tuple[int, ...] = ()  # decisions
    epoch: Epoch | None = None  # a new one: all groups are closed

    def __repr__(self) -> str:
        return f"Change(counters={self.counters}, rows=<hidden>)"


# Rows are made several times a round, and this way takes a third of the time: from a tuple of all fields, in order.
new_group: Callable[[tuple[Any, ...]], Group] = partial(tuple.__new__, Group)
new_ticket: Callable[[tuple[Any, ...]], Ticket] = partial(tuple.__new__, Ticket)
new_change: Callable[[tuple[Any, ...]], Change] = partial(tuple.__new__, Change)


class Rows:
    """All tables of a run, in memory."""

    def __init__(self, recipe: Recipe, token: str, learner: bytes) -> None:
        self.recipe = recipe
        self.token = token  # of the run: decisions carry it
        self.session = secrets.token_hex(4)  # changes whenever the run is opened, so that no decision is given twice
        self.counters: Counters = (0, -1, 0, 0, 0)
        self.epoch: Epoch = (0, 0)
        self.learner = learner
        self.stream: bytes | None = None  # raw: what the channel holds, if all rounds are one stream
        self.draws: Draws | None = None
        self.groups: dict[int, Group] = {}
        self.open: dict[int, Ticket] = {}  # in the order of asking
        self.outcomes: dict[int, bytes] = {}  # raw: of open decisions, if they wait for a deadline
        self.choices: dict[int, int] = {}  # how often each was made

    def apply(self, change: Change) -> None:
        """Make a change; to make it again changes nothing more."""
        counters, opened, chosen, told, group, closed, _, _, learner, stream, draws, outcome, given_up, epoch = change
        self.counters = counters
        if group is not None:
            self.groups[group[0]] = group
        if closed is not None:
            self.groups.pop(closed, None)
        if opened is not None:
            self.open[opened[0]] = opened
            self.choices[opened[2]] = chosen
        if told is not None:
            self.open.pop(told, None)
            self.outcomes.pop(told, None)
        if learner is not None:
            self.learner = learner
        if stream is not None:
            self.stream = stream
        if draws is not None:
            self.draws = draws
        if outcome is not None:
            self.outcomes[outcome[0]] = outcome[1]
        if given_up:
            for number in given_up:
                self.open.pop(number, None)
        if epoch is not None:
            self.epoch = epoch
            self.groups.clear()

    def __repr__(self) -> str:
        return f"Rows(counters={self.counters}, open={len(self.open)}, held=<hidden>)"
