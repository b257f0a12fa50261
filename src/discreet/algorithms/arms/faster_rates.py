"""Faster rates for private adversarial bandits (2025), section 3: an ordinary bandit on noisy means of batches."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms.tuning import noisy_exp3
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

    The tight bound grows with the root of T (τ + 2 / (τ ε²) + ln(T / τ) / ε), which is least at τ = 2 / ε; the paper
    takes 1 / ε.
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, 2.0 if calibration == "tight" else 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    if calibration == "tight":
        return noisy_exp3(
            setting, channel, learning_rate=learning_rate, mixing=mixing, source="Faster rates 2025, Corollary 1"
        )
    log = max(1.0, math.log(epsilon * arms * rounds))
    rate = math.sqrt(math.log(arms) / (22.0 * epsilon * arms * rounds)) / log if learning_rate is None else learning_rate
    share = min(4.0 * rate * arms * log, 0.5) if mixing is None else mixing
    bound = 36.0 * math.sqrt(rounds * arms * math.log(arms) / epsilon) * math.log(arms * rounds) + 4.0 / epsilon
    printed = epsilon <= 1.0 and batch_size is None and learning_rate is None and mixing is None
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=share)),
        parameters={"batch_size": size, "learning_rate": rate, "mixing": share},
        regret_bound=min(bound, rounds) * setting.bounds.width if printed else None,
        bound_source="Faster rates 2025, Corollary 1" if printed else "no bound proved for these parameters",
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
    """Corollary 2: HTINF with α = 2.

    A noisy mean has second moment at most 1 + 2 λ², λ = 1 / (τ ε), which is σ² (the paper takes 6). The bound
    30 τ σ sqrt(K (T' + 1)) is least at τ = sqrt(2) / ε (the paper takes 1 / ε).
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, math.sqrt(2.0) if calibration == "tight" else 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    least = math.sqrt(1.0 + 2.0 / (size * epsilon) ** 2)
    sigma = (least if calibration == "tight" else math.sqrt(6.0)) if moment is None else moment
    batches = rounds // size
    bound = size * 30.0 * sigma * math.sqrt(arms * (batches + 1)) + rounds - size * batches
    return Instance(
        private=Private(channel, Htinf.start(arms=arms, moment=sigma)),
        parameters={"batch_size": size, "moment": sigma},
        regret_bound=min(bound, rounds) * setting.bounds.width if sigma >= least else None,
        bound_source="Faster rates 2025, Corollary 2" if sigma >= least else "no bound proved: moment is too small",
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

    With T' batches, λ = 1 / (τ ε), B = 1 + 10 λ² ln²(K T'): M = sqrt(K T'), η = min(sqrt(1.5 ln K / (K T' B)),
    1 / (M (1 + 4 λ ln(K T')))), and the regret is at most τ (6 ln K / η + 4 η K T' B + K T' / (e M) + 1) (Lemma 13; the
    paper's own η lacks the 1.5 and writes ε T for T').
    """
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    size = _size(setting, 1.0, batch_size)
    channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
    batches = max(1, rounds // size)
    noise = 1.0 / (size * epsilon)
    plays, spread, factor = float(batches), noise, 1.5
    if calibration == "paper":
        plays, spread, factor = max(1.0, epsilon * rounds), 1.0, 1.0
    log = max(1.0, math.log(arms * plays))
    copies = max(1, math.ceil(math.sqrt(arms * plays))) if cap is None else cap
    most = 1.0 / (copies * (1.0 + 4.0 * spread * log))
    moment = 1.0 + 10.0 * (spread * log) ** 2
    rate = (
        min(math.sqrt(factor * math.log(arms) / (arms * plays * moment)), most)
        if learning_rate is None
        else learning_rate
    )

    true_log = math.log(arms * batches)
    proved = rate * copies * (1.0 + 4.0 * noise * true_log) <= 1.0 + 1e-12 and size <= rounds
    per_batch = (
        6.0 * math.log(arms) / rate
        + 4.0 * rate * arms * batches * (1.0 + 10.0 * (noise * true_log) ** 2)
        + arms * batches / (math.e * copies)
        + 1.0
    )
    bound = min(size * per_batch + rounds - size * batches, rounds) * setting.bounds.width
    return Instance(
        private=Private(channel, Ftpl.start(arms=arms, learning_rate=rate, cap=copies)),
        parameters={"batch_size": size, "learning_rate": rate, "cap": copies},
        regret_bound=bound if proved else None,
        bound_source="Faster rates 2025, Lemma 13" if proved else "no bound proved: the learning rate is too large",
    )


def _size(setting: Setting[Arms], factor: float, given: int | None) -> int:
    """Return factor / epsilon rounds, but no more than there are."""
    return min(math.ceil(factor / setting.epsilon), setting.rounds) if given is None else given
