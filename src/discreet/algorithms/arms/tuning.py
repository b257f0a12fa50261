"""Ordinary learners on noisy losses, with the parameters of the least proved bound."""

from __future__ import annotations

import math
from typing import NamedTuple

from discreet.algorithms.arms import bounds, summed_bounds
from discreet.algorithms.registry import Instance, Setting
from discreet.contracts import Channel
from discreet.errors import check_int
from discreet.learners import Exp3, Ftpl, Htinf
from discreet.private import Private
from discreet.problems import Arms

# batch sizes, in units of 1 / ε, with the least bound: of EXP3 for s = 2/3, of FTPL for s = 0.28
IDEAL_EXP3_SIZE, IDEAL_FTPL_SIZE = math.sqrt(3.6), 1.63

TOO_SMALL = "no bound proved: mixing too small or batch too long"
BOUNDED = "docs/regret.md: EXP3 on responses"


def noisy_exp3(
    setting: Setting[Arms], channel: Channel, *, learning_rate: float | None, mixing: float | None
) -> Instance:
    """Return EXP3 behind a channel that releases means of τ losses with Laplace noise.

    On the scale where losses are in [0, 1], with T' = floor(T / τ) batches and noise Lap(λ),

        η = sqrt(ln K / (K T' v)), at most s / (2 K λ),   γ = η λ K / s,
        v = 1/2 + λ² / (1 - s²) + λ / s,

    where s < 1 minimises v: 2 λ s³ = (1 - s²)². Then the expected regret is at most τ ((1 - γ) ln K
    / η + η K T' v) plus the rounds of the last, incomplete batch (docs/regret.md: EXP3). Noisy
    losses need no clipping: mixing alone keeps E exp(-η y / p) finite.
    """
    arms, rounds, size = setting.problem.arms, setting.rounds, channel.hold()
    batches = max(1, rounds // size)
    (laplace,) = channel.noise_scales
    noise = laplace.scale / setting.bounds.width
    share = mixing_share(noise)
    if learning_rate is None:
        moment = 0.5 + noise**2 / (1.0 - share**2) + noise / share
        usual = math.sqrt(math.log(arms) / (arms * batches * moment))
        learning_rate = min(usual, share / (2.0 * arms * noise))
    mixing = min(learning_rate * noise * arms / share, 1.0) if mixing is None else mixing
    found = bounds.exp3(arms, batches, rate=learning_rate, mixing=mixing, noise=noise)
    proved = math.isfinite(found) and size <= rounds
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=learning_rate, mixing=mixing)),
        parameters={"batch_size": size, "learning_rate": learning_rate, "mixing": mixing},
        regret_bound=bound_rounds(setting, size, found) if proved else None,
        bound_source="docs/regret.md: EXP3" if proved else TOO_SMALL,
    )


def responsive_exp3(
    setting: Setting[Arms], channel: Channel, *, learning_rate: float | None, mixing: float | None
) -> Instance:
    """Return EXP3 behind a channel that releases a randomised response to every loss.

    On the scale where losses are in [0, 1] a response is one of (1 ± c) / 2, c = coth(ε / 2). Its
    second moment is at most m, it is at least -h, and γ = η K h / s, where s minimises v = g m + h
    / s and η = sqrt(ln K / (K T v)): the symbols and the proof are in docs/regret.md (EXP3 on
    responses).
    """
    arms, rounds = setting.problem.arms, setting.rounds
    (response,) = channel.noise_scales
    reach = response.scale / setting.bounds.width  # c / 2
    square, below = 0.75 + reach**2, max(reach - 0.5, 0.0)
    share = min((k / 100.0 for k in range(1, 301)), key=lambda s: _growth(s) * square + below / s)
    moment = _growth(share) * square + below / share
    usual = math.sqrt(math.log(arms) / (arms * rounds * moment))
    rate = usual if learning_rate is None else learning_rate
    mixed = min(rate * arms * below / share, 1.0) if mixing is None else mixing
    proved = mixed > 0.0 or below == 0.0
    lowest = rate * arms * below / mixed if mixed > 0.0 else 0.0
    spread = rate * arms * _growth(lowest) * square + mixed
    bound = (1.0 - mixed) * math.log(arms) / rate + rounds * spread
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=mixed)),
        parameters={"batch_size": 1, "learning_rate": rate, "mixing": mixed},
        regret_bound=bound_rounds(setting, 1, bound) if proved else None,
        bound_source=BOUNDED if proved else "no bound proved: mixing too small",
    )


