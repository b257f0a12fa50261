"""Evidence about one mean from noisy sums of batches, valid after every release.

Everything here is on the unit scale: outcomes are fractions of the declared range.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from discreet.contracts import Floats, Noise

# The tilts of the mixture: half are for all of an arm's rounds, half for a sixteenth of them.
POINTS = 64
EARLY = 16.0
# A mixture in which tilts have variance PEAK / (n v) is tightest after n rounds at 95 %.
PEAK = 8.4
# Tilts stay below this share of the tilt at which the moment of the noise becomes infinite.
INSIDE = 0.95
STEPS = 60  # maximum steps of Newton's method, which needs 5 to 10
CLOSE = 1e-9  # tolerance of the logarithm of the evidence


class NoisySums:
    """The tilts of a mixture, and the moments of noisy sums of n outcomes in [0, 1] at these tilts.

    ``noise`` is the noise of a sum, in units of which the range has ``unit`` (1: in widths of the
    range). The evidence is tightest for ``rounds`` rounds and batches of the ``usual`` length. Both
    are public and fixed before the first round. Any values are valid; they only affect the widths
    of intervals.
    """

    def __init__(
        self, noise: Noise, unit: float = 1.0, *, rounds: float, usual: float, weigh: bool = True
    ) -> None:
        self._noise, self._unit, self._usual, self._weigh = noise, unit, usual, weigh
        self._spread = noise.spread() / unit
        # The variance of a sum is at most n / 4 + s²; that of bounded noise includes the outcomes.
        self._square = (noise.deviation(1) / unit) ** 2 if math.isinf(self._spread) else 0.0
        self.tilts = self._mixture(rounds)

    def _mixture(self, rounds: float) -> Floats:
        """Return quantiles of two half-normal distributions, with equal weights."""
        half = POINTS // 2
        unit = np.array([NormalDist().inv_cdf(0.5 + (j + 0.5) / (2 * half)) for j in range(half)])
        variance = 0.25 + self._square / self._usual
        if math.isfinite(self._spread):
            variance = self._spread**2 / 4.0 / self._usual
        tilts = np.concatenate(
            [unit * math.sqrt(PEAK / (n * variance)) for n in (rounds, rounds / EARLY)]
        )
        limit = self._unit / self._noise.scale
        if math.isinf(self._spread) and math.isinf(self._log_moment(limit)):
            tilts = np.minimum(tilts, INSIDE * limit)
        return tilts

    def _log_moment(self, tilt: float) -> float:
        return self._noise.log_moment(tilt / self._unit, 1)

    def weight(self, size: int) -> float:
        """Return the weight of a sum of ``size`` outcomes: proportional to 1 / variance, up to 1.

        >>> from discreet.mechanisms import Laplace
        >>> sums = NoisySums(Laplace(1.0), rounds=200.0, usual=16.0)
        >>> [round(sums.weight(size), 3) for size in (1, 8, 16, 100)]
        [0.167, 0.75, 1.0, 1.0]
        """
        if not self._weigh:
            return 1.0
        four, usual = 4.0 * self._square, self._usual
        return min(1.0, size / (size + four) * (usual + four) / usual)

    def log_moments(self, size: int) -> Floats:
        """Return an upper bound on ln E exp(tilt · weight · (released sum - its mean)), by tilt.

        It adds Hoeffding's lemma for the outcomes and the moment of the noise. For bounded noise,
        Hoeffding's lemma bounds the released sum as a whole.
        """
        tilted = self.tilts * self.weight(size)
        if math.isfinite(self._spread):
            bounded: Floats = (tilted * self._spread) ** 2 / 8.0
            return bounded
        noise = np.array([self._log_moment(float(tilt)) for tilt in tilted])
        sums: Floats = tilted**2 * size / 8.0 + noise
        return sums


class SumEvidence:
    """Evidence against every value of one mean: a mixture of exp(tilt · D - V(tilt)).

    D = Σ w n (y - μ) over all releases y of n rounds, V the sum of their log moments. For the true
    mean the mixture is a supermartingale, so it ever reaches 1 / α with probability at most α
    (docs/proofs.md: Anytime estimates).

    >>> from discreet.mechanisms import Laplace
    >>> evidence = SumEvidence(NoisySums(Laplace(1.0), rounds=200.0, usual=16.0))
    >>> for size in (1, 1, 1, 2, 3, 5, 8, 12, 18, 27, 40, 60):
    ...     evidence.add(size, 0.45)
    >>> [round(end, 4) for end in evidence.interval(math.log(20.0))]
    [0.3116, 0.5884]
    """

    def __init__(self, sums: NoisySums) -> None:
        self._sums = sums
        self._log_moments = np.zeros(POINTS)
        self._weight = self._total = 0.0
        self.rounds = self.releases = 0

    def add(self, size: int, mean: float, releases: int = 1) -> None:
        """Add a release, the noisy mean of ``size`` outcomes, or the mean of several releases."""
        weight = self._sums.weight(size) * size * releases
        self._log_moments += releases * self._sums.log_moments(size)
        self._weight += weight
        self._total += weight * mean
        self.rounds += size * releases
        self.releases += releases

    @property
    def mean(self) -> float:
        """The weighted mean of all releases; 1/2 without any."""
        return self._total / self._weight if self._weight > 0.0 else 0.5

    def least(self) -> float:
        """Return the log evidence against the estimated mean, which is the minimum."""
        return float(np.log(np.exp(-self._log_moments).mean()))

    def log_evidence(self, mean: float) -> float:
        """Return the logarithm of the evidence against a mean."""
        tilted = self._sums.tilts * (self._total - self._weight * mean)
        terms = np.concatenate([tilted, -tilted]) - np.tile(self._log_moments, 2)
        top = terms.max()
        return float(top + np.log(np.exp(terms - top).mean()))

    def reach(self, limit: float) -> float:
        """Return how far from the mean the evidence stays below ``limit``, rounded up.

        The logarithm of the evidence is convex and even in D. Newton's method starts beyond the
        root, where one term alone reaches the limit, so it stays beyond it.
        """
        if not self._weight > 0.0:
            return math.inf
        tilts, moments = self._sums.tilts, self._log_moments
        found = float(((limit + math.log(2.0 * POINTS) + moments) / tilts).min())
        for _ in range(STEPS):
            terms = tilts * found - moments
            top = float(terms.max())
            up = np.exp(terms - top)
            down = up * np.exp(-2.0 * tilts * found)
            both = float((up + down).sum())
            above = top + math.log(both / (2 * POINTS)) - limit
            slope = float((tilts * (up - down)).sum()) / both
            if above <= CLOSE or slope <= 0.0:
                break
            found = max(found - above / slope, 0.0)
        return found / self._weight

    def interval(self, limit: float) -> tuple[float, float]:
        """Return the means whose log evidence is below ``limit``; not clipped to [0, 1]."""
        reach = self.reach(limit)
        return self.mean - reach, self.mean + reach
