"""Indices on noisy means of batches, for losses that do not change: ours, and the best published ones."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms.stationary import Schedule, covering_confidence, stationary_bound
from discreet.algorithms.papers import AZIZE_2022, AZIZE_2025, NONE, SAJED
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Batch
from discreet.errors import check_range
from discreet.learners import AdapKlUcb, BatchedUcb, DpImed, DpKlUcb, DpSuccessiveElimination
from discreet.private import Private
from discreet.problems import Arms

Confidence = Literal["tuned", "proved"]

UNCHANGING_ONLY = (
    "bounded only for losses that do not change (independent, with fixed means); if they change, "
    "it may be linear"
)
NO_NUMBER = f"{UNCHANGING_ONLY}; with these constants no number is proved"
PROVED_UNCHANGING = f"{UNCHANGING_ONLY} (docs/proofs.md: Batched upper confidence bounds)"


@register_algorithm(
    name="batched-ucb",
    twin="ucb",
    title="upper confidence bounds on noisy batches",
    problem=Arms(),
    stochastic=True,
    citation=NONE,
)
def batched_ucb(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    growth: float = 0.5,
    exploration: float = 0.7,
    confidence: Confidence = "tuned",
) -> Instance:
    """Upper confidence bounds on weighted means of batches that grow; the first batch has 1 / ε rounds.

    With ``confidence=proved`` the radii cover all releases of the game, so that a bound holds;
    ``exploration`` is not used then. Tuned ones have half of the regret, and no proof.
    """
    arms, rounds, noise = setting.problem.arms, setting.rounds, 1.0 / setting.epsilon
    first = first_batch(setting, batch_size)
    proved = confidence == "proved"
    schedule = Schedule(first, check_range("growth", growth, 0.01, 100.0), noise)
    learner = BatchedUcb.start(
        arms=arms,
        noise=noise,
        first=first,
        growth=growth,
        exploration=0.0 if proved else exploration,
        caution=covering_confidence(schedule, arms=arms, rounds=rounds) if proved else 0.0,
    )
    bound = (
        stationary_bound(schedule, arms=arms, rounds=rounds) * setting.bounds.width
        if proved
        else None
    )
    return Instance(
        private=Private(channel(setting, first), learner),
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
    citation=AZIZE_2025,
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
        private=Private(channel(setting, first), learner),
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
    citation=AZIZE_2025,
)
def dp_imed(
    setting: Setting[Arms], *, batch_size: int | None = None, growth: float = 0.5
) -> Instance:
    """DP-IMED; the first batch has 1 / ε rounds.

    The least regret of most runs, but in about one of 100 noise hides the best arm for good (see
    ``DpImed``).
    """
    first = first_batch(setting, batch_size)
    learner = DpImed.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, first=first, growth=growth
    )
    return Instance(
        private=Private(channel(setting, first), learner),
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
    citation=AZIZE_2022,
)
def adap_klucb(setting: Setting[Arms], *, exploration: float = 1.0) -> Instance:
    """AdaP-KLUCB; α = 1, unless set (the theorem needs more than 3)."""
    learner = AdapKlUcb.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, exploration=exploration
    )
    return Instance(
        private=Private(channel(setting, 1), learner),
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
    citation=SAJED,
)
def dp_successive_elimination(setting: Setting[Arms], *, failure: float | None = None) -> Instance:
    """DP successive elimination; β = 1 / T, unless set."""
    share = 1.0 / setting.rounds if failure is None else failure
    learner = DpSuccessiveElimination.start(
        arms=setting.problem.arms, epsilon=setting.epsilon, failure=share
    )
    return Instance(
        private=Private(channel(setting, 1), learner),
        parameters={"failure": share},
        regret_bound=None,
        bound_source=NO_NUMBER,
    )


def first_batch(setting: Setting[Arms], given: int | None) -> int:
    """Return 1 / epsilon rounds, but no more than there are."""
    return min(math.ceil(1.0 / setting.epsilon), setting.rounds) if given is None else given


def channel(setting: Setting[Arms], size: int) -> Batch:
    """Return the channel of batches, whose lengths the learner chooses."""
    return Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
