"""Best-arm search with a fixed budget: sequential halving, plain, local and on noisy batches."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.algorithms.search import SampleNoise
from discreet.channels import Batch, Open, PerRound
from discreet.contracts import Channel
from discreet.errors import check_int, check_range
from discreet.learners import SequentialHalving
from discreet.mechanisms import report_noise
from discreet.private import Private
from discreet.problems import BestArm

__all__ = ["halving_error", "laplace_tail", "subgaussian_tail"]

BUDGET = 20_000  # rounds
GAP = 0.1  # the gap for which an error is stated, as a fraction of the range
TILTS = np.linspace(1e-4, 0.9999, 4000)  # any tilt gives a valid bound
Tail = Callable[[float, float], float]  # of samples per arm, and a gap


def subgaussian_tail(samples: float, gap: float, *, variance: float = 0.25) -> float:
    """Bound the probability that a worse arm's mean is not below the better one's.

    ``variance`` is that of a sample: exp(-t Δ² / (4 v)).
    """
    return math.exp(-samples * gap**2 / (4.0 * variance))


def laplace_tail(samples: float, gap: float, *, scale: float) -> float:
    """Return the same for sums in [0, t] with Laplace noise of this scale on each.

    It is the least of exp(-λ t Δ + λ² t / 4) / (1 - λ² scale²)² over λ < 1 / scale; that λ is
    below 2 Δ.
    """
    tilt = TILTS * min(1.0 / scale, 2.0 * gap)
    powers = -tilt * samples * gap + tilt**2 * samples / 4.0
    powers -= 2.0 * np.log1p(-((tilt * scale) ** 2))
    return float(min(1.0, np.exp(powers.min())))


def halving_error(gaps: Sequence[float], budget: int, tail: Tail) -> float:
    """Return a bound on the probability that sequential halving gives a wrong answer.

    ``gaps`` are those of the other arms to the best, as fractions of the range (docs/proofs.md:
    Sequential halving).

    >>> round(halving_error([0.1] * 9, 16_000, subgaussian_tail), 4)
    0.0334
    """
    nearest, left = sorted(gaps), len(gaps) + 1
    phases, total = (left - 1).bit_length(), 0.0
    for _ in range(phases):
        samples = budget // (left * phases)
        beaten = sum(tail(samples, gap) for gap in nearest[: left - 1])
        left = (left + 1) // 2
        total += beaten / left
    return min(1.0, total)


@register_algorithm(
    name="sequential-halving",
    title="sequential halving, with a fixed budget",
    problem=BestArm(),
    citation="karnin2013almost",
)
def sequential_halving(
    setting: Setting[BestArm], *, budget: int = BUDGET, typical_gap: float = GAP
) -> Instance:
    """Sequential halving: at most ``budget`` rounds, regardless of the outcomes."""
    channel = Open(setting.bounds)
    return _instance(setting, channel, budget, typical_gap, subgaussian_tail)


@register_algorithm(
    name="local-sequential-halving",
    twin="sequential-halving",
    title="sequential halving with noise on every sample",
    problem=BestArm(),
    citation="zheng2020locally",
    builds_on=("karnin2013almost",),
)
def local_sequential_halving(
    setting: Setting[BestArm],
    *,
    budget: int = BUDGET,
    noise: SampleNoise = "response",
    typical_gap: float = GAP,
) -> Instance:
    """Sequential halving with noise on each sample; a gap counts as tanh(ε / 2) times itself."""
    width = setting.bounds.width
    chosen = report_noise(
        noise, bounds=setting.bounds, epsilon=setting.epsilon, delta=setting.delta
    )
    variance = chosen.square_around_middle(width) / width**2
    tail = functools.partial(subgaussian_tail, variance=variance)
    channel = PerRound(setting.bounds, chosen)
    return _instance(setting, channel, budget, typical_gap, tail, variance=variance)


@register_algorithm(
    name="batched-sequential-halving",
    twin="sequential-halving",
    title="sequential halving on noisy sums, one for each arm and phase",
    problem=BestArm(),
    citation="karnin2013almost",
)
def batched_sequential_halving(
    setting: Setting[BestArm], *, budget: int = BUDGET, typical_gap: float = GAP
) -> Instance:
    """Sequential halving in the central model: Laplace noise once for each arm and phase."""
    channel = Batch.laplace(size=1, epsilon=setting.epsilon, bounds=setting.bounds)
    tail = functools.partial(laplace_tail, scale=channel.noise.scale)
    return _instance(setting, channel, budget, typical_gap, tail, batched=True)


def _instance(
    setting: Setting[BestArm],
    channel: Channel,
    budget: int,
    gap: float,
    tail: Tail,
    *,
    batched: bool = False,
    **parameters: float,
) -> Instance:
    """Return sequential halving, and its error if all other arms are worse by a gap."""
    problem = setting.problem
    rounds = min(check_int("budget", budget, minimum=1), setting.rounds)
    learner = SequentialHalving.start(
        arms=problem.arms, budget=rounds, error=problem.error, batched=batched
    )
    distance = check_range("typical_gap", gap, 1e-6, 1.0)
    error = halving_error([distance] * (problem.arms - 1), rounds, tail)
    return Instance(
        private=Private(channel, learner),
        parameters={
            "budget": rounds,
            "phases": learner.phases,
            "typical_gap": distance,
            **parameters,
        },
        regret_bound=None,
        bound_source=f"with a probability of at most {error:.3g} if all other arms are worse by at "
        f"least {distance:g} of the range; the budget is fixed, so the allowed error is not used "
        "(docs/proofs.md: Sequential halving)",
    )
