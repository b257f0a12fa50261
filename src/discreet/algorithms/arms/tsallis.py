"""Tsallis-INF on noisy batches, on bits, and (Zheng et al. 2020) with noise every round."""

from __future__ import annotations

import math
from typing import Literal

from discreet.algorithms.arms import summed_bounds
from discreet.algorithms.arms.indices import channel_for, first_batch
from discreet.algorithms.arms.ordinary import LIKELY, Estimator, tsallis_inf
from discreet.algorithms.arms.tuning import bound_rounds
from discreet.algorithms.registry import ROOT, Growth, Instance, Setting, register_algorithm
from discreet.channels import Batch, OneBit, PerRound
from discreet.contracts import Channel, Noise
from discreet.learners import Accepting, AdaptiveTsallisInf, TsallisInf
from discreet.mechanisms import Coin, OptimalNoise, ReportNoiseName, report_noise
from discreet.private import Private
from discreet.problems import Arms

NO_BOUND = "no bound proved: noisy losses can be negative"
CAUTION = 0.5  # θ: prevents a single noisy loss from deciding the game
QUIET = 1e-4  # variance of noise, in squared widths, below which caution is unnecessary
BatchNoise = Literal["laplace", "optimal"]


@register_algorithm(
    name="batched-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on noisy means of batches",
    problem=Arms(),
    growth=ROOT,
    builds_on=("zimmert2021tsallis", "asi2025faster"),
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
    Noise makes losses negative, which the published regret proof does not cover, so no bound is
    stated. Without caution, 2 of 64 runs of a million rounds had a regret a hundred times the
    median. ``noise=optimal``, for batches of at most 40 rounds, is the noise with the least mean
    square around the middle, found by a linear programme; its batch size is 2 / ε.
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
    return _instance(setting, channel, variance, learning_rate, estimator, caution, batch_size=size)


@register_algorithm(
    name="local-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=10.0),
    citation="zheng2020locally",
    builds_on=("zimmert2021tsallis",),
)
def local_tsallis_inf(
    setting: Setting[Arms],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    estimator: Estimator = "reduced-variance",
    caution: float | None = None,
) -> Instance:
    """Theorem 11: own noise on every loss (local model), with a learning rate scaled to it.

    The default is randomised response for every δ. Except for very large δ, it has the least mean
    square around the middle, coth²(ε / 2) / 4, and Tsallis-INF has a bound on its bits. Gaussian
    noise, the paper's choice, has several times that mean square. The paper's bounds are of order
    sqrt(T) / ε and ln T / (Δ ε²), without constants.
    """
    kind = noise or "response"
    if kind == "response" and caution is None:
        bits = tsallis_inf(setting, learning_rate=learning_rate, estimator=estimator)
        return bits.respond(setting)
    chosen = report_noise(kind, bounds=setting.bounds, epsilon=setting.epsilon, delta=setting.delta)
    return noisy_tsallis_inf(
        setting,
        chosen,
        learning_rate=learning_rate,
        estimator=estimator,
        caution=CAUTION if caution is None else caution,
    )


def noisy_tsallis_inf(
    setting: Setting[Arms],
    noise: Noise,
    *,
    learning_rate: float | None,
    estimator: Estimator,
    caution: float = math.inf,
    likely: float = LIKELY,
) -> Instance:
    """Return Tsallis-INF with this noise on every loss, and a learning rate scaled to it."""
    width = setting.bounds.width
    # the most that noise adds to the 1/4 of a loss
    variance = noise.square_around_middle(width) / width**2 - 0.25
    channel = PerRound(setting.bounds, noise)
    return _instance(setting, channel, variance, learning_rate, estimator, caution, likely=likely)


def _moment(estimator: Estimator) -> float:
    """Return the largest second moment of a loss in [0, 1] around the baseline."""
    return 0.25 if estimator == "reduced-variance" else 1.0


def _instance(
    setting: Setting[Arms],
    channel: Channel,
    variance: float,
    learning_rate: float | None,
    estimator: Estimator,
    caution: float,
    *,
    likely: float = LIKELY,
    **parameters: int,
) -> Instance:
    tuned = 2.0 / math.sqrt(_moment(estimator) + variance)
    rate = tuned if learning_rate is None else learning_rate
    baseline = 0.5 if estimator == "reduced-variance" else 0.0
    if caution == CAUTION and variance < QUIET:
        caution = math.inf
    learner = TsallisInf.start(
        arms=setting.problem.arms,
        learning_rate=rate,
        baseline=baseline,
        caution=caution,
        likely=likely,
    )
    return Instance(
        private=Private(channel, learner),
        parameters={**parameters, "learning_rate": rate, "estimator": estimator}
        | ({"caution": caution} if math.isfinite(caution) else {}),
        regret_bound=None,
        bound_source=NO_BOUND,
    )


@register_algorithm(
    name="one-bit-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on one randomised bit per batch",
    problem=Arms(),
    growth=ROOT,
    builds_on=("zimmert2021tsallis",),
)
def one_bit_tsallis_inf(setting: Setting[Arms], *, batch_size: int | None = None) -> Instance:
    """Reduced-variance Tsallis-INF, c = 4, κ = 1/4, on one randomised bit for each batch.

    The mean of a bit is 1/2 + a (m - 1/2), m the mean of the batch, a = Ω τ / (2 + Ω τ) with Ω =
    e^ε - 1: bits are losses in [0, 1] whose means are those of the batches, contracted by the
    factor a. So the regret is at most (τ / a) B(T'), plus the rounds of a last, incomplete batch: B
    is the bound of Tsallis-INF on T' = floor(T / τ) bits, of order sqrt(T'). The factor sqrt(τ) / a
    is least at τ = 2 / Ω, where a = 1/2. In most settings no other private bandit here has a
    smaller proved bound.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    size = best_size(setting.epsilon, rounds) if batch_size is None else batch_size
    channel = OneBit.over(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    found = summed_bounds.tsallis_inf(arms, rounds // size, contrast=channel.contrast)
    return Instance(
        private=Private(
            channel, TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=LIKELY)
        ),
        parameters={"batch_size": size, "contrast": channel.contrast, "learning_rate": 4.0},
        regret_bound=bound_rounds(setting, size, found / channel.contrast),
        bound_source="docs/regret.md: One bit, Rounds added up",
    )


@register_algorithm(
    name="moved-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on means of batches whose noise is moved",
    problem=Arms(),
    growth=ROOT,
    builds_on=("zimmert2021tsallis", "asi2025faster"),
)
def moved_tsallis_inf(setting: Setting[Arms], *, batch_size: int | None = None) -> Instance:
    """Reduced-variance Tsallis-INF, c = 4, κ = 1/4, on noisy means of batches, moved into a range.

    A mean with Laplace noise of scale λ = 1 / (τ ε) that falls outside [0, 1] is moved to -λ or 1 +
    λ. That does not change its mean, so no noise value is too large and nothing is clipped. Scaled
    to [0, 1] its mean is 1/2 + a (m - 1/2), a = 1 / (1 + 2 λ), and its mean square around 1/2 is q,
    less than the 1/4 of a bit: the regret is at most (τ / a) B(T'), B the bound of Tsallis-INF for
    this q, plus the rounds of a last, incomplete batch (docs/regret.md: Rounds added up). τ q / a²
    is least near τ = 2.3 / ε. For ε up to about 0.7 its bound is below that of
    ``one-bit-tsallis-inf``, and so is its regret.
    """
    arms, rounds = setting.problem.arms, setting.rounds
    usual = min(moved_size(setting.epsilon), rounds)
    size = usual if batch_size is None else batch_size
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    noise = 1.0 / (size * setting.epsilon)
    contrast = 1.0 / (1.0 + 2.0 * noise)
    found = summed_bounds.tsallis_inf(
        arms, rounds // size, square=summed_bounds.confined_square(noise), contrast=contrast
    )
    learner = TsallisInf.start(arms=arms, learning_rate=4.0, baseline=0.5, likely=LIKELY)
    return Instance(
        private=Private(channel, Accepting.around(learner, margin=noise, moves=True)),
        parameters={"batch_size": size, "contrast": contrast, "learning_rate": 4.0},
        regret_bound=bound_rounds(setting, size, found / contrast),
        bound_source=summed_bounds.SOURCE,
    )


def moved_size(epsilon: float) -> int:
    """Return the batch size with about the least bound for moved noise.

    >>> moved_size(1.0), moved_size(0.1), moved_size(10.0)
    (2, 23, 1)
    """

    def growth(size: int) -> float:
        noise = 1.0 / (size * epsilon)
        spread = 1.0 + 4.0 * summed_bounds.confined_square(noise)
        return spread * (1.0 + 2.0 * noise) * math.sqrt(size)

    # If sizes were not whole, the least growth would be at size · ε = 2.26 for every epsilon, since
    # growth · sqrt(ε) depends on size · ε only. The best whole size is next to it.
    middle = 2.3 / epsilon
    return min(range(max(1, int(middle) - 2), int(middle) + 4), key=growth)


def best_size(epsilon: float, rounds: int) -> int:
    """Return the batch size near 2 / Ω with the least bound, at most the number of rounds.

    >>> best_size(1.0, 1000), best_size(0.1, 1000), best_size(0.001, 1000)
    (1, 19, 1000)
    """
    ideal = 2.0 / Coin.calibrate(epsilon=epsilon).lift
    if ideal >= rounds:
        return rounds
    below = max(1, math.floor(ideal))
    return min((below, below + 1), key=lambda size: (1.0 + size / ideal) / math.sqrt(size))


@register_algorithm(
    name="adaptive-tsallis-inf",
    twin="tsallis-inf",
    title="Tsallis-INF on batches that adapt their length",
    problem=Arms(),
    builds_on=("zimmert2021tsallis",),
)
def adaptive_tsallis_inf(setting: Setting[Arms], *, robust: bool = False) -> Instance:
    """Tsallis-INF with a running baseline, on batches that adapt their length.

    It suits problems whose best arm changes quickly. ``robust`` has more regret if nothing changes,
    less if arms change, and fewer bad runs.
    """
    # both sets of constants were chosen by simulations
    constants = {"rate": 5.0, "down": 0.7, "up": 0.4, "mix": 0.02}
    if not robust:
        constants = {"rate": 4.0, "down": 0.5, "up": 0.5, "mix": 0.05}
    learner = AdaptiveTsallisInf.start(
        arms=setting.problem.arms, noise=1.0 / setting.epsilon, rounds=setting.rounds, **constants
    )
    usual = first_batch(setting, None)
    return Instance(
        private=Private(channel_for(setting, usual), learner),
        parameters={"batch_size": usual, **constants},
        regret_bound=None,
        bound_source="no bound proved",
    )
