"""Best-arm search: without privacy, with noise on every sample, and on noisy sums of batches."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Instance, Setting, register_algorithm
from discreet.channels import Batch, Open, PerRound
from discreet.contracts import Channel, Noise
from discreet.errors import DiscreetError, check_range
from discreet.learners import LilUcb, Lucb, SuccessiveElimination, TrackAndStop
from discreet.learners.search.evidence import Chernoff, Mixture, Rule
from discreet.learners.search.lil_ucb import LilPreset as LilPreset
from discreet.learners.search.searching import EVERY_ROUND, Batches, Searching
from discreet.mechanisms import report_noise
from discreet.private import Private
from discreet.problems import BestArm

__all__ = [
    "GAP",
    "LilPreset",
    "SampleReports",
    "batched_reports",
    "noisy_reports",
    "open_reports",
    "reports_with",
    "run_elimination",
    "run_lil_ucb",
    "run_lucb",
    "run_track_and_stop",
]

SampleNoise = Literal["response", "gaussian"]  # both sub-Gaussian, which the proofs need
VARIANCE = 0.25  # the largest of a number from 0 to 1
GAP = 0.15  # the gap at which bounds are tightest, as a fraction of the range
GROWTH = 0.25  # of a batch over all earlier ones of an arm
# Times the square root of the rounds, for numbers from 0 to 1; more with noise, for the same
# precision. With 1, as printed, the best arm is sometimes starved.
EXPLORATION = 2.0
PROVED = "at most as often as allowed (docs/proofs.md: Best-arm search)"
LIL_PROVED = (
    "at most as often as allowed (Jamieson et al. 2014, Theorem 2, with the constants of "
    "docs/proofs.md: Best-arm search)"
)
LIL_UNPROVED = "nothing is proved for the constants used in practice"


class SampleReports(NamedTuple):
    """How a search receives samples: a channel, and properties of its released means."""

    channel: Channel
    rule: Rule
    variance: float  # of one sample, in squared widths of the range
    noise_variance: float = 0.0  # added to a sum at every release
    batches: Batches = EVERY_ROUND


def open_reports(setting: Setting[BestArm], gap: float) -> SampleReports:
    """Return plain samples: numbers from 0 to 1 are sub-Gaussian with variance 1/4."""
    return SampleReports(Open(setting.bounds), Mixture.for_gap(gap, variance=VARIANCE), VARIANCE)


def noisy_reports(setting: Setting[BestArm], noise: SampleNoise, gap: float) -> SampleReports:
    """Return samples with noise on each (local model).

    Randomised response reports one of two values that are c = coth(ε / 2) widths apart: it is
    sub-Gaussian with variance c² / 4 = 1/4 + 1 / (4 sinh²(ε / 2)), which for every ε is less than
    the 1/4 + 2 / ε² of Laplace noise. Gaussian noise adds its variance to 1/4.
    """
    chosen = report_noise(
        noise, bounds=setting.bounds, epsilon=setting.epsilon, delta=setting.delta
    )
    return reports_with(setting, chosen, gap)


def reports_with(setting: Setting[BestArm], noise: Noise, gap: float) -> SampleReports:
    """Return samples with this noise on each, which must be sub-Gaussian."""
    width = setting.bounds.width
    variance = noise.square_around_middle(width) / width**2
    return SampleReports(
        PerRound(setting.bounds, noise), Mixture.for_gap(gap, variance=variance), variance
    )


def batched_reports(
    setting: Setting[BestArm], first: int | None, growth: float, gap: float
) -> SampleReports:
    """Return sums of batches with Laplace noise of 1 / ε widths on each (central model).

    Each round is in one batch. The first batch of an arm has 1 / g² + 7.5 / (g ε) rounds, g the
    typical gap: about what a comparison needs.
    """
    check_range("typical_gap", gap, 1e-6, 1.0)
    size = math.ceil(1.0 / gap**2 + 7.5 / (gap * setting.epsilon)) if first is None else first
    batches = Batches(size, growth).checked()
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    rule, noise_variance = Chernoff(channel.noise.scale), channel.noise.deviation(1) ** 2
    return SampleReports(channel, rule, VARIANCE, noise_variance, batches)


def _instance(
    learner: Searching, reports: SampleReports, source: str, **parameters: float | int | str
) -> Instance:
    """Return a search with all its numbers; ``source`` states what is proved about its answers."""
    first, growth = reports.batches.first, reports.batches.growth
    batches = {"batch_size": first, "growth": growth} if first else {}
    return Instance(
        private=Private(reports.channel, learner),
        parameters={**batches, "variance": reports.variance, **parameters},
        regret_bound=None,
        bound_source=source,
    )


@register_algorithm(
    name="successive-elimination",
    title="all arms in turn, the worse ones dropped",
    problem=BestArm(),
    citation="evendar2006action",
)
def successive_elimination(setting: Setting[BestArm], *, typical_gap: float = GAP) -> Instance:
    """Successive elimination by the differences of arms that are pulled in turn."""
    return run_elimination(setting, open_reports(setting, typical_gap), typical_gap)


@register_algorithm(
    name="local-successive-elimination",
    twin="successive-elimination",
    title="successive elimination with noise on every sample",
    problem=BestArm(),
    citation="zheng2020locally",
    builds_on=("evendar2006action",),
)
def local_successive_elimination(
    setting: Setting[BestArm], *, noise: SampleNoise = "response", typical_gap: float = GAP
) -> Instance:
    """Successive elimination with noise on each sample."""
    return run_elimination(setting, noisy_reports(setting, noise, typical_gap), typical_gap)


@register_algorithm(
    name="batched-successive-elimination",
    twin="successive-elimination",
    title="successive elimination on noisy sums of batches",
    problem=BestArm(),
    builds_on=("evendar2006action",),
)
def batched_successive_elimination(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    typical_gap: float = GAP,
) -> Instance:
    """Successive elimination in phases: each remaining arm has one batch, with noise once."""
    reports = batched_reports(setting, batch_size, growth, typical_gap)
    return run_elimination(setting, reports, typical_gap)


def run_elimination(setting: Setting[BestArm], reports: SampleReports, gap: float) -> Instance:
    """Return successive elimination on these reports."""
    learner = SuccessiveElimination.start(
        arms=setting.problem.arms,
        error=setting.problem.error,
        rule=reports.rule,
        batches=reports.batches,
    )
    return _instance(learner, reports, PROVED, typical_gap=gap)


@register_algorithm(
    name="lil-ucb",
    title="lil' UCB, by the iterated logarithm",
    problem=BestArm(),
    citation="jamieson2014lil",
)
def lil_ucb(setting: Setting[BestArm], *, constants: LilPreset = "practice") -> Instance:
    """Run lil' UCB with the constants of the paper's experiments, or of its Theorem 2.

    Those of the theorem take far more samples.
    """
    return run_lil_ucb(setting, open_reports(setting, GAP), constants)


@register_algorithm(
    name="local-lil-ucb",
    twin="lil-ucb",
    title="lil' UCB with noise on every sample",
    problem=BestArm(),
    citation="zheng2020locally",
    builds_on=("jamieson2014lil",),
)
def local_lil_ucb(
    setting: Setting[BestArm],
    *,
    noise: SampleNoise | None = None,
    constants: LilPreset = "practice",
) -> Instance:
    """Theorem 12: lil' UCB on noisy samples, which differ only in variance."""
    return run_lil_ucb(setting, noisy_reports(setting, noise or "response", GAP), constants)


