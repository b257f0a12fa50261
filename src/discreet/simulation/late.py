"""Learners with late outcomes: releases wait in a queue until all their outcomes have arrived.

A late learner is a ``Protected`` like any other, so the one loop plays it, on every backend that
can. A release is drawn when its batch is complete, and learned when its last outcome arrives. Its
distribution is the same as if it were drawn then, because the draw depends on nothing else.

An action is held for some rounds, and its trace may be a buffer of the learner. So the learner
learns only between two actions, and waiting releases are copied.
"""

from __future__ import annotations

from typing import Any, Generic

import numpy as np

from componentjit import helper, pack, packed_size, unpack
from discreet.contracts import Floats, Generator, Integers, Protected
from discreet.contracts.passing import Action, Feedback, Model, Observation, Query, Release, Trace
from discreet.errors import DiscreetError
from discreet.on_device import OnDevice
from discreet.private import Private
from discreet.problems import Environment, Game
from discreet.randomness import streams
from discreet.ranges import Range
from discreet.simulation.arrivals import MOST_ROUNDS, Arrivals
from discreet.simulation.dealing import deal
from discreet.simulation.loop import Player

# Entries of the clock: rounds played, rounds left of this action, the round before which the
# outcomes since the last release are known, releases that wait, releases so far, and which entry of
# the table of delays is the first.
NOW, LEFT, DUE, WAITING, RELEASED, SHIFT = range(6)


