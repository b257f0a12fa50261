"""Agarwal & Singh 2017, section 4, on arms: EXP2 on losses that are noised every round."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.arms.tuning import noisy_exp3, responsive_exp3
from discreet.algorithms.papers import AGARWAL_SINGH, EXP2
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.errors import DiscreetError
from discreet.learners import Exp3
from discreet.mechanisms import Laplace, report_noise
from discreet.private import Private
from discreet.problems import Arms


@register_algorithm(
    name="exp2",
    title="EXP2 with uniform exploration",
    problem=Arms(),
    growth=ROOT,
    citation=EXP2,
    one_point=True,
)
def exp2(
    setting: Setting[Arms], *, learning_rate: float | None = None, mixing: float | None = None
) -> Instance:
    """EXP2 on the unit vectors, whose optimal exploration is uniform: EXP3 with mixing.

    η = sqrt(ln K / (3 K T)), γ = η K, as for losses in [-1, 1] (Bubeck et al. 2012, Theorem 4): the
    regret is at most 2.6 sqrt(K T ln K) in widths of the range.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    rate = (
        math.sqrt(math.log(arms) / (3.0 * arms * rounds))
        if learning_rate is None
        else learning_rate
    )
    share = min(rate * arms, 1.0) if mixing is None else mixing
    bound = bounds.exp3(arms, rounds, rate=rate, mixing=share)
    return Instance(
        private=Private(
            Open(setting.bounds), Exp3.start(arms=arms, learning_rate=rate, mixing=share)
        ),
        parameters={"learning_rate": rate, "mixing": share},
        regret_bound=min(bound, rounds) * setting.bounds.width,
        bound_source="docs/regret.md: EXP3",
    )


@register_algorithm(
    name="noisy-exp2",
    twin="exp2",
    title="EXP2 with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation=AGARWAL_SINGH,
    builds_on=(EXP2,),
)
def noisy_exp2(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    noise: Literal["laplace", "response"] = "laplace",
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Theorem 4.1; tight: the noise covers the whole range of a loss, and the parameters satisfy what the proof needs.

    The paper's noise is calibrated to the largest absolute loss, which is half of the range of [-1,
    1]: there, with ``calibration=paper``, the guarantee is 2 ε. Its parameters are η = sqrt(ln K /
    (2 K T v)) and γ = η K sqrt(v) with v = 1 + 2 λ² ln(K T), for which the proof's condition does
    not hold; so no bound is stated for them. Randomised response in the place of Laplace noise has
    a smaller bound.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    if calibration == "tight":
        chosen = report_noise(noise, bounds=setting.bounds, epsilon=setting.epsilon, delta=0.0)
        tuned = noisy_exp3 if noise == "laplace" else responsive_exp3
        return tuned(
            setting, PerRound(setting.bounds, chosen), learning_rate=learning_rate, mixing=mixing
        )
    if noise != "laplace":
        raise DiscreetError(
            f"calibration is paper, which has laplace noise, but noise is {noise}: leave it out."
        )
    largest = max(abs(setting.bounds.low), abs(setting.bounds.high))
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=largest, epsilon=setting.epsilon)
    )
    spread = 1.0 + 2.0 / setting.epsilon**2 * math.log(arms * rounds)
    rate = (
        math.sqrt(math.log(arms) / (2.0 * arms * rounds * spread))
        if learning_rate is None
        else learning_rate
    )
    share = min(rate * arms * math.sqrt(spread), 0.5) if mixing is None else mixing
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=share)),
        parameters={"learning_rate": rate, "mixing": share},
        regret_bound=None,
        bound_source="no bound proved: the paper's parameters violate a condition of its proof",
    )
