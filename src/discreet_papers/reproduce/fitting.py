"""How a number grows: fitted exponents, and the lengths of the games for the fit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.simulation import Interval


def fit_slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the least-squares slope of log y over log x, where y is positive; or NaN.

    >>> round(fit_slope([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]), 9)
    1.0
    """
    usable = [(a, b) for a, b in zip(x, y, strict=True) if b > 0.0]
    if len(usable) < 2:
        return math.nan
    return float(np.polyfit(np.log([a for a, _ in usable]), np.log([b for _, b in usable]), 1)[0])


def fit_exponent(x: Sequence[float], means: Sequence[Interval]) -> Interval:
    """Return the slope of log means over log x, with its uncertainty due to the means.

    The slope is a weighted sum of the logarithms, so the squared relative widths of the means add
    up.

    >>> means = [Interval(2.0, 1.8, 2.2), Interval(20.0, 18.0, 22.0)]
    >>> [round(number, 3) for number in fit_exponent([1.0, 10.0], means)]
    [1.0, 0.939, 1.061]
    """
    usable = [(math.log(a), b) for a, b in zip(x, means, strict=True) if b.value > 0.0]
    value = fit_slope(x, [mean.value for mean in means])
    if math.isnan(value):
        return Interval(value, math.nan, math.nan)
    apart = np.array([place for place, _ in usable])
    apart -= apart.mean()
    errors = np.array([half_width(mean) / mean.value for _, mean in usable])
    margin = float(np.sqrt(((apart * errors) ** 2).sum()) / (apart @ apart))
    return Interval(value, value - margin, value + margin)


def as_columns(name: str, interval: Interval) -> dict[str, float]:
    """Return a fitted number as columns of a table: the value and the ends of its interval.

    >>> as_columns("exponent", Interval(0.5, 0.4, 0.6))
    {'exponent': 0.5, 'exponent_low': 0.4, 'exponent_high': 0.6}
    """
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def format_fit(value: float, digits: int = 2) -> str:
    """Return a fitted number as text, or a question mark if nothing could be fitted.

    >>> format_fit(0.5), format_fit(math.nan)
    ('0.50', '?')
    """
    return "?" if math.isnan(value) else f"{value:.{digits}f}"


def choose_lengths(longest: int, *, count: int, shortest: int) -> list[int]:
    """Return up to ``count`` lengths of games, each 4 times the previous one.

    There are at least two, even if the first is below ``shortest``.

    >>> choose_lengths(2**14, count=4, shortest=2**10)
    [1024, 4096, 16384]
    """
    return sorted(longest // 4**k for k in range(count) if k < 2 or longest // 4**k >= shortest)


def half_width(interval: Interval) -> float:
    """Return half the width of an interval, or 0 if there was only one trial."""
    return 0.0 if math.isnan(interval.high) else interval.high - interval.value
