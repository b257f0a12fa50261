"""Agarwal & Singh 2017, as printed: EXP2 with noise, leaders on running sums, SCRiBLe."""

from __future__ import annotations

import math
from typing import Literal, cast

import numpy as np

from discreet import Private
from discreet.algorithms import Instance, Setting, functions, points
from discreet.channels import PerRound
from discreet.contracts import Noise
from discreet.errors import DiscreetError, check_positive
from discreet.learners import Exp3, PointScrible
from discreet.mechanisms import Gaussian, Laplace, NoiseName, ReportNoiseName
from discreet.problems import Arms, Functions, Points
from discreet.sets import Barrier
from discreet_papers.calibrations.claims import check_noise, printed
from discreet_papers.calibrations.per_point import PerPoint


@printed("noisy-exp2")
def noisy_exp2(
    setting: Setting[Arms],
    *,
    noise: Literal["laplace", "response"] = "laplace",
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Theorem 4.1, with noise for the largest absolute loss.

    For [-1, 1] that is half of the width of the range, so the guarantee is 2 ε. The parameters are
    η = sqrt(ln K / (2 K T v)) and γ = η K sqrt(v) with v = 1 + 2 λ² ln(K T), for which the proof's
    condition does not hold; so no bound is stated for them.
    """
    check_noise(noise, "laplace")
    arms, rounds = setting.problem.arms, setting.rounds
    largest = max(abs(setting.bounds.low), abs(setting.bounds.high))
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=largest, epsilon=setting.epsilon)
    )
    spread = 1.0 + 2.0 / setting.epsilon**2 * math.log(arms * rounds)
    tuned = math.sqrt(math.log(arms) / (2.0 * arms * rounds * spread))
    rate = tuned if learning_rate is None else learning_rate
    share = min(rate * arms * math.sqrt(spread), 0.5) if mixing is None else mixing
    return Instance(
        private=Private(channel, Exp3.start(arms=arms, learning_rate=rate, mixing=share)),
        parameters={"learning_rate": rate, "mixing": share},
        regret_bound=None,
        bound_source="no bound proved: the paper's parameters violate a condition of its proof",
    )


@printed("private-ftrl-experts")
def private_ftrl_experts(
    setting: Setting[Points],
    *,
    sums: points.RunningSumName | None = None,
    noise: NoiseName | None = None,
    padding: bool | None = None,
    learning_rate: float | None = None,
    head_start: float | None = None,
) -> Instance:
    """Theorem 3.1 with entropy and one rate, on a padded tree with the noise of the paper."""
    pick = _pick_tree(setting, sums, noise, padding)
    start = 0.0 if head_start is None else head_start
    return points.lead_experts(setting, pick, learning_rate=learning_rate, head_start=start)


@printed("private-ftpl")
def private_ftpl(
    setting: Setting[Points],
    *,
    sums: points.RunningSumName | None = None,
    noise: NoiseName | None = None,
    padding: bool | None = None,
    spread: float | None = None,
) -> Instance:
    """Theorem 3.5: the noise of a padded tree is the only perturbation.

    σ = max(|Y|₂ sqrt(T / (sqrt(N) log T)), sqrt(N) log T ln(log T / δ) / ε), logarithms to base 2.
    """
    if setting.delta == 0.0:
        raise DiscreetError("delta is 0, but the paper's Gaussian noise needs delta above 0.")
    _pick_tree(setting, sums, noise, padding)
    losses, levels = setting.problem.sets(setting.bounds).losses, math.log2(setting.rounds)
    root = math.sqrt(setting.problem.dimension)
    smooth = float(losses.largest(2.0)) * math.sqrt(setting.rounds / (root * levels))
    private = root * levels * math.log(levels / setting.delta) / setting.epsilon
    found = Gaussian(max(smooth, private), setting.delta)
    return points.lead_perturbed(
        setting,
        lambda bound: points.padded_tree(setting, found),
        spread=0.0 if spread is None else spread,
    )


@printed("private-ftrl-ball")
@printed("private-ftrl-cube")
def private_ftrl(
    setting: Setting[Points],
    *,
    sums: points.RunningSumName | None = None,
    noise: NoiseName | None = None,
    padding: bool | None = None,
    learning_rate: float | None = None,
    head_start: float | None = None,
) -> Instance:
    """Theorem 3.1 with |x|² and one rate, on a padded tree with the noise of the paper."""
    pick = _pick_tree(setting, sums, noise, padding)
    start = 0.0 if head_start is None else head_start
    return points.lead_quadratic(setting, pick, learning_rate=learning_rate, head_start=start)


def _pick_tree(
    setting: Setting[Points],
    sums: points.RunningSumName | None,
    noise: NoiseName | None,
    padding: bool | None,
) -> points.Pick:
    """Return the choice of the paper: a padded tree with the noise of Theorems 3.1 and A.1.

    Logarithms have base 2, which the tree needs.
    """
    if setting.unknown_horizon:
        raise DiscreetError(
            "the number of rounds is unknown, but the noise of calibration='paper' depends on it."
        )
    kind = "laplace" if setting.delta == 0.0 else "gaussian"
    if sums not in (None, "tree") or noise not in (None, kind) or padding is False:
        raise DiscreetError(
            f"calibration='paper' fixes a padded tree with {kind} noise here; do not set sums, "
            "noise or padding."
        )
    losses, levels = setting.problem.sets(setting.bounds).losses, math.log2(setting.rounds)
    found: Noise
    if setting.delta == 0.0:
        found = Laplace(float(losses.largest(1.0)) * levels / setting.epsilon)
    else:
        spread = levels * math.log(levels / setting.delta) / setting.epsilon
        found = Gaussian(float(losses.largest(2.0)) * spread, setting.delta)
    return lambda bound: points.padded_tree(setting, found)


@printed("private-scrible")
def private_scrible(
    setting: Setting[Functions],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    when_vacuous: functions.WhenVacuous = "play",
) -> Instance:
    """Theorem 4.5: λ = |Y|₁ / ε on every coordinate, and η for M² + λ² N |X|².

    What is released is ⟨ℓ + Z, x⟩. The noise is calibrated to the largest 1-norm of a loss vector,
    and not to that of a difference of two: the guarantee is 2 ε.
    """
    check_noise(noise, "laplace")
    place, rounds = functions.place_with(setting, Barrier), setting.rounds
    if np.any(place.set.centre() != 0.0):
        raise DiscreetError(
            f"domain is {setting.problem.domain}, but calibration='paper' needs a set centred at 0."
        )
    around, dimension, slope = cast(Barrier, place.set), place.dimension, setting.problem.lipschitz
    size = slope * math.sqrt(dimension)  # |Y|₁ in widths of the range, for loss vectors of length G
    scale, largest = size / setting.epsilon, min(0.5, slope * place.outer)
    square = largest**2 + scale**2 * dimension * place.outer**2
    rate = math.sqrt(around.complexity * math.log(rounds) / (2.0 * dimension**2 * rounds * square))
    if learning_rate is not None:
        rate = check_positive("learning_rate", learning_rate)
    proposal = functions.Proposal(
        channel=PerPoint(setting.bounds, size, Laplace(scale)),
        learner=PointScrible.start(set=around, learning_rate=rate),
        parameters={"learning_rate": rate},
        bound=None,
        source="no bound stated: the constant of the paper's bound is not printed",
    )
    return functions.decide(setting, proposal, when_vacuous)
