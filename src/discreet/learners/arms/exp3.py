"""The EXP3 family: exponential weights on estimated losses or gains."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.draws import Draw, Weights, draw, equal_weights


class Exp3(Learner[int, Draw, float]):
    """Exponential weights on importance-weighted losses.

    Round t draws arm I from p(i) = (1 - γ) w(i) / Σ w + γ / K. When its loss y arrives (on the
    scale [0, 1], possibly with noise), only that arm is updated:

        log w(I) ← log w(I) - η y / p(I)

    ``learning_rate`` is η, ``mixing`` is γ. Mixing is needed where y can be negative: with Laplace
    noise of scale λ and γ > η λ K, the mean of exp(-η y / p) is finite, which the regret proof uses
    (docs/regret.md: EXP3).

    Regret for losses in [0, 1]: at most sqrt(2 T K ln K) for η = sqrt(2 ln K / (T K)), γ = 0
    (Bubeck & Cesa-Bianchi 2012, Theorem 3.1).

    >>> import numpy as np
    >>> learner = Exp3.start(arms=3, learning_rate=0.5)
    >>> arm, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, 1.0)
    >>> [round(float(w), 3) for w in learner.weights.values / learner.weights.values.sum()]
    [0.45, 0.1, 0.45]
    """

    learning_rate: float
    mixing: float
    weights: Weights

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.weights.values.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, mixing: float = 0.0) -> Exp3:
        """Return the learner before the first round."""
        return cls(
            check_positive("learning_rate", learning_rate),
            check_range("mixing", mixing, 0.0, 1.0),
            equal_weights(arms),
        )

    @classmethod
    def example(cls) -> Exp3:
        """Return an example for the contract tests."""
        return cls.start(arms=5, learning_rate=0.05, mixing=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(self.mixing, rng)
        return trace.arm, trace

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm."""
        if action == trace.arm:
            return 1.0 / trace.importance
        return self.weights.chance(self.mixing, action)

    def learn(self, trace: Draw, released: float) -> None:
        """Update the weight of the arm that was played."""
        self.weights.add(trace.arm, -self.learning_rate * released * trace.importance)


