"""The difference of two means: evidence about both, multiplied."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
SPLITS = 32  # steps of the golden-section search: 2e-7 of the range remains


class Evidence(Protocol):
    """Evidence against every value of one mean, whose logarithm is convex in the mean."""

    rounds: int
    releases: int

    @property
    def mean(self) -> float:
        """The estimate."""

    def least(self) -> float:
        """Return the smallest log evidence against any mean."""

    def log_evidence(self, mean: float) -> float:
        """Return the log evidence against a mean."""

    def interval(self, limit: float) -> tuple[float, float]:
        """Return the means whose log evidence is below a limit, rounded outwards."""


def difference(one: Evidence, other: Evidence, limit: float) -> tuple[float, float]:
    """Return the differences of two means whose joint log evidence is below ``limit``.

    The product of the two evidences is a supermartingale (docs/proofs.md: Pairs). So the largest
    difference is the maximum, over all ways to split the limit between them, of the upper end of
    ``one`` minus the lower end of ``other``. That is a concave function of the split.
    """
    if not one.releases or not other.releases:
        return -1.0, 1.0
    start, stop = one.least(), limit - other.least()
    if start >= stop:  # all pairs are refuted
        found = one.mean - other.mean
        return found, found
    high = largest(
        lambda share: one.interval(share)[1] - other.interval(limit - share)[0], start, stop
    )
    low = -largest(
        lambda share: other.interval(limit - share)[1] - one.interval(share)[0], start, stop
    )
    return low, high


def largest(value: Callable[[float], float], start: float, stop: float) -> float:
    """Return the maximum of a concave function, rounded up, by golden-section search.

    >>> round(largest(lambda x: 1.0 - (x - 0.3) ** 2, 0.0, 1.0), 9)
    1.0
    """
    points = [start, stop - GOLDEN * (stop - start), start + GOLDEN * (stop - start), stop]
    values = [value(point) for point in points]
    for _ in range(SPLITS):
        left = 0 if values[1] >= values[2] else 1  # the first of the three points that stay
        kept, known = points[left : left + 3], values[left : left + 3]
        if left == 0:
            fresh = kept[2] - GOLDEN * (kept[2] - kept[0])
        else:
            fresh = kept[0] + GOLDEN * (kept[2] - kept[0])
        place = 1 if left == 0 else 2
        points = [*kept[:place], fresh, *kept[place:]]
        values = [*known[:place], value(fresh), *known[place:]]
    # A concave function lies below its extended chords: that bounds it between the points.
    slopes = [
        (values[i + 1] - values[i]) / max(points[i + 1] - points[i], 1e-300) for i in range(3)
    ]
    steepest = max(abs(slopes[1]), min(slopes[0], -slopes[2]))
    return max(values) + steepest * (points[3] - points[0])