def noisy_htinf(setting: Setting[Arms], channel: Channel, learner: Htinf) -> Instance:
    """Return HTINF behind a channel that releases means of τ losses with Laplace noise."""
    size, arms = channel.hold(), setting.problem.arms
    plays, variance = setting.rounds // size, 2.0 / (size * setting.epsilon) ** 2
    numbers = {
        "deviation": math.sqrt(1.0 + variance),
        "moment": learner.moment,
        "threshold": learner.threshold,
    }
    found = bounds.htinf(arms, plays, clips=learner.clips, **numbers)
    source = "docs/regret.md: HTINF"
    if learner.clips:
        # E (1 + Z)⁴ with Laplace noise Z, the largest of a loss in [0, 1]
        fourth = 1.0 + 6.0 * variance + 6.0 * variance**2
        found = min(found, summed_bounds.htinf(arms, plays, fourth=fourth, **numbers))
        source = summed_bounds.SOURCE
    return Instance(
        private=Private(channel, learner),
        parameters={
            "batch_size": size,
            "moment": learner.moment,
            "threshold": learner.threshold,
        },
        regret_bound=bound_rounds(setting, size, found),
        bound_source=source,
    )


def noisy_ftpl(
    setting: Setting[Arms], channel: Channel, *, learning_rate: float | None, cap: int | None
) -> Instance:
    """Return FTPL behind a channel that releases means of τ losses with Laplace noise."""
    arms, rounds, size = setting.problem.arms, setting.rounds, channel.hold()
    batches, noise = max(1, rounds // size), 1.0 / (size * setting.epsilon)
    tuned = ftpl_numbers(arms, batches, noise)
    rate = tuned.rate if learning_rate is None else learning_rate
    copies = tuned.cap if cap is None else check_int("cap", cap, minimum=1)
    found = bounds.ftpl(arms, batches, rate=rate, cap=copies, noise=noise)
    proved = math.isfinite(found) and size <= rounds
    return Instance(
        private=Private(channel, Ftpl.start(arms=arms, learning_rate=rate, cap=copies)),
        parameters={"batch_size": size, "learning_rate": rate, "cap": copies},
        regret_bound=bound_rounds(setting, size, found) if proved else None,
        bound_source="docs/regret.md: FTPL"
        if proved
        else "no bound proved: the learning rate is too large",
    )


class FtplNumbers(NamedTuple):
    """The learning rate and the cap of FTPL."""

    rate: float
    cap: int


def ftpl_numbers(arms: int, batches: int, noise: float) -> FtplNumbers:
    """Return the numbers with the least bound: a search for s = η λ cap, and the best η for it.

    >>> ftpl_numbers(4, 10_000, 0.6).cap
    175
    """

    def moment(share: float) -> float:
        return 2.0 + 2.0 * noise**2 * (1.0 + bounds.ftpl_excess(share)) + noise / (math.e * share)

    share = min((k / 200.0 for k in range(1, 200)), key=moment)
    rate = math.sqrt(bounds.largest_perturbation(arms) / (arms * batches * moment(share)))
    return FtplNumbers(rate, int(max(1.0, min(share / (rate * noise), arms * batches))))


def _growth(share: float) -> float:
    """Return (e^s - 1 - s) / s², which is 1/2 at 0; infinite if e^s overflows."""
    if share < 1e-4:  # the difference would lose digits, unlike its series
        return 0.5 + share / 6.0
    return (math.expm1(share) - share) / share**2 if share < 700.0 else math.inf


def bound_rounds(setting: Setting[Arms], size: int, found: float) -> float:
    """Return the bound for rounds that follows from one for batches; T is always a bound."""
    left = setting.rounds - size * (setting.rounds // size)
    return min(size * found + left, setting.rounds) * setting.bounds.width


def mixing_share(noise: float) -> float:
    """Return the s in (0, 1) with 2 λ s³ = (1 - s²)².

    >>> round(mixing_share(0.527), 3)
    0.665
    """
    low, high = 0.0, 1.0
    for _ in range(60):  # bisection, to the last digit
        middle = (low + high) / 2.0
        low, high = (
            (middle, high) if 2.0 * noise * middle**3 < (1.0 - middle**2) ** 2 else (low, middle)
        )
    return (low + high) / 2.0
