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
    [0.436, 0.128, 0.436]
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
        total = self.scale[0]
        point = rng.random()
        if point < self.mixing:
            arm = int(point / self.mixing * arms)
        else:
            arm = draw(self.weights, (point - self.mixing) / (1.0 - self.mixing) * total)
        return arm, Draw(arm, (1.0 - self.mixing) * self.weights[arm] / total + self.mixing / arms)

    def query(self, trace: Draw) -> float:
        """Ask for the plain loss."""
        return 1.0

    def learn(self, trace: Draw, released: float) -> None:
        """Move the weight of the arm that was played."""
        arm = trace.arm
        loss = min(max(released, -self.margin), 1.0 + self.margin)
        self.log_weights[arm] -= self.learning_rate * loss / trace.probability
        weight = math.exp(min(self.log_weights[arm] - self.scale[1], 700.0))  # more would overflow; rebuilt below
        self.scale[0] += weight - self.weights[arm]
        self.weights[arm] = weight
        if not 0.25 < self.scale[0] < 4.0 * self.weights.size:
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
