"""How a search hears of samples: as they are, each with noise of its own, or sums of batches with noise; and its rule."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from discreet.algorithms.registry import Instance, Setting
from discreet.channels import Batch, Open, PerRound
from discreet.contracts import Channel, Noise
from discreet.errors import check_range
from discreet.learners.search.evidence import Chernoff, Mixture, Rule
from discreet.learners.search.searching import EVERY_ROUND, Batches, Searching
from discreet.mechanisms import report_noise
from discreet.private import Private
from discreet.problems import BestArm

Reporting = Literal["response", "gaussian"]  # both sub-Gaussian, which the proofs need
VARIANCE = 0.25  # the largest of a number from 0 to 1
GAP = 0.15  # for which bounds are tightest, as a fraction of the range
GROWTH = 0.25
PROVED = "at most as often as is allowed (docs/proofs.md: Best-arm search)"


class Reports(NamedTuple):
    """A channel, and what is known of the means of what it releases."""

    channel: Channel
    rule: Rule
    variance: float  # that counts for one sample, in squared widths of the range
    noise_variance: float = 0.0  # that is added to a sum at every release
    batches: Batches = EVERY_ROUND


def open_reports(setting: Setting[BestArm], gap: float) -> Reports:
    """Return samples as they are: numbers from 0 to 1 are sub-Gaussian with variance 1/4."""
    return Reports(Open(setting.bounds), Mixture.for_gap(gap, variance=VARIANCE), VARIANCE)


def noisy_reports(setting: Setting[BestArm], noise: Reporting, gap: float) -> Reports:
    """Return samples with noise on each (local model).

    Randomised response reports one of two values that are c = coth(ε / 2) widths apart: it is
    sub-Gaussian with variance c² / 4 = 1/4 + 1 / (4 sinh²(ε / 2)), which for every ε is less than
    the 1/4 + 2 / ε² of Laplace noise. Gaussian noise adds its variance to 1/4.
    """
    chosen = report_noise(
        noise, bounds=setting.bounds, epsilon=setting.epsilon, delta=setting.delta
    )
    return reports_with(setting, chosen, gap)


def reports_with(setting: Setting[BestArm], chosen: Noise, gap: float) -> Reports:
    """Return samples with this noise on each, which must be sub-Gaussian."""
    width = setting.bounds.width
    variance = chosen.square_around_middle(width) / width**2
    return Reports(
        PerRound(setting.bounds, chosen), Mixture.for_gap(gap, variance=variance), variance
    )


def batched_reports(
    setting: Setting[BestArm], first: int | None, growth: float, gap: float
) -> Reports:
    """Return sums of batches with Laplace noise of 1 / ε widths on each (central model); each round is in one of them.

    The first batch of an arm has 1 / g² + 7.5 / (g ε) rounds, g the typical gap: about what a
    comparison needs.
    """
    check_range("typical_gap", gap, 1e-6, 1.0)
    size = math.ceil(1.0 / gap**2 + 7.5 / (gap * setting.epsilon)) if first is None else first
    batches = Batches(size, growth).checked()
    channel = Batch.laplace(size=size, epsilon=setting.epsilon, bounds=setting.bounds)
    return Reports(
        channel, Chernoff(channel.noise.scale), VARIANCE, channel.noise.deviation(1) ** 2, batches
    )


def instance_of(
    learner: Searching, reports: Reports, source: str, **parameters: float | int | str
) -> Instance:
    """Return a search with all its numbers filled in; ``source`` says what is proved of its answers."""
    batches = (
        {"batch_size": reports.batches.first, "growth": reports.batches.growth}
        if reports.batches.first
        else {}
    )
    return Instance(
        private=Private(reports.channel, learner),
        parameters={**batches, "variance": reports.variance, **parameters},
        regret_bound=None,
        bound_source=source,
    )
