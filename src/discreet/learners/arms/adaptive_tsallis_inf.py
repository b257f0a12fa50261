"""Tsallis-INF on noisy batches that adapt their length, with a running baseline."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list, helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tsallis_inf import solve

# The length with the smallest second moment per round: 2 sqrt(2) / ε if the losses of a batch are
# equal, and 8 / ε² if they are independent.
SHORTEST = 2.83
LONGEST = 8.0
SLOWEST = 0.05  # the baseline moves at least by this share of its distance to a release
# The logarithm of the length moves by PACE times SIGNAL less the squared signal (in units of the
# variance of the noise), but not below SHORTER: one large signal must not make batches short.
PACE, SIGNAL, SHORTER = 0.05, 2.0, -20.0
DRAWS, ROUNDS, POWER, BASELINE, LOG_LENGTH, START = range(6)  # entries of the state


class BatchDraw(NamedTuple):
    """The trace of a batch: arm, rounds, probability of the draw, and learning rate."""

    arm: int
    rounds: int
    probability: float
    rate: float


class AdaptiveTsallisInf(Learner[int, BatchDraw, float]):
    """Tsallis-INF with uniform mixing, on batches that adapt their length.

    Weights are w(i) = 4 / (η (L(i) - z))² as in ``TsallisInf``, and p = (1 - γ) w + γ / K. In the
    n-th batch, of τ rounds,

        η = c / sqrt(A + V + τ² / 4),   γ = min(1/2, g sqrt(K / n)),

    with V = 2 Λ² the variance of the noise and A the sum of squared signals. With y the noisy sum
    of the batch and β a running mean of all losses, the signal is X = y - τ β, and L(arm) grows by
    X / p, with X clipped to [-θ₁, θ₂] sqrt(p) / η: θ₂ below θ₁ is optimism for rare arms. Batches
    get longer while X² is below 2 V, and shorter while it is above.

    ``noise`` is Λ, ``rate`` is c, ``mix`` is g, ``down`` and ``up`` are θ₁ and θ₂. No regret bound
    is proved.
    """

    noise: float  # Λ = 1 / ε, the scale of the noise on the sum of a batch
    rate: float
    down: float
    up: float
    mix: float
    longest: float
    losses: Floats  # L
    weights: Floats
    state: Floats

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.losses.size

    @classmethod
    def start(
        cls,
        *,
        arms: int,
        noise: float,
        rounds: int,
        rate: float,
        down: float,
        up: float,
        mix: float,
    ) -> AdaptiveTsallisInf:
        """Return the learner before the first round."""
        count, scale = check_int("arms", arms, minimum=2), check_positive("noise", noise)
        shortest = max(1.0, SHORTEST * scale)
        most = max(0.5 * math.sqrt(check_int("rounds", rounds, minimum=1) / count), 4.0 * shortest)
        return cls(
            noise=scale,
            rate=check_positive("rate", rate),
            down=check_positive("down", down),
            up=check_positive("up", up),
            mix=check_positive("mix", mix),
            longest=max(shortest, min(LONGEST * scale * scale, most)),
            losses=np.zeros(count),
            weights=np.full(count, 1.0 / count),
            state=np.array([0.0, 0.0, 0.0, 0.5, math.log(shortest), 0.0]),
        )

    @classmethod
    def example(cls) -> AdaptiveTsallisInf:
        """Return an example for the contract tests."""
        return cls.start(arms=5, noise=2.0, rounds=300, rate=5.0, down=0.7, up=0.4, mix=0.02)

    def act(self, observation: object, rng: Generator) -> tuple[int, BatchDraw]:
        """Solve for the weights, and draw an arm for a batch."""
        self.state[DRAWS] += 1.0
        length = max(1, round(math.exp(float(self.state[LOG_LENGTH]))))
        self.state[ROUNDS] += length
        spread = float(self.state[POWER]) + 2.0 * self.noise * self.noise + 0.25 * length * length
        rate = self.rate / math.sqrt(spread)
        self.state[START] = solve(self.losses, rate, float(self.state[START]), self.weights)
        mixed = min(0.5, self.mix * math.sqrt(self.losses.size / float(self.state[DRAWS])))
        mix_in(self.weights, mixed)
        arm = draw(as_list(self.weights), rng.random())
        return arm, BatchDraw(arm, length, float(self.weights[arm]), rate)

    def patience(self, trace: BatchDraw) -> int:
        """Hold the arm for its batch."""
        return trace.rounds

    def chance(self, trace: BatchDraw, action: int) -> float:
        """Return the probability of an arm."""
        return trace.probability if action == trace.arm else float(self.weights[action])

    def learn(self, trace: BatchDraw, released: float) -> None:
        """Add the estimate; move the baseline and the length."""
        length, noise = float(trace.rounds), 2.0 * self.noise * self.noise
        signal = length * (released - float(self.state[BASELINE]))
        # capped at 16 variances and the square of the largest sum: one outlier of the noise must
        # not slow down all later learning
        self.state[POWER] += min(signal * signal, 16.0 * noise + length * length)
        reach = math.sqrt(trace.probability) / trace.rate
        self.losses[trace.arm] += (
            min(max(signal, -self.down * reach), self.up * reach) / trace.probability
        )
        variance = 0.25 / length + noise / (length * length)
        # 1 / 12 is the variance of a uniform prior for the mean loss
        share = max(1.0 / (float(self.state[DRAWS]) + 12.0 * variance), SLOWEST)
        moved = float(self.state[BASELINE]) + share * (released - float(self.state[BASELINE]))
        self.state[BASELINE] = min(max(moved, 0.0), 1.0)
        shortest = max(1.0, SHORTEST * self.noise)
        # at most a tenth of an arm's equal share of all rounds so far
        most = max(shortest, min(self.longest, 0.1 * float(self.state[ROUNDS]) / self.losses.size))
        wanted = float(self.state[LOG_LENGTH]) + PACE * max(
            SIGNAL - signal * signal / noise, SHORTER
        )
        self.state[LOG_LENGTH] = min(max(wanted, math.log(shortest)), math.log(most))


@helper
def mix_in(weights: Floats, share: float) -> None:
    """Mix weights that sum to 1 with equal ones."""
    values = as_list(weights)
    for arm in range(weights.size):
        weights[arm] = (1.0 - share) * values[arm] + share / weights.size
