"""Regret bounds on losses in [0, 1] that are fixed in advance, proved in docs/regret.md.

All bound the expected regret against the best fixed arm, over ``plays`` plays of ``arms`` arms.
Each function names the section of its proof.
"""

from __future__ import annotations

import math

FEW = 16  # up to this many plays, the best bound of Tsallis-INF is 1 per play


def tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of reduced-variance Tsallis-INF, c = 4, κ = 1 (Tsallis-INF)."""
    if plays <= FEW:
        return plays
    main = math.sqrt(plays) * (2.0 * math.sqrt(arms) - 1.0) - 4.0 * math.sqrt(arms)
    return main + arms * (10.0 / 3.0 * math.log(plays / 16.0) + 8.0 / 3.0) + 16.0


def sharp_tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of reduced-variance Tsallis-INF, c = 4, κ = 1/4 (Tsallis-INF)."""
    if plays <= FEW:
        return plays
    root = math.sqrt(arms)
    main = math.sqrt(plays) * (2.0 * root - 1.0 - 1.0 / root) - 2.0 * root + 4.0 / root
    # The first four plays cost 4. An arm costs ln(16 / 4) + 0.91 in the next twelve, ln(T / 16) +
    # 1.12 + 0.25 in the others: together ln(T / 4) + 2.28, rounded up.
    return main + arms * (math.log(plays / 4.0) + 2.3) + 2.0 / 3.0 * math.log(plays / 16.0) + 4.0


def weighted_tsallis_inf(arms: int, plays: float) -> float:
    """Return the bound of importance-weighted Tsallis-INF, c = 2 (Tsallis-INF)."""
    return (4.0 * math.sqrt(arms) - 2.0) * math.sqrt(plays)


def exp3(arms: int, plays: float, *, rate: float, mixing: float = 0.0, noise: float = 0.0) -> float:
    """Return the bound of EXP3 with rate η and mixing γ on losses with Laplace noise λ (EXP3).

    It is infinite unless η λ K / γ is below 1: otherwise one large negative noise value could raise
    a weight without limit.
    """
    share = 0.0
    if noise > 0.0:
        share = rate * noise * arms / mixing if mixing > 0.0 else math.inf
    if share >= 1.0:
        return math.inf
    square = 0.5 + noise * noise / (1.0 - share * share)
    return (1.0 - mixing) * math.log(arms) / rate + (rate * arms * square + mixing) * plays


def exp3_ix(arms: int, plays: float, *, rate: float, bias: float) -> float:
    """Return the bound of EXP3-IX with rate η and bias γ (EXP3-IX)."""
    return math.log(arms) / rate + (bias + rate / 2.0) * arms * plays


def confident_exp3_ix(arms: int, plays: float, rate: float, bias: float, failure: float) -> float:
    """Return the bound of EXP3-IX that holds with probability 1 - ``failure`` (EXP3-IX)."""
    if bias <= 0.0:
        return math.inf
    rare = math.log(2.0 / failure)
    spread = 1.0 / (2.0 * bias) + max(1.0, (rate / 2.0 + bias) / (2.0 * bias))
    return exp3_ix(arms, plays, rate=rate, bias=bias) + rare * spread


def exp3_gain(arms: int, plays: float, *, mixing: float, square: float = 1.0) -> float:
    """Return the bound of EXP3 on gains in [0, 1] of mean square ``square`` (EXP3 on gains).

    The cost of the mixing itself, γ T, is not included: it is in units of the true gains, which may
    differ.
    """
    weights = arms * (1.0 - mixing) * math.log(arms) / mixing
    return weights + (math.e - 2.0) * square * mixing * plays


def remembering(found: float, *, rounds: int, size: int, memory: int) -> float:
    """Return the bound on policy regret of a learner on batches, for losses with memory (Memory).

    ``found`` is the bound of the learner on the means of all complete batches, for losses that may
    depend on earlier actions. It is infinite unless a batch is longer than the memory.
    """
    if size <= memory:
        return math.inf
    batches = rounds // size
    return size * found + memory * max(batches - 1, 0) + rounds - size * batches


def remembering_size(arms: int, rounds: int, *, memory: int, factor: float) -> int:
    """Return the batch size with about the least such bound for learners with c sqrt(J K ln K).

    >>> [remembering_size(2, 2**16, memory=m, factor=math.sqrt(2.0)) for m in (1, 4, 16)]
    [46, 115, 289]
    """
    root = (2.0 * memory / factor) ** 2.0 * rounds / (arms * math.log(arms))
    return max(memory + 1, round(math.cbrt(root)))


def exp3_p(arms: int, plays: float, *, rate: float, mixing: float, bonus: float) -> float:
    """Return the bound of EXP3.P, infinite unless (1 + β) η K ≤ γ (EXP3 on gains)."""
    if (1.0 + bonus) * rate * arms > mixing:
        return math.inf
    square = 1.0 + 2.0 * bonus + bonus * bonus * arms / mixing
    spread = (math.e - 2.0) * rate * square + bonus
    return (1.0 - mixing) * math.log(arms) / rate + (arms * spread + mixing) * plays


def htinf(
    arms: int, plays: float, *, deviation: float, moment: float, threshold: float, clips: bool
) -> float:
    """Return the bound of HTINF, α = 2, on losses of mean square ``deviation``² (HTINF).

    ``moment`` is the ς of the learning rate 1 / (ς sqrt(t)). Beyond the ``threshold`` Θ a loss is
    clipped if ``clips``, and otherwise skipped.
    """
    cut = (1.0 + threshold) / (4.0 * threshold) if clips else 1.0 / threshold
    square = max(1.0, 1.0 / (1.0 - threshold), cut) * deviation * deviation
    root = math.sqrt(arms)
    return 2.0 * math.sqrt(plays) * (moment * (root - 1.0) + square / moment * root)


def ftpl(arms: int, plays: float, *, rate: float, cap: float, noise: float = 0.0) -> float:
    """Return the bound of FTPL with at most ``cap`` copies on losses with Laplace noise λ (FTPL).

    It is infinite unless η λ times the cap is below 1.
    """
    share = rate * noise * cap
    if share >= 1.0 or rate <= 0.0 or cap <= 0.0:
        return math.inf
    square = 1.0 + noise * noise * (1.0 + ftpl_excess(share))
    spread = (2.0 * rate * square + 1.0 / (math.e * cap)) * arms * plays
    return largest_perturbation(arms) / rate + spread


def ftpl_excess(share: float) -> float:
    """Return the weight of negative noise relative to positive noise: (1 - s/2) / (1 - s)²."""
    return (1.0 - share / 2.0) / (1.0 - share) ** 2


def largest_perturbation(arms: int) -> float:
    """Return the mean of the largest of K standard Laplace variables.

    >>> largest_perturbation(1), largest_perturbation(2)
    (0.0, 0.75)
    """
    return sum((1.0 - 0.5**k) / k for k in range(1, arms + 1)) - 0.5**arms / arms
