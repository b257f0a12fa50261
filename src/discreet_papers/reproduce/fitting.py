"""How a number grows: fitted exponents, and the lengths of games they are fitted over."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.simulation.statistics import Interval


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the least-squares slope of log y over log x, where y is above 0; or NaN.

    >>> round(slope([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]), 9)
    1.0
    """
    usable = [(a, b) for a, b in zip(x, y, strict=True) if b > 0.0]
    if len(usable) < 2:
        return math.nan
    return float(np.polyfit(np.log([a for a, _ in usable]), np.log([b for _, b in usable]), 1)[0])


def fitted(x: Sequence[float], means: Sequence[Interval]) -> Interval:
    """Return the slope of log means over log x, and how far off it may be because the means are.

    The slope is a weighted sum of the logarithms; the relative widths of the means add up in
    squares.

    >>> [round(number, 3) for number in fitted([1.0, 10.0], [Interval(2.0, 1.8, 2.2), Interval(20.0, 18.0, 22.0)])]
    [1.0, 0.939, 1.061]
    """
    usable = [(math.log(a), b) for a, b in zip(x, means, strict=True) if b.value > 0.0]
    value = slope(x, [mean.value for mean in means])
    if math.isnan(value):
        return Interval(value, math.nan, math.nan)
    apart = np.array([place for place, _ in usable])
    apart -= apart.mean()
    errors = np.array([half_width(mean) / mean.value for _, mean in usable])
    margin = float(np.sqrt(((apart * errors) ** 2).sum()) / (apart @ apart))
    return Interval(value, value - margin, value + margin)


def columns(name: str, interval: Interval) -> dict[str, float]:
    """Return a fitted number for a table: the value, and the ends of its interval.

    >>> columns("exponent", Interval(0.5, 0.4, 0.6))
    {'exponent': 0.5, 'exponent_low': 0.4, 'exponent_high': 0.6}
    """
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def shown(value: float, digits: int = 2) -> str:
    """Return a fitted number, or a question mark where nothing could be fitted.

    >>> shown(0.5), shown(math.nan)
    ('0.50', '?')
    """
    return "?" if math.isnan(value) else f"{value:.{digits}f}"


def lengths(longest: int, *, count: int, least: int) -> list[int]:
    """Return up to ``count`` lengths of games, each 4 times the one before; two, even if one is below ``least``.

    >>> lengths(2**14, count=4, least=2**10)
    [1024, 4096, 16384]
    """
    return sorted(longest // 4**k for k in range(count) if k < 2 or longest // 4**k >= least)


def half_width(interval: Interval) -> float:
    """Return how far a mean may be off, 0 where one trial cannot tell."""
    return 0.0 if math.isnan(interval.high) else interval.high - interval.value
