"""Tsallis-INF on noisy losses: ours on batches, and Zheng et al. 2020 with noise every round."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms.baselines import Estimator
from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.papers import FASTER_RATES, TSALLIS_INF, ZHENG
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch, PerRound
from discreet.contracts import Channel, Noise
from discreet.errors import DiscreetError
from discreet.learners import TsallisInf
from discreet.mechanisms import Gaussian, OptimalNoise, ReportNoiseName, report_noise
from discreet.private import Private
from discreet.problems import Arms

NO_BOUND = "no bound proved: noisy losses can be negative"
CAUTION = 0.5
BatchNoise = Literal["laplace", "optimal"]


@register_algorithm(
    name="batched-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on noisy means of batches",
    problem=Arms(),
    growth=ROOT,
    citation=TSALLIS_INF,
    builds_on=(FASTER_RATES,),
)
def batched_tsallis_inf(
    setting: Setting[Arms],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
    caution: float = CAUTION,
    noise: BatchNoise = "laplace",
) -> Instance:
    """Tsallis-INF behind the batch channel of Faster rates 2025, Algorithm 1.

    On the scale where losses are in [0, 1], a noisy mean has second moment at most v = m + 2 λ²
    around the baseline, with λ = 1 / (τ ε) and m = 1 (importance-weighted) or 1/4
    (reduced-variance). Without noise c = 2 / sqrt(m) is the paper's learning rate; scaled to the
    noise it is c = 2 / sqrt(v). The regret is of order sqrt(T τ v), least at τ = sqrt(2 / m) / ε.
    Noise makes losses negative, which the published regret proof does not cover: no bound is
    stated. Caution θ = 1/2 keeps single values from deciding the game: without it, 2 of 64 runs of
    a million rounds had a regret a hundred times the median. ``noise=optimal``, for batches of at
    most 40 rounds, takes the noise with the least mean square around the middle, which a linear
    programme finds; then the batch size is 2 / ε.
    """
    rounds, epsilon = setting.rounds, setting.epsilon
    ideal = 2.0 if noise == "optimal" else math.sqrt(2.0 / _moment(estimator))
    size = min(math.ceil(ideal / epsilon), rounds) if batch_size is None else batch_size
    if noise == "optimal":
        best = OptimalNoise.calibrate(epsilon=epsilon, size=size)
        channel = Batch.over(size=size, bounds=setting.bounds, noise=best)
        variance = best.square_around_middle(size) / size**2 - 0.25
    else:
        channel = Batch.laplace(size=size, epsilon=epsilon, bounds=setting.bounds)
        variance = 2.0 / (size * epsilon) ** 2
    return _noisy_tsallis(
        setting, channel, variance, learning_rate, estimator, caution, batch_size=size
    )


@register_algorithm(
    name="local-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation=ZHENG,
    builds_on=(TSALLIS_INF,),
)
def local_tsallis_inf(
    setting: Setting[Arms],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
    caution: float = CAUTION,
) -> Instance:
    """Theorem 11: every loss is noised by itself (local model); Laplace noise for δ = 0, Gaussian noise otherwise.

    Randomised response, if it is asked for, has the least mean square around the middle: coth²(ε /
    2) / 4.

    Tight: the exact Gaussian scale, and a learning rate scaled to the noise. The paper's scale is
    the classical (high - low) sqrt(2 ln(1.25 / δ)) / ε, too small for ε above about 7 to 9, and its
    learning rate that of Tsallis-INF; the guarantee says what is really delivered. The paper's
    bounds are of order sqrt(T) / ε and ln T / (Δ ε²), without constants.
    """
    width, epsilon, delta = setting.bounds.width, setting.epsilon, setting.delta
    if calibration == "paper":
        if delta <= 0.0:
            raise DiscreetError(
                f"delta is {delta!r}, but the paper's Gaussian noise needs one above 0."
            )
        if noise not in (None, "gaussian"):
            raise DiscreetError(
                f"calibration is paper, which has gaussian noise, but noise is {noise}: leave it "
                "out."
            )
        chosen: Noise = Gaussian(width * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon, delta)
        learning_rate = (
            2.0 / math.sqrt(_moment(estimator)) if learning_rate is None else learning_rate
        )
        caution = math.inf
    else:
        usual = "gaussian" if delta > 0.0 else "laplace"
        chosen = report_noise(noise or usual, bounds=setting.bounds, epsilon=epsilon, delta=delta)
    variance = (
        chosen.square_around_middle(width) / width**2 - 0.25
    )  # that noise adds to the 1/4 of a loss, at most
    channel = PerRound(setting.bounds, chosen)
    return _noisy_tsallis(setting, channel, variance, learning_rate, estimator, caution)


def _moment(estimator: Estimator) -> float:
    """Return the largest second moment of a loss in [0, 1] around the baseline."""
    return 0.25 if estimator == "reduced-variance" else 1.0


def _noisy_tsallis(
    setting: Setting[Arms],
    channel: Channel,
    variance: float,
    learning_rate: float | None,
    estimator: Estimator,
    caution: float,
    **parameters: int,
) -> Instance:
    rate = (
        2.0 / math.sqrt(_moment(estimator) + variance) if learning_rate is None else learning_rate
    )
    baseline = 0.5 if estimator == "reduced-variance" else 0.0
    learner = TsallisInf.start(
        arms=setting.problem.arms, learning_rate=rate, baseline=baseline, caution=caution
    )
    return Instance(
        private=Private(channel, learner),
        parameters={**parameters, "learning_rate": rate, "estimator": estimator}
        | ({"caution": caution} if math.isfinite(caution) else {}),
        regret_bound=None,
        bound_source=NO_BOUND,
    )
