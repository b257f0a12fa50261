"""Indices for noisy means of batches: DP-KLUCB, DP-IMED and AdaP-KLUCB.

All are for losses that do not change. Two of them use the private divergence of Bernoulli
distributions (Azize et al. 2025), d_ε(x, y) = min over z of ε |z - x| + kl(z, y).
"""

from __future__ import annotations

import math
from typing import Self

from componentjit import helper
from discreet.errors import check_positive
from discreet.learners.arms.holding import Hold, IndexLearner
from discreet.learners.arms.ucb import divergence, upper

# The private divergence from 1 is infinite, so the largest mean is kept just below it.
ALMOST_ONE = 1.0 - 1e-9


@helper
def private_divergence(x: float, y: float, epsilon: float) -> float:
    """Return d_ε(x, y) for x in [0, 1] and 0 < y < 1; it is 0 if x ≥ y.

    The best z is x, or where the slope of kl is -ε if that is between x and y; there ε z + kl(z, y)
    is the Legendre transform -ln(1 - y (1 - e^-ε)).
    """
    if x >= y:
        return 0.0
    if x >= turning_point(y, epsilon):
        return divergence(x, y)
    return -epsilon * x - math.log1p(y * math.expm1(-epsilon))


@helper
def private_upper(x: float, budget: float, epsilon: float) -> float:
    """Return the largest y with d_ε(x, y) ≤ budget."""
    y = upper(x, budget)
    if y >= 1.0 or x >= turning_point(y, epsilon):
        return y
    return min(1.0, math.expm1(-budget - epsilon * x) / math.expm1(-epsilon))


@helper
def turning_point(y: float, epsilon: float) -> float:
    """Return the z at which the slope of kl(z, y) is -ε."""
    tilted = y * math.exp(-epsilon)
    return tilted / (1.0 - y + tilted)


class DivergenceIndex(IndexLearner):
    """Holds the arm with the largest index for a batch in proportion to its rounds n.

    A subclass defines the index by the private divergence d_ε. Means are over all rounds of an arm
    with the noise of all its batches, clipped to [0, 1]; nothing is forgotten.

    Regret against independent Bernoulli losses: asymptotically Σ Δ ln T / d_ε(μ, μ*), up to a
    factor that grows with the batches (Azize et al. 2025). Departure: the first batch of an arm has
    1 / ε rounds instead of one.
    """

    epsilon: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, first: int, growth: float = 0.5) -> Self:
        """Return the learner before the first round."""
        return cls(**cls.buffers(arms, first, growth), epsilon=check_positive("epsilon", epsilon))


class DpKlUcb(DivergenceIndex):
    """Plays the arm with the largest index max{q: n d_ε(mean, q) ≤ ln t} (Azize et al. 2025).

    A batch is in proportion to the arm's rounds n.
    """

    @classmethod
    def example(cls) -> DpKlUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=5, epsilon=0.5, first=2)

    def prepare(self) -> None:
        """Compute ln t."""
        self.clock[1] = math.log(float(self.clock[0]) + 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm."""
        return private_upper(
            self.mean_of(arm), float(self.clock[1]) / self.requested(arm), self.epsilon
        )


class DpImed(DivergenceIndex):
    """Plays the arm with the least n d_ε(mean, largest mean) + ln n (Azize et al. 2025).

    A batch is in proportion to the arm's rounds n.

    This index sometimes loses the best arm. An arm is played again after about n exp(n d_ε) rounds,
    and at every release noise makes its mean look that bad with probability about exp(-n d_ε). So
    for any length of time, some runs lose it for that long. This comes from the paper's index, not
    from our batches. At ε = 0.3 and a gap of 0.05, over 2^18 rounds, 18 of 640 runs had more than
    half the regret of never playing the best arm; with the paper's first batch of one round it was
    13 with batches that double, and 40 with shorter ones. At ε = 1 it was 5 of 640. Without noise
    it was none, and for ``DpKlUcb``, whose index grows with ln t for all arms, none at ε = 1.
    """

    @classmethod
    def example(cls) -> DpImed:
        """Return an example for the contract tests."""
        return cls.start(arms=5, epsilon=0.5, first=2)

    def prepare(self) -> None:
        """Find the largest mean."""
        self.clock[1] = 0.0
        for arm in range(self.counts.size):
            self.clock[1] = max(float(self.clock[1]), self.mean_of(arm))

    def index(self, arm: int) -> float:
        """Return the index of an arm, negated: the least is the best."""
        count, best = self.requested(arm), min(float(self.clock[1]), ALMOST_ONE)
        return -count * private_divergence(self.mean_of(arm), best, self.epsilon) - math.log(count)


class AdapKlUcb(IndexLearner):
    """Plays the arm with the largest index for as many rounds as it has had, and forgets.

    The index is max{q: n kl(m, q) ≤ α ln t}, where m is the noisy mean of the n rounds of the arm's
    last batch plus α ln t / (ε n), clipped to [0, 1]. Earlier batches are forgotten.

    ``exploration`` is α. Regret against independent, identically distributed losses: of order
    Σ ln T / min(Δ, ε) for α > 3 (Azize & Basu 2022); α = 1 does better in practice. The algorithm
    is the paper's.
    """

    epsilon: float
    exploration: float

    @classmethod
    def start(cls, *, arms: int, epsilon: float, exploration: float = 1.0) -> AdapKlUcb:
        """Return the learner before the first round."""
        return cls(
            **cls.buffers(arms, first=1, growth=1.0),
            epsilon=check_positive("epsilon", epsilon),
            exploration=check_positive("exploration", exploration),
        )

    @classmethod
    def example(cls) -> AdapKlUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=5, epsilon=0.5)

    def prepare(self) -> None:
        """Compute α ln t."""
        self.clock[1] = self.exploration * math.log(float(self.clock[0]) + 1.0)

    def index(self, arm: int) -> float:
        """Return the upper confidence bound of an arm.

        Batches double, so the last one has half of the arm's rounds, unless it is the first.
        """
        last = max(1.0, self.requested(arm) / 2.0)
        budget = float(self.clock[1]) / last
        return upper(min(max(float(self.gains[arm]) + budget / self.epsilon, 0.0), 1.0), budget)

    def learn(self, trace: Hold, released: float) -> None:
        """Keep the mean gain of the batch, and forget all earlier ones."""
        self.gains[trace.arm] = 1.0 - released
        self.counts[trace.arm] += trace.rounds
