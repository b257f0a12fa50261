"""Ours: Tsallis-INF on noisy means of batches, with a learning rate scaled to the noise."""

from __future__ import annotations

import math

from discreet.algorithms.baselines import BANDIT, ONE_LOSS, TSALLIS, Estimator
from discreet.algorithms.registry import Instance, Setting, register
from discreet.channels import Batch
from discreet.learners import TsallisInf
from discreet.private import Private


@register(
    name="batched-tsallis-inf",
    title="Tsallis-INF on noisy means of batches",
    problem=BANDIT,
    feedback=ONE_LOSS,
    citation=TSALLIS,
)
def batched_tsallis_inf(
    setting: Setting,
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
) -> Instance:
    """Tsallis-INF behind the batch channel of Faster rates 2025, Algorithm 1.

    On the scale where losses are in [0, 1], a noisy mean has second moment at most v = m + 2 λ² around the baseline, with
    λ = 1 / (τ ε) and m = 1 (importance-weighted) or 1/4 (reduced-variance). Without noise c = 2 / sqrt(m) is the paper's
    learning rate; scaled to the noise it is c = 2 / sqrt(v). The regret is of order sqrt(T τ v), least at
    τ = sqrt(2 / m) / ε. Noise makes losses negative, which the published regret proof does not cover: no bound is stated.
    """
    rounds = setting.rounds
    reduced = estimator == "reduced-variance"
    moment = 0.25 if reduced else 1.0
    size = min(math.ceil(math.sqrt(2.0 / moment) / setting.epsilon), rounds) if batch_size is None else batch_size
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    noise = 1.0 / (size * setting.epsilon)
    rate = 2.0 / math.sqrt(moment + 2.0 * noise**2) if learning_rate is None else learning_rate
    learner = TsallisInf.start(arms=setting.arms, learning_rate=rate, baseline=0.5 if reduced else 0.0)
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": size, "learning_rate": rate, "estimator": estimator},
        regret_bound=None,
        bound_source="no bound proved: noisy losses can be negative",
    )
