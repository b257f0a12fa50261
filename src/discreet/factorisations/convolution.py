"""Convolutions of a stream that is still coming in, by fast Fourier transforms that allocate nothing.

Row t of C x needs all vectors before. Instead of adding up all products in every round, what has come is passed on to
later rows block by block: after round t, the last L rounds, L the largest power of two that divides t, are convolved with
the coefficients and added to the next L rows. Every pair of an earlier round and a later row meets in exactly one such
block, so a round costs O(log² m) for each coordinate, on average. Blocks below ``SHORT`` are passed on directly.

A stream is one array: vectors that came, and behind them what they add to later rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats
from discreet.factorisations.contract import UNIT
from discreet.kernel import compile_for, compiled_as, helper

SHORT = 64
STAGE = 22.4  # times the unit: what a stage of a transform adds to its relative error (Higham 2002, Theorem 24.2)


class Filter(NamedTuple):
    """A Toeplitz matrix, ready to be applied to streams."""

    coefficients: Floats
    spectra: Floats  # real and imaginary parts of the spectra of all block sizes, one behind the other
    circle: Floats  # cosines and sines, stage by stage
    work: Floats

    @classmethod
    def of(cls, coefficients: Floats) -> Filter:
        """Return the filter with these coefficients."""
        sizes = block_sizes(coefficients.size)
        largest = sizes[-1] if sizes else 0
        parts = [spectrum_of(coefficients[:size], size) for size in sizes]
        spectra = np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else np.zeros((2, 0))
        return cls(coefficients, spectra, waves(largest), np.zeros((2, largest)))


def block_sizes(rounds: int) -> list[int]:
    """Return the sizes of the transforms that a stream of that many rounds needs: twice the size of its blocks."""
    sizes = []
    size = 2 * SHORT
    while size // 2 < rounds:
        sizes.append(size)
        size *= 2
    return sizes


def waves(size: int) -> Floats:
    """Return cosines and sines for all stages of transforms up to ``size``: h of them, for a stage of h, from place h on.

    They are those of the first half of 2h equal angles. Neighbours in memory are what makes a stage fast.
    """
    circle = np.zeros((2, max(size, 1)))
    half = 1
    while half < size:
        angles = np.pi * np.arange(half) / half
        circle[:, half : 2 * half] = np.cos(angles), np.sin(angles)
        half *= 2
    return circle


def spectrum_of(coefficients: Floats, size: int) -> Floats:
    """Return real and imaginary part of what a transformed block is multiplied with, divided by the size.

    Its order is that in which ``transform`` leaves a spectrum: the binary digits of the frequency are reversed.
    """
    values = np.zeros(size, np.complex128)
    values[: coefficients.size] = coefficients
    cosine, sine = waves(size)
    half = size // 2
    while half > 0:
        pairs = values.reshape(-1, 2, half)
        turn = (cosine - 1j * sine)[half : 2 * half]
        values = np.stack([pairs[:, 0] + pairs[:, 1], (pairs[:, 0] - pairs[:, 1]) * turn], axis=1).reshape(-1)
        half //= 2
    values /= size
    return np.stack([values.real, values.imag])


def _pass_on(stream: Floats, time: int, matrix: Filter) -> None:
    """Add what the latest rounds of a stream (coordinate, round) give to the rows that come next."""
    rounds = stream.shape[1]
    size = time & -time
    if size < SHORT:
        end = min(rounds, (time - 1) // SHORT * SHORT + SHORT)
        for i in range(stream.shape[0]):
            value = stream[i, time - 1]
            for t in range(time, end):
                stream[i, t] += value * matrix.coefficients[t - time + 1]
        return
    end = min(rounds, time + size)
    if end <= time:
        return
    for i in range(0, stream.shape[0], 2):  # two coordinates are real and imaginary part of one sequence
        paired = i + 1 < stream.shape[0]
        for k in range(size):
            matrix.work[0, k] = stream[i, time - size + k]
            matrix.work[1, k] = stream[i + 1, time - size + k] if paired else 0.0
            matrix.work[0, size + k] = 0.0
            matrix.work[1, size + k] = 0.0
        convolve(matrix.work, 2 * size, matrix.spectra, 2 * size - 2 * SHORT, matrix.circle)
        for t in range(time, end):
            stream[i, t] += matrix.work[0, size + t - time]
            if paired:
                stream[i + 1, t] += matrix.work[1, size + t - time]


@compiled_as(_pass_on)
def pass_on(stream: Floats, time: int, matrix: Filter) -> None:
    """Do the same from plain Python, compiled there too: a long stream would take seconds otherwise."""
    compile_for(_pass_on)(stream, int(time), matrix)


@helper
def convolve(work: Floats, size: int, spectra: Floats, offset: int, circle: Floats) -> None:
    """Convolve a complex sequence with the coefficients of a spectrum, in place; what is beyond its end wraps around."""
    transform(work, size, circle)
    for k in range(size):
        real, imaginary = work[0, k], work[1, k]
        work[0, k] = real * spectra[0, offset + k] - imaginary * spectra[1, offset + k]
        work[1, k] = real * spectra[1, offset + k] + imaginary * spectra[0, offset + k]
    transform_back(work, size, circle)


@helper
def transform(work: Floats, size: int, circle: Floats) -> None:
    """Replace a complex sequence by its spectrum, with the digits of the frequencies reversed."""
    half = size // 2
    while half > 0:
        for start in range(0, size, 2 * half):
            for j in range(half):
                a, b = start + j, start + half + j
                cosine, sine = circle[0, half + j], circle[1, half + j]
                real, imaginary = work[0, a] - work[0, b], work[1, a] - work[1, b]
                work[0, a] += work[0, b]
                work[1, a] += work[1, b]
                work[0, b] = real * cosine + imaginary * sine
                work[1, b] = imaginary * cosine - real * sine
        half //= 2


@helper
def transform_back(work: Floats, size: int, circle: Floats) -> None:
    """Undo ``transform``, up to a factor: the size."""
    half = 1
    while half < size:
        for start in range(0, size, 2 * half):
            for j in range(half):
                a, b = start + j, start + half + j
                cosine, sine = circle[0, half + j], circle[1, half + j]
                real = work[0, b] * cosine - work[1, b] * sine
                imaginary = work[0, b] * sine + work[1, b] * cosine
                work[0, b] = work[0, a] - real
                work[1, b] = work[1, a] - imaginary
                work[0, a] += real
                work[1, a] += imaginary
        half *= 2


def error_bound(coefficients: Floats, largest: float) -> float:
    """Return a bound on the errors of C x for coordinates of size ``largest``, in L2 over all rounds (Sums on a grid)."""
    rounds, sizes = coefficients.size, block_sizes(coefficients.size)
    total = math.sqrt(rounds) * (SHORT + len(sizes) + 2) * float(np.abs(coefficients).sum())
    for size in sizes:
        used = np.abs(coefficients[:size])
        span, length = float(used.sum()), math.sqrt(float((used**2).sum()))
        stages = STAGE * math.log2(size) * (2.0 * span + math.sqrt(size) * length) + 3.0 * span
        total += math.sqrt(rounds + size) * stages  # number of blocks: rounds / size, or one more
    return 1.03 * UNIT * largest * total
