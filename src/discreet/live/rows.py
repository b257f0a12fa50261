"""What a live run consists of: rows of a few tables, the changes to them, and rows as text."""

from __future__ import annotations

import json
import secrets
import struct
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np

from componentjit import with_names
from discreet.errors import DiscreetError
from discreet.live.release_log import ReleaseFacts, ReleaseLog
from discreet.live.slots import Slots
from discreet.problems.points import GeometryName, LossSetName

Part = TypeVar("Part")
SIZES = struct.Struct(">QQIIi")  # of a release: decision, group, and lengths in bytes
Example = tuple[object, object]  # an action and a trace, of the kind that a learner makes
Epoch = tuple[int, int]  # its number, and its first round

# How far a run is: decisions asked for, the running group, decisions still to be asked for in it,
# releases, lost groups. A plain tuple, because two are made per round and names would cost 4 % of
# the time.
Counters = tuple[int, int, int, int, int]
RELEASED = 3  # the place of releases among the counters
FINAL = -3  # the number of the final release, and of the decision that makes it due: none


class Recipe(TypedDict, total=False):
    """The arguments that a run was started with, by name; empty for ``LiveRun.over``."""

    client: str  # the class that the run belongs to
    arms: list[Hashable]  # labels
    capacity: int | None  # slots for arms, if they come and go
    chosen: str  # "proved" or "best", if the algorithm was chosen so
    prior: list[float | None]  # a mean reward and its rounds for each arm
    explore: float | None  # the share of rounds that are held out
    holdout: int | None  # rounds of each arm that are held out
    experts: list[Hashable]
    error: float
    domain: str
    items: list[str] | None  # names of coordinates
    loss_set: LossSetName
    shown: int  # items of a slate
    context: int  # numbers about a person, and about an arm
    arm_features: int
    per_arm: bool
    intercept: bool
    scales: list[float]
    shorten: bool  # features that are too long
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
    final: float | None  # epsilon of the final release
    wait: float | None  # seconds
    max_rounds_per_user: int | None
    per: float | None  # seconds
    default: float | list[float] | None
    options: Mapping[str, object]


class Group(NamedTuple):
    """Rounds that share one action: what the learner needs of it, and what the channel holds."""

    number: int  # of the round in which it began
    action: Any
    trace: object
    size: int  # rounds
    told: int
    held: bytes | None  # raw; None if nothing is held, or if all rounds are one stream

    def __repr__(self) -> str:
        return f"Group(number={self.number}, size={self.size}, held=<hidden>)"


class Ticket(NamedTuple):
    """What to do in one round, while its outcome has not been told."""

    id: int
    group: int
    choice: int  # an arm or an expert, -1 if there is none
    token: str  # of the run that gave it
    asked_at: float  # seconds since 1970
    action: Any = None  # not stored: only the caller of ``ask`` needs it

    def is_named(self, number: int, token: str | None, choice: int | None) -> bool:
        """Return whether it is the decision that somebody names."""
        return self.id == number and (token is None or (token, choice) == (self.token, self.choice))

    @property
    def learns(self) -> bool:
        """Whether somebody learns from its outcome; decisions that are only served have no id."""
        return self.id >= 0


class Draws(NamedTuple):
    """The state of the generators, for seeded simulations only.

    All other randomness comes from the operating system.
    """

    learner: Mapping[str, Any]
    privacy: Mapping[str, Any]


class Drawn(NamedTuple):
    """A release that is drawn and counts, but that the learner may not have learned from yet.

    It is stored before the learner sees it, so whatever fails afterwards, the learner never sees
    another draw of the same batch (docs/proofs.md: One draw).
    """

    decision: int  # the one whose outcome made it due
    value: Any  # a float, or an array of them
    held: bytes | None  # raw: what the channel holds afterwards, for the group or the stream
    draws: Draws | None = None

    def __repr__(self) -> str:
        return f"Drawn(decision={self.decision}, value=<hidden>)"


