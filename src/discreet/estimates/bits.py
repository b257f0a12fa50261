"""Evidence about one mean from random bits, valid after every release."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats

# The prior: this many equally spaced means, with the weights of the trapezoid rule.
GRID = np.linspace(0.0, 1.0, 2001)
PRIOR = np.full(GRID.size, 1.0 / (GRID.size - 1))
PRIOR[[0, -1]] /= 2.0
STEPS = 200  # maximum steps of Newton's method, which needs about 10
CLOSE = 1e-9  # tolerance of the logarithm of the evidence


class BitEvidence:
    """Evidence against every value of one mean: a likelihood ratio.

    A bit is 1 with probability 1/2 + a (μ - 1/2), with a public contrast a. The evidence against μ
    is the likelihood of all bits under a prior that is uniform on a grid, divided by that under μ.
    For the true mean it is a martingale that starts at 1 (docs/proofs.md: Anytime estimates).

    >>> evidence = BitEvidence()
    >>> evidence.add(math.tanh(0.5), 1, ones=100, bits=200)
    >>> [round(end, 3) for end in evidence.interval(math.log(20.0))]
    [0.269, 0.731]
    """

    def __init__(self) -> None:
        self._counts: dict[float, tuple[int, int]] = {}  # bits and ones for each contrast
        self.rounds = self.releases = 0
        self._mixture: float | None = None

    def add(self, contrast: float, size: int, ones: int, bits: int = 1) -> None:
        """Add released bits, each about ``size`` rounds."""
        known, found = self._counts.get(contrast, (0, 0))
        self._counts[contrast] = known + bits, found + ones
        self.rounds += size * bits
        self.releases += bits
        self._mixture = None

    @property
    def mean(self) -> float:
        """The unbiased mean of the bits, weighted by their information; 1/2 without any."""
        weight = sum(a * a * bits for a, (bits, _) in self._counts.items())
        above = sum(a * (ones - bits / 2.0) for a, (bits, ones) in self._counts.items())
        return 0.5 + above / weight if weight > 0.0 else 0.5

    def _likelihood(self, mean: float) -> tuple[float, float]:
        """Return the log likelihood of a mean, and its slope."""
        level = slope = 0.0
        for a, (bits, ones) in self._counts.items():
            chance = 0.5 + a * (mean - 0.5)
            level += ones * math.log(chance) if ones else 0.0
            level += (bits - ones) * math.log1p(-chance) if bits > ones else 0.0
            slope += a * (ones / chance if ones else 0.0)
            slope -= a * ((bits - ones) / (1.0 - chance) if bits > ones else 0.0)
        return level, slope

    def _log_mixture(self) -> float:
        """Return the logarithm of the likelihood under the prior."""
        if self._mixture is None:
            levels: Floats = np.zeros(GRID.size)
            for a, (bits, ones) in self._counts.items():
                chances = 0.5 + a * (GRID - 0.5)
                levels += ones * np.log(chances) + (bits - ones) * np.log1p(-chances)
            top = levels.max()
            self._mixture = float(top + np.log(PRIOR @ np.exp(levels - top)))
        return self._mixture

    def log_evidence(self, mean: float) -> float:
        """Return the logarithm of the evidence against a mean."""
        return self._log_mixture() - self._likelihood(mean)[0]

    def least(self) -> float:
        """Return the smallest log evidence against any mean."""
        return self._log_mixture() - self._likelihood(self._likeliest())[0]

    def _likeliest(self) -> float:
        """Return the mean with the largest likelihood, to 2^-60 by bisection: its slope falls."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if self._likelihood(middle)[1] > 0.0:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    def interval(self, limit: float) -> tuple[float, float]:
        """Return the means in [0, 1] whose log evidence is below ``limit``, rounded outwards.

        The evidence is convex, so Newton's method from outside stays outside.
        """
        low, high = self._end(0.0, limit), self._end(1.0, limit)
        if low > high:  # all means are refuted
            low = high = self._likeliest()
        return low, high

    def _end(self, start: float, limit: float) -> float:
        """Return the end of the interval as seen from 0 or from 1."""
        mixture, found = self._log_mixture(), start
        for _ in range(STEPS):
            level, slope = self._likelihood(found)
            above = mixture - level - limit
            if above <= CLOSE or (slope > 0.0) != (start == 0.0):
                break
            found += above / slope
        return min(max(found, 0.0), 1.0)
