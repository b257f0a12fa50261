"""Parameters of EXP3 on noisy losses, shared by all channels with Laplace noise or randomised response."""

from __future__ import annotations

import math

from discreet.algorithms.registry import Instance, Setting
from discreet.contracts import Channel
from discreet.learners import Exp3
from discreet.mechanisms import RandomisedResponse
from discreet.private import Private
from discreet.problems import Arms


def noisy_exp3(
    setting: Setting[Arms], channel: Channel, *, learning_rate: float | None, mixing: float | None, source: str
) -> Instance:
    """Return EXP3 behind a channel that releases means of τ losses with Laplace noise, or responses to single ones.

    On the scale where losses are in [0, 1], with T' = floor(T / τ) batches and noise Lap(λ), noisy means are clipped to
    [-b, 1 + b], b = λ ln T', and

        η = min( sqrt(ln K / (K T' v)), 1 / (2 K b) ),   γ = η K b,   v = 1 + 2 λ² + b.

    Then the expected regret is at most τ (ln K / η + η K T' v + λ (1 + γ)) plus the rounds of the last, incomplete batch.
    Proof: a clipped noisy loss has second moment at most 1 + 2 λ²; no estimate is below -b K / γ = -1 / η, so that
    exponential weights lose at most ln K / η + η K T' (1 + 2 λ²) (their share 1 - γ of the draws cancels in Σ q / p), and
    mixing at most γ T' = η K T' b; clipping moves an expected loss by at most (λ / 2) exp(-b / λ) = λ / (2 T').

    A response is one of (1 ± c) / 2, c = coth(ε / 2): nothing is clipped, b = (c - 1) / 2, and its second moment is at
    most (3 + c²) / 4, that of a loss of 1. The same proof holds with this in the place of 1 + 2 λ², and without the last
    term.
    """
    arms, rounds, size = setting.problem.arms, setting.rounds, channel.hold()
    batches = max(1, rounds // size)
    (added,) = channel.noise_scales
    noise = added.scale / setting.bounds.width
    square, margin, bias = 1.0 + 2.0 * noise**2, noise * math.log(batches), noise
    if added.kind == RandomisedResponse.kind:
        square, margin, bias = 0.75 + noise**2, noise - 0.5, 0.0
    moment = square + margin
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
        + learning_rate * arms * batches * square
        + mixing * batches
        + bias * (1.0 + mixing)
    )
    bound = min(size * per_batch + rounds - size * batches, rounds) * setting.bounds.width
    return Instance(
        private=Private(channel, learner),
        parameters={
            "batch_size": size,
            "learning_rate": learning_rate,
            "mixing": mixing,
            "margin": margin,
        },
        regret_bound=bound if proved else None,
        bound_source=f"{source}, constants re-derived"
        if proved
        else "no bound proved: mixing too small or batch too long",
    )
