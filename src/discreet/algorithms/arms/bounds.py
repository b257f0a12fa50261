"""Regret bounds on losses in [0, 1], fixed in advance: one function each, with the section of docs/regret.md it is from.

All of them are on the expected regret against the best fixed arm, over ``plays`` plays of ``arms``
arms.
"""

from __future__ import annotations

import math

FEW = (
    16  # plays: up to here nothing better is known of Tsallis-INF than that a play costs at most 1
)


def tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of reduced-variance Tsallis-INF with c = 4 and κ = 1 (docs/regret.md: Tsallis-INF)."""
    if plays <= FEW:
        return plays
    main = math.sqrt(plays) * (2.0 * math.sqrt(arms) - 1.0) - 4.0 * math.sqrt(arms)
    return main + arms * (10.0 / 3.0 * math.log(plays / 16.0) + 8.0 / 3.0) + 16.0


def sharp_tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of reduced-variance Tsallis-INF with c = 4 and κ = 1/4 (docs/regret.md: Tsallis-INF)."""
    if plays <= FEW:
        return plays
    root = math.sqrt(arms)
    main = math.sqrt(plays) * (2.0 * root - 1.0 - 1.0 / root) - 2.0 * root + 4.0 / root
    return main + arms * (math.log(plays / 4.0) + 2.3) + 2.0 / 3.0 * math.log(plays / 16.0) + 4.0


def weighted_tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of importance-weighted Tsallis-INF with c = 2 (docs/regret.md: Tsallis-INF)."""
    return (4.0 * math.sqrt(arms) - 2.0) * math.sqrt(plays)


def exp3(arms: int, plays: float, *, rate: float, mixing: float = 0.0, noise: float = 0.0) -> float:
    """Return the bound of EXP3 with any rate η and mixing γ, on losses with Laplace noise λ (docs/regret.md: EXP3).

    It is infinite unless η λ K / γ is below 1: then one large negative noise could lift a weight
    without limit.
    """
    share = (
        rate * noise * arms / mixing
        if noise > 0.0 and mixing > 0.0
        else (math.inf if noise > 0.0 else 0.0)
    )
    if share >= 1.0:
        return math.inf
    square = 0.5 + noise * noise / (1.0 - share * share)
    return (1.0 - mixing) * math.log(arms) / rate + (rate * arms * square + mixing) * plays


def exp3_ix(arms: int, plays: float, *, rate: float, bias: float) -> float:
    """Return the bound of EXP3-IX with any rate η and bias γ (docs/regret.md: EXP3-IX)."""
    return math.log(arms) / rate + (bias + rate / 2.0) * arms * plays


def exp3_gain(arms: int, plays: float, *, mixing: float, square: float = 1.0) -> float:
    """Return the bound of EXP3 on gains in [0, 1], their mean squares at most ``square`` (docs/regret.md: EXP3 on gains).

    The part of the mixing itself, γ T, is left out: it is in the units of the true gains, which may
    be others.
    """
    return (
        arms * (1.0 - mixing) * math.log(arms) / mixing + (math.e - 2.0) * square * mixing * plays
    )


def exp3_p(arms: int, plays: float, *, rate: float, mixing: float, bonus: float) -> float:
    """Return the bound of EXP3.P in expectation, infinite unless (1 + β) η K ≤ γ (docs/regret.md: EXP3 on gains)."""
    if (1.0 + bonus) * rate * arms > mixing:
        return math.inf
    square = 1.0 + 2.0 * bonus + bonus * bonus * arms / mixing
    spread = (math.e - 2.0) * rate * square + bonus
    return (1.0 - mixing) * math.log(arms) / rate + (arms * spread + mixing) * plays


def htinf(
    arms: int, plays: float, *, deviation: float, moment: float, threshold: float, clips: bool
) -> float:
    """Return the bound of HTINF, α = 2, on losses with a mean square of at most ``deviation``² (docs/regret.md: HTINF).

    ``moment`` is the σ of the learning rate 1 / (σ sqrt(t)), ``threshold`` its Θ; ``clips`` says
    what happens beyond it.
    """
    cut = (1.0 + threshold) / (4.0 * threshold) if clips else 1.0 / threshold
    square = max(1.0, 1.0 / (1.0 - threshold), cut) * deviation * deviation
    return (
        2.0
        * math.sqrt(plays)
        * (moment * (math.sqrt(arms) - 1.0) + square / moment * math.sqrt(arms))
    )


def ftpl(arms: int, plays: float, *, rate: float, cap: float, noise: float = 0.0) -> float:
    """Return the bound of FTPL with at most ``cap`` copies on losses with Laplace noise λ (docs/regret.md: FTPL).

    It is infinite unless η λ times the cap is below 1.
    """
    share = rate * noise * cap
    if share >= 1.0:
        return math.inf
    square = 1.0 + noise * noise * (1.0 + ftpl_excess(share))
    return (
        largest_perturbation(arms) / rate
        + (2.0 * rate * square + 1.0 / (math.e * cap)) * arms * plays
    )


def ftpl_excess(share: float) -> float:
    """Return by how much negative noise counts more than positive noise: (1 - s/2) / (1 - s)²."""
    return (1.0 - share / 2.0) / (1.0 - share) ** 2


def largest_perturbation(arms: int) -> float:
    """Return the mean of the largest of K standard Laplace variables.

    >>> largest_perturbation(1), largest_perturbation(2)
    (0.0, 0.75)
    """
    return sum((1.0 - 0.5**k) / k for k in range(1, arms + 1)) - 0.5**arms / arms
