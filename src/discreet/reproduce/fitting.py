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
