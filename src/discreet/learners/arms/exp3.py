"""EXP3 for losses, with mixing."""

from __future__ import annotations

from discreet.contracts import Generator, Learner
from discreet.errors import check_positive, check_range
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.weights import Weights, equal_weights


class Exp3(Learner[int, Draw, float]):
    """Exponential weights on importance-weighted losses.

    Round t draws arm I from p(i) = (1 - γ) w(i) / Σ w + γ / K and, when its loss y comes (on the
    scale [0, 1], perhaps with noise), updates that arm only:

        log w(I) ← log w(I) - η y / p(I)

    ``learning_rate`` is η, ``mixing`` is γ. Mixing is needed when y can be negative: with Laplace
    noise of scale λ and γ > η λ K the mean of exp(-η y / p) is finite, which the regret proof uses
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
        """Return one to check the contract with."""
        return cls.start(arms=5, learning_rate=0.05, mixing=0.1)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm."""
        trace = self.weights.draw(self.mixing, rng)
        return trace.arm, trace

    def learn(self, trace: Draw, released: float) -> None:
        """Move the weight of the arm that was played."""
        self.weights.add(trace.arm, -self.learning_rate * released * trace.importance)
