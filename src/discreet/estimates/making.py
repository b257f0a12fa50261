"""Estimates from releases: valid at all times, or from sums released at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence

from discreet.contracts import Noise
from discreet.errors import check_choice, check_share
from discreet.estimates.at_the_end import half_width
from discreet.estimates.pairs import Evidence, difference
from discreet.estimates.reading import Design
from discreet.estimates.released import ReleaseSum, SumAtEnd
from discreet.estimates.sums import NoisySums, SumEvidence
from discreet.estimates.table import EstimateKind, MeanEstimate, MeanEstimates, Outcomes
from discreet.ranges import Range

# Outcomes and noise are rounded to a grid; the means of a table of probabilities are off by up to
# 2^-20 of the range. Every interval is widened by that on both sides.
ROUNDING = 2.0**-20
MEANS = (
    "Valid if the mean outcome of an arm does not change and outcomes depend neither on each other "
    "nor on when they arrive"
)
AT_ALL_TIMES = f"{MEANS} (docs/proofs.md: Anytime estimates)."
NORMAL = "Means of outcomes are approximated as normal (docs/proofs.md: Hold-out intervals)."
AT_END = "Valid once, at the end of the run (docs/proofs.md: Final release)."

# An interval on the unit scale of losses, with its centre: mean, low, high.
MeanAndEnds = tuple[float, float, float]


class Scale:
    """Converts losses, as fractions of the range, to the outcomes that a user reports."""

    def __init__(self, bounds: Range, outcomes: Outcomes) -> None:
        check_choice("outcomes", outcomes, ("rewards", "losses"))
        self.outcomes = outcomes
        self._low, self._high = bounds
        self._flipped = outcomes == "rewards"

    def mean(self, found: MeanAndEnds, rounds: int, releases: int) -> MeanEstimate:
        """Return the estimate of a mean, clipped to the declared range; nan without a release."""
        mean, low, high = (min(max(value, 0.0), 1.0) for value in _wider(found))
        if self._flipped:
            mean, low, high = 1.0 - mean, 1.0 - high, 1.0 - low
        ends = (self._units(mean), self._units(low), self._units(high))
        known = ends if releases else (math.nan, *ends[1:])
        return MeanEstimate(*known, rounds, releases)

    def difference(self, found: MeanAndEnds, rounds: int, releases: int) -> MeanEstimate:
        """Return the estimate of a difference."""
        mean, low, high = (min(max(value, -1.0), 1.0) for value in _wider(found))
        if self._flipped:
            mean, low, high = -mean, -high, -low
        width = self._high - self._low
        return MeanEstimate(mean * width, low * width, high * width, rounds, releases)

    def _units(self, share: float) -> float:
        return float(self._low + share * (self._high - self._low))


def _wider(found: MeanAndEnds) -> MeanAndEnds:
    mean, low, high = found
    return mean, low - ROUNDING, high + ROUNDING


def anytime(
    design: Design,
    sums: Iterable[ReleaseSum],
    *,
    labels: Sequence[Hashable],
    bounds: Range,
    level: float = 0.95,
    outcomes: Outcomes = "rewards",
    notes: tuple[str, ...] = (),
) -> MeanEstimates:
    """Return estimates from all releases, valid at all times simultaneously."""
    notes = (AT_ALL_TIMES, *notes)
    evidence = design.evidence(sums)[: len(labels)]  # slots without a label were never played
    return _from_evidence("anytime", evidence, labels, Scale(bounds, outcomes), level, notes)


def final(
    noise: Noise,
    sums: Iterable[SumAtEnd],
    *,
    rounds: float,
    labels: Sequence[Hashable],
    bounds: Range,
    level: float = 0.95,
    outcomes: Outcomes = "rewards",
    notes: tuple[str, ...] = (),
) -> MeanEstimates:
    """Return estimates from one sum of all outcomes of each arm, released at the end.

    ``noise`` is the noise of a sum, in widths of the range; ``rounds`` is an arm's share of the
    horizon.
    """
    tilted = NoisySums(noise, rounds=rounds, usual=rounds, weigh=False)
    evidence: list[Evidence] = []
    totals = {each.choice: each for each in sums}
    for arm in range(len(labels)):
        found = SumEvidence(tilted)
        if arm in totals and totals[arm].rounds > 0:
            found.add(totals[arm].rounds, totals[arm].total / totals[arm].rounds)
        evidence.append(found)
    notes = (AT_END, f"{MEANS}.", *notes)
    return _from_evidence("final", evidence, labels, Scale(bounds, outcomes), level, notes)


def _from_evidence(
    kind: EstimateKind,
    evidence: Sequence[Evidence],
    labels: Sequence[Hashable],
    scale: Scale,
    level: float,
    notes: tuple[str, ...],
) -> MeanEstimates:
    limit = math.log(1.0 / (1.0 - check_share("level", level)))

    def arm(one: Evidence) -> MeanEstimate:
        ends = one.interval(limit) if one.releases else (0.0, 1.0)
        return scale.mean((one.mean, *ends), one.rounds, one.releases)

    def pair(i: int, j: int) -> MeanEstimate:
        one, other = evidence[i], evidence[j]
        found = (one.mean - other.mean, *difference(one, other, limit))
        return scale.difference(found, one.rounds + other.rounds, one.releases + other.releases)

    arms = {label: arm(one) for label, one in zip(labels, evidence, strict=True)}
    return MeanEstimates(kind, level, scale.outcomes, arms, notes, pair)


def holdout(
    noise: Noise,
    sums: Iterable[SumAtEnd],
    *,
    labels: Sequence[Hashable],
    bounds: Range,
    level: float = 0.95,
    outcomes: Outcomes = "rewards",
    notes: tuple[str, ...] = (),
) -> MeanEstimates:
    """Return estimates from the sums of a hold-out, whose arms were chosen without using outcomes.

    ``noise`` is the noise of a sum, in widths of the range.
    """
    check_share("level", level)
    scale = Scale(bounds, outcomes)
    totals = {each.choice: each for each in sums}
    rounds = [totals[arm].rounds if arm in totals else 0 for arm in range(len(labels))]
    means = [totals[arm].total / rounds[arm] if rounds[arm] else 0.5 for arm in range(len(labels))]

    def ends(middle: float, sizes: Sequence[int], most: float) -> MeanAndEnds:
        half = half_width(sizes, noise, level) if all(sizes) else most
        return middle, middle - half, middle + half

    def arm(i: int) -> MeanEstimate:
        return scale.mean(ends(means[i], [rounds[i]], 0.5), rounds[i], int(rounds[i] > 0))

    def pair(i: int, j: int) -> MeanEstimate:
        if not rounds[i] or not rounds[j]:
            return scale.difference((means[i] - means[j], -1.0, 1.0), rounds[i] + rounds[j], 1)
        found = ends(means[i] - means[j], [rounds[i], rounds[j]], 1.0)
        return scale.difference(found, rounds[i] + rounds[j], 2)

    arms = {label: arm(i) for i, label in enumerate(labels)}
    compare: Callable[[int, int], MeanEstimate] = pair
    return MeanEstimates("holdout", level, outcomes, arms, (NORMAL, f"{MEANS}.", *notes), compare)
