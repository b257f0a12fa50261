"""The errors of counters at equal privacy: Gaussian noise with μ = 1 for numbers that move by 1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from discreet.channels import Buffered, Epochs, Tree
from discreet.channels.epochs import SPLITS
from discreet.contracts import Floats, Generator
from discreet.errors import check_int, unknown_name
from discreet.factorisations import (
    Errors,
    buffered,
    lower_bound,
    square_root,
    toeplitz_errors,
    tree_errors,
)
from discreet.kernel import compile_for
from discreet.mechanisms import Gaussian
from discreet.randomness import streams
from discreet.sets import Box

UNKNOWN_HORIZON = SPLITS  # these need not know the number of rounds
COUNTERS = ("tree", "honaker", "sqrt-toeplitz", "blt", *UNKNOWN_HORIZON)


class Comparison(NamedTuple):
    """The errors of one counter at one horizon."""

    counter: str
    rounds: int
    computed: Errors
    simulated: Errors | None  # its largest is the error at the time where the computed one is largest
    lower_bound: float  # on the largest error of any factorisation


def compare(name: str, rounds: int, *, copies: int = 0, seed: int = 1) -> Comparison:
    """Return the errors of a counter; with ``copies``, also those of so many independent streams of zeros.

    >>> compare("tree", 1024).computed.largest, round(compare("blt", 1024).computed.largest, 1)
    (110.0, 10.7)
    """
    length = check_int("rounds", rounds, least=2, most=2**24)
    computed = _computed(name, length)
    simulated = _simulated(name, length, check_int("copies", copies, least=0), seed) if copies else None
    return Comparison(name, length, computed, simulated, lower_bound(length))


def counter(name: str, losses: Any, rounds: int, mechanism: Gaussian) -> Any:
    """Return the named counter for a number of released prefixes, with given noise."""
    if name in ("tree", "honaker"):
        return Tree.over(losses, mechanism, prefixes=rounds, reduced=name == "honaker")
    if name == "blt":
        return Buffered.over(losses, prefixes=rounds, epsilon=1.0, delta=1e-6)._replace(mechanism=mechanism)
    if name in UNKNOWN_HORIZON:
        return Epochs.over(losses, mechanism, split=name)
    raise unknown_name("counter", name, COUNTERS)


def _computed(name: str, rounds: int) -> Errors:
    if name in ("tree", "honaker"):
        return tree_errors(rounds, reduced=name == "honaker")
    if name == "sqrt-toeplitz":
        return toeplitz_errors(square_root(rounds))
    if name == "blt":
        return toeplitz_errors(buffered(rounds).coefficients(rounds))
    if name in UNKNOWN_HORIZON:
        curve = _epoch_curve(name, rounds)
        return Errors(float(curve.max()), float(curve.mean()))
    raise unknown_name("counter", name, COUNTERS)


def _simulated(name: str, rounds: int, copies: int, seed: int) -> Errors | None:
    """Return the errors of the real channel on streams of zeros, side by side as coordinates of one vector."""
    if name == "sqrt-toeplitz":
        noise = _square_root_noise(rounds, copies, seed)
        squares: Floats = (noise**2).sum(axis=0)
        worst = rounds - 1
    else:
        streamed = min(copies, 512)
        scale = _unit_scale(name, rounds)
        squares = np.zeros(rounds)
        worst = _worst(name, rounds)
        for trial in range(-(-copies // streamed)):
            channel = counter(name, Box.cube(streamed, -0.5, 0.5), rounds, Gaussian(scale, 1e-6))
            run = compile_for(square_errors, channel)
            run(channel, np.zeros(streamed), squares, streams(seed, trial=trial).privacy)
        copies = -(-copies // streamed) * streamed
    return Errors(float(squares[worst]) / copies, float(squares.mean()) / copies)


def _epoch_curve(name: str, rounds: int) -> Floats:
    """Return the error of every prefix sum when the number of rounds is not known."""
    channel: Epochs = counter(name, Box.cube(1, -0.5, 0.5), rounds, Gaussian(1.0, 1e-6))
    return channel.variances(rounds)


def _worst(name: str, rounds: int) -> int:
    """Return in which round, from 0, the computed error is largest."""
    if name in UNKNOWN_HORIZON:
        return int(_epoch_curve(name, rounds).argmax())
    return rounds - 1 if name == "blt" else (1 << (rounds.bit_length() - 1)) - 1 - 1


def _unit_scale(name: str, rounds: int) -> float:
    """Return the standard deviation that makes μ = 1 for numbers that move by 1."""
    if name == "blt":
        return float(np.sqrt((buffered(rounds).coefficients(rounds) ** 2).sum()))
    return 1.0 if name in UNKNOWN_HORIZON else math.sqrt(rounds.bit_length())


def _square_root_noise(rounds: int, copies: int, seed: int) -> Floats:
    """Return the noise of the square-root factorisation: independent noise, convolved with its coefficients."""
    from scipy.signal import fftconvolve

    coefficients = square_root(rounds)
    scale = math.sqrt(float((coefficients**2).sum()))
    rng = streams(seed).privacy
    noise = np.empty((copies, rounds))
    for copy in range(copies):
        noise[copy] = fftconvolve(scale * rng.standard_normal(rounds), coefficients)[:rounds]
    return noise


def square_errors(channel: Any, zeros: Floats, squares: Floats, rng: Generator) -> None:
    """Add the squared error of every prefix sum of a stream of zeros to ``squares``."""
    for t in range(squares.size):
        released = channel.offer(zeros, 1.0, rng)[1]
        for i in range(zeros.size):
            squares[t] += released[i] * released[i]
