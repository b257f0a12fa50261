"""What a live run consists of: rows of a few tables, and the changes that are made to them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypedDict

from discreet.problems.points import GeometryName

Example = tuple[object, object]  # of the kind that a learner makes

# How far a run is: decisions asked for, the running group, decisions still to be asked for in it,
# releases, lost groups.
Counters = tuple[int, int, int, int, int]


class Recipe(TypedDict, total=False):
    """The arguments that a run was started with, by name; empty for a private learner of one's own."""

    face: str
    arms: list[Hashable]  # labels
    experts: list[Hashable]
    error: float
    domain: str
    form: str | None
    lipschitz: float
    curvature: float
    smoothness: float
    geometry: GeometryName
    dimension: int
    horizon: int | None
    epsilon: float
    delta: float
    low: float
    high: float
    clip: bool
    algorithm: str
    simulation: bool
    seed: int | None
    ledger: bool
    wait: float | None  # seconds
    default: float | list[float] | None
    options: Mapping[str, object]


Epoch = tuple[int, int]  # its number, and its first round


class Group(NamedTuple):
    """Rounds that share one action: what the learner needs of it, and what the channel holds of their outcomes."""

    number: int  # of its first round
    action: Any
    trace: object
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
    action: Any = None  # not kept: only who asks needs it


Opened = tuple[
    int, int, int, str, float, object
]  # a ticket in its table: without names it takes a fifth of the time


class Draws(NamedTuple):
    """The state of the generators: of seeded simulations only. All other randomness is the operating system's."""

    learner: Mapping[str, Any]
    privacy: Mapping[str, Any]


# The three kinds of transactions: the new rows, and those that go. None leaves things as they are.
# The first two happen
# in every round and are plain tuples, which take a quarter of the time.

# By asking: the counters; the decision that is opened, and how often its choice was made, with this
# one; a new group; the
# learner; the generators; and what is kept in place of the outcome until a deadline.
Asked = tuple[Counters, Opened, int, Group | None, bytes | None, Draws | None, bytes | None]

# By telling: the counters; the decision that is closed; its group as it is now, or the number of a
# group that is closed;
# the group of which something is released (it has at most one release), and what that is, None if
# the channel is not
# private, for then it would be raw; the learner; the stream; the generators.
Told = tuple[
    Counters,
    int,
    Group | None,
    int | None,
    int | None,
    object,
    bytes | None,
    bytes | None,
    Draws | None,
]


class Change(NamedTuple):
    """Whatever else happens."""

    counters: Counters
    closed: int | None = None  # a group
    learner: bytes | None = None
    stream: bytes | None = None
    outcome: tuple[int, bytes] | None = None  # raw: of a decision, until its deadline
    given_up: tuple[int, ...] = ()  # decisions
    epoch: Epoch | None = None  # a new one: all groups are closed

    def __repr__(self) -> str:
        return f"Change(counters={self.counters}, rows=<hidden>)"


# Groups are made in every round, and this way takes half of the time: from a tuple of all fields,
# in order.
new_group: Callable[[tuple[object, ...]], Group] = partial(tuple.__new__, Group)


class Rows:
    """All tables of a run, in memory.

    A change is made by one assignment, which says what is entering. All that follows can be
    repeated: ``complete`` does so with a change that was interrupted on its way into the tables.
    """

    def __init__(self, recipe: Recipe, token: str, learner: bytes) -> None:
        self.recipe = recipe
        self.token = token  # of the run: decisions carry it
        self.session = secrets.token_hex(
            4
        )  # changes whenever the run is opened, so that no decision is given twice
        self.counters: Counters = (0, -1, 0, 0, 0)
        self.epoch: Epoch = (0, 0)
        self.learner = learner
        self.stream: bytes | None = (
            None  # raw: what the channel holds, if all rounds are one stream
        )
        self.draws: Draws | None = None
        self.groups: dict[int, Group] = {}
        self.open: dict[int, Opened] = {}  # in the order of asking
        self.outcomes: dict[int, bytes] = {}  # raw: of open decisions, if they wait for a deadline
        self.choices: dict[int, int] = {}  # how often each was made
        self._asked: Asked | None = None  # what is entering
        self._told: Told | None = None
        self._changed: Change | None = None

    def ask(self, asked: Asked) -> None:
        """Open a decision."""
        self._asked = asked
        self.counters, opened, chosen, group, learner, draws, outcome = asked
        number, of, choice, _, _, _ = opened
        self.open[number] = opened
        self.choices[choice] = chosen
        if group is not None:
            self.groups[of] = group
        if learner is not None:
            self.learner = learner
        if draws is not None:
            self.draws = draws
        if outcome is not None:
            self.outcomes[number] = outcome
        self._asked = None

    def tell(self, told: Told) -> None:
        """Close a decision, with all that its outcome changes."""
        self._told = told
        self.counters, number, group, closed, _, _, learner, stream, draws = told
        self.open.pop(number, None)
        if self.outcomes:
            self.outcomes.pop(number, None)
        if closed is not None:
            self.groups.pop(closed, None)
        if group is not None:
            self.groups[group.number] = group
        if learner is not None:
            self.learner = learner
        if stream is not None:
            self.stream = stream
        if draws is not None:
            self.draws = draws
        self._told = None

    def change(self, change: Change) -> None:
        """Make another change."""
        self._changed = change
        self.counters, closed, learner, stream, outcome, given_up, epoch = change
        if closed is not None:
            self.groups.pop(closed, None)
        if learner is not None:
            self.learner = learner
        if stream is not None:
            self.stream = stream
        if outcome is not None:
            self.outcomes[outcome[0]] = outcome[1]
        for number in given_up:
            self.open.pop(number, None)
        if epoch is not None:
            self.epoch = epoch
            self.groups.clear()
        self._changed = None

    def tickets(self) -> list[Ticket]:
        """Return the open decisions, in the order of asking."""
        return [Ticket(*opened) for opened in self.open.values()]

    def complete(self) -> None:
        """Make a change once more that was interrupted, if one was."""
        if self._asked is not None:
            self.ask(self._asked)
        if self._told is not None:
            self.tell(self._told)
        if self._changed is not None:
            self.change(self._changed)

    def __repr__(self) -> str:
        return f"Rows(counters={self.counters}, open={len(self.open)}, held=<hidden>)"
