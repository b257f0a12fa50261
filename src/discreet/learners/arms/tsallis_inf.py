"""Tsallis-INF: best of both worlds, stochastic and adversarial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from componentjit import as_list, compiled_as, helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive, check_range
from discreet.learners.arms.draws import draw

MANY = 8  # arms from which four partial sums are faster than one


@helper
def solve(losses: Floats, rate: float, start: float, weights: Floats) -> float:
    """Write the weights 4 / (rate (d(i) + s))², d = losses - min; return the s where they sum to 1.

    With h(s) = (Σ (d(i) + s)⁻²)^(-1/2) the condition is h(s) = 2 / rate. h is increasing and
    concave, so a Newton step from anywhere lands at or below the solution and climbs to it from
    there; the solution is at least 2 / rate. A later step that does not climb has only rounding
    errors of the sum left to correct.
    """
    target = 2.0 / rate
    values = as_list(losses)
    least = least_of(values)
    s = max(start, target)
    squares = 1.0
    for step in range(100):
        if losses.size < MANY:
            squares, cubes = inverse_powers(values, least, s)
        else:
            squares, cubes = many_inverse_powers(values, least, s, weights)
        h = 1.0 / math.sqrt(squares)
        if abs(h - target) <= 1e-12 * target:  # about the rounding error of the sum
            break
        higher = max(s + (target - h) / (h * h * h * cubes), target)
        if step > 0 and higher <= s:
            break
        s = higher
    share = 1.0 / squares
    for i in range(losses.size):
        inverse = 1.0 / (values[i] - least + s)
        weights[i] = inverse * inverse * share
    return s


@helper
def inverse_powers_compiled(values: Floats, least: float, s: float) -> tuple[float, float]:
    """Return Σ z⁻² and Σ z⁻³ of z = value - least + s."""
    squares = 0.0
    cubes = 0.0
    for i in range(len(values)):
        inverse = 1.0 / (values[i] - least + s)
        square = inverse * inverse
        squares += square
        cubes += inverse * square
    return squares, cubes


@compiled_as(inverse_powers_compiled)
def inverse_powers(values: Sequence[float] | Floats, least: float, s: float) -> tuple[float, float]:
    """Return the same; in plain Python it is faster to go through the list itself."""
    squares = cubes = 0.0
    for value in values:
        inverse = 1.0 / (value - least + s)
        square = inverse * inverse
        squares += square
        cubes += inverse * square
    return squares, cubes


@helper
def many_inverse_powers(
    values: Sequence[float] | Floats, least: float, s: float, room: Floats
) -> tuple[float, float]:
    """Return the same of many numbers.

    All quotients come first, then four partial sums, several of which a processor adds at once.
    """
    count = len(values)
    for i in range(count):
        room[i] = 1.0 / (values[i] - least + s)
    squares, squares_2, squares_3, squares_4 = 0.0, 0.0, 0.0, 0.0
    cubes, cubes_2, cubes_3, cubes_4 = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= count:
        squares += room[i] * room[i]
        squares_2 += room[i + 1] * room[i + 1]
        squares_3 += room[i + 2] * room[i + 2]
        squares_4 += room[i + 3] * room[i + 3]
        cubes += room[i] * (room[i] * room[i])
        cubes_2 += room[i + 1] * (room[i + 1] * room[i + 1])
        cubes_3 += room[i + 2] * (room[i + 2] * room[i + 2])
        cubes_4 += room[i + 3] * (room[i + 3] * room[i + 3])
        i += 4
    while i < count:
        squares += room[i] * room[i]
        cubes += room[i] * (room[i] * room[i])
        i += 1
    return (squares + squares_2) + (squares_3 + squares_4), (cubes + cubes_2) + (cubes_3 + cubes_4)


@helper
def least_compiled(values: Floats) -> float:
    """Return the least number, searched for in four parts at once."""
    one, two, three, four = math.inf, math.inf, math.inf, math.inf
    i = 0
    while i + 4 <= len(values):
        one = values[i] if values[i] < one else one
        two = values[i + 1] if values[i + 1] < two else two
        three = values[i + 2] if values[i + 2] < three else three
        four = values[i + 3] if values[i + 3] < four else four
        i += 4
    while i < len(values):
        one = values[i] if values[i] < one else one
        i += 1
    return min(one, two, three, four)


@compiled_as(least_compiled)
def least_of(values: Sequence[float] | Floats) -> float:
    """Return the least number."""
    return min(values)


class BaselineDraw(NamedTuple):
    """The trace of a draw, with the baseline of every arm at the time.

    A loss counts if it is within ``limit`` of the baseline of its arm.
    """

    arm: int
    probability: float
    limit: float
    baselines: Floats


@compiled_as(
    lambda arm, probability, limit, baselines: BaselineDraw(arm, probability, limit, baselines),
    record=BaselineDraw,
)
def new_baseline_draw(
    arm: int, probability: float, limit: float, baselines: Floats
) -> BaselineDraw:
    """Return a draw; in plain Python this takes half the time of calling the class."""
    return tuple.__new__(BaselineDraw, (arm, probability, limit, baselines))


class TsallisInf(Learner[int, BaselineDraw, float]):
    """Follow the regularised leader with the 1/2-Tsallis entropy (Zimmert & Seldin 2021).

    Round t plays arm I drawn from

        w = argmin ⟨L, w⟩ - (4 / η) Σ sqrt(w(i)),   that is   w(i) = 4 / (η (L(i) - z))²

    with η = c / sqrt(t) and z such that Σ w = 1, and estimates losses around a baseline B(i), which
    is β if w(i) ≥ κ η², else 0:

        L(i) ← L(i) + B(i) for all i,   L(I) ← L(I) + (y - B(I)) / w(I)

    ``learning_rate`` is c; ``baseline`` is β: 0 is the importance-weighted estimator, 1/2 the
    reduced-variance one; ``likely`` is κ, 1 in the paper.

    With noisy losses one large negative value can push a rare arm so far ahead that it leads for
    most of the game. ``caution`` is Θ: as in HTINF, y counts only if
    |y - B(I)| ≤ 2 Θ sqrt(w(I)) / η, so no loss changes 1 / sqrt(w(I)) by more than a factor of
    1 ± Θ. Without noise this is not needed.

    Regret for losses in [0, 1] (Zimmert & Seldin 2021): of order 4 sqrt(K T) for β = 0, c = 2, and
    2 sqrt(K T) for β = 1/2, c = 4; logarithmic against a stochastic adversary. κ = 1/4 makes the
    lower-order terms of both smaller (docs/regret.md: Tsallis-INF).

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
        """Return an example for the contract tests."""
        return cls.start(arms=5, learning_rate=1.0, baseline=0.5)

    def act(self, observation: object, rng: Generator) -> tuple[int, BaselineDraw]:
        """Solve for the weights and draw an arm."""
        clock, baselines, baseline = self.clock, self.baselines, self.baseline
        before = as_list(clock)
        rounds = before[0] + 1.0
        rate = self.learning_rate / math.sqrt(rounds)
        clock[1] = solve(self.losses, rate, before[1], self.probabilities)
        clock[0] = rounds
        chances = as_list(self.probabilities)
        if baseline > 0.0:
            least = self.likely * rate * rate
            for arm in range(baselines.size):
                baselines[arm] = baseline if chances[arm] >= least else 0.0
        arm = draw(chances, rng.random())
        probability = float(chances[arm])
        limit = 2.0 * self.caution * math.sqrt(probability) / rate
        return arm, new_baseline_draw(arm, probability, limit, baselines)

    def chance(self, trace: BaselineDraw, action: int) -> float:
        """Return the probability of an arm."""
        return trace.probability if action == trace.arm else float(self.probabilities[action])

    def learn(self, trace: BaselineDraw, released: float) -> None:
        """Add the estimate of every arm's loss."""
        losses, baselines = self.losses, as_list(trace.baselines)
        if self.baseline > 0.0:
            before = as_list(losses)
            for arm in range(losses.size):
                losses[arm] = before[arm] + baselines[arm]
        step = released - float(baselines[trace.arm])
        if abs(step) <= trace.limit:
            losses[trace.arm] += step / trace.probability
