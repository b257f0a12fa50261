"""Bandits with expert advice: EXP4, EXP4.P, and any bandit learner over experts."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from discreet.contracts import Estimate, Floats, Generator, Learner, Query, Release, Trace
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.learners.advice.expert_weights import Advised, ExpertWeights, equal_experts, share_of
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.exp3 import Exp3
from discreet.learners.wrapping import Wrapping
from discreet.lengths import check_arms


class Consulting(Learner[int, Advised, Release, Query, Floats]):
    """Draws arms from the advice of experts, as :class:`Exp4` does.

    A subclass defines how it learns from losses.
    """

    learning_rate: float
    mixing: float
    weights: ExpertWeights

    @classmethod
    def start(cls, *, experts: int, learning_rate: float, mixing: float = 0.0) -> Self:
        """Return the learner before the first round."""
        return cls(
            check_positive("learning_rate", learning_rate),
            check_range("mixing", mixing, 0.0, 1.0),
            equal_experts(experts),
        )

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls.start(experts=5, learning_rate=0.05, mixing=0.1)

    def act(self, observation: Floats, rng: Generator) -> tuple[int, Advised]:
        """Draw an arm from the advice."""
        trace = self.weights.consult(observation, self.mixing, rng)
        return trace.arm, trace


class Exp4(Consulting[float]):
    """Bandits with expert advice (Auer et al. 2002), for losses released round by round.

    With P the normalised weights and μ(j) the advice of expert j, a distribution over K arms, a
    round draws arm I from Q(i) = (1 - γ) Σ P(j) μ(j, i) + γ / K. When its loss y arrives (on the
    scale [0, 1], possibly with noise), all experts who advised it are updated:

        log w(j) ← log w(j) - η y μ(j, I) / Q(I)

    ``learning_rate`` is η, ``mixing`` is γ. Advice is the observation, arms by experts: it is
    public.

    Regret against the best of N experts, for losses in [0, 1], fixed in advance, and independent
    noise Z of mean zero:

        (1 - γ) ln N / η + η T (K + (1 - γ) v) / 2 + γ T,   v = E Σ P(j) σ(j)²,

    where σ(j)² is the variance of the noise in the estimated loss of expert j, if that noise is
    Gaussian with the same variance for all experts; otherwise the constants grow a little
    (``regret_bound``). Without noise and mixing this is sqrt(2 T K ln N) for the recommended rate.

    *Proof.* Let x(j) ≥ 0 be the estimate of expert j's loss without noise, and χ(j) = ln E exp(-η
    Z(j)). By Jensen's inequality E ln Σ P(j) exp(-η x(j) - η Z(j)) ≤ E ln Σ P(j) exp(χ(j) - η
    x(j)), so noise costs only its moments, and clipping is unnecessary. If all χ(j) are equal, to
    χ, that is at most χ - η Σ P x + (η² / 2) Σ P x², because e^-z ≤ 1 - z + z² / 2. If they are at
    most χ*, then e^z ≤ 1 + z + κ z² for z ≤ χ* with κ = (e^χ* - 1 - χ*) / χ*², and (χ - η x)² ≤ χ²
    + η² x², so that it is at most (1 + κ χ*) Σ P χ - η Σ P x + κ η² Σ P x². The estimates are
    unbiased, and E Σ P(j) (μ(j, I) / Q(I))² ≤ Σ_i (Σ P(j) μ(j, i)) / Q(i) ≤ K / (1 - γ). Finally ln
    Σ w ≥ ln w(best), and mixing costs at most γ per round. For means of batches, the squares can
    only shrink. ∎

    >>> import numpy as np
    >>> learner = Exp4.start(experts=3, learning_rate=0.5)
    >>> advice = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    >>> arm, trace = learner.act(advice, np.random.default_rng(0))
    >>> learner.learn(trace, 1.0)
    >>> [round(float(w), 3) for w in learner.weights.values / learner.weights.values.sum()]
    [0.506, 0.186, 0.307]
    """

    def learn(self, trace: Advised, released: float) -> None:
        """Update the weights of all experts who advised the arm."""
        self.weights.shift(trace.column, -self.learning_rate * released * trace.importance)

    @staticmethod
    def recommended_rate(*, experts: int, arms: int, rounds: int) -> float:
        """Return η = sqrt(2 ln N / (T K)), for losses without noise."""
        return math.sqrt(2.0 * math.log(experts) / (rounds * arms))

    @staticmethod
    def regret_bound(
        *,
        experts: int,
        arms: int,
        rounds: int,
        learning_rate: float,
        mixing: float = 0.0,
        size: int = 1,
        variance: float = 0.0,
        moments: float = 0.0,
    ) -> float:
        """Return the bound above for means of batches of ``size`` rounds.

        The last, incomplete batch is included. ``variance`` is v, times 4/3 for Laplace noise whose
        η times scale is at most 1/2. ``moments`` is χ*, the largest χ(j), or 0 if all are equal.
        """
        kappa = (math.exp(moments) - 1.0 - moments) / moments**2 if moments > 1e-6 else 0.5
        batches = rounds // size
        noise = (1.0 + kappa * moments) * variance / 2.0 if moments else variance / 2.0
        entropy = (1.0 - mixing) * size * math.log(experts) / learning_rate
        stability = learning_rate * size * batches * (kappa * arms + (1.0 - mixing) * noise)
        return entropy + stability + mixing * rounds + rounds - size * batches


class BatchedExp4(Consulting[Floats, Estimate]):
    """EXP4 for channels that release the estimates of all experts at once.

    It asks for the whole vector of μ(j, I) / Q(I) times the loss (Faster rates 2025, Algorithms 2
    and 7). Its weights change only when the noisy mean of a batch is released. Parameters and bound
    are those of :class:`Exp4`.
    """

    def query(self, trace: Advised) -> Estimate:
        """Ask for the estimated losses of all experts."""
        return Estimate(
            trace.arm,
            trace.importance,
            trace.column,
            self.weights.values,
            float(self.weights.scale[0]),
        )

    def learn(self, trace: Advised, released: Floats) -> None:
        """Update all weights."""
        self.weights.shift(released, -self.learning_rate)

    def release_size(self) -> int:
        """Return the number of experts."""
        return self.weights.logs.size


class AdvisedWidely(NamedTuple):
    """The trace of a draw, with Σ μ / Q of each expert."""

    arm: int
    importance: float
    column: Floats
    spread: Floats


class Exp4P(Learner[int, AdvisedWidely, float, float, Floats]):
    """EXP4 on rewards with a bonus for experts whose estimates vary (Beygelzimer et al. 2011).

    With p₀ = sqrt(ln N / (K T)) the least probability of an arm,
    Q(i) = (1 - K p₀) Σ P(j) μ(j, i) + p₀, g = 1 - y the reward and
    β = sqrt(ln(N / failure) / (K T)):

        log w(j) ← log w(j) + (p₀ / 2) (g μ(j, I) / Q(I) + β Σ_i μ(j, i) / Q(i))

    ``least_share`` is p₀, ``bonus`` is β. The bonus needs the advice for all arms, so a round costs
    O(N K). The bound holds with high probability, 1 - ``failure``.
    """

    least_share: float
    bonus: float
    weights: ExpertWeights
    chances: Floats  # Q
    spread: Floats  # Σ μ / Q, of each expert
    change: Floats

    @classmethod
    def start(cls, *, experts: int, arms: int, rounds: int, failure: float = 0.01) -> Exp4P:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        if not 0.0 < check_range("failure", failure, 0.0, 1.0) < 1.0:
            raise DiscreetError(f"failure is {failure!r}, but must be above 0 and below 1.")
        size = arms * check_int("rounds", rounds, minimum=1)
        least = min(math.sqrt(math.log(experts) / size), 1.0 / count)
        bonus = math.sqrt(math.log(experts / failure) / size)
        return cls(
            least,
            bonus,
            equal_experts(experts),
            np.zeros(count),
            np.zeros(experts),
            np.zeros(experts),
        )

    @classmethod
    def example(cls) -> Exp4P:
        """Return an example for the contract tests."""
        return cls.start(experts=5, arms=3, rounds=1000)

    def act(self, observation: Floats, rng: Generator) -> tuple[int, AdvisedWidely]:
        """Draw an arm from the advice, and record how much each expert's estimates vary."""
        arms, experts = observation.shape
        check_arms(arms, self.chances.size)
        trace = self.weights.consult(observation, self.least_share * arms, rng)
        for j in range(experts):
            self.spread[j] = 0.0
        for i in range(arms):
            share = share_of(i, observation, self.weights.values) / float(self.weights.scale[0])
            self.chances[i] = (1.0 - self.least_share * arms) * share + self.least_share
            importance = 1.0 / float(self.chances[i])
            for j in range(experts):
                self.spread[j] += observation[i, j] * importance
        return trace.arm, AdvisedWidely(trace.arm, trace.importance, trace.column, self.spread)

    def learn(self, trace: AdvisedWidely, released: float) -> None:
        """Update all weights."""
        reward = (1.0 - released) * trace.importance
        for j in range(self.change.size):
            self.change[j] = reward * trace.column[j] + self.bonus * trace.spread[j]
        self.weights.shift(self.change, 0.5 * self.least_share)


class Following(Wrapping[int, Trace, float]):
    """Any bandit learner whose arms are experts (Faster rates 2025, Algorithm 5).

    To play an arm is to follow an expert; in each round the game draws an arm from the expert's
    advice. The regret against the best expert is that of the learner with N arms (Faster rates
    2025, Theorem 3): with all draws fixed, following expert j loses what arm j would, and the
    average over draws is the expert's expected loss.
    """

    follows = True

    @classmethod
    def example(cls) -> Following[Draw]:
        """Return an example for the contract tests."""
        return Following(Exp3.example())
