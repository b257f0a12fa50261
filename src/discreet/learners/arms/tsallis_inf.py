"""Tsallis-INF: best of both worlds, stochastic and adversarial."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tsallis_weights import solve


class BaselineDraw(NamedTuple):
    """A draw, with the baseline of every arm at the time, and how far a loss may be from its own to count."""

    arm: int
    probability: float
    limit: float
    baselines: Floats


class TsallisInf(Learner[int, BaselineDraw, float]):
    """Follow the regularised leader with the 1/2-Tsallis entropy.

    Round t plays arm I drawn from

        w = argmin ⟨L, w⟩ - (4 / η) Σ sqrt(w(i)),   η = c / sqrt(t),   that is   w(i) = 4 / (η (L(i) - x))²

    with x such that Σ w = 1, and estimates losses around a baseline B(i) = β if w(i) ≥ κ η², else
    0:

        L(i) ← L(i) + B(i) for all i,   L(I) ← L(I) + (y - B(I)) / w(I)

    ``learning_rate`` is c, ``baseline`` is β: 0 is the importance-weighted estimator, 1/2 the
    reduced-variance one; ``likely`` is κ, 1 in the paper.

    With noisy losses one large negative value can push a rare arm so far ahead that it leads for
    most of the game. ``caution`` is θ: as in HTINF, y counts only if |y - B(I)| ≤ 2 θ sqrt(w(I)) /
    η, so that no loss moves 1 / sqrt(w(I)) by more than the factor 1 ± θ. Without noise none is
    needed.

    Regret for losses in [0, 1] (Zimmert & Seldin 2021): of order 4 sqrt(K T) for β = 0, c = 2 and 2
    sqrt(K T) for β = 1/2, c = 4; logarithmic against a stochastic adversary. What else there is in
    both is less with κ = 1/4 (docs/regret.md: Tsallis-INF).

    >>> learner = TsallisInf.start(arms=3, learning_rate=2.0)
    >>> arm, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, 1.0)
    >>> arm, trace = learner.act(None, np.random.default_rng(0))
    >>> [round(float(w), 3) for w in learner.probabilities]
    [0.461, 0.077, 0.461]
    """

    learning_rate: float
    baseline: float
    caution: float
    likely: float
    losses: Floats  # L
    probabilities: Floats  # w of the last draw
    baselines: Floats  # B of the last draw
    clock: Floats  # rounds drawn, and min L - x of the last draw

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.losses.size

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        learning_rate: float,
        baseline: float = 0.0,
        caution: float = math.inf,
        likely: float = 1.0,
    ) -> TsallisInf:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("learning_rate", learning_rate),
            check_range("baseline", baseline, 0.0, 1.0),
            check_range("caution", caution, 0.0, math.inf),
            check_positive("likely", likely),
            np.zeros(count),
            np.full(count, 1.0 / count),
            np.zeros(count),
            np.zeros(2),
        )

    @classmethod
    def example(cls) -> TsallisInf:
        """Return one to check the contract with."""
        return cls.start(arms=5, learning_rate=1.0, baseline=0.5)

    def act(self, observation: object, rng: Generator) -> tuple[int, BaselineDraw]:
        """Solve for the weights and draw an arm."""
        clock, baselines = self.clock, self.baselines
        clock[0] += 1.0
        rate = self.learning_rate / math.sqrt(float(clock[0]))
        clock[1] = solve(self.losses, rate, float(clock[1]), self.probabilities)
        chances = as_list(self.probabilities)
        if self.baseline > 0.0:
            least = self.likely * rate * rate
            for arm in range(baselines.size):
                baselines[arm] = self.baseline if chances[arm] >= least else 0.0
        arm = draw(chances, rng.random())
        probability = float(chances[arm])
        return arm, BaselineDraw(
            arm, probability, 2.0 * self.caution * math.sqrt(probability) / rate, baselines
        )

    def learn(self, trace: BaselineDraw, released: float) -> None:
        """Add the estimate of every arm's loss."""
        losses, baselines = self.losses, as_list(trace.baselines)
        if self.baseline > 0.0:
            for arm in range(losses.size):
                losses[arm] += baselines[arm]
        step = released - float(baselines[trace.arm])
        if abs(step) <= trace.limit:
            losses[trace.arm] += step / trace.probability
