"""Faster rates for private adversarial bandits (2025), section 3: an ordinary bandit on noisy means of batches."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms import bounds
from discreet.algorithms.arms.tuning import (
    IDEAL_EXP3_SIZE,
    IDEAL_FTPL_SIZE,
    MOST_CLIPPED,
    FtplNumbers,
    batched,
    noisy_exp3,
    noisy_ftpl,
)
from discreet.algorithms.papers import EXP3, FASTER_RATES, FTPL_ARMS, HTINF
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch
from discreet.learners import Exp3, Ftpl, Htinf
from discreet.private import Private
from discreet.problems import Arms

Calibration = Literal["tight", "paper"]


@register_algorithm(
    name="batched-exp3",
    twin="exp3",
    title="EXP3 on noisy means of batches",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation=FASTER_RATES,
    builds_on=(EXP3,),
)
def batched_exp3(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Corollary 1; tight: with the noise's second moment in place of its largest value (see ``noisy_exp3``).

    The tight bound is about 3.7 sqrt(K T ln K / ε), without the paper's logarithm of T, at τ =
    sqrt(3.6) / ε; the paper takes 1 / ε.
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, IDEAL_EXP3_SIZE if calibration == "tight" else 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    if calibration == "tight":
        return noisy_exp3(setting, channel, learning_rate=learning_rate, mixing=mixing)
    log = max(1.0, math.log(epsilon * arms * rounds))
    rate = (
        math.sqrt(math.log(arms) / (22.0 * epsilon * arms * rounds)) / log
        if learning_rate is None
        else learning_rate
    )
    share = min(4.0 * rate * arms * log, 0.5) if mixing is None else mixing
    bound = (
        36.0 * math.sqrt(rounds * arms * math.log(arms) / epsilon) * math.log(arms * rounds)
        + 4.0 / epsilon
    )
    printed = epsilon <= 1.0 and batch_size is None and learning_rate is None and mixing is None
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=share)),
        parameters={"batch_size": size, "learning_rate": rate, "mixing": share},
        regret_bound=min(bound, rounds) * setting.bounds.width if printed else None,
        bound_source="Faster rates 2025, Corollary 1"
        if printed
        else "no bound proved for these parameters",
    )


@register_algorithm(
    name="batched-htinf",
    twin="htinf",
    title="HTINF on noisy means of batches",
    problem=Arms(),
    growth=ROOT,
    citation=FASTER_RATES,
    builds_on=(HTINF,),
)
def batched_htinf(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    batch_size: int | None = None,
    moment: float | None = None,
) -> Instance:
    """Corollary 2: HTINF with α = 2, that clips what is beyond its threshold (the paper's skips it).

    A noisy mean has second moment at most σ² = 1 + 2 λ², λ = 1 / (τ ε) (the paper takes 6). With Θ
    = sqrt(5) - 2 and a learning rate of 0.87 / (σ sqrt(t)) the bound is 4.6 τ σ sqrt(K T'), least
    at τ = sqrt(2) / ε (the paper: 30, 1 / ε).
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, math.sqrt(2.0) if calibration == "tight" else 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    least = math.sqrt(1.0 + 2.0 / (size * epsilon) ** 2)
    tight = calibration == "tight"
    sigma = (
        (least / math.sqrt(1.0 - MOST_CLIPPED) if tight else math.sqrt(6.0))
        if moment is None
        else moment
    )
    learner = Htinf.start(
        arms=arms, moment=sigma, threshold=MOST_CLIPPED if tight else None, clips=tight
    )
    found = bounds.htinf(
        arms,
        rounds // size,
        deviation=least,
        moment=sigma,
        threshold=learner.threshold,
        clips=learner.clips,
    )
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": size, "moment": sigma, "threshold": learner.threshold},
        regret_bound=batched(setting, size, found),
        bound_source="docs/regret.md: HTINF",
    )


@register_algorithm(
    name="batched-ftpl",
    twin="ftpl",
    title="follow the perturbed leader on noisy means of batches",
    problem=Arms(),
    growth=Growth(0.5, shows_at=1000.0),
    citation=FASTER_RATES,
    builds_on=(FTPL_ARMS,),
)
def batched_ftpl(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    cap: int | None = None,
) -> Instance:
    """Corollary 3, with argmin in the resampling and the cap as its value when nothing is hit.

    With T' batches and λ = 1 / (τ ε), rate η and cap M are those with the least bound, which asks
    for η λ M < 1 and has no logarithm of T (docs/regret.md: FTPL). The paper's, with ε T for T' and
    L = ln(K ε T), are M = sqrt(K ε T) and η = min(sqrt(ln K / (K ε T (1 + 10 L²))), 1 / (M (1 + 4
    L))).
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, IDEAL_FTPL_SIZE if calibration == "tight" else 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    batches = max(1, rounds // size)
    noise = 1.0 / (size * epsilon)
    chosen = (
        noisy_ftpl(arms, batches, noise)
        if calibration == "tight"
        else _printed_ftpl(arms, epsilon * rounds)
    )
    rate = chosen.rate if learning_rate is None else learning_rate
    copies = chosen.cap if cap is None else cap
    found = bounds.ftpl(arms, batches, rate=rate, cap=copies, noise=noise)
    proved = math.isfinite(found) and size <= rounds
    return Instance(
        private=Private(channel, Ftpl.start(arms=arms, learning_rate=rate, cap=copies)),
        parameters={"batch_size": size, "learning_rate": rate, "cap": copies},
        regret_bound=batched(setting, size, found) if proved else None,
        bound_source="docs/regret.md: FTPL"
        if proved
        else "no bound proved: the learning rate is too large",
    )


def _printed_ftpl(arms: int, plays: float) -> FtplNumbers:
    """Return the paper's rate and cap, with which ε T is the number of batches."""
    size = arms * max(1.0, plays)
    log = max(1.0, math.log(size))
    cap = max(1, math.ceil(math.sqrt(size)))
    rate = math.sqrt(math.log(arms) / (size * (1.0 + 10.0 * log**2)))
    return FtplNumbers(min(rate, 1.0 / (cap * (1.0 + 4.0 * log))), cap)


def _size(setting: Setting[Arms], factor: float, given: int | None) -> int:
    """Return factor / epsilon rounds, but no more than there are."""
    return min(math.ceil(factor / setting.epsilon), setting.rounds) if given is None else given
