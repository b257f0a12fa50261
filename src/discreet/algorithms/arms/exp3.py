"""Private EXP3 of Agarwal & Singh 2017, section 4, and of Tossou & Dimitrakakis 2017."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.ordinary import gain_mixing
from discreet.algorithms.arms.tuning import bound_rounds, noisy_exp3, responsive_exp3
from discreet.algorithms.registry import Growth, Instance, Setting, register_algorithm
from discreet.channels import PerRound, Selection
from discreet.channels.selection import selection_curve
from discreet.curves import Pure
from discreet.errors import check_int
from discreet.learners import Exp3Gain
from discreet.mechanisms import Laplace, report_noise
from discreet.private import Private
from discreet.problems import Arms

GAIN_FACTOR = 2.0 * math.sqrt(math.e - 1.0)  # c in the bound c sqrt(K T ln K) of EXP3 on gains


@register_algorithm(
    name="noisy-exp2",
    twin="exp3",  # without noise no mixing is needed, which leaves exp3
    title="EXP2 with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation="agarwal2017price",
    builds_on=("bubeck2012towards",),
)
def noisy_exp2(
    setting: Setting[Arms],
    *,
    noise: Literal["laplace", "response"] = "laplace",
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Theorem 4.1 with noise for the whole range of a loss, and parameters that its proof allows.

    Randomised response instead of Laplace noise has a smaller bound.
    """
    chosen = report_noise(noise, bounds=setting.bounds, epsilon=setting.epsilon, delta=0.0)
    tune = noisy_exp3 if noise == "laplace" else responsive_exp3
    channel = PerRound(setting.bounds, chosen)
    return tune(setting, channel, learning_rate=learning_rate, mixing=mixing)


@register_algorithm(
    name="dp-exp3-lap",
    twin="exp3-gain",
    title="EXP3 for gains with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=1000.0),
    citation="tossou2017achieving",
    builds_on=("auer2002nonstochastic",),
)
def dp_exp3_lap(
    setting: Setting[Arms], *, mixing: float | None = None, margin: float | None = None
) -> Instance:
    """Algorithm 1 of Tossou & Dimitrakakis with the paper's noise, which is correct and tight.

    Noisy gains outside [-b, 1 + b] are ignored, b = ln T / ε; all others are scaled to [0, 1].
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    share = gain_mixing(arms, rounds) if mixing is None else mixing
    reach = math.log(rounds) / epsilon if margin is None else margin
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=setting.bounds.width, epsilon=epsilon)
    )
    learner = Exp3Gain.start(arms=arms, mixing=share, margin=reach)
    width = 1.0 + 2.0 * reach
    square = min(1.0, ((1.0 + reach) ** 2 + 2.0 / epsilon**2) / width**2)
    ignored = (width / 2.0 + 1.0 / epsilon) * rounds * math.exp(-reach * epsilon)
    on_gains = bounds.exp3_gain(arms, rounds, mixing=share, square=square)
    bound = width * on_gains + share * rounds + ignored
    return Instance(
        private=Private(channel, learner),
        parameters={"learning_rate": learner.learning_rate, "mixing": share, "margin": reach},
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="docs/regret.md: EXP3 on gains",
    )


@register_algorithm(
    name="exp3-tau",
    twin="exp3-gain",
    title="EXP3 for gains on exact means of batches",
    problem=Arms(),
    growth=Growth(2.0 / 3.0, shows_at=10.0),
    citation="tossou2017achieving",
    builds_on=("auer2002nonstochastic",),
)
def exp3_tau(setting: Setting[Arms], *, batch_size: int | None = None, memory: int = 0) -> Instance:
    """Mini-batch EXP3, private through its own sampling: no noise.

    The batch size is the least at which the proved loss of privacy is at most (ε, δ). With
    ``memory`` m the bound is on the policy regret against losses that depend on the last m actions,
    and batches are not shorter than the τ with the least such bound (Theorem 3.4).
    """
    arms, rounds = setting.problem.arms, setting.rounds
    reach = check_int("memory", memory, minimum=0)
    if batch_size is None:
        batch_size = _least_size(rounds, setting.epsilon, setting.delta)
        if reach > 0:
            wanted = bounds.remembering_size(arms, rounds, memory=reach, factor=GAIN_FACTOR)
            batch_size = min(max(batch_size, wanted), rounds)
    channel = Selection.over(
        size=batch_size, rounds=rounds, delta=setting.delta, bounds=setting.bounds
    )
    batches = -(-rounds // batch_size)
    learner = Exp3Gain.start(arms=arms, mixing=gain_mixing(arms, batches))
    complete = rounds // batch_size
    found = bounds.exp3_gain(arms, complete, mixing=learner.mixing) + learner.mixing * complete
    policy = bounds.remembering(found, rounds=rounds, size=batch_size, memory=reach)
    covered = reach if math.isfinite(policy) else 0
    return Instance(
        private=Private(channel, learner),
        parameters={
            "batch_size": batch_size,
            "learning_rate": learner.learning_rate,
            "mixing": learner.mixing,
            "memory": covered,
        },
        regret_bound=min(policy, rounds) * setting.bounds.width
        if covered
        else bound_rounds(setting, batch_size, found),
        bound_source="docs/regret.md: Memory" if covered else "docs/regret.md: EXP3 on gains",
        memory=covered,
    )


def _least_size(rounds: int, epsilon: float, delta: float) -> int:
    """Return the least batch size whose loss is at most epsilon; the loss falls as batches grow.

    >>> _least_size(10_000, 1.0, 1e-6)
    42
    """
    low, high = 0, rounds
    while high - low > 1:
        middle = (low + high) // 2
        # Exp3Gain.window has the same allowance for rounding errors
        curve = selection_curve((1.0 + 1e-12) / middle, -(-rounds // middle), delta)
        loss = curve.epsilon if isinstance(curve, Pure) else curve.epsilon_at(delta)
        low, high = (low, middle) if loss <= epsilon else (middle, high)
    return high