@register_algorithm(
    name="batched-lil-ucb",
    twin="lil-ucb",
    title="lil' UCB on noisy sums of batches",
    problem=BestArm(),
    builds_on=("jamieson2014lil",),
)
def batched_lil_ucb(
    setting: Setting[BestArm], *, batch_size: int | None = None, growth: float = GROWTH
) -> Instance:
    """Run lil' UCB on growing batches; its theorem does not cover Laplace noise."""
    return run_lil_ucb(setting, batched_reports(setting, batch_size, growth, GAP), "practice")


def run_lil_ucb(
    setting: Setting[BestArm], reports: SampleReports, constants: LilPreset
) -> Instance:
    """Return lil' UCB on these reports."""
    learner = LilUcb.start(
        arms=setting.problem.arms,
        error=setting.problem.error,
        constants=constants,
        variance=reports.variance,
        noise_variance=reports.noise_variance,
        batches=reports.batches,
    )
    source = LIL_PROVED if constants == "theory" else LIL_UNPROVED
    return _instance(learner, reports, source, constants=constants)


@register_algorithm(
    name="lucb",
    title="LUCB: the leader and its nearest rival",
    problem=BestArm(),
    citation="kalyanakrishnan2012pac",
)
def lucb(setting: Setting[BestArm], *, typical_gap: float = GAP) -> Instance:
    """LUCB with intervals that hold simultaneously at all times."""
    return run_lucb(setting, open_reports(setting, typical_gap), typical_gap)


