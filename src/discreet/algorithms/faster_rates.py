"""Faster rates for private adversarial bandits (2025), section 3: an ordinary bandit on noisy means of batches."""

from __future__ import annotations

import math

from discreet.algorithms.baselines import BANDIT, ONE_LOSS
from discreet.algorithms.registry import Citation, Instance, Setting, register
from discreet.channels import Batch
from discreet.learners import Exp3
from discreet.private import Private

FASTER_RATES = Citation(
    short="Asi, Raman & Talwar 2025",
    text="H. Asi, V. Raman, K. Talwar. Faster rates for private adversarial bandits. ICML, 2025.",
)


@register(
    name="batched-exp3",
    title="EXP3 on noisy means of batches",
    problem=BANDIT,
    feedback=ONE_LOSS,
    citation=FASTER_RATES,
)
def batched_exp3(
    setting: Setting,
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Corollary 1 of the paper, with the noise's second moment in place of its largest value.

    On the scale where losses are in [0, 1], with T' = floor(T / τ) batches and noise Lap(λ), λ = 1 / (τ ε), noisy means
    are clipped to [-b, 1 + b], b = λ ln T', and

        η = min( sqrt(ln K / (K T' v)), 1 / (2 K b) ),   γ = η K b,   v = 1 + 2 λ² + b.

    Then the expected regret is at most τ (ln K / η + η K T' v + λ (1 + γ)) plus the rounds of the last, incomplete batch.
    Proof: a clipped noisy loss has second moment at most 1 + 2 λ²; no estimate is below -b K / γ = -1 / η, so that
    exponential weights lose at most ln K / η + η K T' (1 + 2 λ²), and mixing at most γ T' = η K T' b; clipping moves an
    expected loss by at most (λ / 2) exp(-b / λ) = λ / (2 T'). The bound grows with the root of
    T (τ + 2 / (τ ε²) + ln(T / τ) / ε), which is least at τ = 2 / ε.
    """
    arms, rounds = setting.arms, setting.rounds
    size = min(math.ceil(2.0 / setting.epsilon), rounds) if batch_size is None else batch_size
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)

    batches = max(1, rounds // size)
    noise = 1.0 / (size * setting.epsilon)
    margin = noise * math.log(batches)
    moment = 1.0 + 2.0 * noise**2 + margin
    if learning_rate is None:
        learning_rate = math.sqrt(math.log(arms) / (arms * batches * moment))
        if margin > 0.0:
            learning_rate = min(learning_rate, 1.0 / (2.0 * arms * margin))
    steady = learning_rate * arms * margin
    mixing = min(steady, 0.5) if mixing is None else mixing
    learner = Exp3.start(arms=arms, learning_rate=learning_rate, mixing=mixing, margin=margin)

    proved = steady <= mixing * (1.0 + 1e-12) and size <= rounds
    per_batch = (
        math.log(arms) / learning_rate
        + learning_rate * arms * batches * (1.0 + 2.0 * noise**2)
        + mixing * batches
        + noise * (1.0 + mixing)
    )
    bound = min(size * per_batch + rounds - size * batches, rounds) * setting.bounds.width
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": size, "learning_rate": learning_rate, "mixing": mixing, "margin": margin},
        regret_bound=bound if proved else None,
        bound_source="Faster rates 2025, Corollary 1, constants re-derived"
        if proved
        else "no bound proved: mixing is too small",
    )
