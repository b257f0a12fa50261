"""Intervals from one noisy sum per arm: of rounds whose allocation ignored outcomes, or of all."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.contracts import Noise
from discreet.errors import DiscreetError

POINTS = 1 << 17  # of the Fourier transform
REACH = 40.0  # deviations on either side: tails beyond them would wrap around to the other side


def half_width(rounds: Sequence[int], noise: Noise, level: float) -> float:
    """Return the half-width of an interval for a mean, or for the difference of two means.

    ``rounds`` has one or two numbers of rounds, whose sums got ``noise``. The half-width is the
    quantile of N(0, Σ 1/(4 n)) + Σ noise / n. The normal part is an approximation; 1/4 is the
    largest variance of an outcome in [0, 1] (docs/proofs.md: Hold-out intervals).

    >>> from discreet.mechanisms import Laplace
    >>> round(half_width([20], Laplace(1.0), 0.95), 4)
    0.2605
    >>> round(half_width([20, 20], Laplace(1.0), 0.95), 4)
    0.3678
    """
    square = sum(0.25 / n for n in rounds)
    reach = REACH * (math.sqrt(square) + sum(noise.scale / n for n in rounds))
    x = np.linspace(-reach, reach, POINTS, endpoint=False)
    step = float(x[1] - x[0])
    frequency = 2.0 * math.pi * np.fft.fftfreq(POINTS, step)
    transform = np.exp(-0.5 * square * frequency**2)
    for n in rounds:
        scaled = noise.scale / n * frequency
        if noise.kind == "laplace":
            transform = transform / (1.0 + scaled**2)
        elif noise.is_gaussian:
            transform = transform * np.exp(-0.5 * scaled**2)
        else:
            raise DiscreetError(
                f"the noise is {noise.kind}, but intervals of a hold-out need laplace or gaussian "
                "noise."
            )
    density = np.fft.fftshift(np.fft.ifft(transform).real) / step
    below = (np.cumsum(density) - 0.5 * density) * step
    return float(np.interp(0.5 + level / 2.0, below, x))