class Change(NamedTuple):
    """What changes a run besides ``ask`` and ``tell``; None leaves things as they are."""

    counters: Counters
    closed: int | None = None  # a group
    learner: bytes | None = None
    stream: bytes | None = None
    outcome: tuple[int, bytes] | None = None  # raw: of a decision, until its deadline
    given_up: tuple[int, ...] = ()  # decisions
    epoch: Epoch | None = None  # a new one: all groups are closed
    slots: Slots | None = None  # if arms come and go

    def __repr__(self) -> str:
        return f"Change(counters={self.counters}, rows=<hidden>)"


# The fields of a ticket, as the table of open decisions keeps them: one is made and taken apart in
# every round, and with names that would cost 5 % of the time. ``Rows.tickets`` gives them names.
OpenRow = tuple[int, int, int, str, float, object]

# Groups are made in every round. Made this way, from a tuple of all fields in order, they take half
# of the time.
new_group: Callable[[tuple[object, ...]], Group] = partial(tuple.__new__, Group)
new_drawn: Callable[[tuple[object, ...]], Drawn] = partial(tuple.__new__, Drawn)


class Rows:
    """All tables of a run, in memory.

    Each method first notes the whole change in one assignment: that is its commit. Everything after
    it can be repeated, and ``complete`` does so for a change that was interrupted halfway.
    """

    def __init__(self, recipe: Recipe, token: str, learner: bytes) -> None:
        self.recipe = recipe
        self.token = token  # of the run: decisions carry it
        self.session = new_session()
        self.counters: Counters = (0, -1, 0, 0, 0)
        self.epoch: Epoch = (0, 0)
        self.learner = learner
        self.stream: bytes | None = None  # raw: what the channel holds, if all rounds are a stream
        self.draws: Draws | None = None
        self.slots: Slots | None = None  # if arms come and go
        self.groups: dict[int, Group] = {}
        self.open: dict[int, OpenRow] = {}  # in the order of asking
        self.outcomes: dict[int, bytes] = {}  # raw: of open decisions that wait for a deadline
        self.choices: dict[int, int] = {}  # how often each was made
        self.usage: dict[int, tuple[int, bytes]] = {}  # rounds of users: users.py
        self.drawn: Drawn | None = None  # until the learner has learned from it
        self.final: object = None  # what the final release has released
        self.log = ReleaseLog()  # empty if a store keeps the releases elsewhere
        self._asked: tuple[Any, ...] | None = None  # the change that is being made
        self._told: tuple[Any, ...] | None = None
        self._changed: Change | None = None

    def ask(
        self,
        counters: Counters,
        row: OpenRow,
        times: int,
        group: Group | None = None,
        learner: bytes | None = None,
        draws: Draws | None = None,
        outcome: bytes | None = None,
        usage: tuple[int, int, bytes] | None = None,
    ) -> None:
        """Open a decision; see ``Store.ask``."""
        self._asked = counters, row, times, group, learner, draws, outcome, usage
        self.counters = counters
        number, _, choice, _, _, _ = row
        self.open[number] = row
        self.choices[choice] = times
        if group is not None:
            self.groups[group.number] = group
        if learner is not None:
            self.learner = learner
        if draws is not None:
            self.draws = draws
        if outcome is not None:
            self.outcomes[number] = outcome
        if usage is not None:
            self.usage[usage[0]] = usage[1:]
        self._asked = None

    def hold(self, drawn: Drawn) -> None:
        """Keep a release that was drawn; see ``Store.hold``."""
        self.drawn = drawn

    @property
    def releases(self) -> int:
        """How many releases were drawn."""
        return self.counters[RELEASED] + (self.drawn is not None)

    def tell(
        self,
        counters: Counters,
        decision: int,
        group: Group | None = None,
        closed: int | None = None,
        released: int | None = None,
        value: object = None,
        learner: bytes | None = None,
        stream: bytes | None = None,
        draws: Draws | None = None,
        facts: ReleaseFacts | None = None,
    ) -> None:
        """Close a decision, with all that its outcome changes; see ``Store.tell``."""
        self._told = (
            *(counters, decision, group, closed, released, value, learner, stream, draws),
            facts,
        )
        self.counters = counters
        self.open.pop(decision, None)
        if self.outcomes:
            self.outcomes.pop(decision, None)
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
        if released == FINAL:
            self.final = value
        if facts is not None and released is not None:
            self.log.add(released, facts, value)
        self.drawn = None
        self._told = None

    def change(self, change: Change) -> None:
        """Make another change."""
        self._changed = change
        self.counters, closed, learner, stream, outcome, given_up, epoch, slots = change
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
            self.outcomes.pop(number, None)
        if epoch is not None:
            self.epoch = epoch
            self.groups.clear()
        if slots is not None:
            self.slots = slots
        self._changed = None

    def tickets(self) -> list[Ticket]:
        """Return the open decisions, in the order of asking."""
        return [Ticket(*row) for row in self.open.values()]

    def complete(self) -> None:
        """Repeat a change that was interrupted, if one was."""
        if self._asked is not None:
            self.ask(*self._asked)
        if self._told is not None:
            self.tell(*self._told)
        if self._changed is not None:
            self.change(self._changed)

    def __repr__(self) -> str:
        return f"Rows(counters={self.counters}, open={len(self.open)}, held=<hidden>)"


