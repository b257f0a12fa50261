"""lil' UCB: without privacy, with noise on every sample, and on batches."""

from __future__ import annotations

import math

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.papers import LIL_UCB, ZHENG
from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.algorithms.search.reports import (
    GAP,
    GROWTH,
    Reporting,
    Reports,
    batched_reports,
    instance_of,
    noisy_reports,
    open_reports,
    reports_with,
)
from discreet.errors import DiscreetError
from discreet.learners import LilUcb
from discreet.learners.search.lil_ucb import Constants
from discreet.mechanisms import Gaussian
from discreet.problems import BestArm

THEOREM = (
    "at most as often as is allowed (Jamieson et al. 2014, Theorem 2, for sub-Gaussian numbers "
    "of this variance)"
)
UNPROVED = "nothing is proved of the constants that are used in practice"


@register_algorithm(
    name="lil-ucb", title="lil' UCB, by the iterated logarithm", problem=BestArm(), citation=LIL_UCB
)
def lil_ucb(setting: Setting[BestArm], *, constants: Constants = "practice") -> Instance:
    """Run lil' UCB with the constants of the paper's experiments, or of its Theorem 2, which take far more samples."""
    return _lil_ucb(setting, open_reports(setting, GAP), constants)


@register_algorithm(
    name="local-lil-ucb",
    twin="lil-ucb",
    title="lil' UCB with noise on every sample",
    problem=BestArm(),
    citation=ZHENG,
    builds_on=(LIL_UCB,),
)
def local_lil_ucb(
    setting: Setting[BestArm],
    *,
    calibration: Calibration = "tight",
    noise: Reporting | None = None,
    constants: Constants = "practice",
) -> Instance:
    """Theorem 12: lil' UCB on noisy samples, of which only the variance is another.

    The paper's noise is Gaussian, of the classical scale (high - low) sqrt(2 ln(1.25 / δ)) / ε;
    ours is randomised response unless another is asked for.
    """
    if calibration == "tight":
        return _lil_ucb(setting, noisy_reports(setting, noise or "response", GAP), constants)
    if noise not in (None, "gaussian"):
        raise DiscreetError(
            f"calibration is paper, which has gaussian noise, but noise is {noise}: leave it out."
        )
    if setting.delta <= 0.0:
        raise DiscreetError(
            f"delta is {setting.delta!r}, but the paper's Gaussian noise needs one above 0."
        )
    scale = setting.bounds.width * math.sqrt(2.0 * math.log(1.25 / setting.delta)) / setting.epsilon
    return _lil_ucb(setting, reports_with(setting, Gaussian(scale, setting.delta), GAP), constants)


@register_algorithm(
    name="batched-lil-ucb",
    twin="lil-ucb",
    title="lil' UCB on noisy sums of batches",
    problem=BestArm(),
    citation=LIL_UCB,
)
def batched_lil_ucb(
    setting: Setting[BestArm], *, batch_size: int | None = None, growth: float = GROWTH
) -> Instance:
    """Run lil' UCB on batches that grow, each with noise once; the theorem does not cover Laplace noise."""
    return _lil_ucb(setting, batched_reports(setting, batch_size, growth, GAP), "practice")


def _lil_ucb(setting: Setting[BestArm], reports: Reports, constants: Constants) -> Instance:
    arms, error = setting.problem.arms, setting.problem.error
    proved = constants == "theory"
    learner = LilUcb.start(
        arms=arms,
        error=error,
        constants=constants,
        variance=reports.variance,
        noise_variance=reports.noise_variance,
        batches=reports.batches,
    )
    return instance_of(learner, reports, THEOREM if proved else UNPROVED, constants=constants)
