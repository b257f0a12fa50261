"""Summaries of a number over independent trials, and the least number of samples."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import check_range
from discreet.learners.search.track_and_stop import optimal_weights

GROUPS = 24  # of Tossou & Dimitrakakis 2017


class Interval(NamedTuple):
    """A value with its interval; the ends are NaN if there are too few trials."""

    value: float
    low: float
    high: float


def mean_interval(values: Floats, *, confidence: float = 0.95) -> Interval:
    """Return the mean with Student's confidence interval.

    >>> mean_interval(np.array([1.0, 2.0, 3.0]))
    Interval(value=2.0, low=-0.484..., high=4.484...)
    """
    check_range("confidence", confidence, 0.0, 1.0)
    return Interval(*mean_intervals(values, confidence=confidence).tolist())


def mean_intervals(values: Floats, *, confidence: float = 0.95) -> Floats:
    """Return the same for many numbers at once, whose trials are along the last axis."""
    rows = np.ascontiguousarray(values)
    count = rows.shape[-1]
    variance = rows.var(axis=-1, ddof=1) if count > 1 else np.full(rows.shape[:-1], math.nan)
    return interval(rows.mean(axis=-1), variance, count, confidence=confidence)


def interval(
    mean: ArrayLike, variance: ArrayLike, count: int, *, confidence: float = 0.95
) -> Floats:
    """Return Student's intervals for means of ``count`` values with these means and variances."""
    from scipy.special import stdtrit

    width = (
        stdtrit(max(1, count - 1), 0.5 + confidence / 2.0) * np.sqrt(variance) / math.sqrt(count)
    )
    return np.stack([mean, mean - width, mean + width], axis=-1)


def bands_at(bands: Floats, count: int, level: float) -> Floats:
    """Return means with intervals of another level, given those of 95 % over ``count`` trials.

    >>> bands_at(mean_intervals(np.array([[1.0, 2.0, 3.0]])), 3, 0.5).round(3).tolist()
    [[2.0, 1.529, 2.471]]
    """
    from scipy.special import stdtrit

    freedom = max(1, count - 1)
    factor = stdtrit(freedom, 0.5 + level / 2.0) / stdtrit(freedom, 0.975)
    mean = bands[..., :1]
    return np.concatenate([mean, mean + factor * (bands[..., 1:] - mean)], axis=-1)


def share_interval(hits: int, trials: int, *, confidence: float = 0.95) -> Interval:
    """Return the share of trials in which something happened, with Clopper and Pearson's interval.

    >>> share_interval(0, 100)
    Interval(value=0.0, low=0.0, high=0.0362...)
    """
    from scipy.special import betaincinv

    check_range("confidence", confidence, 0.0, 1.0)
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(hits, trials - hits + 1, tail)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1.0 - tail)) if hits < trials else 1.0
    return Interval(hits / trials, low, high)


def median_of_means(values: Floats, *, groups: int = GROUPS) -> Interval:
    """Return the median of group means, with Gini's mean difference above and below it.

    With N trials of variance s² and a groups it is within s sqrt(6 a / N) of the mean, with
    probability at least 1 - exp(-a / 4.5), even for heavy tails (Tossou & Dimitrakakis 2017,
    Proposition 4.1). With fewer than two trials a group, there are half as many groups as trials.
    Trials are independent, so that neighbours form the groups.

    >>> median_of_means(np.array([0.0, 2.0, 10.0, 12.0, 4.0, 8.0]), groups=3)
    Interval(value=6.0, low=3.33..., high=8.66...)
    """
    groups = max(1, min(groups, values.size // 2))
    centre = float(np.median([part.mean() for part in np.array_split(values, groups)]))
    below, above = values[values < centre], values[values > centre]
    return Interval(centre, centre - gini_difference(below), centre + gini_difference(above))


def gini_difference(values: Floats) -> float:
    """Return the mean absolute difference of two of the values, 0 for fewer than two.

    >>> gini_difference(np.array([1.0, 2.0, 4.0]))
    2.0
    """
    count = values.size
    if count < 2:
        return 0.0
    ranks = 2.0 * np.arange(1, count + 1) - count - 1.0
    return float(2.0 * np.dot(ranks, np.sort(values)) / (count * (count - 1)))


def least_samples(means: Floats, variance: float, error: float) -> float | None:
    """Return T* kl(ν, 1 - ν) for Gaussian losses with these means; None if two are the best.

    >>> losses = np.array([0.4] + [0.6] * 9)
    >>> round(least_samples(losses, 0.25, 0.1)), round(least_samples(losses, 1.1706736, 0.1))
    (352, 1646)
    """
    gains = 1.0 - means
    inverse = optimal_weights(gains, int(gains.argmax()), np.zeros(gains.size))
    if inverse == 0.0:
        return None
    return float(variance / inverse * (1.0 - 2.0 * error) * math.log((1.0 - error) / error))
