"""Zheng et al. 2020."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from discreet.algorithms import Setting
from discreet.algorithms.papers import ZHENG
from discreet.auditing import attacked, audit
from discreet.contracts import Floats
from discreet.curves import gaussian_delta, gaussian_epsilon, gaussian_sigma
from discreet.errata.registry import erratum
from discreet.problems import Arms
from discreet.sensitivities import glm_gradient

PAPER = ZHENG.short
TRIALS = 1_000_000


def classical(epsilon: float, delta: float) -> float:
    """Return the classical standard deviation for sensitivity 1, proved for epsilon below 1 only."""
    return math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


@erratum(
    paper=PAPER,
    place="Algorithm 1: Gaussian noise on each loss, for large ε",
    printed="σ = 2 B sqrt(2 ln(1.25 / δ)) / ε.",
    ours="σ = 2 B a(ε, δ), exact (Balle & Wang 2018).",
    verdict="too small",
)
def one_point() -> str:
    """Audit it at a large epsilon, and compare at small ones."""
    setting = Setting(Arms(), rounds=10_000, epsilon=10.0, delta=1e-6)
    found = audit("local-tsallis-inf", setting=setting, trials=4_000_000, calibration="paper")
    excess = gaussian_delta(1.0 / classical(10.0, 1e-6), 10.0) / 1e-6
    crossing = next(e / 100.0 for e in range(100, 2000) if classical(e / 100.0, 1e-6) < gaussian_sigma(e / 100.0, 1e-6))
    waste = classical(1.0, 1e-6) / gaussian_sigma(1.0, 1e-6)
    return (
        f"claimed (10, 1e-6): the audit, which compares the trade-off curve of Gaussian noise, finds epsilon at least "
        f"{found.lower_bound:.2f} (exact: {found.stated.epsilon:.2f}; δ is {excess:.1f} times too large). At δ = 1e-6 the formula is too "
        f"small from ε = {crossing:.1f} on; at ε = 1 it is {waste:.2f} times too large."
    )


def _projection(sigma: float, reach: float, world: int, trials: int, series: int) -> Floats:
    """Return the released gradient along the context, at either end of its range."""
    return (2.0 * world - 1.0) * reach / 2.0 + np.random.default_rng([world, series]).normal(0.0, sigma, trials)


@erratum(
    paper=PAPER,
    place="Algorithm 3: the gradient of a generalised linear model",
    printed="σ = 6 C sqrt(2 ln(3.75 / δ)) / ε for a gradient (g(z) - y) x said to have norm at most C, for a share (ε/3, δ/3).",
    ours="its norm is at most 2 C + 1 under the paper's assumptions (|g| ≤ C, |noise| ≤ 1), so it moves by up to 2 (2 C + 1).",
    verdict="too small",
)
def gradient() -> str:
    """Attack the gradient alone, at both ends of its range."""
    share, delta = 1.0 / 3.0, 1e-6 / 3.0
    parts = []
    for bound in (1.0, 0.25, 0.1):
        sigma = 6.0 * bound * math.sqrt(2.0 * math.log(3.75 / 1e-6))
        reach = glm_gradient(dimension=1, bound=bound).l2
        found = attacked(partial(_projection, sigma, reach), TRIALS, delta=delta, gaussian=True)
        parts.append(f"at least {found:.2f} for C = {bound:g} (exact {gaussian_epsilon(reach / sigma, delta):.2f})")
    return (
        f"target (1, 1e-6), the gradient's share is ε = {share:.2f}: the attack finds {', '.join(parts)}. For Bernoulli rewards with "
        "C = 1, the paper's own example, the gradient is at most 1 and the scale is right."
    )
