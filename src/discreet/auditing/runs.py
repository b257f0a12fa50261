"""Whole runs of a channel, from the start: what goes in, and all that anyone can see of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from componentjit import compilable, compile_for
from discreet.contracts import Channel, Floats, Generator
from discreet.live.engine import packed

Bytes = NDArray[np.uint8]
LEAST = 600  # runs that are always affordable


class Runs(NamedTuple):
    """A channel before its first round, and how it is played.

    What is seen of a run is one row of numbers: the releases, then for how many rounds each action
    was held, then the rounds after which something was released.
    """

    channel: Channel
    query: object
    rounds: int
    places: int  # for releases
    size: int  # of a release
    is_fast: bool  # whether it is compiled

    @classmethod
    def of(cls, channel: Channel, query: object, *, rounds: int) -> Runs:
        """Return the runs of a channel."""
        places, size = rounds // max(1, channel.hold()) + 2, channel.release_size()
        return cls(channel, query, rounds, places, size, compilable((channel, query)))

    def compiles(self, feedback: Floats) -> bool:
        """Return whether it is compiled, and can be: a method may do what only plain Python can."""
        from numba.core.errors import NumbaError

        try:
            self.play(feedback[None], 1, np.random.default_rng(0))
        except NumbaError:
            return False
        return self.is_fast

    def play(self, inputs: Floats, number: int, rng: Generator) -> Floats:
        """Return what is seen of independent runs with the same inputs, a row a run."""
        width = max(1, self.size)
        seen = np.zeros((number, self.places * (width + 2)))
        channel, block = packed(self.channel)
        state = np.asarray(block)
        loop: Callable[..., None] = watch_vectors if self.size else watch_numbers
        if self.is_fast:
            loop = compile_for(loop, channel, self.query)
        loop(channel, state, state.copy(), inputs, self.query, seen, self.places, rng)
        return seen

    def affordable(self, number: int, rounds: int) -> int:
        """Return how many runs of some rounds take seconds at most: that many, or fewer if they are slow or long."""
        most = (1 << 22 if self.is_fast else 1 << 16) // rounds
        return max(min(number, most), LEAST)

    def round_of(self, column: int, seen: Floats) -> int:
        """Return after which round a column of a row is known, from 0."""
        width = max(1, self.size)
        ends = seen[self.places * (width + 1) :]
        position, kind = column // width, 0
        if column >= self.places * width:
            kind, position = divmod(column - self.places * width, self.places)
            position -= kind == 0  # an action begins when the one before has ended
        return int(ends[position]) if position >= 0 and ends[position] > 0 else self.rounds - 1

    def name_of(self, column: int) -> str:
        """Return what a column is, in words."""
        width = max(1, self.size)
        if column < self.places * width:
            return f"release {column // width + 1}"
        kind, position = divmod(column - self.places * width, self.places)
        return (
            f"when release {position + 1} comes"
            if kind
            else f"how long action {position + 1} is held"
        )


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
    """Play a channel that releases numbers again and again from the same state, and note all that is seen."""
    for run in range(seen.shape[0]):
        for i in range(
            state.size
        ):  # a slice would be copied, which compiled code does not do without counting
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
    """Play a channel that releases vectors again and again from the same state, and note all that is seen."""
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
