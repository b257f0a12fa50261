"""Upper confidence bounds without privacy: UCB1 and KL-UCB."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.fresh import fresh_arm


class Ucb(Learner[int, Draw, float]):
    """Plays each arm once, then the one with the largest mean gain + sqrt(ψ ln t / n).

    ``exploration`` is ψ; 2 is UCB1 for gains in [0, 1] (Auer, Cesa-Bianchi & Fischer 2002). The
    order of the first rounds is random. The mean is over gains that have arrived; n counts open
    rounds too, so that late outcomes do not make a bad arm look unexplored.

    Regret against independent, identically distributed gains with gaps Δ: at most
    8 Σ ln T / Δ + (1 + π²/3) Σ Δ. No bound holds against other adversaries.
    """

    predictable: ClassVar[bool] = True

    exploration: float
    gains: Floats
    counts: Floats  # gains that have arrived
    asked: Floats  # rounds that were requested
    clock: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    @classmethod
    def start(cls, *, arms: int, exploration: float = 2.0) -> Ucb:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("exploration", exploration),
            np.zeros(count),
            np.zeros(count),
            np.zeros(count),
            np.zeros(1),
        )

    @classmethod
    def example(cls) -> Ucb:
        """Return an example for the contract tests."""
        return cls.start(arms=5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Choose the arm with the largest index; ties go to the first."""
        self.clock[0] += 1.0
        if self.clock[0] <= self.gains.size:
            arm = fresh_arm(self.asked, self.asked, rng.random())
            self.asked[arm] = 1.0
            return arm, Draw(arm, self.gains.size + 1.0 - float(self.clock[0]))
        bonus = self.exploration * math.log(float(self.clock[0]))
        arm = 0
        most = -math.inf
        for i in range(self.gains.size):
            share, open_too = 1.0 / max(float(self.counts[i]), 1.0), 1.0 / float(self.asked[i])
            index = float(self.gains[i]) * share + math.sqrt(bonus * open_too)
            if index > most:
                arm, most = i, index
        self.asked[arm] += 1.0
        return arm, Draw(arm, 1.0)

    def give_up(self, trace: Draw) -> None:
        """Remove a round whose outcome will not arrive; each arm keeps at least one."""
        self.asked[trace.arm] = max(float(self.asked[trace.arm]) - 1.0, 1.0)

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm; first rounds are uniform over arms not played yet."""
        drawn = action == trace.arm or float(self.asked[action]) == 0.0
        return trace.probability if drawn else 0.0

    def learn(self, trace: Draw, released: float) -> None:
        """Count the gain."""
        self.gains[trace.arm] += 1.0 - released
        self.counts[trace.arm] += 1.0


class KlUcb(Learner[int, Draw, float]):
    """Plays each arm once, then the one with the largest index by relative entropy.

    The index is max{q: n kl(mean, q) ≤ ln t + c ln ln t} (Garivier & Cappé 2011). kl is the
    relative entropy of Bernoulli distributions, which is valid for all gains in [0, 1]. ``extra``
    is c: 3 in the theory, 0 in practice. The order of the first rounds is random. The mean is over
    gains that have arrived; n counts open rounds too.

    Regret against independent, identically distributed gains: asymptotically Σ Δ ln T / kl(μ, μ*),
    which is optimal.
    """

    predictable: ClassVar[bool] = True

    extra: float
    gains: Floats
    counts: Floats  # gains that have arrived
    asked: Floats  # rounds that were requested
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
            check_range("extra", extra, 0.0, 1e300),
            np.zeros(count),
            np.zeros(count),
            np.zeros(count),
            np.zeros(1),
        )

    @classmethod
    def example(cls) -> KlUcb:
        """Return an example for the contract tests."""
        return cls.start(arms=5)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Choose the arm with the largest index; ties go to the first."""
        self.clock[0] += 1.0
        if self.clock[0] <= self.gains.size:
            arm = fresh_arm(self.asked, self.asked, rng.random())
            self.asked[arm] = 1.0
            return arm, Draw(arm, self.gains.size + 1.0 - float(self.clock[0]))
        time = max(float(self.clock[0]), 3.0)
        budget = math.log(time) + self.extra * math.log(math.log(time))
        arm = 0
        most = -math.inf
        for i in range(self.gains.size):
            count = max(float(self.counts[i]), 1.0)
            mean = min(max(float(self.gains[i]) / count, 0.0), 1.0)
            index = upper(mean, budget / float(self.asked[i]))
            if index > most:
                arm, most = i, index
        self.asked[arm] += 1.0
        return arm, Draw(arm, 1.0)

    def give_up(self, trace: Draw) -> None:
        """Remove a round whose outcome will not arrive; each arm keeps at least one."""
        self.asked[trace.arm] = max(float(self.asked[trace.arm]) - 1.0, 1.0)

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm; first rounds are uniform over arms not played yet."""
        drawn = action == trace.arm or float(self.asked[action]) == 0.0
        return trace.probability if drawn else 0.0

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

    The divergence is convex and increasing on [p, 1), so Newton steps from the right of the
    solution stay there. Pinsker's inequality gives a start on the right; if that is beyond 1, the
    bound that drops the first term does.
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
        if abs(step) <= 1e-13:  # below what means of gains can resolve
            break
    return max(q, p)
