"""Whole runs of a channel: neighbouring inputs, and everything that is observable of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import deepcopy
from types import NoneType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from componentjit import ComponentError, compilable, compile_for
from componentjit.refusing import numba_errors
from discreet.auditing.attacks import GameFacts
from discreet.auditing.bounds import coded
from discreet.auditing.running_sums import Bytes, vectors_of
from discreet.channels import (
    DifferenceSums,
    PerDifference,
    RoundedSums,
    SlateBits,
)
from discreet.channels.gradient_sums import GradientShape
from discreet.channels.running_sum import Stream
from discreet.contracts import Channel, Estimate, Floats, Generator, Toss
from discreet.live.engine import packed
from discreet.ranges import Range, make_range
from discreet.sets import ConvexSet

OUTSIDE = 10.0  # widths outside the range: guarantees must not depend on valid input
RANDOM_POSITIONS = 8  # of the replaced loss
Part = TypeVar("Part")


class Pair(NamedTuple):
    """Two values that one loss may have: numbers, or vectors."""

    text: str
    one: Floats
    other: Floats


class Stage(NamedTuple):
    """Values and positions of the replaced loss; all others, by name, with one row per round."""

    others: dict[str, Floats]
    pairs: tuple[Pair, ...]
    positions: tuple[int, ...]

    @property
    def example(self) -> Floats:
        """One loss."""
        losses: Floats = next(iter(self.others.values()))[0]
        return np.asarray(losses)

    def inputs(self, others: str, pair: Pair, position: int, neighbour: int) -> Floats:
        """Return the losses of neighbouring input 0 or 1."""
        losses = self.others[others].copy()
        losses[position] = (pair.one, pair.other)[neighbour]
        return losses


def stage_for(channel: Channel, facts: GameFacts, rounds: int) -> Stage:
    """Return many kinds of inputs: random, extreme or out of range, at early and late positions."""
    rng = np.random.default_rng(rounds)
    if isinstance(channel, Stream):
        others, pairs = _vectors(vectors_of(channel), rounds, rng)
    elif isinstance(channel, PerDifference | DifferenceSums):
        others, pairs = _differences(channel.bounds, rounds, rng)
    elif isinstance(channel, SlateBits):
        others, pairs = _slates(channel, rounds, rng)
    else:
        others, pairs = _numbers(facts.bounds or declared_range(channel), rounds, rng)
    return Stage(others, pairs, _positions(channel.hold(), rounds, rng))


def levels_of(stage: Stage, number: int) -> Stage:
    """Return a stage with many levels, both of the replaced loss and of all others."""
    ends = stage.pairs[0]
    rounds = len(next(iter(stage.others.values())))

    def at(share: float) -> Floats:
        return np.asarray(ends.one + share * (ends.other - ends.one))

    shares = (np.arange(number) + 0.5) / number
    others = {
        f"at {share:.3g} of the range": np.repeat(at(share)[None], rounds, axis=0)
        for share in (0.5, *shares)
    }
    pairs = [
        Pair(f"at 0 or {share:.3g} of the range", np.asarray(ends.one), at(share))
        for share in shares
    ]
    return Stage(others, (ends, *pairs), (0,))


def declared_range(channel: Channel) -> Range:
    """Return the range that a channel declares; by default, from 0 to 1."""
    return next((part for part in channel if isinstance(part, Range)), make_range())


def probe_query(channel: Channel) -> float | Floats | Estimate | Toss:
    """Return a query that fits the channel: a plain loss, equal estimates, or one direction."""
    if isinstance(channel, GradientShape):
        direction = np.full(channel.release_size(), channel.release_size() ** -0.5)
        return Toss(direction, 0.5) if isinstance(channel, RoundedSums) else direction
    if isinstance(channel, SlateBits):
        return np.ones(channel.release_size())
    if isinstance(channel.example_query, Estimate):
        ones = np.ones(channel.release_size())
        return Estimate(0, 1.0, ones, ones.copy(), float(ones.size))
    if isinstance(channel.example_query, np.ndarray):
        return np.ones(1)
    return 1.0


def _numbers(
    bounds: Range, rounds: int, rng: np.random.Generator
) -> tuple[dict[str, Floats], tuple[Pair, ...]]:
    low, high = float(bounds.low), float(bounds.high)
    width = high - low
    others = {
        "in the middle": np.full(rounds, low + width / 2.0),
        "random": low + width * rng.random(rounds),
        "lowest": np.full(rounds, low),
        "highest": np.full(rounds, high),
    }
    ends = ((low, high), (low - OUTSIDE * width, high + OUTSIDE * width))
    return others, tuple(Pair(f"{a:g} or {b:g}", np.array(a), np.array(b)) for a, b in ends)


def _differences(
    bounds: Range, rounds: int, rng: np.random.Generator
) -> tuple[dict[str, Floats], tuple[Pair, ...]]:
    """Return pairs of values with all differences of ``_numbers``; the second value is 0."""
    numbers, ends = _numbers(bounds, rounds, rng)
    others = {name: np.column_stack([row, np.zeros(rounds)]) for name, row in numbers.items()}
    return others, tuple(
        Pair(e.text, np.array([e.one, 0.0]), np.array([e.other, 0.0])) for e in ends
    )


def _slates(
    channel: SlateBits, rounds: int, rng: np.random.Generator
) -> tuple[dict[str, Floats], tuple[Pair, ...]]:
    """Return losses of a slate: all items have the same loss, taken from ``_numbers``."""
    numbers, ends = _numbers(channel.bounds, rounds, rng)
    ones = np.ones(channel.release_size())
    others = {name: np.outer(row, ones) for name, row in numbers.items()}
    return others, tuple(Pair(e.text, e.one * ones, e.other * ones) for e in ends)


def _vectors(
    losses: ConvexSet, rounds: int, rng: np.random.Generator
) -> tuple[dict[str, Floats], tuple[Pair, ...]]:
    size = losses.dimension
    corners: list[tuple[Floats, Floats]] = []
    alternating = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    for direction in (np.ones(size), alternating, np.arange(1.0, size + 1.0)):
        pair = np.empty(size), np.empty(size)
        losses.minimise_linear(direction, pair[0])
        losses.minimise_linear(-direction, pair[1])
        corners.append(pair)
    shares = rng.dirichlet(np.ones(2 * len(corners)), rounds)
    middle = corners[0][0] / 2.0 + corners[0][1] / 2.0
    others = {
        "in the middle": np.repeat(middle[None], rounds, axis=0),
        "random": shares @ np.array([corner for pair in corners for corner in pair]),
    }
    outside = (
        middle + OUTSIDE * (corners[0][0] - middle),
        middle + OUTSIDE * (corners[0][1] - middle),
    )
    pairs = [Pair("one of two that are far apart", *pair) for pair in corners]
    return others, (*pairs, Pair("one of two that are far outside", *outside))


def _positions(hold: int, rounds: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return rounds, from 0: both ends of some batches, powers of two less 1, and random ones."""
    batches = np.array([0, 1, rounds // hold // 2, max(0, rounds // hold - 2)])
    ends = [batches * hold, batches * hold + hold - 1]
    powers = 2 ** np.arange(int(math.log2(max(rounds, 2)))) - 1
    found: Any = np.concatenate([*ends, powers, rng.integers(0, rounds, RANDOM_POSITIONS)])
    return tuple(int(position) for position in np.unique(found[(found >= 0) & (found < rounds)]))


LEAST = 600  # minimum number of runs, even if they take long


class Runs(NamedTuple):
    """A channel before its first round, and how it is played.

    The view of a run is one row of numbers: the releases, then how long each action was held, then
    the rounds of the releases.
    """

    channel: Channel
    query: object
    rounds: int
    places: int  # room for this many releases
    size: int  # of a release
    is_fast: bool  # whether it is compiled

    @classmethod
    def of(cls, channel: Channel, query: object, *, rounds: int) -> Runs:
        """Return the runs of a channel."""
        places, size = rounds // max(1, channel.hold()) + 2, channel.release_size()
        return cls(channel, query, rounds, places, size, compilable((channel, query)))

    def compiles(self, feedback: Floats) -> bool:
        """Return whether it really compiles: a method may use what only Python supports."""
        try:
            self.play(feedback[None], 1, np.random.default_rng(0))
        except ComponentError as error:
            if not isinstance(error.__context__, numba_errors()):
                raise
            return False
        return self.is_fast

    def play(self, inputs: Floats, number: int, rng: Generator) -> Floats:
        """Return the view of independent runs with the same inputs, one row per run.

        Releases that are not numbers are coded.
        """
        width = max(1, self.size)
        seen = np.zeros((number, self.places * (width + 2)))
        if not self.is_fast and any(map(_may_change, _leaves(self.channel))):
            for row in seen:  # some object may have memory: every run gets its own copy
                self._replace(channel=_renewed(self.channel))._watch(inputs, row[None], rng)
        else:
            self._watch(inputs, seen, rng)
        return coded(seen)

    def _watch(self, inputs: Floats, seen: Floats, rng: Generator) -> None:
        channel, block = packed(self.channel)
        state = np.asarray(block)
        loop: Callable[..., None] = watch_vectors if self.size else watch_numbers
        if self.is_fast:
            loop = compile_for(loop, channel, self.query)
        loop(channel, state, state.copy(), inputs, self.query, seen, self.places, rng)

    def affordable(self, number: int, rounds: int) -> int:
        """Return this number of runs, or fewer if they are slow or long: a few seconds at most."""
        most = (1 << 22 if self.is_fast else 1 << 16) // rounds
        return max(min(number, most), LEAST)

    def round_of(self, column: int, seen: Floats) -> int:
        """Return the round, from 0, after which a column of a row is known."""
        width = max(1, self.size)
        ends = seen[self.places * (width + 1) :]
        position, kind = column // width, 0
        if column >= self.places * width:
            kind, position = divmod(column - self.places * width, self.places)
            position -= kind == 0  # an action begins when the previous one ends
        return int(ends[position]) if position >= 0 and ends[position] > 0 else self.rounds - 1

    def name_of(self, column: int) -> str:
        """Return a description of a column."""
        width = max(1, self.size)
        if column < self.places * width:
            return f"release {column // width + 1}"
        kind, position = divmod(column - self.places * width, self.places)
        return (
            f"the round of release {position + 1}"
            if kind
            else f"the length of action {position + 1}"
        )


def _leaves(part: object) -> Iterator[object]:
    """Yield all parts of a channel that are not tuples."""
    if isinstance(part, tuple):
        for each in part:
            yield from _leaves(each)
    else:
        yield part


def _may_change(leaf: object) -> bool:
    """Return whether an object (not an array) may change: a list, or an object of foreign code."""
    fixed = isinstance(leaf, np.ndarray | np.generic | float | int | str | bytes | NoneType)
    return not fixed and type(leaf).__module__.split(".")[0] != "discreet"


def _renewed(part: Part) -> Part:
    """Return a channel with fresh copies of all objects that may change."""
    if isinstance(part, tuple):
        parts = [_renewed(each) for each in part]
        made: Any = part._make(parts) if hasattr(part, "_make") else tuple(parts)
        return cast(Part, made)
    return deepcopy(part) if _may_change(part) else part


def watch_numbers(
    channel: Channel,
    state: Bytes,
    before: Bytes,
    inputs: Floats,
    query: object,
    seen: Floats,
    places: int,
    rng: Generator,
) -> None:
    """Play a channel that releases numbers many times from one state, and record the views."""
    for run in range(seen.shape[0]):
        # Element by element: assigning a slice would cost compiled code a reference count.
        for i in range(state.size):
            state[i] = before[i]
        releases, actions, left = 0, 0, 0
        for t in range(inputs.shape[0]):
            if left == 0:
                left = channel.begin(0)
                if actions < places:
                    seen[run, places + actions] = left
                    actions += 1
            left -= 1
            ready, out = channel.offer(inputs[t], query, rng)
            if ready and releases < places:
                seen[run, releases] = out
                seen[run, 2 * places + releases] = t
                releases += 1


def watch_vectors(
    channel: Channel,
    state: Bytes,
    before: Bytes,
    inputs: Floats,
    query: object,
    seen: Floats,
    places: int,
    rng: Generator,
) -> None:
    """Play a channel that releases vectors many times from one state, and record the views."""
    size = seen.shape[1] // places - 2
    for run in range(seen.shape[0]):
        for i in range(state.size):
            state[i] = before[i]
        releases, actions, left = 0, 0, 0
        for t in range(inputs.shape[0]):
            if left == 0:
                left = channel.begin(0)
                if actions < places:
                    seen[run, places * size + actions] = left
                    actions += 1
            left -= 1
            ready, out = channel.offer(inputs[t], query, rng)
            if ready and releases < places:
                for i in range(size):
                    seen[run, releases * size + i] = out[i]
                seen[run, places * (size + 1) + releases] = t
                releases += 1