class Late(Protected[Action, Trace, Feedback, Observation, Release, Query]):
    """Passes releases to the learner when the last of their outcomes has arrived.

    The outcome of round t is known before round t + 1 + d, rounded up to the next group, where d is
    one of the ``waits``. They are used in turn, starting at an entry drawn for each trial. All
    algorithms of a trial draw the same one, because it is the first draw of their privacy streams.
    """

    waits: Integers
    group: int
    in_sequence: bool  # whether a release waits for all outcomes before it, as running sums do
    trace_example: Any  # its arrays are buffers for reading
    release_example: Any  # likewise
    width: int  # numbers of a trace
    table: Floats  # a row for each release that may wait: its trace, then the release
    keys: Integers  # a heap: when a release is due, then the order in which they were drawn
    rows: Integers  # where releases are, in the order of the heap; the rest are free
    clock: Integers

    def hold_for(self, trace: Trace) -> int:
        """Return how many rounds to play the action."""
        rounds = self.channel.begin(self.learner.patience(trace))
        self.clock[LEFT] = rounds
        return rounds

    def tell(self, trace: Trace, feedback: Feedback, rng: Generator) -> bool:
        """Take feedback; after the last round of an action, learn releases that are due."""
        clock = self.clock
        if clock[NOW] == 0 and self.waits.size > 1:
            clock[SHIFT] = int(rng.random() * self.waits.size)
        entry = (int(clock[NOW]) + int(clock[SHIFT])) % self.waits.size
        known = int(clock[NOW]) + 1 + int(self.waits[entry])
        clock[DUE] = max(int(clock[DUE]), -(-known // self.group) * self.group)
        ready, released = self.submit(trace, self.heard(feedback, entry), rng)
        clock[NOW] += 1
        clock[LEFT] -= 1
        if ready:
            self.enter(trace, released)
        learned = False
        if clock[LEFT] == 0:
            while clock[WAITING] > 0 and self.keys[0] // MOST_ROUNDS <= clock[NOW]:
                row = take_first(self.keys, self.rows, int(clock[WAITING]))
                clock[WAITING] -= 1
                self.deliver(
                    unpack(self.trace_example, self.table, row, 0),
                    unpack(self.release_example, self.table, row, self.width),
                )
                learned = True
        return learned

    def heard(self, feedback: Feedback, entry: int) -> Feedback:
        """Return the outcome of a round, as the learner receives it."""
        return feedback

    def enter(self, trace: Trace, released: Release) -> None:
        """Let a release wait until its outcomes have arrived."""
        clock = self.clock
        place = int(clock[WAITING])
        row = int(self.rows[place])
        pack(trace, self.table, row, 0)
        pack(released, self.table, row, self.width)
        self.keys[place] = int(clock[DUE]) * MOST_ROUNDS + int(clock[RELEASED])
        sift_up(self.keys, self.rows, place)
        clock[WAITING] += 1
        clock[RELEASED] += 1
        if not self.in_sequence:
            clock[DUE] = 0


class LatePrivate(
    Late[Action, Trace, Feedback, Observation, Release, Query],
    Private[Action, Trace, Feedback, Observation, Release, Query],
):
    """A learner behind a channel, with late outcomes."""


class LateWithDefault(LatePrivate[Action, Trace, float, Observation, Release, Query]):
    """The same, if some outcomes never arrive: they count as the default."""

    absent: Integers  # 1 where an outcome is missing, for each of the waits
    default: float

    def heard(self, feedback: float, entry: int) -> float:
        """Return the outcome, or the default."""
        return self.default if self.absent[entry] == 1 else feedback


class LateOnDevice(
    Late[Action, int, Feedback, Observation, Release, Query],
    OnDevice[Action, Feedback, Observation, Release, Query, Model],
    Generic[Action, Feedback, Observation, Release, Query, Model],
):
    """Devices whose reports arrive late."""

    def hold_for(self, trace: int) -> int:
        """Return one round: the next one shows other contexts."""
        self.clock[LEFT] = 1
        return 1


@helper
def sift_up(keys: Integers, rows: Integers, place: int) -> None:
    """Move an entry of a heap to where it belongs, after all that are due before it."""
    while place > 0:
        above = (place - 1) // 2
        if keys[above] <= keys[place]:
            break
        keys[above], keys[place] = keys[place], keys[above]
        rows[above], rows[place] = rows[place], rows[above]
        place = above


@helper
def take_first(keys: Integers, rows: Integers, size: int) -> int:
    """Take the first entry out of a heap of some size; return its row, which is free now."""
    last = size - 1
    keys[0], keys[last] = keys[last], keys[0]
    rows[0], rows[last] = rows[last], rows[0]
    place = 0
    while 2 * place + 1 < last:
        below = 2 * place + 1
        if below + 1 < last and keys[below + 1] < keys[below]:
            below += 1
        if keys[place] <= keys[below]:
            break
        keys[below], keys[place] = keys[place], keys[below]
        rows[below], rows[place] = rows[place], rows[below]
        place = below
    return int(rows[last])


def make_late(
    label: str,
    private: Protected,
    arrivals: Arrivals,
    environment: Environment,
    rounds: int,
    bounds: Range,
) -> Protected:
    """Return a learner that gets outcomes when they arrive, or refuse."""
    if private.channel.in_order:
        raise DiscreetError(
            f"{label} must learn from every outcome before its next decision, so it cannot be "
            "played with late outcomes: omit delay, wait, missing and group."
        )
    game, _ = deal(environment, 0, 2, streams(0).environment, bounds, clip=True)
    trace, release, feedback = _examples(private, game)
    width, room = packed_size(trace), min(int(arrivals.waits.max()) + arrivals.group, rounds) + 2
    fields: dict[str, Any] = {
        "waits": arrivals.waits,
        "group": arrivals.group,
        "in_sequence": private.channel.one_stream,
        "trace_example": trace,
        "release_example": release,
        "width": width,
        "table": np.zeros((room, width + packed_size(release))),
        "keys": np.zeros(room, np.int64),
        "rows": np.arange(room),
        "clock": np.zeros(6, np.int64),
    }
    parts: dict[str, Any] = dict(zip(private._fields, private, strict=True))
    if arrivals.absent is not None:
        if not isinstance(feedback, float) or not isinstance(private, Private):
            raise DiscreetError(
                f"missing outcomes must be single numbers, but {environment.problem} has none: "
                "omit missing, wait, default_loss and default_reward."
            )
        fields |= {"absent": arrivals.absent, "default": arrivals.default_loss}
        return LateWithDefault(**parts, **fields)
    kind: Any = LatePrivate if isinstance(private, Private) else LateOnDevice
    return kind(**parts, **fields)  # type: ignore[no-any-return]


def _examples(private: Protected, game: Game) -> tuple[object, object, object]:
    """Return a trace, a release and feedback of the kind that occur, with their own arrays."""
    player = Player(private, streams(0), compiled=False)
    held = player.first(player.as_played(game))
    feedback = player.as_played(game).feedback(0, held.action)
    # The placeholder before a release has the type of a release.
    _, release = player.private.submit(held.trace, feedback, streams(0).privacy)
    return _plain_numbers(held.trace), _plain_numbers(release), _plain_numbers(feedback)


def _plain_numbers(value: object) -> object:
    """Return a copy with Python's number types, as compiled code returns them."""
    if isinstance(value, tuple):
        parts: list[Any] = [_plain_numbers(part) for part in value]
        kind: Any = type(value)
        return tuple(parts) if kind is tuple else kind(*parts)
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value).copy()
    return value.item() if isinstance(value, np.generic) else value


assert MOST_ROUNDS**2 <= 2**62, "keys are 64-bit integers"
