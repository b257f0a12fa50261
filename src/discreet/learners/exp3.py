"""EXP3 for losses, with mixing."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import positive, whole, within
from discreet.kernel import compiled, helper
from discreet.learners.draws import Draw, draw


@compiled
class Exp3(NamedTuple):
    """Exponential weights on importance-weighted losses.

    Round t draws arm I from p(i) = (1 - γ) w(i) / Σ w + γ / K and, when its loss y comes (on the scale [0, 1], perhaps
    with noise), updates that arm only:

        log w(I) ← log w(I) - η clip(y, -b, 1 + b) / p(I)

    ``learning_rate`` is η, ``mixing`` is γ, ``margin`` is b. Mixing is needed when y can be negative: with
    γ = η K b no step raises a weight by more than a factor e, which the regret proof uses.

    Regret for losses in [0, 1]: at most sqrt(2 T K ln K) for η = sqrt(2 ln K / (T K)), γ = 0 (Bubeck & Cesa-Bianchi
    2012, Theorem 3.1).

    A round costs one pass to draw and one exponential to learn. Log-weights are the state; weights are kept relative to
    the largest one and rebuilt from the log-weights before their sum has moved by a factor that could cost precision.

    >>> learner = Exp3.start(arms=3, learning_rate=0.5)
    >>> arm, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, 1.0)
    >>> [round(float(w), 3) for w in learner.weights / learner.weights.sum()]
    [0.45, 0.1, 0.45]
    """

    learning_rate: float
    mixing: float
    margin: float
    log_weights: Floats
    weights: Floats  # exp(log_weights - reference)
    scale: Floats  # sum of the weights, and the reference

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, mixing: float = 0.0, margin: float = math.inf) -> Exp3:
        """Return the learner before the first round."""
        count = whole("arms", arms, least=2)
        return cls(
            positive("learning_rate", learning_rate),
            within("mixing", mixing, 0.0, 1.0),
            within("margin", margin, 0.0, math.inf),
            np.zeros(count),
            np.ones(count),
            np.array([float(count), 0.0]),
        )

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Draw an arm: uniformly with probability γ, else by weight; one uniform number decides both."""
        arms = self.weights.size
        total = float(self.scale[0])
        point = rng.random()
        if point < self.mixing:
            arm = int(point / self.mixing * arms)
        else:
            arm = draw(self.weights, (point - self.mixing) / (1.0 - self.mixing) * total)
        weight = float(self.weights[arm])
        return arm, Draw(arm, total / ((1.0 - self.mixing) * weight + self.mixing / arms * total))

    def query(self, trace: Draw) -> float:
        """Ask for the plain loss."""
        return 1.0

    def learn(self, trace: Draw, released: float) -> None:
        """Move the weight of the arm that was played."""
        arm = trace.arm
        loss = released
        if loss < -self.margin:  # branches cost nothing when they are not taken; min and max would
            loss = -self.margin
        elif loss > 1.0 + self.margin:
            loss = 1.0 + self.margin
        log_weight = float(self.log_weights[arm]) - self.learning_rate * loss * trace.importance
        exponent = log_weight - float(self.scale[1])
        if exponent > 700.0:  # the exponential would overflow; all weights are rebuilt below
            exponent = 700.0
        weight = math.exp(exponent)
        total = float(self.scale[0]) + (weight - float(self.weights[arm]))
        self.log_weights[arm] = log_weight
        self.weights[arm] = weight
        self.scale[0] = total
        if not 0.25 < total < 4.0 * self.weights.size:
            rebuild(self.log_weights, self.weights, self.scale)


@helper
def rebuild(log_weights: Floats, weights: Floats, scale: Floats) -> None:
    """Compute all weights from the log-weights, relative to the largest one."""
    scale[0] = 0.0
    scale[1] = -math.inf
    for arm in range(weights.size):
        scale[1] = max(scale[1], log_weights[arm])
    for arm in range(weights.size):
        weights[arm] = math.exp(log_weights[arm] - scale[1])
        scale[0] += weights[arm]
