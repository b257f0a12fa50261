"""The errors of counters at equal privacy: Gaussian noise with μ = 1 for numbers that move by 1."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from componentjit import compile_for
from discreet.channels import Restarting, RunningSum
from discreet.channels.restarting import SPLITS
from discreet.contracts import Channel, Floats, Generator
from discreet.errors import check_int, unknown_name
from discreet.factorisations import FACTORISATIONS, Errors, Unbounded, lower_bound
from discreet.mechanisms import Gaussian
from discreet.randomness import streams
from discreet.sets import Box, ConvexSet

UNKNOWN_HORIZON = (Unbounded.name, *SPLITS)  # these need not know the number of rounds
COUNTERS = (*FACTORISATIONS, *SPLITS)
STREAMS = 512  # side by side, at most
NUMBERS_AT_ONCE = 2**21  # in one compiled loop, which an interrupt must wait for


class Comparison(NamedTuple):
    """The errors of one counter at one horizon."""

    counter: str
    rounds: int
    computed: Errors
    simulated: (
        Errors | None
    )  # its largest is the error at the time where the computed one is largest
    lower_bound: float  # on the largest error of any factorisation


def compare(name: str, rounds: int, *, copies: int = 0, seed: int = 1) -> Comparison:
    """Return the errors of a counter; with ``copies``, also those of that number of independent streams of zeros.

    >>> compare("tree", 1024).computed.largest, round(compare("blt", 1024).computed.largest, 1)
    (110.0, 10.7)
    """
    length = check_int("rounds", rounds, minimum=2, maximum=2**24)
    curve = _computed(name, length)
    computed = Errors(float(curve.max()), float(curve.mean()))
    wanted = check_int("copies", copies, minimum=0)
    simulated = _simulated(name, length, int(curve.argmax()), wanted, seed) if wanted else None
    return Comparison(name, length, computed, simulated, lower_bound(length))


def counter(name: str, losses: ConvexSet, rounds: int, noise: Gaussian) -> RunningSum | Restarting:
    """Return the named counter for a number of released prefixes, with given noise."""
    if name in SPLITS:
        return Restarting.over(losses, noise, split=name)
    if name not in FACTORISATIONS:
        raise unknown_name("counter", name, COUNTERS)
    return RunningSum.over(losses, noise, FACTORISATIONS[name], prefixes=rounds)


def _computed(name: str, rounds: int) -> Floats:
    """Return the error of every prefix sum."""
    if name in FACTORISATIONS:
        return FACTORISATIONS[name].curve(rounds)
    restarting: Any = counter(name, Box.cube(1, -0.5, 0.5), rounds, Gaussian(1.0, 1e-6))
    curve: Floats = restarting.variances(rounds)
    return curve


def _simulated(name: str, rounds: int, worst: int, copies: int, seed: int) -> Errors:
    """Return the errors of the real channel on streams of zeros, side by side as coordinates of one vector."""
    streamed = min(copies, STREAMS)
    losses = Box.cube(streamed, -0.5, 0.5)
    one = counter(name, Box.cube(1, -0.5, 0.5), rounds, Gaussian(1.0, 1e-6))
    unit = 1.0 if name in SPLITS else one.sensitivity  # what one vector needs, or all rows together
    squares = np.zeros(rounds)
    times = -(-copies // streamed)
    for trial in range(times):
        channel = counter(name, losses, rounds, Gaussian(unit, 1e-6))
        run, rng = compile_for(square_errors, channel), streams(seed, trial=trial).privacy
        for piece in np.array_split(squares, -(-rounds * streamed // NUMBERS_AT_ONCE)):
            run(channel, np.zeros(streamed), piece, rng)
    return Errors(
        float(squares[worst]) / (times * streamed), float(squares.mean()) / (times * streamed)
    )


def square_errors(channel: Channel, zeros: Floats, squares: Floats, rng: Generator) -> None:
    """Add the squared error of every prefix sum of a stream of zeros to ``squares``."""
    for t in range(squares.size):
        released = channel.offer(zeros, 1.0, rng)[1]
        for i in range(zeros.size):
            squares[t] += released[i] * released[i]
