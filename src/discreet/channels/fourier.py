"""Convolutions in place by a fast Fourier transform that allocates nothing, for compiled channels."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats
from discreet.kernel import helper


def waves(size: int) -> Floats:
    """Return cosines and sines of the first half of ``size`` equal angles, a power of two."""
    angles = 2.0 * np.pi * np.arange(size // 2) / size
    return np.stack([np.cos(angles), np.sin(angles)])


def spectrum_of(coefficients: Floats, size: int) -> Floats:
    """Return real and imaginary part of what ``convolve`` multiplies with, divided by the size.

    Its order is that in which ``transform`` leaves a spectrum: the binary digits of the frequency are reversed.
    """
    order = np.zeros(1, dtype=np.int64)
    while order.size < size:
        order = np.concatenate([2 * order, 2 * order + 1])
    spectrum = np.fft.fft(coefficients, size)[order] / size
    return np.stack([spectrum.real, spectrum.imag])


@helper
def convolve(work: Floats, spectrum: Floats, circle: Floats) -> None:
    """Convolve two sequences, the rows of ``work``, with the coefficients of a spectrum, in place.

    The rows are real and imaginary part of one complex sequence. It is as long as the spectrum, and has as many zeros at
    its end as there are coefficients, or one less: what comes out at the end wraps around.
    """
    transform(work, circle)
    for k in range(work.shape[1]):
        real, imaginary = work[0, k], work[1, k]
        work[0, k] = real * spectrum[0, k] - imaginary * spectrum[1, k]
        work[1, k] = real * spectrum[1, k] + imaginary * spectrum[0, k]
    transform_back(work, circle)


@helper
def transform(work: Floats, circle: Floats) -> None:
    """Replace a complex sequence by its spectrum, with the digits of the frequencies reversed."""
    half = work.shape[1] // 2
    while half > 0:
        stride = circle.shape[1] // half
        for start in range(0, work.shape[1], 2 * half):
            for a in range(start, start + half):
                b = a + half
                cosine, sine = circle[0, (a - start) * stride], circle[1, (a - start) * stride]
                real, imaginary = work[0, a] - work[0, b], work[1, a] - work[1, b]
                work[0, a] += work[0, b]
                work[1, a] += work[1, b]
                work[0, b] = real * cosine + imaginary * sine
                work[1, b] = imaginary * cosine - real * sine
        half //= 2


@helper
def transform_back(work: Floats, circle: Floats) -> None:
    """Undo ``transform``, up to a factor: the size."""
    half = 1
    while half < work.shape[1]:
        stride = circle.shape[1] // half
        for start in range(0, work.shape[1], 2 * half):
            for a in range(start, start + half):
                b = a + half
                cosine, sine = circle[0, (a - start) * stride], circle[1, (a - start) * stride]
                real = work[0, b] * cosine - work[1, b] * sine
                imaginary = work[0, b] * sine + work[1, b] * cosine
                work[0, b] = work[0, a] - real
                work[1, b] = work[1, a] - imaginary
                work[0, a] += real
                work[1, a] += imaginary
        half *= 2
