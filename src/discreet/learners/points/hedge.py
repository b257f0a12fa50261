"""Hedge: exponential weights for an unknown number of rounds."""

from __future__ import annotations

import math

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.points.ftrl import exponential_weights
from discreet.learners.points.rates import Leader


class Hedge(Leader):
    """Exponential weights on released sums, with a rate that falls with time.

    Round t plays the distribution

        x(j) = exp(-η L(j)) / Σ exp(-η L(j')),   η = c sqrt(ln N / (t + a))

    where L is the newest released sum of loss vectors. ``learning_rate`` is c, ``delay`` is a, N is
    the ``dimension``; ``width`` is w: within a round, losses differ by at most w.

    Regret, for every T at once: at most ln N / η(T) + (w² / 8) Σ η(t), which for c = 2 / w, a = 0
    is at most

        w sqrt(T ln N).

    *Proof.* Φ(L) = -ln(Σ exp(-η L(j)) / N) / η does not fall when η does, so the sum of the losses
    telescopes as in ``ftrl.py``, with stability η w² / 8; and Φ(L) ≤ min L + ln N / η. Last,
    Σ 1 / sqrt(t) ≤ 2 sqrt(T). ∎ Knowing T (``EntropyFtrl``) gains a factor sqrt(2). Cesa-Bianchi &
    Lugosi 2006, Theorem 2.3, take c = sqrt(8) / w, for which the same proof gives
    1.07 w sqrt(T ln N).

    Steady Gaussian noise (see ``ftrl.py``) of standard deviation at most s in each coordinate of
    each sum adds at most min(η(1) s² / 2, s sqrt(2 ln N)). With a = 2 s² / w², slower first steps
    compensate for the former, and

        E regret ≤ sqrt((T w² + 2 s²) ln N).

    >>> learner = Hedge.start(dimension=3)
    >>> point, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, np.array([0.0, 0.5, 1.0]))
    >>> [round(float(x), 3) for x in learner.act(None, np.random.default_rng(0))[0]]
    [0.587, 0.28, 0.133]
    >>> round(Hedge.regret_bound(dimension=10, rounds=1000), 2)
    47.99
    """

    learning_rate: float
    delay: float
    entropy: float  # ln N
    clock: Floats  # rounds played

    @classmethod
    def start(cls, *, dimension: int, learning_rate: float = 2.0, delay: float = 0.0) -> Hedge:
        """Return the learner before the first round."""
        count = check_int("dimension", dimension, minimum=2)
        return cls(
            sums=np.zeros(count),
            point=np.full(count, 1.0 / count),
            learning_rate=check_positive("learning_rate", learning_rate),
            delay=check_range("delay", delay, 0.0, 1e200),
            entropy=math.log(count),
            clock=np.zeros(1),
        )

    @classmethod
    def example(cls) -> Hedge:
        """Return an example for the contract tests."""
        return cls.start(dimension=5)

    def act(self, observation: object, rng: Generator) -> tuple[Floats, float]:
        """Play exponential weights at the rate of this round."""
        self.clock[0] += 1.0
        rate = self.learning_rate * math.sqrt(self.entropy / (float(self.clock[0]) + self.delay))
        exponential_weights(self.sums, rate, self.point)
        return self.point, 0.0

    @staticmethod
    def recommended_rate(*, width: float = 1.0) -> float:
        """Return c = 2 / w."""
        return 2.0 / check_positive("width", width)

    @staticmethod
    def recommended_delay(*, width: float = 1.0, noise: float = 0.0) -> float:
        """Return a = 2 s² / w²; ``noise`` is s, the standard deviation in a coordinate of a sum."""
        return 2.0 * (check_range("noise", noise, 0.0, 1e90) / check_positive("width", width)) ** 2

    @staticmethod
    def regret_bound(
        *, dimension: int, rounds: int, width: float = 1.0, noise: float = 0.0
    ) -> float:
        """Return sqrt((T w² + 2 s²) ln N), for the recommended rate and delay.

        ``noise`` is s, of steady Gaussian noise.
        """
        return math.sqrt((rounds * width**2 + 2.0 * noise**2) * math.log(dimension))
