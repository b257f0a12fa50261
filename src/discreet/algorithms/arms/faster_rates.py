"""Faster rates 2025, section 3: ordinary bandits on noisy means of batches."""

from __future__ import annotations

import math

from discreet.algorithms.arms.ordinary import MOST_CLIPPED, htinf_moment
from discreet.algorithms.arms.tuning import (
    IDEAL_EXP3_SIZE,
    IDEAL_FTPL_SIZE,
    noisy_exp3,
    noisy_ftpl,
    noisy_htinf,
)
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch
from discreet.learners import Htinf
from discreet.problems import Arms


@register_algorithm(
    name="batched-exp3",
    twin="exp3",
    title="EXP3 on noisy means of batches",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation="asi2025faster",
    builds_on=("auer2002nonstochastic",),
)
def batched_exp3(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Corollary 1 with the noise's second moment instead of its largest value (``noisy_exp3``).

    The bound is about 3.7 sqrt(K T ln K / ε), without the paper's logarithm of T, at τ =
    sqrt(3.6) / ε.
    """
    channel = batches_of(setting, IDEAL_EXP3_SIZE, batch_size)
    return noisy_exp3(setting, channel, learning_rate=learning_rate, mixing=mixing)


@register_algorithm(
    name="batched-htinf",
    twin="htinf",
    title="HTINF on noisy means of batches",
    problem=Arms(),
    growth=ROOT,
    citation="asi2025faster",
    builds_on=("huang2022adaptive",),
    anytime=True,
)
def batched_htinf(
    setting: Setting[Arms], *, batch_size: int | None = None, moment: float | None = None
) -> Instance:
    """Corollary 2: HTINF with α = 2, which clips losses beyond its threshold.

    A noisy mean has second moment at most σ² = 1 + 2 λ², λ = 1 / (τ ε). With Θ = sqrt(5) - 2 and a
    learning rate of 1 / (ς sqrt(t)), ς the best, the bound is below 4.6 τ σ sqrt(K T'), least at τ
    = sqrt(2) / ε. None of this depends on the number of rounds, which may be unknown.
    """
    channel = batches_of(setting, math.sqrt(2.0), batch_size)
    least = math.sqrt(1.0 + 2.0 / (channel.hold() * setting.epsilon) ** 2)
    sigma = htinf_moment(setting.problem.arms, least) if moment is None else moment
    learner = Htinf.start(
        arms=setting.problem.arms, moment=sigma, threshold=MOST_CLIPPED, clips=True
    )
    return noisy_htinf(setting, channel, learner)


@register_algorithm(
    name="batched-ftpl",
    twin="ftpl",
    title="follow the perturbed leader on noisy means of batches",
    problem=Arms(),
    growth=Growth(0.5, shows_at=1000.0),
    citation="asi2025faster",
    builds_on=("neu2016importance",),
)
def batched_ftpl(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    cap: int | None = None,
) -> Instance:
    """Corollary 3, with argmin in the resampling and the cap as the value if no copy hits.

    With T' batches and λ = 1 / (τ ε), the rate η and the cap M are those with the least bound. It
    needs η λ M < 1 and has no logarithm of T (docs/regret.md: FTPL).
    """
    channel = batches_of(setting, IDEAL_FTPL_SIZE, batch_size)
    return noisy_ftpl(setting, channel, learning_rate=learning_rate, cap=cap)


def batches_of(setting: Setting[Arms], factor: float, given: int | None) -> Batch:
    """Return Laplace noise on means of factor / epsilon rounds, at most the known number."""
    usual = math.ceil(factor / setting.epsilon)
    if not setting.unknown_horizon:
        usual = min(usual, setting.rounds)
    size = usual if given is None else given
    return Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
