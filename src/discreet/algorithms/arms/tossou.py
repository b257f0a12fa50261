"""Tossou & Dimitrakakis 2017: EXP3 on gains, with noise every round, or private by itself on batches."""

from __future__ import annotations

import math

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.arms.tuning import batched
from discreet.algorithms.papers import EXP3, TOSSOU
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound, Selection
from discreet.channels.selection import selection_curve
from discreet.curves import Pure
from discreet.learners import Exp3Gain
from discreet.mechanisms import Laplace
from discreet.private import Private
from discreet.problems import Arms


def gain_mixing(arms: int, plays: float) -> float:
    """Return γ = min(1, sqrt(K ln K / ((e - 1) T)))."""
    return min(1.0, math.sqrt(arms * math.log(arms) / ((math.e - 1.0) * plays)))


def gain_bound(arms: int, plays: float) -> float:
    """Return 2 sqrt((e - 1) T K ln K), the regret of EXP3 on gains in [0, 1]."""
    return 2.0 * math.sqrt((math.e - 1.0) * plays * arms * math.log(arms))


@register_algorithm(
    name="exp3-gain",
    title="EXP3 for gains",
    problem=Arms(),
    growth=ROOT,
    citation=EXP3,
    one_point=True,
)
def exp3_gain(setting: Setting[Arms], *, mixing: float | None = None) -> Instance:
    """EXP3 as Auer et al. and Tossou & Dimitrakakis define it: η = γ / K."""
    tuned = gain_mixing(setting.problem.arms, setting.rounds)
    share = tuned if mixing is None else mixing
    bound = (
        min(gain_bound(setting.problem.arms, setting.rounds), setting.rounds) * setting.bounds.width
    )
    learner = Exp3Gain.start(arms=setting.problem.arms, mixing=share)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"learning_rate": learner.learning_rate, "mixing": share},
        regret_bound=bound if share == tuned else None,
        bound_source="Auer et al. 2002, Corollary 3.2"
        if share == tuned
        else "no bound proved for this mixing",
    )


@register_algorithm(
    name="dp-exp3-lap",
    twin="exp3-gain",
    title="EXP3 for gains with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=1000.0),
    citation=TOSSOU,
    builds_on=(EXP3,),
)
def dp_exp3_lap(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    mixing: float | None = None,
    margin: float | None = None,
) -> Instance:
    """Algorithm 1: noisy gains outside [-b, 1 + b] are ignored, b = ln T / ε; all others are scaled to [0, 1].

    The paper's noise is right and tight, and its parameters are used as they are: both calibrations
    are the same.
    """
    del calibration
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    tuned = gain_mixing(arms, rounds), math.log(rounds) / epsilon
    share, reach = tuned[0] if mixing is None else mixing, tuned[1] if margin is None else margin
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=setting.bounds.width, epsilon=epsilon)
    )
    learner = Exp3Gain.start(arms=arms, mixing=share, margin=reach)
    width = 1.0 + 2.0 * reach
    square = min(1.0, ((1.0 + reach) ** 2 + 2.0 / epsilon**2) / width**2)
    ignored = (width / 2.0 + 1.0 / epsilon) * rounds * math.exp(-reach * epsilon)
    bound = (
        width * bounds.exp3_gain(arms, rounds, mixing=share, square=square)
        + share * rounds
        + ignored
    )
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
    citation=TOSSOU,
    builds_on=(EXP3,),
)
def exp3_tau(
    setting: Setting[Arms], *, calibration: Calibration = "tight", batch_size: int | None = None
) -> Instance:
    """Mini-batch EXP3, private through its own sampling: no noise.

    The batch size is the least at which the proved loss is at most (ε, δ). The paper's own
    (Corollary 3.3) is ((4 T ε + 2 T ln(1/δ)) / ε²)^(1/3); the guarantee then says what it really
    gives.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    if batch_size is None:
        batch_size = (_paper_size if calibration == "paper" else _least_size)(
            rounds, setting.epsilon, setting.delta
        )
    channel = Selection.over(
        size=batch_size, rounds=rounds, delta=setting.delta, bounds=setting.bounds
    )
    batches = -(-rounds // batch_size)
    learner = Exp3Gain.start(arms=arms, mixing=gain_mixing(arms, batches))
    complete = rounds // batch_size
    found = bounds.exp3_gain(arms, complete, mixing=learner.mixing) + learner.mixing * complete
    return Instance(
        private=Private(channel, learner),
        parameters={
            "batch_size": batch_size,
            "learning_rate": learner.learning_rate,
            "mixing": learner.mixing,
        },
        regret_bound=batched(setting, batch_size, found),
        bound_source="docs/regret.md: EXP3 on gains",
    )


def _least_size(rounds: int, epsilon: float, delta: float) -> int:
    """Return the least batch size whose loss is at most epsilon; the loss falls as batches grow.

    >>> _least_size(10_000, 1.0, 1e-6)
    42
    """
    low, high = 0, rounds
    while high - low > 1:
        middle = (low + high) // 2
        curve = selection_curve((1.0 + 1e-12) / middle, -(-rounds // middle), delta)
        loss = curve.epsilon if isinstance(curve, Pure) else curve.epsilon_at(delta)
        low, high = (low, middle) if loss <= epsilon else (middle, high)
    return high


def _paper_size(rounds: int, epsilon: float, delta: float) -> int:
    """Return what Corollary 3.3 prints; it needs a delta, and T^-2 is the paper's where none is given."""
    log = math.log(1.0 / delta) if delta > 0.0 else 2.0 * math.log(rounds)
    size = float((4.0 * rounds * epsilon + 2.0 * rounds * log) / epsilon**2) ** (1.0 / 3.0)
    return int(min(max(1, math.ceil(size)), rounds))