def new_session() -> str:
    """Return a name for the time from opening a run to closing it.

    Decisions carry it, so that a number that a power loss took back is never mistaken for its
    successor.
    """
    return secrets.token_hex(4)


def as_text(value: object) -> str:
    """Return an action or a trace as text, without losing a digit."""
    return json.dumps(_as_lists(value))


def from_text(example: Part, text: str) -> Part:
    """Return the value that a text stands for, of the same kind as the example."""
    return with_names(example, _with_arrays(example, json.loads(text)))


def recipe_text(recipe: Recipe) -> str:
    """Return the arguments of a run as text, or refuse those that text cannot hold."""
    given: dict[str, object] = {**recipe, **recipe["options"]}
    for name, value in given.items():
        if name == "options":
            continue
        labels = value if isinstance(value, list) else [value]
        if not all(label is None or isinstance(label, str | int | float) for label in labels):
            raise DiscreetError(
                f"{name} has a value that is neither text nor a number, which a file cannot hold."
            )
    return json.dumps(recipe)


def number_bytes(value: object) -> tuple[str, bytes]:
    """Return the shape and the bytes of a release: of one size, whatever was drawn."""
    if isinstance(value, float):
        return "null", np.float64(value).tobytes()
    array = np.asarray(value, np.float64)
    return json.dumps(array.shape), array.tobytes()


def numbers_from(shape: str, content: bytes) -> object:
    """Return the release that ``number_bytes`` has written."""
    size, numbers = json.loads(shape), np.frombuffer(content, np.float64)
    return float(numbers[0]) if size is None else numbers.reshape(size).copy()


def drawn_bytes(drawn: Drawn, group: int) -> bytes:
    """Return a release of a group as bytes, without generators: of one size, whatever was drawn."""
    shape, content = number_bytes(drawn.value)
    held = -1 if drawn.held is None else len(drawn.held)
    head = SIZES.pack(drawn.decision, group, len(shape), len(content), held)
    return head + shape.encode() + content + (drawn.held or b"")


def drawn_from(content: bytes) -> tuple[Drawn, int]:
    """Return the release that ``drawn_bytes`` has written, and its group."""
    decision, group, shape, size, held = SIZES.unpack_from(content)
    text, numbers = SIZES.size + shape, SIZES.size + shape + size
    value = numbers_from(content[SIZES.size : text].decode(), content[text:numbers])
    return Drawn(decision, value, None if held < 0 else content[numbers:]), group


def as_json(draws: Draws | None) -> str | None:
    """Return the state of the generators as text, if there is one."""
    return None if draws is None else json.dumps(draws)


def _as_lists(value: object) -> object:
    if isinstance(value, tuple):
        return [_as_lists(part) for part in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _with_arrays(example: object, parts: object) -> object:
    if isinstance(example, tuple):
        if not isinstance(parts, list):
            raise TypeError("the text stands for something else")
        return tuple(_with_arrays(one, other) for one, other in zip(example, parts, strict=True))
    return np.array(parts, dtype=example.dtype) if isinstance(example, np.ndarray) else parts
