"""Zheng et al. 2020."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from discreet.algorithms import Setting
from discreet.algorithms.papers import ZHENG
from discreet.auditing import attacked, audit
from discreet.contracts import Floats
from discreet.curves import gaussian_delta, gaussian_epsilon, gaussian_sigma
from discreet.errata.registry import erratum
from discreet.problems import Arms, Contexts
from discreet.ranges import make_range
from discreet.sensitivities import glm_gradient
from discreet.simulation import Contender, simulate

PAPER = ZHENG.short
TRIALS = 1_000_000
ROUNDS = 1 << 16


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


@erratum(
    paper=PAPER,
    place="Algorithm 5: noise and widths of private LinUCB",
    printed="σ = 6 sqrt(2 ln(2.5 / δ)) / ε on all entries of x x' and y x, and β with a factor d ln T on the terms of the noise.",
    ours="one noise on all entries together (σ = 2 sqrt(2) a, 2 a and 2 a on and off the diagonal and on y x, for |y| ≤ 1), or a report of fixed length; β without that factor.",
    verdict="too large",
)
def private_linucb() -> str:
    """Play it beside uniform play."""
    setting = Setting(Contexts(), rounds=ROUNDS, epsilon=1.0, delta=1e-5, bounds=make_range(-1.0, 1.0))
    names = {"printed": {"calibration": "paper"}, "corrected": {"noise": "gaussian", "constants": "theory"}}
    players = [Contender.named("uniform-contexts", setting)]
    for label, options in names.items():
        players.append(replace(Contender.named("local-linucb", setting, **options), label=label))
    found = simulate(players, problem=Contexts(), rounds=ROUNDS, trials=8, low=-1.0, high=1.0, workers=1)
    uniform, printed, corrected = (row["regret_mean"] for row in found.summary())
    scale = players[1].private.channel.noise_scales[0].scale
    return (
        f"10 arms, 10 features, {ROUNDS:,} rounds, (1, 1e-5), 8 trials: the regret as printed is {100 * printed / uniform:.1f} % of that of "
        f"uniform play, with the corrected noise and widths {100 * corrected / uniform:.0f} %. The printed σ is {scale:.1f}, where "
        f"{2.0 * gaussian_sigma(1.0, 1e-5):.1f} on y x is enough."
    )
