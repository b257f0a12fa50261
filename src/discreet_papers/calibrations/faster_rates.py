"""Asi, Raman & Talwar 2025 (Faster rates for private adversarial bandits), as printed."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet import Private
from discreet.algorithms import Instance, Setting, advice, algorithm, arms
from discreet.channels import PerRound
from discreet.errors import DiscreetError
from discreet.learners import BatchedExp4, Exp3, Exp4, Htinf
from discreet.mechanisms import Laplace, ReportNoiseName
from discreet.problems import Advice, Arms
from discreet_papers.calibrations.claims import PAPER, check_noise, printed
from discreet_papers.calibrations.estimates import PaperEstimates

MOST = 0.5  # of mixing


@printed("batched-exp3")
def batched_exp3(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Corollary 1: batches of 1 / ε rounds."""
    count, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    channel = arms.batches_of(setting, 1.0, batch_size)
    log = max(1.0, math.log(epsilon * count * rounds))
    tuned = math.sqrt(math.log(count) / (22.0 * epsilon * count * rounds)) / log
    rate = tuned if learning_rate is None else learning_rate
    share = min(4.0 * rate * count * log, 0.5) if mixing is None else mixing
    root = math.sqrt(rounds * count * math.log(count) / epsilon)
    bound = 36.0 * root * math.log(count * rounds) + 4.0 / epsilon
    proved = epsilon <= 1.0 and batch_size is None and learning_rate is None and mixing is None
    return Instance(
        private=Private(channel, Exp3.start(arms=count, learning_rate=rate, mixing=share)),
        parameters={"batch_size": channel.hold(), "learning_rate": rate, "mixing": share},
        regret_bound=min(bound, rounds) * setting.bounds.width if proved else None,
        bound_source="Faster rates 2025, Corollary 1"
        if proved
        else "no bound proved for these parameters",
    )


@printed("batched-htinf")
def batched_htinf(
    setting: Setting[Arms], *, batch_size: int | None = None, moment: float | None = None
) -> Instance:
    """Corollary 2: batches of 1 / ε rounds, a second moment of 6, and HTINF that skips losses."""
    channel = arms.batches_of(setting, 1.0, batch_size)
    sigma = math.sqrt(6.0) if moment is None else moment
    learner = Htinf.start(arms=setting.problem.arms, moment=sigma, threshold=None, clips=False)
    return arms.noisy_htinf(setting, channel, learner)


@printed("batched-ftpl")
def batched_ftpl(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    cap: int | None = None,
) -> Instance:
    """Corollary 3: batches of 1 / ε rounds, of which there are ε T.

    With L = ln(K ε T), M = sqrt(K ε T) and η = min(sqrt(ln K / (K ε T (1 + 10 L²))), 1 / (M (1 +
    4 ln(ε T)))).
    """
    count = setting.problem.arms
    channel = arms.batches_of(setting, 1.0, batch_size)
    batches = max(1.0, setting.epsilon * setting.rounds)
    size = count * batches
    log, copies = max(1.0, math.log(size)), max(1, math.ceil(math.sqrt(size)))
    rate = math.sqrt(math.log(count) / (size * (1.0 + 10.0 * log**2)))
    rate = min(rate, 1.0 / (copies * (1.0 + 4.0 * math.log(batches))))
    return arms.noisy_ftpl(
        setting,
        channel,
        learning_rate=rate if learning_rate is None else learning_rate,
        cap=copies if cap is None else cap,
    )


@printed("expert-arms")
def expert_arms(setting: Setting[Advice], *, base: str = "batched-htinf") -> Instance:
    """Algorithm 5 over ``base`` with the calibration of its paper, if it has one."""
    has_one = PAPER in algorithm(base).calibrations
    return advice.follow_experts(setting, base, **({"calibration": PAPER} if has_one else {}))


