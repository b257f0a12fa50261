"""Follow the perturbed leader with geometric resampling (Neu & Bartók 2016)."""

from __future__ import annotations

import math

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator, Learner
from discreet.errors import check_int, check_positive
from discreet.learners.arms.draws import Draw
from discreet.mechanisms import draw_laplace

# Copies per arm that are drawn one by one before the rest are counted by a quadrature, which costs
# about as much.
TRIES_AN_ARM = 500
PANEL = 0.0625  # width of a panel of the quadrature, in units of the perturbation's scale
REACH = 36.0  # exp(-36) is below the rounding error of 1


class Ftpl(Learner[int, Draw, float]):
    """Plays the arm whose sum of estimated losses is least after a random perturbation.

    Round t draws Z ~ Laplace(1 / η) for every arm and plays I = argmin L(i) + Z(i) (Faster
    rates 2025, Algorithm 4). The inverse probability of that choice is estimated by the number n of
    fresh perturbations until I is chosen again, at most ``cap``:

        L(I) ← L(I) + n y

    ``learning_rate`` is η. n is drawn with the decision, so feedback may arrive late.

    The first copies are drawn one by one, each rejected at the first rival that is likely enough to
    beat it. If an arm is so unlikely that even 500 K copies miss it, its probability is computed by
    quadrature and the rest of n is drawn from the geometric distribution. The distribution is the
    same, because geometric variables are memoryless.

    Regret: of order sqrt(K T ln K) for losses in [0, 1]; for noisy losses see Faster rates 2025,
    Lemma 13.
    """

    learning_rate: float
    cap: int
    losses: Floats  # L

    @property
    def choices(self) -> int:
        """The number of arms."""
        return self.losses.size

    @classmethod
    def start(cls, *, arms: int, learning_rate: float, cap: int) -> Ftpl:
        """Return the learner before the first round."""
        count = check_int("arms", arms, minimum=2)
        return cls(
            check_positive("learning_rate", learning_rate),
            check_int("cap", cap, minimum=1),
            np.zeros(count),
        )

    @classmethod
    def example(cls) -> Ftpl:
        """Return an example for the contract tests."""
        return cls.start(arms=5, learning_rate=0.05, cap=100)

    def act(self, observation: object, rng: Generator) -> tuple[int, Draw]:
        """Perturb, choose the leader, and draw how long it takes until it leads again."""
        scale = 1.0 / self.learning_rate
        arm = 0
        least = math.inf
        best = 0
        for i in range(self.losses.size):
            value = float(self.losses[i]) + draw_laplace(scale, rng)
            if value < least:
                arm, least = i, value
            if self.losses[i] < self.losses[best]:
                best = i
        return arm, Draw(
            arm, float(waiting_time(self.losses, self.learning_rate, arm, best, self.cap, rng))
        )

    def learn(self, trace: Draw, released: float) -> None:
        """Add the estimate."""
        self.losses[trace.arm] += trace.importance * released


@helper
def waiting_time(losses: Floats, rate: float, arm: int, best: int, cap: int, rng: Generator) -> int:
    """Return min(n, cap), n the number of fresh perturbations until the arm leads.

    ``best`` is the arm with the least loss.
    """
    few = min(cap, TRIES_AN_ARM * losses.size)
    for tries in range(1, few + 1):
        if leads(losses, rate, arm, best, rng):
            return tries
    if few == cap:
        return cap
    log_probability = log_lead_probability(losses, rate, arm)
    # exp(-30): it would take more than cap copies, except in one run of 10^13
    if log_probability + math.log(cap) < -30.0:
        return cap
    log_miss = math.log1p(-math.exp(log_probability))
    rest = math.log1p(-rng.random()) / log_miss
    return cap if rest >= cap - few else few + 1 + int(rest)


@helper
def leads(losses: Floats, rate: float, arm: int, best: int, rng: Generator) -> bool:
    """Return whether the arm is least after a fresh perturbation of all.

    Given its own perturbation, it leads with the probability that all rivals are above it. That is
    a product of independent probabilities. The comparison with one uniform number is mostly decided
    after a few rivals, so the strongest comes first.
    """
    own = draw_laplace(1.0, rng)
    point = rng.random()
    chance = 1.0
    if best != arm:
        chance = laplace_tail(rate * (float(losses[arm]) - float(losses[best])) + own)
        if point >= chance:
            return False
    for i in range(losses.size):
        if i != arm and i != best:
            chance *= laplace_tail(rate * (float(losses[arm]) - float(losses[i])) + own)
            if point >= chance:
                return False
    return True


@helper
def laplace_tail(level: float) -> float:
    """Return the probability that a standard Laplace variable exceeds a level."""
    return 0.5 * math.exp(-level) if level >= 0.0 else 1.0 - 0.5 * math.exp(level)


@helper
def log_lead_probability(losses: Floats, rate: float, arm: int) -> float:
    """Return ln P(arm is least after the perturbation), by Gauss quadrature.

    P = ∫ exp(-|z|) / 2 · Π tail(rate (L(arm) - L(i)) + z) dz over the perturbation z of the arm, in
    units of its scale, with three points per panel. Sums are kept relative to the largest term, so
    that tiny probabilities do not underflow.
    """
    behind = 0.0
    for i in range(losses.size):
        behind = max(behind, rate * (float(losses[arm]) - float(losses[i])))
    panels = math.ceil((behind + REACH) / PANEL)
    ahead = math.ceil(REACH / PANEL)
    peak = -math.inf
    total = 0.0
    for panel in range(-panels, ahead):
        for node in range(-1, 2):
            z = PANEL * (panel + 0.5 + 0.5 * node * math.sqrt(0.6))
            term = -abs(z) + math.log((8.0 if node == 0 else 5.0) / 18.0 * PANEL * 0.5)
            for i in range(losses.size):
                if i != arm:
                    level = rate * (float(losses[arm]) - float(losses[i])) + z
                    term += (
                        math.log1p(-0.5 * math.exp(level)) if level < 0.0 else math.log(0.5) - level
                    )
            if term > peak:
                total = total * math.exp(peak - term) + 1.0
                peak = term
            else:
                total += math.exp(term - peak)
    return min(peak + math.log(total), 0.0)
