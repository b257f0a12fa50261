"""KL-UCB: upper confidence bounds by relative entropy (Garivier & Cappé 2011)."""

from __future__ import annotations

import math

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_range
from discreet.learners.arms.draws import Draw


class KlUcb(Learner[int, Draw, float]):
    """Plays each arm once, then the one with the largest index max{q: n kl(mean, q) ≤ ln t + c ln ln t}.

    kl is the relative entropy of Bernoulli distributions, valid for all gains in [0, 1]; ``extra``
    is c: 3 in the theory, 0 in practice. n counts the gains of an arm that have come in.

    Regret against independent, identically distributed gains: asymptotically Σ Δ ln T / kl(μ, μ*),
    which is optimal.
    """

    extra: float
    gains: Floats
    counts: Floats
    clock: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    @classmethod
    def start(cls, *, arms: int, extra: float = 0.0) -> KlUcb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_range("extra", extra, 0.0, 1e300), np.zeros(count), np.zeros(count), np.zeros(1)
        )

    @classmethod
    def example(cls) -> KlUcb:
        """Return one to check the contract with."""
        return cls.start(arms=5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Choose the arm of the largest index; the first of several."""
        self.clock[0] += 1.0
        arm = int(self.clock[0]) - 1
        if arm < self.gains.size:
            return arm, Draw(arm, 1.0)
        time = max(float(self.clock[0]), 3.0)
        budget = math.log(time) + self.extra * math.log(math.log(time))
        arm = 0
        most = -math.inf
        for i in range(self.gains.size):
            count = max(float(self.counts[i]), 1.0)
            mean = min(max(float(self.gains[i]) / count, 0.0), 1.0)
            index = upper(mean, budget / count)
            if index > most:
                arm, most = i, index
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Count the gain."""
        self.gains[trace.arm] += 1.0 - released
        self.counts[trace.arm] += 1.0


@helper
def divergence(p: float, q: float) -> float:
    """Return the relative entropy of Bernoulli(p) from Bernoulli(q), for 0 < q < 1."""
    result = 0.0
    if p > 0.0:
        result += p * math.log(p / q)
    if p < 1.0:
        result += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return result


@helper
def upper(p: float, budget: float) -> float:
    """Return the largest q with divergence(p, q) ≤ budget.

    The divergence is convex and increasing on [p, 1): Newton's steps from the right of the solution
    stay there. Pinsker's inequality gives a start on the right; if that is beyond 1, the bound that
    drops the first term does.
    """
    if p >= 1.0:
        return 1.0
    if p <= 0.0:
        return -math.expm1(-budget)
    q = p + math.sqrt(budget / 2.0)
    if q >= 1.0:
        q = 1.0 - (1.0 - p) * math.exp(-(budget - p * math.log(p)) / (1.0 - p))
        if q >= 1.0:
            return 1.0
    for _ in range(50):
        step = (divergence(p, q) - budget) * q * (1.0 - q) / (q - p) if q > p else 0.0
        q -= step
        if abs(step) <= 1e-13:
            break
    return max(q, p)
