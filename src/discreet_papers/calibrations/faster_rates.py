"""Asi, Raman & Talwar 2025 (Faster rates for private adversarial bandits), as printed."""

from __future__ import annotations

import math

from discreet import Private
from discreet.algorithms import Instance, Setting, advice, algorithm, arms
from discreet.channels import PerRound
from discreet.errors import DiscreetError
from discreet.learners import BatchedExp4, Exp3, Exp4, Htinf
from discreet.mechanisms import Laplace, ReportNoiseName
from discreet.problems import Advice, Arms
from discreet_papers.calibrations.claims import PAPER, check_noise, printed
from discreet_papers.calibrations.estimates import PaperEstimates


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
    4 L))).
    """
    count = setting.problem.arms
    channel = arms.batches_of(setting, 1.0, batch_size)
    size = count * max(1.0, setting.epsilon * setting.rounds)
    log, copies = max(1.0, math.log(size)), max(1, math.ceil(math.sqrt(size)))
    rate = math.sqrt(math.log(count) / (size * (1.0 + 10.0 * log**2)))
    rate = min(rate, 1.0 / (copies * (1.0 + 4.0 * log)))
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
    """Algorithm 2 (Theorem 6)."""
    return _batched(setting, batch_size, learning_rate, mixing, fits=False)


@printed("improved-batched-exp4")
def improved_batched_exp4(
    setting: Setting[Advice],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 7, with the numbers of Theorem 6."""
    return _batched(setting, batch_size, learning_rate, mixing, fits=True)


def _batched(
    setting: Setting[Advice],
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
    *,
    fits: bool,
) -> Instance:
    """Return Theorem 6 with the logarithm of 1 / δ that its γ lost."""
    experts, count, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    epsilon, delta = setting.epsilon, setting.delta
    if not 0.0 < delta < 1.0:
        raise DiscreetError(
            f"delta is {delta!r}, but the paper's noise needs one above 0 and below 1."
        )
    log, entropy, failure = math.log(experts * rounds), math.log(experts), math.log(1.0 / delta)
    size = (experts * failure) ** (1 / 3) * log ** (2 / 3) * rounds ** (1 / 3)
    size /= epsilon ** (2 / 3) * entropy ** (1 / 3)
    tau = int(min(max(1, round(size)), rounds)) if batch_size is None else batch_size
    tuned = (experts * failure) ** (1 / 6) * log ** (1 / 3) * entropy ** (1 / 3)
    tuned /= rounds ** (1 / 3) * math.sqrt(count) * epsilon ** (1 / 3)
    rate = tuned if learning_rate is None else learning_rate
    first = (180.0 * rate * experts * count**2 * failure * log**2) ** (1 / 3)
    first /= (epsilon * tau) ** (2 / 3)
    second = 12.0 * rate * count * math.sqrt(experts * failure) * log / (epsilon * tau)
    share = max(first, second) if mixing is None else mixing
    given = (batch_size, learning_rate, mixing)
    proved = given == (None, None, None) and share <= 0.5 and rate < 1.0 and epsilon <= 1.0
    share = min(share, 0.5)
    if not share > 0.0:
        raise DiscreetError(
            "mixing is 0, but the paper's noise needs mixing: it grows with K / mixing."
        )
    channel = PaperEstimates.over(
        size=tau,
        coordinates=experts,
        bounds=setting.bounds,
        epsilon=epsilon,
        delta=delta,
        cap=0.0 if fits else count / share,
    )
    bound = 100.0 * experts ** (1 / 6) * math.sqrt(count) * rounds ** (2 / 3) * failure ** (1 / 6)
    bound *= log ** (1 / 3) * entropy ** (1 / 3) / epsilon ** (1 / 3)
    bound += math.sqrt(experts * failure) * log * entropy / epsilon
    return Instance(
        private=Private(
            channel, BatchedExp4.start(experts=experts, learning_rate=rate, mixing=share)
        ),
        parameters={"batch_size": tau, "learning_rate": rate, "mixing": share},
        regret_bound=min(bound, rounds) * setting.bounds.width if proved else None,
        bound_source="Faster rates 2025, Theorem 6, with its lost ln(1/δ)"
        if proved
        else "no bound proved",
    )
