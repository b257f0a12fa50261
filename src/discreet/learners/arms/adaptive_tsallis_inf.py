"""Tsallis-INF on noisy batches that find their own length, with a running baseline."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from componentjit import as_list, helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import draw
from discreet.learners.arms.tsallis_weights import solve

# in units of 1 / ε: the length with the least second moment a round, if losses are the same in a
# batch
SHORTEST = 2.83
LONGEST = 8.0  # in units of 1 / ε²: the same for independent losses
SLOWEST = 0.05  # the baseline moves by at least that share
PACE, SIGNAL, SHORTER = (
    0.05,
    2.0,
    -20.0,
)  # lengths follow the squared signal, in units of that of the noise
DRAWS, ROUNDS, POWER, BASELINE, LOG_LENGTH, START = range(6)  # of the state


class BatchDraw(NamedTuple):
    """An arm, for how many rounds it is held, with which probability it was drawn, and the learning rate."""

    arm: int
    rounds: int
    probability: float
    rate: float


class AdaptiveTsallisInf(Learner[int, BatchDraw, float]):
    """Weights w(i) = 4 / (η (L(i) - x))² as in Tsallis-INF, mixed with f / K; batches that find their length.

    In batch j, η = c / sqrt(A + V + τ² / 4), with V = 2 / ε² the variance of the noise and A the
    sum of squared signals; f = min(1/2, κ sqrt(K / j)). With y the noisy sum of the batch and b a
    running mean of all losses, the signal is X = y - τ b, and L(arm) grows by X / q, X cut to [-d,
    u] sqrt(q) / η: u below d is optimism for rare arms. Batches get longer while X² is below 2 V,
    and shorter while it is above.

    ``rate`` is c, ``mix`` κ, ``down`` and ``up`` are d and u. No regret bound is proved.
    """

    noise: float  # the scale of the noise on the sum of a batch, 1 / ε
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
        """Return one to check the contract with."""
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

    def learn(self, trace: BatchDraw, released: float) -> None:
        """Add the estimate; move the baseline and the length."""
        length, noise = float(trace.rounds), 2.0 * self.noise * self.noise
        signal = length * (released - float(self.state[BASELINE]))
        self.state[POWER] += min(signal * signal, 16.0 * noise + length * length)
        reach = math.sqrt(trace.probability) / trace.rate
        self.losses[trace.arm] += (
            min(max(signal, -self.down * reach), self.up * reach) / trace.probability
        )
        variance = 0.25 / length + noise / (length * length)
        share = max(1.0 / (float(self.state[DRAWS]) + 12.0 * variance), SLOWEST)
        moved = float(self.state[BASELINE]) + share * (released - float(self.state[BASELINE]))
        self.state[BASELINE] = min(max(moved, 0.0), 1.0)
        shortest = max(1.0, SHORTEST * self.noise)
        most = max(shortest, min(self.longest, 0.1 * float(self.state[ROUNDS]) / self.losses.size))
        wanted = float(self.state[LOG_LENGTH]) + PACE * max(
            SIGNAL - signal * signal / noise, SHORTER
        )
        self.state[LOG_LENGTH] = min(max(wanted, math.log(shortest)), math.log(most))


@helper
def mix_in(weights: Floats, share: float) -> None:
    """Mix weights that add up to 1 with equal ones."""
    values = as_list(weights)
    for arm in range(weights.size):
        weights[arm] = (1.0 - share) * values[arm] + share / weights.size
