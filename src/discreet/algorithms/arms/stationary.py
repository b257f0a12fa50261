"""A regret bound for batched upper confidence bounds, where losses do not change.

The proof is in docs/proofs.md: Batched upper confidence bounds.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from discreet.learners.arms.radius import batch_weight, radius


class Schedule(NamedTuple):
    """How an arm's batches grow: the first one, and the share of its rounds that each later one has at least."""

    first: int
    growth: float
    noise: float  # the scale of the Laplace noise on the sum of a batch

    def lengths(self, rounds: int) -> list[int]:
        """Return the lengths of an arm's batches, until it has had all rounds."""
        lengths = [self.first]
        while sum(lengths) < rounds:
            lengths.append(max(self.first, math.ceil(self.growth * sum(lengths))))
        return lengths

    def radii(self, lengths: list[int], confidence: float) -> list[float]:
        """Return the radius of an arm's mean after each of its batches."""
        weight = laplace = largest = 0.0
        radii = []
        for length in lengths:
            each = batch_weight(float(length), self.noise)
            scale = each * self.noise / length
            weight, laplace, largest = weight + each, laplace + scale * scale, max(largest, scale)
            radii.append(radius(weight, laplace, largest, confidence))
        return radii


def covering_confidence(schedule: Schedule, *, arms: int, rounds: int) -> float:
    """Return the β with which all releases of all arms are within their radii, but with probability 1 / T."""
    return math.log(arms * len(schedule.lengths(rounds)) * rounds)


def stationary_bound(schedule: Schedule, *, arms: int, rounds: int) -> float:
    """Return what the expected regret cannot exceed with that confidence, whatever the means of the arms are.

    An arm that gets its batch k + 1 is worse than the best one by at most twice the radius after
    batch k. So m rounds of it cost at most m min(1, 2 r(k)), and K - 1 such arms with T rounds
    together at most K - 1 times the concave majorant of this at T / (K - 1). The best arm in
    hindsight is better than that of the best mean by at most sqrt(T ln K / 2).
    """
    lengths = schedule.lengths(rounds)
    radii = schedule.radii(lengths, covering_confidence(schedule, arms=arms, rounds=rounds))
    points, total = [(0.0, 0.0)], 0
    for length, before in zip(lengths, [math.inf, *radii], strict=False):
        total += length
        points.append((float(total), total * min(1.0, 2.0 * before)))
    hindsight = math.sqrt(rounds * math.log(arms) / 2.0)
    return min(
        (arms - 1) * concave_majorant(points, rounds / (arms - 1)) + 1.0 + hindsight, float(rounds)
    )


def concave_majorant(points: list[tuple[float, float]], place: float) -> float:
    """Return the least concave, never falling function above some points, at a place; points go from left to right.

    >>> concave_majorant([(0.0, 0.0), (1.0, 1.0), (2.0, 1.2), (4.0, 3.0), (6.0, 2.0)], 2.0)
    1.6666666666666665
    """
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (
            y - hull[-2][1]
        ) * (hull[-1][0] - hull[-2][0]):
            hull.pop()
        hull.append((x, y))
    best = 0.0
    for (x, y), (right, up) in itertools.pairwise(hull):
        if place > x:
            best = max(best, y + (up - y) * (min(place, right) - x) / (right - x))
    return best