@printed("local-exp4")
def local_exp4(
    setting: Setting[Advice],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Theorem 5."""
    check_noise(noise, "laplace")
    count, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    log, entropy = math.log(count * rounds), math.log(setting.problem.experts)
    tuned = math.sqrt(entropy / (3.0 * rounds * count * (1.0 + 10.0 * log**2 / epsilon**2)))
    rate = tuned if learning_rate is None else learning_rate
    share = 4.0 * rate * count * log / epsilon if mixing is None else mixing
    proved = epsilon <= 1.0 and learning_rate is None and mixing is None and share <= 0.5
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=setting.bounds.width, epsilon=epsilon)
    )
    learner = Exp4.start(
        experts=setting.problem.experts, learning_rate=rate, mixing=min(share, 0.5)
    )
    bound = 16.0 * math.sqrt(rounds * count * entropy) * log / epsilon + 1.0
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": 1, "learning_rate": rate, "mixing": min(share, 0.5)},
        regret_bound=min(bound, rounds) * setting.bounds.width if proved else None,
        bound_source="Faster rates 2025, Theorem 5"
        if proved
        else "no bound proved for these parameters",
    )


@printed("batched-exp4")
def batched_exp4(
    setting: Setting[Advice],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 2 with the numbers of Theorem 6, as printed."""
    numbers = _theorem_6(setting, batch_size, learning_rate, mixing)
    return _batched(setting, numbers, "Theorem 6", fits=False)


@printed("improved-batched-exp4")
def improved_batched_exp4(
    setting: Setting[Advice],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 7, with the numbers of Theorem 8 that have the smaller bound.

    They are those of Theorem 6, with T^(2/3), or others with T^(3/5) for few experts.
    """
    _check_delta(setting)
    found = [make(setting, batch_size, learning_rate, mixing) for make in (_theorem_6, _theorem_8)]
    usable = [each for each in found if each.mixing <= MOST and each.rate < 1.0] or found[:1]
    numbers = min(usable, key=lambda each: _bound(setting, each, fits=True))
    return _batched(setting, numbers, "Theorem 8", fits=True)


class Numbers(NamedTuple):
    """The parameters of batched EXP4, and whether all of them are the paper's."""

    size: int
    rate: float
    mixing: float
    printed: bool


def _check_delta(setting: Setting[Advice]) -> None:
    if not 0.0 < setting.delta < 1.0:
        raise DiscreetError(
            f"delta is {setting.delta!r}, but the paper's noise needs delta above 0 and below 1."
        )


def _theorem_6(
    setting: Setting[Advice],
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
) -> Numbers:
    """Return the printed numbers: γ lacks the logarithm of 1 / δ that the proof then uses."""
    _check_delta(setting)
    experts, count, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    epsilon, failure = setting.epsilon, math.log(1.0 / setting.delta)
    log, entropy = math.log(experts * rounds), math.log(experts)
    size = (experts * failure) ** (1 / 3) * log ** (2 / 3) * rounds ** (1 / 3)
    size /= epsilon ** (2 / 3) * entropy ** (1 / 3)
    tau = int(min(max(1, round(size)), rounds)) if batch_size is None else batch_size
    tuned = (experts * failure) ** (1 / 6) * log ** (1 / 3) * entropy ** (1 / 3)
    tuned /= rounds ** (1 / 3) * math.sqrt(count) * epsilon ** (1 / 3)
    rate = tuned if learning_rate is None else learning_rate
    first = (rate * experts * count**2 * log**2) ** (1 / 3) / (epsilon * tau) ** (2 / 3)
    share = max(first, _least_mixing(setting, tau, rate)) if mixing is None else mixing
    return Numbers(tau, rate, share, (batch_size, learning_rate, mixing) == (None, None, None))


def _theorem_8(
    setting: Setting[Advice],
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
) -> Numbers:
    """Return the numbers of the second bound, and the γ that balances the terms of its proof."""
    experts, count, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    epsilon, failure = setting.epsilon, math.log(1.0 / setting.delta)
    log, entropy = math.log(experts * rounds), math.log(experts)
    tuned = (log * experts * failure * entropy / (epsilon * rounds * count)) ** (2 / 5)
    rate = tuned if learning_rate is None else learning_rate
    size = rate ** (3 / 4) * math.sqrt(count * log * experts * failure * rounds)
    size /= math.sqrt(epsilon * entropy)
    tau = int(min(max(1, round(size)), rounds)) if batch_size is None else batch_size
    first = math.sqrt(180.0 * rate * count * failure) * experts * log / (epsilon * tau)
    share = max(first, _least_mixing(setting, tau, rate)) if mixing is None else mixing
    return Numbers(tau, rate, share, (batch_size, learning_rate, mixing) == (None, None, None))


def _least_mixing(setting: Setting[Advice], tau: int, rate: float) -> float:
    """Return the smallest γ for which η times an estimate is above -1 in both proofs."""
    experts, failure = setting.problem.experts, math.log(1.0 / setting.delta)
    log = math.log(experts * setting.rounds)
    above = 12.0 * rate * setting.problem.arms * math.sqrt(experts * failure) * log
    return above / (setting.epsilon * tau)


def _bound(setting: Setting[Advice], numbers: Numbers, *, fits: bool) -> float:
    """Return the sum in which both proofs end, for any numbers.

    For Algorithm 7 the printed sum has 20 where 10 · 9 · 2 is right: the 3 of the noise is squared.
    """
    experts, count, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    log, failure = math.log(experts * rounds), math.log(1.0 / setting.delta)
    size, rate, share, _ = numbers
    largest = count**2 / share**2
    if fits:
        largest = min(largest, 2.0 * count * experts / share)
    noise = 90.0 * rate * experts * failure * log**2 / (setting.epsilon * size) ** 2 * largest
    start = 3.0 * size * math.log(experts) / rate
    return start + (share + rate * count + noise) * rounds


def _batched(setting: Setting[Advice], numbers: Numbers, theorem: str, *, fits: bool) -> Instance:
    """Return batched EXP4 with the paper's noise; the bound is that of the proof."""
    size, rate, mixing, as_printed = numbers
    proved = as_printed and mixing <= MOST and rate < 1.0 and setting.epsilon <= 1.0
    share = min(mixing, MOST)
    if not share > 0.0:
        raise DiscreetError(
            "mixing is 0, but the paper's noise grows with K / mixing, so it needs mixing above 0."
        )
    experts = setting.problem.experts
    channel = PaperEstimates.over(
        size=size,
        coordinates=experts,
        bounds=setting.bounds,
        epsilon=setting.epsilon,
        delta=setting.delta,
        cap=0.0 if fits else setting.problem.arms / share,
    )
    bound = min(_bound(setting, numbers, fits=fits), setting.rounds)
    return Instance(
        private=Private(
            channel, BatchedExp4.start(experts=experts, learning_rate=rate, mixing=share)
        ),
        parameters={"batch_size": size, "learning_rate": rate, "mixing": share},
        regret_bound=bound * setting.bounds.width if proved else None,
        bound_source=f"Faster rates 2025, proof of {theorem}, with these parameters"
        if proved
        else "no bound proved",
    )
