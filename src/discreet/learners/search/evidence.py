"""Confidence from noisy released means: bounds that hold at all times at once.

A rule gives two things. The first is the *radius* of a mean: the probability that the true mean is
ever beyond it is bounded. The second is the *log evidence* that one arm is better than another: if
the other is at least as good, the evidence ever exceeds ln(1 / α) with probability at most α. All
proofs are in docs/proofs.md: Best-arm search.
"""

from __future__ import annotations

import math

from componentjit import helper, helper_apart
from discreet.components import Component
from discreet.errors import check_positive, check_range

STEPS = 60  # of a bisection: to the last bits of a double
TAIL = -20.0  # deviations beyond which the normal distribution function is bounded, not computed


class Rule(Component):
    """Bounds on released means.

    ``pulls`` and ``releases`` of an arm are the rounds and releases that its mean consists of.
    """

    def mean_radius(self, pulls: float, releases: float, failure: float) -> float:
        """Return how far a mean ever exceeds the truth, except with probability ``failure``.

        The same bound holds in the other direction.
        """
        raise NotImplementedError

    def log_evidence(
        self, gap: float, pulls: float, releases: float, rival_pulls: float, rival_releases: float
    ) -> float:
        """Return the log evidence that an arm is better than a rival.

        The rival's mean is lower by ``gap``, which is at least 0.
        """
        raise NotImplementedError

    def most_evidence(
        self, gap: float, pulls: float, releases: float, rival_pulls: float, rival_releases: float
    ) -> float:
        """Return an upper bound on it that is cheaper to compute."""
        return math.inf

    def even_evidence(self, gap: float, pulls: float, releases: float) -> float:
        """Return the log evidence for two arms that are always released in turn.

        Both have these pulls and releases.
        """
        raise NotImplementedError


class Mixture(Rule):
    """For sub-Gaussian numbers, each released by itself: exp(λ S - λ² v n / 2), averaged over λ.

    S is the sum of n deviations from the mean, ``variance`` is v, and λ is half-normal with
    variance 1 / (n₀ v). Bounds are tightest after about n₀ numbers; ``prior`` is 1 / n₀, and
    gap² / v suits a gap of that size.
    """

    variance: float
    prior: float  # 1 / n₀

    @classmethod
    def for_gap(cls, gap: float, *, variance: float) -> Mixture:
        """Return the rule that suits gaps of about this size best; it holds for all."""
        check_range("typical_gap", gap, 1e-6, 1.0)
        return cls(check_positive("variance", variance), gap * gap / variance)

    def mean_radius(self, pulls: float, releases: float, failure: float) -> float:
        """Return z s with 2 Φ(z) exp(z² / 2) at least sqrt(1 + n / n₀) / failure."""
        logarithm = max(0.5 * math.log1p(self.prior * pulls) - math.log(2.0 * failure), 0.0)
        square = 2.0 * logarithm - 2.0 * math.log(normal_cdf(math.sqrt(2.0 * logarithm)))
        return math.sqrt(square * self.spread_square(pulls))

    def log_evidence(
        self, gap: float, pulls: float, releases: float, rival_pulls: float, rival_releases: float
    ) -> float:
        """Return the least product of both arms' averages over a common mean, as a logarithm."""
        one, other = (
            math.sqrt(self.spread_square(pulls)),
            math.sqrt(self.spread_square(rival_pulls)),
        )
        return least_product(gap, one, other) - self.mixture_price(pulls, rival_pulls)

    def most_evidence(
        self, gap: float, pulls: float, releases: float, rival_pulls: float, rival_releases: float
    ) -> float:
        """Return the value at the pooled mean, with Φ ≤ 1."""
        square = gap * gap / (self.spread_square(pulls) + self.spread_square(rival_pulls))
        return 0.5 * square + math.log(4.0) - self.mixture_price(pulls, rival_pulls)

    def even_evidence(self, gap: float, pulls: float, releases: float) -> float:
        """Return the evidence for sums of differences, whose variance is 2 v."""
        spread = math.sqrt(2.0 * self.spread_square(pulls))
        return log_average(gap / spread) - 0.5 * math.log1p(self.prior * pulls)

    def mixture_price(self, pulls: float, rival_pulls: float) -> float:
        """Return the logarithm of the square roots by which both averages are divided."""
        return 0.5 * math.log((1.0 + self.prior * pulls) * (1.0 + self.prior * rival_pulls))

    def spread_square(self, pulls: float) -> float:
        """Return s² = v (1 + n₀ / n) / n, which divides the square of a mean's deviation."""
        return self.variance * (1.0 + 1.0 / (self.prior * pulls)) / pulls


