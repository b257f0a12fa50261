"""HTINF: follow the regularised leader for heavy-tailed losses (Huang, Dai & Huang 2022)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list, helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import DiscreetError, check_flag, check_int, check_positive
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tsallis_inf import solve


class TruncatedDraw(NamedTuple):
    """The trace of a draw, with the largest loss that counts."""

    arm: int
    importance: float
    limit: float


class Htinf(Learner[int, TruncatedDraw, float]):
    """Tsallis-INF that skips or clips losses which would move a weight too far.

    Round t plays arm I drawn from

        x = argmin ⟨L, x⟩ - (α / η) Σ x(i)^(1/α),   η = 1 / (σ t^(1/α)),

    that is x(i) = (η (L(i) - z))^(-α / (α - 1)) with z such that Σ x = 1. When the loss y arrives,
    it counts unless it exceeds a threshold fixed in advance:

        if |y| ≤ Θ x(I)^(1/α) / η:   L(I) ← L(I) + y / x(I)

    ``tail`` is α in (1, 2]: losses have E |y|^α ≤ σ^α, where ``moment`` is σ. For α = 2 the paper's
    ``threshold`` is Θ = 1 - 2^(-1/3). With ``clips``, which is ours, larger losses are clipped
    instead of skipped.

    Regret: at most 30 σ K^(1 - 1/α) (T + 1)^(1/α) if the losses of the best arm are non-negative in
    every tail, as losses in [0, 1] with Laplace noise are (Huang et al. 2022, Theorem 4.1; Faster
    rates 2025, Lemma 10). For α = 2 it is 11.7 σ sqrt(K T), and 4.6 σ sqrt(K T) where losses are
    clipped and everything is tuned for it (docs/regret.md: HTINF).
    """

    tail: float
    moment: float
    threshold: float  # Θ
    clips: bool
    losses: Floats  # L
    probabilities: Floats  # x of the last draw
    clock: Floats  # rounds drawn, and min L - z of the last draw

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.losses.size

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        moment: float,
        tail: float = 2.0,
        threshold: float | None = None,
        clips: bool = False,
    ) -> Htinf:
        """Return the learner before the first round; the default threshold is the paper's."""
        count = check_int("arms", arms, minimum=2)
        if not 1.0 < tail <= 2.0:
            raise DiscreetError(f"tail is {tail!r}, but must be above 1 and at most 2.")
        theta = paper_threshold(tail) if threshold is None else threshold
        if not 0.0 < theta < 1.0:
            raise DiscreetError(f"threshold is {threshold!r}, but must be above 0 and below 1.")
        state = np.zeros(count), np.full(count, 1.0 / count), np.zeros(2)
        return cls(
            float(tail), check_positive("moment", moment), theta, check_flag("clips", clips), *state
        )

    @classmethod
    def example(cls) -> Htinf:
        """Return an example for the contract tests."""
        return cls.start(arms=5, moment=2.0, tail=1.5)

    def act(self, observation: object, rng: Generator) -> tuple[int, TruncatedDraw]:
        """Solve for the weights, draw an arm, and fix the threshold of its loss."""
        self.clock[0] += 1.0
        rate = 1.0 / (self.moment * root(float(self.clock[0]), self.tail))
        if self.tail == 2.0:
            start = float(self.clock[1])
            self.clock[1] = solve(self.losses, 2.0 * rate, start, self.probabilities)
        else:
            self.clock[1] = solve_power(
                self.losses, rate, self.tail / (self.tail - 1.0), self.clock[1], self.probabilities
            )
        chances = as_list(self.probabilities)
        arm = draw(chances, rng.random())
        probability = float(chances[arm])
        return arm, TruncatedDraw(
            arm, 1.0 / probability, self.threshold * root(probability, self.tail) / rate
        )

    def chance(self, trace: TruncatedDraw, action: int) -> float:
        """Return the probability of an arm."""
        return 1.0 / trace.importance if action == trace.arm else float(self.probabilities[action])

    def learn(self, trace: TruncatedDraw, released: float) -> None:
        """Add the estimate; a loss beyond its threshold is clipped or skipped."""
        if abs(released) <= trace.limit:
            self.losses[trace.arm] += released * trace.importance
        elif self.clips:
            self.losses[trace.arm] += math.copysign(trace.limit, released) * trace.importance


def paper_threshold(tail: float) -> float:
    """Return the paper's Θ.

    It is the least of 1 - 2^(-(α - 1) / (2 α - 1)) and (2 - 2 / α)^(1 / (2 - α)), the latter
    exp(-1/2) at α = 2.
    """
    second = math.exp(-0.5) if tail == 2.0 else (2.0 - 2.0 / tail) ** (1.0 / (2.0 - tail))
    return float(min(1.0 - 2.0 ** (-(tail - 1.0) / (2.0 * tail - 1.0)), second))


@helper
def root(value: float, degree: float) -> float:
    """Return value^(1/degree); a square root is much faster than a power."""
    return math.sqrt(value) if degree == 2.0 else value ** (1.0 / degree)


@helper
def solve_power(losses: Floats, rate: float, power: float, start: float, weights: Floats) -> float:
    """Write the weights (rate (d(i) + s))^-power; return the s where they sum to 1.

    d is losses - min. As for power 2: with h(s) = (Σ (d(i) + s)^-power)^(-1 / power) the condition
    is h(s) = 1 / rate. h is increasing and concave, and the solution is at least 1 / rate.
    """
    target = 1.0 / rate
    least = math.inf
    for i in range(losses.size):
        least = min(least, float(losses[i]))
    s = max(float(start), target)
    for step in range(100):
        first = 0.0
        second = 0.0
        for i in range(losses.size):
            ratio = s / (float(losses[i]) - least + s)  # at most 1, so that no power overflows
            term = ratio**power
            weights[i] = term
            first += term
            second += term * ratio
        h = s * first ** (-1.0 / power)
        if abs(h - target) <= 1e-12 * target:  # about the rounding error of the sum
            break
        higher = max(s + (target - h) * s / h * first / second, target)
        if step > 0 and higher <= s:
            break
        s = higher
    for i in range(losses.size):
        weights[i] /= first
    return s