@register_algorithm(
    name="local-lucb",
    twin="lucb",
    title="LUCB with noise on every sample",
    problem=BestArm(),
    citation="zheng2020locally",
    builds_on=("kalyanakrishnan2012pac",),
)
def local_lucb(
    setting: Setting[BestArm], *, noise: SampleNoise = "response", typical_gap: float = GAP
) -> Instance:
    """LUCB with noise on each sample, and intervals for that noise."""
    return run_lucb(setting, noisy_reports(setting, noise, typical_gap), typical_gap)


@register_algorithm(
    name="batched-lucb",
    twin="lucb",
    title="LUCB on noisy sums of batches",
    problem=BestArm(),
    builds_on=("kalyanakrishnan2012pac",),
)
def batched_lucb(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    typical_gap: float = GAP,
) -> Instance:
    """LUCB on growing batches, each with noise once."""
    reports = batched_reports(setting, batch_size, growth, typical_gap)
    return run_lucb(setting, reports, typical_gap)


def run_lucb(setting: Setting[BestArm], reports: SampleReports, gap: float) -> Instance:
    """Return LUCB on these reports."""
    learner = Lucb.start(
        arms=setting.problem.arms,
        error=setting.problem.error,
        rule=reports.rule,
        batches=reports.batches,
    )
    return _instance(learner, reports, PROVED, typical_gap=gap)


@register_algorithm(
    name="track-and-stop",
    title="arms in optimal proportions",
    problem=BestArm(),
    citation="garivier2016optimal",
)
def track_and_stop(
    setting: Setting[BestArm], *, errors: tuple[float, ...] = (), typical_gap: float = GAP
) -> Instance:
    """Track-and-Stop; it also reports the stopping time for each of the smaller ``errors``."""
    return run_track_and_stop(setting, open_reports(setting, typical_gap), errors, typical_gap)


@register_algorithm(
    name="local-track-and-stop",
    twin="track-and-stop",
    title="Track-and-Stop with noise on every sample",
    problem=BestArm(),
    citation="zheng2020locally",
    builds_on=("garivier2016optimal",),
)
def local_track_and_stop(
    setting: Setting[BestArm],
    *,
    noise: SampleNoise = "response",
    errors: tuple[float, ...] = (),
    typical_gap: float = GAP,
) -> Instance:
    """Track-and-Stop with noise on each sample."""
    reports = noisy_reports(setting, noise, typical_gap)
    return run_track_and_stop(setting, reports, errors, typical_gap)


@register_algorithm(
    name="batched-track-and-stop",
    twin="track-and-stop",
    title="Track-and-Stop on noisy sums of batches",
    problem=BestArm(),
    builds_on=("garivier2016optimal",),
)
def batched_track_and_stop(
    setting: Setting[BestArm],
    *,
    batch_size: int | None = None,
    growth: float = GROWTH,
    errors: tuple[float, ...] = (),
    typical_gap: float = GAP,
) -> Instance:
    """Track-and-Stop on growing batches, each with noise once."""
    reports = batched_reports(setting, batch_size, growth, typical_gap)
    return run_track_and_stop(setting, reports, errors, typical_gap)


def run_track_and_stop(
    setting: Setting[BestArm], reports: SampleReports, errors: tuple[float, ...], gap: float
) -> Instance:
    """Return Track-and-Stop on these reports."""
    error = setting.problem.error
    if errors and max(errors) >= error:
        raise DiscreetError(
            f"errors is {errors!r} and error is {error:g}, but errors must be smaller than error."
        )
    variance = reports.variance + reports.noise_variance / max(reports.batches.first, 1)
    learner = TrackAndStop.start(
        arms=setting.problem.arms,
        errors=(error, *errors),
        rule=reports.rule,
        exploration=EXPLORATION * math.sqrt(variance / VARIANCE),
        batches=reports.batches,
    )
    return _instance(learner, reports, PROVED, exploration=learner.exploration, typical_gap=gap)
