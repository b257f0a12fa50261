"""Composition: the joint epsilon of several releases, the smallest that their curves prove."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from discreet.curves import (
    UP,
    Approximate,
    Concentrated,
    Curve,
    GaussianNoise,
    LaplaceNoise,
    Pure,
    added,
    total,
)
from discreet.errors import check_int, check_range

__all__ = ["composed"]

MANY = 2**20  # more releases than this are not composed one by one
SMALLEST_LOSS = 1e-100  # smaller privacy losses get no distribution: its steps would underflow


def composed(curves: Sequence[Curve], delta: float, *, times: int = 1) -> float:
    """Return the epsilon, at a delta, of all these releases, each made ``times`` times.

    It is tight for many equal releases. Gaussian noise and zCDP have closed forms, and so do equal
    pure releases (a binomial sum). Everything else is composed through the privacy loss
    distributions of the worst cases, which dp-accounting rounds pessimistically, with an allowance
    for the errors of its Fourier transforms. Inputs may depend on earlier releases if the curves
    are fixed in advance.
    """
    repetitions = check_int("times", times, minimum=1)
    if check_range("delta", delta, 0.0, 1.0) == 1.0:
        return 0.0  # which holds for anything
    candidates = [_sum_of_epsilons(curves, repetitions, delta)]
    if delta > 0.0:
        if all(isinstance(curve, GaussianNoise) and curve.slack == 0.0 for curve in curves):
            mus = [curve.mu for curve in curves if isinstance(curve, GaussianNoise)]
            together = math.sqrt(repetitions * total(mu * mu for mu in mus)) * UP
            return GaussianNoise(together).epsilon_at(delta)
        rhos = [curve.rho for curve in curves]
        if all(rho is not None for rho in rhos):
            rho = total(rho for rho in rhos if rho is not None)
            candidates.append(Concentrated(repetitions * rho * UP).epsilon_at(delta))
        if len(curves) == 1 and isinstance(curves[0], Pure):
            candidates.append(_randomised_responses(curves[0].epsilon, repetitions, delta))
        elif all(_has_loss_distribution(curve) for curve in curves):
            candidates.append(_through_losses(curves, repetitions, delta))
    return min(candidates)


def _has_loss_distribution(curve: Curve) -> bool:
    if isinstance(curve, Approximate):
        return curve.delta < 1.0
    return curve.slack == 0.0 if isinstance(curve, GaussianNoise) else curve.kind != "zcdp"


def _randomised_responses(epsilon: float, times: int, delta: float) -> float:
    """Return the epsilon of k randomised responses (Kairouz et al. 2015, Theorem 3.3).

    With i responses for the other input, the loss is (k - 2i) ε. The excess over e^x is Σ C(k, i)
    p^(k-i) q^i max(0, 1 - e^(x - (k - 2i) ε)), where p = e^ε / (1 + e^ε) and q = 1 - p.
    """
    if times > MANY or not 0.0 < epsilon <= 700.0:
        return math.inf
    from scipy.special import gammaln

    i = np.arange(times + 1)
    p, q = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    choices = gammaln(times + 1.0) - gammaln(i + 1.0) - gammaln(times - i + 1.0)
    logs = choices + (times - i) * p + i * q
    losses = (times - 2.0 * i) * epsilon

    def excess(level: float) -> float:
        inside = losses > level
        total = math.fsum(np.exp(logs[inside]) * -np.expm1(level - losses[inside]))
        return float(total * (1.0 + 1e-9 * math.sqrt(times)))

    low, high = 0.0, times * epsilon
    if excess(0.0) <= delta:
        return 0.0
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (low, middle) if excess(middle) <= delta else (middle, high)
    return high * UP


def _sum_of_epsilons(curves: Sequence[Curve], times: int, delta: float) -> float:
    """Return the basic composition: pairs keep their delta, and the others share the rest."""
    pairs = [curve for curve in curves if isinstance(curve, Approximate)]
    others = [curve for curve in curves if not isinstance(curve, Approximate)]
    needed = added(*(curve.delta for curve in pairs), times=times)
    if needed > delta:
        return math.inf
    spare = (delta - needed) * (1.0 - 1e-12) / (times * len(others)) if others else 0.0
    known = [curve.epsilon for curve in pairs]
    return times * total([*known, *(curve.epsilon_at(spare) for curve in others)]) * UP


def _through_losses(curves: Sequence[Curve], times: int, delta: float) -> float:
    """Return an upper bound on epsilon from the composed privacy loss distributions."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as losses

    def known_at(curve: Curve) -> float:
        """Return the delta at which the largest privacy loss that matters is read."""
        if isinstance(curve, Approximate):
            return curve.delta
        return delta if isinstance(curve, GaussianNoise) else 0.0

    largest = max(curve.epsilon_at(known_at(curve)) for curve in curves)
    if not SMALLEST_LOSS <= largest <= 50.0:
        return math.inf
    # A step that divides epsilon: rounding up to a multiple then costs nothing.
    step = largest / max(200, math.ceil(largest / 1e-3))

    def distribution(curve: Curve) -> losses.PrivacyLossDistribution:
        grid = {"value_discretization_interval": step}
        if isinstance(curve, LaplaceNoise):
            return losses.from_laplace_mechanism(1.0 / curve.epsilon, **grid)
        if isinstance(curve, GaussianNoise):
            faint = math.log(delta) - 30.0  # the truncated mass is negligible compared with delta
            return losses.from_gaussian_mechanism(
                1.0 / curve.mu, log_mass_truncation_bound=faint, **grid
            )
        at = known_at(curve)
        pair = common.DifferentialPrivacyParameters(curve.epsilon_at(at), at)
        return losses.from_privacy_parameters(pair, **grid)

    # The error of a Fourier transform of n numbers is about log2(n) rounding errors of their
    # length. A k-th power multiplies it by k but spreads the numbers, so their length falls like
    # k^(-1/4); a sum over n of them multiplies it by sqrt(n). In comparisons with exact sums, the
    # actual error was less than a thousandth of this.
    count = times * len(curves)
    grid = 2.0 * count * largest / step
    room = math.sqrt(grid) * count**0.75 * 8.0 * math.log2(max(grid, 2.0)) * 2.0**-53
    if grid > MANY * 64 or room > 0.1 * delta:
        return math.inf
    parts = [distribution(curve) for curve in curves]
    if times > 1:
        parts = [part.self_compose(times) for part in parts]
    together = functools.reduce(lambda one, two: one.compose(two), parts)
    return max(0.0, float(together.get_epsilon_for_delta(delta - room))) * UP
