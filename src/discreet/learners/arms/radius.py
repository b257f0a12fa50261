"""Weighted means of noisy batches, and how far they may be from the truth."""

from __future__ import annotations

import math

from componentjit import helper, helper_apart

STEPS = 24


@helper
def batch_weight(rounds: float, noise: float) -> float:
    """Return 1 / the largest variance of the mean of a batch with Laplace noise of scale ``noise`` on its sum."""
    return rounds * rounds / (rounds / 4.0 + 2.0 * noise * noise)


@helper_apart
def radius(weight: float, laplace: float, largest: float, confidence: float) -> float:
    """Return within how much a weighted mean of batches is of the truth, on one side, but with probability exp(-β).

    A mean of batches with weights o(k), their inverse variances, has deviations of two kinds: those
    of losses in [0, 1], at most Gaussian with variance V = Σ o(k)² / (4 b(k)) / P², and Laplace
    noise of scales s(k) = o(k) noise / b(k) / P, where P = Σ o(k) is ``weight``. Of the sums over
    batches ``laplace`` is P² Σ s(k)², ``largest`` is P max s(k), and P² V = P - 2 P² Σ s(k)². By
    Chernoff's bound, as -ln(1 - x) / x increases, the radius is the least over λ < 1 / s of

        (β + λ² V / 2 - (Σ s(k)² / s²) ln(1 - λ² s²)) / λ,   s = max s(k).

    Its derivative changes sign once, at a λ that is found by bisection; every λ gives a valid
    radius. As x ≤ 2 x / (1 - x) + ln(1 - x), which is at most 3 x up to 1/2, it lies between sqrt(β
    P / 1.5) and sqrt(2 β P) unless λ s > 0.7: so it is found as precisely where s is tiny.
    """
    scale = largest / weight
    count = laplace / (largest * largest)
    gauss = (weight - 2.0 * laplace) / (largest * largest)
    low, high = 0.0, min(1.0 - 1e-9, largest * math.sqrt(2.0 * confidence / weight))
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        square = middle * middle
        excess = 0.5 * square * gauss + count * (
            2.0 * square / (1.0 - square) + math.log1p(-square)
        )
        if excess < confidence:
            low = middle
        else:
            high = middle
    tilt = max(low, 1e-12)
    square = tilt * tilt
    return scale * (confidence + 0.5 * square * gauss - count * math.log1p(-square)) / tilt
