"""Indices on noisy means of batches, for losses that do not change: ours and published ones."""

from __future__ import annotations

import itertools
import math
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Batch
from discreet.errors import check_range
from discreet.learners import AdapKlUcb, BatchedUcb, DpImed, DpKlUcb, DpSuccessiveElimination
from discreet.learners.arms.radius import batch_weight, radius
from discreet.private import Private
from discreet.problems import Arms

Confidence = Literal["tuned", "proved"]

UNCHANGING_ONLY = (
    "bounded only for losses that do not change (independent, with fixed means); otherwise it may "
    "be linear"
)
NO_NUMBER = f"{UNCHANGING_ONLY}; with these constants no number is proved"
PROVED_UNCHANGING = f"{UNCHANGING_ONLY} (docs/proofs.md: Batched upper confidence bounds)"


# Chosen by measurements (4 arms with gap 0.1 and 10 arms with gap 0.05, 10^5 rounds, ε = 1 and
# 0.1): at 1 the mean regret is 25 to 40 % larger. At 0.5 it is 10 to 25 % smaller, but its standard
# error is 1 to 4 times as large, and at 0.3 at least 5 times: some trials keep to a wrong arm.
EXPLORATION = 0.7


@register_algorithm(
    name="batched-ucb",
    twin="ucb",
    title="upper confidence bounds on noisy batches",
    problem=Arms(),
    stochastic=True,
)
def batched_ucb(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    growth: float = 0.5,
    exploration: float = EXPLORATION,
    confidence: Confidence = "tuned",
) -> Instance:
    """Upper confidence bounds on weighted means of growing batches; the first has 1 / ε rounds.

    With ``confidence=proved`` the radii cover all releases of the game, so that a bound holds;
    ``exploration`` is then unused. Tuned radii have half the regret but no proof.
    """
    arms, rounds, noise = setting.problem.arms, setting.rounds, 1.0 / setting.epsilon
    first = first_batch(setting, batch_size)
    proved = confidence == "proved"
    batches = GrowingBatches(first, check_range("growth", growth, 0.01, 100.0), noise)
    learner = BatchedUcb.start(
        arms=arms,
        noise=noise,
        first=first,
        growth=growth,
        exploration=0.0 if proved else exploration,
        caution=covering_confidence(batches, arms=arms, rounds=rounds) if proved else 0.0,
    )
    bound = (
        stationary_bound(batches, arms=arms, rounds=rounds) * setting.bounds.width
        if proved
        else None
    )
    return Instance(
        private=Private(channel_for(setting, first), learner),
        parameters={
            "batch_size": first,
            "growth": growth,
            "exploration": learner.exploration,
            "caution": learner.caution,
        },
        regret_bound=None,
        bound_source=PROVED_UNCHANGING if proved else NO_NUMBER,
        stationary_bound=bound,
    )


@register_algorithm(
    name="dp-klucb",
    twin="kl-ucb",
    title="KL-UCB by the private divergence",
    problem=Arms(),
    stochastic=True,
    citation="azize2025optimal",
)
def dp_klucb(
    setting: Setting[Arms], *, batch_size: int | None = None, growth: float = 0.5
) -> Instance:
    """DP-KLUCB; the first batch has 1 / ε rounds."""
    first = first_batch(setting, batch_size)
    learner = DpKlUcb.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, first=first, growth=growth
    )
    return Instance(
        private=Private(channel_for(setting, first), learner),
        parameters={"batch_size": first, "growth": growth},
        regret_bound=None,
        bound_source=NO_NUMBER,
    )


@register_algorithm(
    name="dp-imed",
    twin="kl-ucb",
    title="least empirical private divergence",
    problem=Arms(),
    stochastic=True,
    citation="azize2025optimal",
)
def dp_imed(
    setting: Setting[Arms], *, batch_size: int | None = None, growth: float = 0.5
) -> Instance:
    """DP-IMED; the first batch has 1 / ε rounds.

    It has the least regret in most runs, but in about one of 100 runs noise hides the best arm
    permanently (see ``DpImed``).
    """
    first = first_batch(setting, batch_size)
    learner = DpImed.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, first=first, growth=growth
    )
    return Instance(
        private=Private(channel_for(setting, first), learner),
        parameters={"batch_size": first, "growth": growth},
        regret_bound=None,
        bound_source=NO_NUMBER,
    )


