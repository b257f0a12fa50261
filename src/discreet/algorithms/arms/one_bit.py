"""One randomised bit a batch: ours, the least proved bound of the private bandits in most settings."""

from __future__ import annotations

import math

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.tuning import batched
from discreet.algorithms.papers import TSALLIS_INF
from discreet.algorithms.registry import ROOT, Instance, Setting, register_algorithm
from discreet.channels import OneBit
from discreet.learners import TsallisInf
from discreet.mechanisms import Coin
from discreet.private import Private
from discreet.problems import Arms


@register_algorithm(
    name="one-bit-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on one randomised bit a batch",
    problem=Arms(),
    growth=ROOT,
    citation=TSALLIS_INF,
)
def one_bit_tsallis_inf(setting: Setting[Arms], *, batch_size: int | None = None) -> Instance:
    """Reduced-variance Tsallis-INF, c = 4, κ = 1/4, behind a channel that releases one randomised bit for each batch.

    The mean of a bit is 1/2 + a (m - 1/2), m the mean of the batch, a = u τ / (2 + u τ) with u =
    e^ε - 1: bits are losses in [0, 1] whose means are those of the batches, drawn together by the
    factor a. So the regret is at most (τ / a) B(T'), plus the rounds of a last, incomplete batch: B
    is the bound of Tsallis-INF on T' = floor(T / τ) bits, of order sqrt(T'). The factor sqrt(τ) / a
    is least at τ = 2 / u, where a = 1/2.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    size = best_size(setting.epsilon, rounds) if batch_size is None else batch_size
    channel = OneBit.over(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    found = bounds.sharp_tsallis_inf(arms, rounds // size) / channel.contrast
    return Instance(
        private=Private(
            channel, TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=0.25)
        ),
        parameters={"batch_size": size, "contrast": channel.contrast, "learning_rate": 4.0},
        regret_bound=batched(setting, size, found),
        bound_source="docs/regret.md: One bit",
    )


def best_size(epsilon: float, rounds: int) -> int:
    """Return the batch size next to 2 / u at which the bound is least, but no more than there are rounds.

    >>> best_size(1.0, 1000), best_size(0.1, 1000), best_size(0.001, 1000)
    (1, 19, 1000)
    """
    ideal = 2.0 / Coin.calibrate(epsilon=epsilon).lift
    if ideal >= rounds:
        return rounds
    below = max(1, math.floor(ideal))
    return min((below, below + 1), key=lambda size: (1.0 + size / ideal) / math.sqrt(size))