# For gains in [0, 1], whose variance is at most 1/4, and gaps of about 0.1.
UNIT_GAINS = Mixture.for_gap(0.1, variance=0.25)


class Chernoff(Rule):
    """For sums of numbers from 0 to 1 with Laplace noise on each sum: Chernoff's bound.

    It holds for every number of releases. ``noise`` is Λ, the scale of the noise on a sum. After r
    releases of n numbers the logarithm of E exp(λ S) is at most λ² n / 8 - r ln(1 - Λ² λ²). The
    r-th release of an arm gets the share 1 / (r (r + 1)) of the allowed failure, so the length of
    an arm's r-th batch must be fixed in advance.
    """

    noise: float  # Λ

    def mean_radius(self, pulls: float, releases: float, failure: float) -> float:
        """Return the least (ln(r (r + 1) / failure) + log moment(s)) / s over s.

        It is found by bisection of the derivative.
        """
        wanted = math.log(releases * (releases + 1.0) / failure)
        low, high = 0.0, pulls / self.noise
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            if (
                middle * self.mean_moment_slope(middle, pulls, releases)
                - self.mean_moment(middle, pulls, releases)
                < wanted
            ):
                low = middle
            else:
                high = middle
        return (wanted + self.mean_moment(low, pulls, releases)) / low

    def log_evidence(
        self, gap: float, pulls: float, releases: float, rival_pulls: float, rival_releases: float
    ) -> float:
        """Return the largest s · gap - log moments of both means, less the cost of all pairs.

        Pairs are those of releases of both arms.
        """
        low, high = 0.0, min(pulls, rival_pulls) / self.noise
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            slope = self.mean_moment_slope(middle, pulls, releases) + self.mean_moment_slope(
                middle, rival_pulls, rival_releases
            )
            if slope < gap:
                low = middle
            else:
                high = middle
        price = math.log(releases * (releases + 1.0)) + math.log(
            rival_releases * (rival_releases + 1.0)
        )
        return (
            low * gap
            - self.mean_moment(low, pulls, releases)
            - self.mean_moment(low, rival_pulls, rival_releases)
            - price
        )

    def even_evidence(self, gap: float, pulls: float, releases: float) -> float:
        """Return the same for equally many releases of both, whose number costs only once."""
        return self.log_evidence(gap, pulls, releases, pulls, releases) + math.log(
            releases * (releases + 1.0)
        )

    def mean_moment(self, tilt: float, pulls: float, releases: float) -> float:
        """Return the bound on ln E exp(s D), D the deviation of the mean."""
        z = self.noise * tilt / pulls
        return tilt * tilt / (8.0 * pulls) - releases * math.log1p(-z * z)

    def mean_moment_slope(self, tilt: float, pulls: float, releases: float) -> float:
        """Return its derivative."""
        z = self.noise * tilt / pulls
        return tilt / (4.0 * pulls) + releases * 2.0 * z * (self.noise / pulls) / (1.0 - z * z)


@helper
def normal_cdf(z: float) -> float:
    """Return Φ(z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@helper
def log_average(z: float) -> float:
    """Return ln(2 Φ(z) exp(z² / 2)), the logarithm of E exp(λ z) for a half-normal λ.

    In the far tail it is a lower bound.
    """
    if z < TAIL:
        return 0.5 * math.log(2.0 / math.pi) + math.log(-z / (1.0 + z * z))
    return 0.5 * z * z + math.log(2.0 * normal_cdf(z))


@helper
def log_average_slope(z: float) -> float:
    """Return its derivative, z + φ(z) / Φ(z).

    In the far tail it is computed by a series whose next term is below 1e-6 of it.
    """
    if z < TAIL:
        return (1.0 - 2.0 / (z * z) + 10.0 / (z * z) ** 2) / -z
    return z + math.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * normal_cdf(z))


@helper_apart
def least_product(gap: float, one: float, other: float) -> float:
    """Return the least log_average((gap - x) / one) + log_average(x / other) over x.

    The function is convex, and the minimum is found by bisection.
    """
    low, high = -other, gap + one
    while log_average_slope(low / other) / other > log_average_slope((gap - low) / one) / one:
        low *= 2.0
    while log_average_slope(high / other) / other < log_average_slope((gap - high) / one) / one:
        high += high - gap
    for _ in range(STEPS):
        x = 0.5 * (low + high)
        if log_average_slope(x / other) / other < log_average_slope((gap - x) / one) / one:
            low = x
        else:
            high = x
    return log_average((gap - low) / one) + log_average(low / other)