@register_algorithm(
    name="adap-klucb",
    twin="kl-ucb",
    title="KL-UCB on noisy batches that double",
    problem=Arms(),
    stochastic=True,
    citation="azize2022when",
)
def adap_klucb(setting: Setting[Arms], *, exploration: float = 1.0) -> Instance:
    """AdaP-KLUCB; α = 1, unless set (the theorem needs more than 3)."""
    learner = AdapKlUcb.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, exploration=exploration
    )
    return Instance(
        private=Private(channel_for(setting, 1), learner),
        parameters={"exploration": exploration},
        regret_bound=None,
        bound_source=NO_NUMBER,
    )


@register_algorithm(
    name="dp-successive-elimination",
    twin="ucb",
    title="successive elimination on noisy means",
    problem=Arms(),
    stochastic=True,
    citation="sajed2019optimal",
)
def dp_successive_elimination(setting: Setting[Arms], *, failure: float | None = None) -> Instance:
    """DP successive elimination; β = 1 / T, unless set."""
    share = 1.0 / setting.rounds if failure is None else failure
    learner = DpSuccessiveElimination.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, failure=share
    )
    return Instance(
        private=Private(channel_for(setting, 1), learner),
        parameters={"failure": share},
        regret_bound=None,
        bound_source=NO_NUMBER,
    )


def first_batch(setting: Setting[Arms], given: int | None) -> int:
    """Return 1 / epsilon rounds, at most all rounds."""
    return min(math.ceil(1.0 / setting.epsilon), setting.rounds) if given is None else given


def channel_for(setting: Setting[Arms], size: int) -> Batch:
    """Return the channel of batches whose lengths the learner chooses."""
    return Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)


class GrowingBatches(NamedTuple):
    """The growth of an arm's batches: each has at least a share ``growth`` of the rounds before."""

    first: int
    growth: float
    noise: float  # the scale of the Laplace noise on the sum of a batch

    def lengths(self, rounds: int) -> list[int]:
        """Return the lengths of an arm's batches, until it has had all rounds."""
        lengths = [self.first]
        while sum(lengths) < rounds:
            lengths.append(max(self.first, math.ceil(self.growth * sum(lengths))))
        return lengths

    def radii(self, lengths: list[int], confidence: float) -> list[float]:
        """Return the radius of an arm's mean after each of its batches."""
        weight = laplace = largest = 0.0
        radii = []
        for length in lengths:
            each = batch_weight(float(length), self.noise)
            scale = each * self.noise / length
            weight, laplace, largest = weight + each, laplace + scale * scale, max(largest, scale)
            radii.append(radius(weight, laplace, largest, confidence))
        return radii


def covering_confidence(batches: GrowingBatches, *, arms: int, rounds: int) -> float:
    """Return the β that keeps all means within their radii, except with probability 1 / T."""
    return math.log(arms * len(batches.lengths(rounds)) * rounds)


def stationary_bound(batches: GrowingBatches, *, arms: int, rounds: int) -> float:
    """Return a bound on the expected regret with that confidence, for any means of the arms.

    The proof is in docs/proofs.md: Batched upper confidence bounds.

    An arm that gets its batch k + 1 is worse than the best one by at most twice the radius after
    batch k. So m rounds of it cost at most m min(1, 2 r(k)), and K - 1 such arms with T rounds
    together at most K - 1 times the concave majorant of this at T / (K - 1). The best arm in
    hindsight is better than that of the best mean by at most sqrt(T ln K / 2).
    """
    lengths = batches.lengths(rounds)
    radii = batches.radii(lengths, covering_confidence(batches, arms=arms, rounds=rounds))
    points, total = [(0.0, 0.0)], 0
    for length, before in zip(lengths, [math.inf, *radii], strict=False):
        total += length
        points.append((float(total), total * min(1.0, 2.0 * before)))
    hindsight = math.sqrt(rounds * math.log(arms) / 2.0)
    return min(
        (arms - 1) * concave_majorant(points, rounds / (arms - 1)) + 1.0 + hindsight, float(rounds)
    )


def concave_majorant(points: list[tuple[float, float]], place: float) -> float:
    """Return the least concave, never falling function above some points, at a place.

    The points go from left to right.

    >>> concave_majorant([(0.0, 0.0), (1.0, 1.0), (2.0, 1.2), (4.0, 3.0), (6.0, 2.0)], 2.0)
    1.6666666666666665
    """
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1:
            (left, low), (middle, high) = hull[-2:]
            if (high - low) * (x - left) > (y - low) * (middle - left):
                break  # the middle point is above the line from the left point to the new one
            hull.pop()
        hull.append((x, y))
    best = 0.0
    for (x, y), (right, up) in itertools.pairwise(hull):
        if place > x:
            best = max(best, y + (up - y) * (min(place, right) - x) / (right - x))
    return best
