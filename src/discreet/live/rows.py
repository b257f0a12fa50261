"""The rows of a live run: a few tables, and the changes to them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypedDict, TypeVar

from discreet.ledger.guards import NotCopyable
from discreet.live.release_log import ReleaseFacts, ReleaseLog
from discreet.live.row_tables import MemoryTable, Overlay, RowTable
from discreet.live.slots import Slots
from discreet.problems.points import GeometryName, LossSetName

Named = TypeVar("Named", bound=NamedTuple)
Example = tuple[object, object]  # an action and a trace, of the kind that a learner makes
RunEpoch = tuple[int, int]  # its number, and its first round

# Progress of a run: decisions asked for, the running group, decisions it still needs, releases,
# lost groups. A plain tuple, because two are created per round and names would cost 4 % of the
# time.
Counters = tuple[int, int, int, int, int]
RELEASED = 3  # the position of releases among the counters
# For a clock that was set back: decisions before this number were made no later than this time.
LatestTimes = tuple[tuple[int, float], ...]
FINAL = -3  # the number of the final release, and of the decision that triggers it (none)


class Recipe(TypedDict, total=False):
    """The arguments that a run was started with, by name; empty for ``LiveRun.over``."""

    client: str  # the class that the run belongs to
    arms: list[Hashable]  # labels
    capacity: int | None  # slots for arms, if they come and go
    chosen: str  # "bounded", "proved" or "best", if the algorithm was chosen by one of these
    prior: list[float | None]  # a mean reward and its rounds for each arm
    explore: float | None  # the share of held-out rounds
    holdout: int | None  # held-out rounds of each arm
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
    shorten: bool  # whether to shorten features that are too long
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
    ledger_limit: list[float] | None  # rounds of a user, and seconds of a period (0: no period)
    final: float | None  # epsilon of the final release
    wait: float | None  # seconds
    max_rounds_per_user: int | None
    per: float | None  # seconds
    default: float | list[float] | None
    durable: str  # what is on disk when ``tell`` returns
    options: Mapping[str, object]


class Group(NamedTuple):
    """Rounds that share one action, with the data of the learner and of the channel for it.

    The table of groups has plain tuples of these fields (``GroupRow``).
    """

    number: int  # of its first round
    action: Any
    trace: object
    size: int  # rounds
    told: int
    held: bytes | None  # raw; None if nothing is held, or if all rounds are one stream

    def __repr__(self) -> str:
        return f"Group(number={self.number}, size={self.size}, held=<hidden>)"


class Ticket(NamedTuple):
    """The decision of one round, until its outcome arrives."""

    id: int
    group: int
    choice: int  # an arm or an expert, -1 if there is none
    token: str  # of the run that made the decision
    asked_at: float  # seconds since 1970
    action: Any = None  # not stored: only the caller of ``ask`` needs it

    def is_named(self, number: int, token: str | None, choice: int | None) -> bool:
        """Return whether the given id, token and choice match this decision."""
        return self.id == number and (token is None or (token, choice) == (self.token, self.choice))

    @property
    def learns(self) -> bool:
        """Whether the run learns from its outcome; decisions without learning have no id."""
        return self.id >= 0


class Draws(NamedTuple):
    """The state of the generators, for seeded simulations only.

    All other randomness comes from the operating system.
    """

    learner: Mapping[str, Any]
    privacy: Mapping[str, Any]


class Drawn(NamedTuple):
    """A release that is drawn and counts, but that the learner may not have learned from yet.

    It is stored before the learner sees it, so even after a failure the learner never sees another
    draw of the same batch (docs/proofs.md: One draw).
    """

    decision: int  # the one whose outcome triggered it
    value: Any  # a float, or an array of them
    held: bytes | None  # raw: the channel's new content, for the group or the stream
    draws: Draws | None = None

    def __repr__(self) -> str:
        return f"Drawn(decision={self.decision}, value=<hidden>)"


class Change(NamedTuple):
    """A change to a run other than ``ask`` and ``tell``; None leaves a part unchanged."""

    counters: Counters
    closed: int | None = None  # a group
    learner: bytes | None = None
    stream: bytes | None = None
    outcome: tuple[int, bytes] | None = None  # raw: of a decision, until its deadline
    given_up: tuple[int, ...] = ()  # decisions
    epoch: RunEpoch | None = None  # a new one: all groups are closed
    slots: Slots | None = None  # if arms come and go
    clock: LatestTimes | None = None

    def __repr__(self) -> str:
        return f"Change(counters={self.counters}, rows=<hidden>)"


# The fields of a ticket, of a group and of the facts about a release, as in the tables. They are
# created and unpacked in every round, and a named tuple takes five times as long to create and ten
# times as long to unpack. ``Ticket(*row)`` and ``Group(*row)`` name them.
OpenRow = tuple[int, int, int, str, float, object]
GroupRow = tuple[int, Any, object, int, int, bytes | None]

# Creates a named tuple from a tuple of all its fields, in half the time.
new_tuple: Callable[[type[Named], tuple[object, ...]], Named] = tuple.__new__


class Rows(NotCopyable):
    """All tables of a run, in memory.

    Each method first records the whole change in one assignment: that is its commit. All later
    steps can be repeated, and ``complete`` does so for a change that was interrupted.
    """

    def __init__(self, recipe: Recipe, token: str, learner: bytes) -> None:
        self.recipe = recipe
        self.token = token  # of the run: decisions carry it
        self.session = new_session()
        self.counters: Counters = (0, -1, 0, 0, 0)
        self.epoch: RunEpoch = (0, 0)
        self.learner = learner
        self.stream: bytes | None = None  # raw: the channel's content, if all rounds are one stream
        self.draws: Draws | None = None
        self.slots: Slots | None = None  # if arms come and go
        self.groups: RowTable[GroupRow] = MemoryTable()
        self.open: RowTable[OpenRow] = MemoryTable()  # in the order of asking
        self.outcomes: RowTable[bytes] = MemoryTable()  # raw: stored with open decisions
        self.choices: dict[int, int] = {}  # how often each choice was made
        self.clock: LatestTimes = ()
        self.usage: dict[int, tuple[int, bytes]] = {}  # rounds of users: users.py
        self.drawn: Drawn | None = None  # until the learner has learned from it
        self.ended: str | None = None  # the reason, if an operator has ended the run
        self.restored = False  # from a backup: an id alone no longer identifies a decision
        self.final: object = None  # the sums of the final release
        self.log = ReleaseLog()  # empty if a store keeps the releases elsewhere
        # The same for several releases: by group, the decision and the value, in the order of
        # drawing. Their decisions are closed; a group ends when the learner has learned from it.
        self.unlearned: dict[int, tuple[int, Any]] = {}
        self._asked: tuple[Any, ...] | None = None  # the change that is being made
        self._told: tuple[Any, ...] | None = None
        self._changed: Change | None = None
        self._before: dict[str, Any] | None = None  # the first of several changes
        self._merged: list[tuple[str, Overlay[Any]]] | None = None

    def ask(
        self,
        counters: Counters,
        row: OpenRow,
        times: int,
        group: GroupRow | None = None,
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
            self.groups[group[0]] = group
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
        """Store a drawn release; see ``Store.hold``."""
        self.drawn = drawn

    @property
    def releases(self) -> int:
        """The number of releases drawn."""
        return self.counters[RELEASED] + (self.drawn is not None) + len(self.unlearned)

    def defer(self, group: int, decision: int, value: object) -> None:
        """Store one of several releases; see ``Store.defer``."""
        self.unlearned[group] = decision, value

    def tell(
        self,
        counters: Counters,
        decision: int,
        group: GroupRow | None = None,
        closed: int | None = None,
        released: int | None = None,
        value: object = None,
        learner: bytes | None = None,
        stream: bytes | None = None,
        draws: Draws | None = None,
        facts: ReleaseFacts | None = None,
    ) -> None:
        """Close a decision, with all that its outcome changes; see ``Store.tell``."""
        # fmt: off
        self._told = (
            counters, decision, group, closed, released, value, learner, stream, draws, facts
        )
        # fmt: on
        self.counters = counters
        self.open.pop(decision, None)
        if self.outcomes:
            self.outcomes.pop(decision, None)
        if closed is not None:
            self.groups.pop(closed, None)
        if group is not None:
            self.groups[group[0]] = group
        if learner is not None:
            self.learner = learner
        if stream is not None:
            self.stream = stream
        if draws is not None:
            self.draws = draws
        if released is not None:
            if released == FINAL:
                self.final = value
            if facts is not None:
                self.log.add(released, facts, value)
            if self.unlearned:
                self.unlearned.pop(released, None)
        self.drawn = None
        self._told = None

    def change(self, change: Change) -> None:
        """Make another change."""
        self._changed = change
        self.counters, closed, learner, stream, outcome, given_up, epoch, slots, clock = change
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
        if clock is not None:
            self.clock = clock
        if epoch is not None:
            self.epoch = epoch
            self.groups.clear()
        if slots is not None:
            self.slots = slots
        self._changed = None

    def group(self, number: int) -> Group | None:
        """Return a group by its number; None if it is closed."""
        row = self.groups.get(number)
        return None if row is None else Group(*row)

    def action_of(self, number: int) -> Any:  # noqa: ANN401 - any action
        """Return the action of an open group."""
        return Group(*self.groups[number]).action

    def tickets(self) -> list[Ticket]:
        """Return the open decisions, in the order of asking."""
        return [Ticket(*row) for row in self.open.values()]

    def given_at(self, number: int, asked_at: float) -> float:
        """Return when a decision was made; if the clock was set back since, not after that."""
        for before, latest in self.clock:
            if number < before:
                return min(asked_at, latest)
        return asked_at

    def latest_window(self) -> int:
        """Return the latest window in which a user was counted."""
        return max((window for window, _ in self.usage.values()), default=0)

    def begin(self) -> None:
        """Begin several changes, which will be made together or not at all."""
        copies: dict[str, Any] = {"choices": dict(self.choices), "unlearned": dict(self.unlearned)}
        copies["log"], copies["usage"] = self.log.copied(), dict(self.usage)
        self._before = {**vars(self), **copies}
        self.open, self.groups = Overlay(self.open), Overlay(self.groups)
        self.outcomes = Overlay(self.outcomes)

    def commit(self) -> None:
        """Make the changes since ``begin``; they count from the first assignment on."""
        now = [(name, vars(self)[name]) for name in ("open", "groups", "outcomes")]
        self._merged, self._before = now, None
        for name, overlay in now:
            vars(self)[name] = overlay.merge()
        self._merged = None

    def complete(self) -> None:
        """Complete an interrupted change, if any; undo several changes that were not committed.

        ``commit`` decides whether they were.
        """
        if self._before is not None:
            vars(self).update(self._before, _before=None)
            self._asked = self._told = self._changed = None
        if self._merged is not None:
            for name, overlay in self._merged:
                vars(self)[name] = overlay.merge()
            self._merged = None
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

    Decisions carry it, so that if a power failure undoes a decision, its id is never mistaken for
    that of its successor.
    """
    return secrets.token_hex(4)