class Exp3IX(Learner[int, Draw, float]):
    """Exponential weights with implicit exploration (Neu 2015).

    A loss is divided by a little more than its probability:

        p(i) = w(i) / Σ w,   log w(I) ← log w(I) - η y / (p(I) + γ)

    ``learning_rate`` is η, ``bias`` is γ. The estimate is too small on purpose, which keeps its
    tails short.

    Regret for losses in [0, 1], with probability 1 - ω: at most
    2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / ω) for η = 2 γ = sqrt(2 ln K / (K T)).
    Losses must not be negative, so it is not for noisy ones.
    """

    learning_rate: float
    bias: float
    weights: Weights

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.weights.values.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, bias: float | None = None) -> Exp3IX:
        """Return the learner before the first round."""
        rate = check_positive("learning_rate", learning_rate)
        return cls(
            rate,
            rate / 2.0 if bias is None else check_range("bias", bias, 0.0, 1.0),
            equal_weights(arms),
        )

    @classmethod
    def example(cls) -> Exp3IX:
        """Return an example for the contract tests."""
        return cls.start(arms=5, learning_rate=0.05)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(0.0, rng)
        return trace.arm, trace

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm."""
        return 1.0 / trace.importance if action == trace.arm else self.weights.chance(0.0, action)

    def learn(self, trace: Draw, released: float) -> None:
        """Update the weight of the arm that was played."""
        importance = trace.importance / (1.0 + self.bias * trace.importance)
        self.weights.add(trace.arm, -self.learning_rate * released * importance)


class Exp3Gain(Learner[int, Draw, float]):
    """Exponential weights on importance-weighted gains (Auer et al. 2002).

    Round t draws arm I from p(i) = (1 - γ) w(i) / Σ w + γ / K. When its loss y arrives, on the
    scale [0, 1], the gain g = 1 - y updates that arm only:

        log w(I) ← log w(I) + η g / p(I),   η = γ / K unless set

    Released values may be noisy: a gain outside [-b, 1 + b] is ignored, and one inside is scaled to
    [0, 1] as (g + b) / (1 + 2 b) (Tossou & Dimitrakakis 2017). ``margin`` is b; 0 leaves gains
    unchanged.

    Regret for gains in [0, 1]: at most 2 sqrt((e - 1) T K ln K) for
    γ = min(1, sqrt(K ln K / ((e - 1) T))) (Auer et al. 2002, Corollary 3.2). Unlike the loss form,
    the gain form does not amplify a difference between two histories.
    """

    learning_rate: float
    mixing: float
    margin: float
    weights: Weights

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.weights.values.size

    @classmethod
    def start(
        cls, *, arms: int, mixing: float, learning_rate: float | None = None, margin: float = 0.0
    ) -> Exp3Gain:
        """Return the learner before the first round."""
        share = check_range("mixing", mixing, 0.0, 1.0)
        rate = share / arms if learning_rate is None else learning_rate
        return cls(
            check_positive("learning_rate", rate),
            share,
            check_range("margin", margin, 0.0, 1e300),
            equal_weights(arms),
        )

    @classmethod
    def example(cls) -> Exp3Gain:
        """Return an example for the contract tests."""
        return cls.start(arms=5, mixing=0.1, margin=3.0)

    def window(self, change: float) -> float:
        """Return how far log-ratios of weights can move if one past gain changes by ``change``.

        Let D = v - v' be the difference of two vectors of log-weights that saw the same actions,
        and κ = η K / γ ≤ 4. In a round with equal gains the range of D never grows: if arm i is
        played with gain g, and E = D(i) - log Σ q' e^D is positive, then D(i) falls by
        κ g (1 / (1 + z) - 1 / (1 + z e^E)) ≤ κ g tanh(E / 4) ≤ E, where z = (1 - γ) q'(i) K / γ,
        and so stays above that average; E < 0 is symmetric. In the round with different gains D(i)
        moves by at most κ times their difference, because p ≥ γ / K. For losses the same step is an
        expansion.

        Not covered: noisy gains, and gains that arrive after newer draws, because p must be that of
        the current weights. Full proof: docs/proofs.md: Selection.
        """
        ratio = (
            self.learning_rate * self.weights.values.size / self.mixing
            if self.mixing > 0.0
            else math.inf
        )
        return ratio * change * (1.0 + 1e-12) if ratio <= 4.0 and self.margin == 0.0 else math.inf

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(self.mixing, rng)
        return trace.arm, trace

    def chance(self, trace: Draw, action: int) -> float:
        """Return the probability of an arm."""
        if action == trace.arm:
            return 1.0 / trace.importance
        return self.weights.chance(self.mixing, action)

    def learn(self, trace: Draw, released: float) -> None:
        """Update the weight of the arm that was played, unless its gain is out of bounds."""
        gain = 1.0 - released
        if -self.margin <= gain <= 1.0 + self.margin:
            rate = self.learning_rate / (1.0 + 2.0 * self.margin)
            self.weights.add(trace.arm, rate * (gain + self.margin) * trace.importance)


class AllDraw(NamedTuple):
    """The trace of a draw: the arm, and the probabilities of all arms at the time."""

    arm: int
    probabilities: Floats


class Exp3P(Learner[int, AllDraw, float]):
    """Exponential weights on gains with a bonus for rarely played arms (Auer et al. 2002).

        p = (1 - γ) softmax(η G) + γ / K,   g = 1 - y
        G(i) ← G(i) + (g 1[i = I] + β) / p(i) for all i

    ``learning_rate`` is η, ``mixing`` is γ, ``bonus`` is β. Every arm changes in every round, so a
    round costs O(K).

    Regret for gains in [0, 1], with probability 1 - ω: at most 5.15 sqrt(T K ln(K / ω)) for
    β = sqrt(ln(K / ω) / (T K)), η = 0.95 sqrt(ln K / (T K)), γ = 1.05 sqrt(K ln K / T)
    (Bubeck & Cesa-Bianchi 2012, Theorem 3.2).
    """

    learning_rate: float
    mixing: float
    bonus: float
    gains: Floats  # G
    probabilities: Floats  # of the last draw

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.gains.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, mixing: float, bonus: float) -> Exp3P:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("learning_rate", learning_rate),
            check_range("mixing", mixing, 0.0, 1.0),
            check_range("bonus", bonus, 0.0, 1e300),
            np.zeros(count),
            np.zeros(count),
        )

    @classmethod
    def example(cls) -> Exp3P:
        """Return an example for the contract tests."""
        return cls.start(arms=5, learning_rate=0.05, mixing=0.1, bonus=0.01)

    def act(self, observation: object, rng: Generator) -> tuple[int, AllDraw]:
        """Compute all probabilities and draw an arm."""
        arms = self.gains.size
        most = -math.inf
        for arm in range(arms):
            most = max(most, float(self.gains[arm]))
        total = 0.0
        for arm in range(arms):
            weight = math.exp(self.learning_rate * (float(self.gains[arm]) - most))
            self.probabilities[arm] = weight
            total += weight
        for arm in range(arms):
            self.probabilities[arm] = (1.0 - self.mixing) * float(
                self.probabilities[arm]
            ) / total + self.mixing / arms
        arm = draw(as_list(self.probabilities), rng.random())
        return arm, AllDraw(arm, self.probabilities)

    def chance(self, trace: AllDraw, action: int) -> float:
        """Return the probability of an arm."""
        return float(trace.probabilities[action])

    def learn(self, trace: AllDraw, released: float) -> None:
        """Add the bonus to every arm, and the gain to the arm that was played."""
        for arm in range(self.gains.size):
            self.gains[arm] += self.bonus / float(trace.probabilities[arm])
        self.gains[trace.arm] += (1.0 - released) / float(trace.probabilities[trace.arm])
