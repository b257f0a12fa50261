"""Regret bounds whose small terms are added up round by round, proved in docs/regret.md.

The leading term of these bounds is that of equal weights, where the sum of roots is largest.
Unequal weights make it smaller, which compensates for most terms of lower order. A search over one
weight finds the remainder. It works on cells and evaluates every part at the worse end of its cell,
so the result is an upper bound over the whole cell. Blocks of rounds are treated in the same way.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats

SOURCE = "docs/regret.md: Rounds added up"
EACH = 64  # rounds that are blocks of their own
RATIO = 1.1  # of the ends of a later block
LEAST, CELLS = 1e-9, 240  # the least end of a cell of weights, and the number of wide cells
STEPS = 24  # of the search for the best tangent
AT_ONCE = 32  # blocks that are computed, and kept, together
MUCH = 1e4  # beyond this scale of noise, squares would lose digits
TILT = 0.38  # share of an interval that a step of that search excludes


class RoundBlocks(NamedTuple):
    """Blocks of rounds: the first and the last of each."""

    first: Floats
    last: Floats

    def largest(self, rate: float) -> Floats:
        """Return the largest c / sqrt(t), as a column."""
        found: Floats = rate / np.sqrt(self.first)[:, None]
        return found

    def least(self, rate: float) -> Floats:
        """Return the least c / sqrt(t), as a column."""
        found: Floats = rate / np.sqrt(self.last)[:, None]
        return found


@lru_cache(maxsize=64)
def blocks(count: int) -> RoundBlocks:
    """Return the first blocks of a game without end.

    >>> blocks(66).first[-3:], blocks(66).last[-3:]
    (array([64., 65., 72.]), array([64., 71., 79.]))
    """
    first, last = [], []
    start = 1
    for _ in range(count):
        end = start if start <= EACH else math.floor(RATIO * start)
        first.append(float(start))
        last.append(float(end))
        start = end + 1
    return RoundBlocks(np.array(first), np.array(last))


def needed(plays: int) -> int:
    """Return a number of blocks that cover all plays."""
    count = AT_ONCE
    while blocks(count).last[-1] < plays:
        count += AT_ONCE
    return count


def added(rests: Floats, plays: int) -> float:
    """Return the sum of rest / t over all plays, at most."""
    first, last = blocks(rests.size)
    ends = np.maximum(np.minimum(last, plays), first)
    most, least = 1.0 / first + np.log(ends / first), np.log((ends + 1.0) / first)  # of Σ 1 / t
    shares = np.where(rests < 0.0, least, most)
    return float(rests @ np.where(first <= plays, shares, 0.0))


class Cells(NamedTuple):
    """Cells of weights that cover [0, 1]: their lower and upper ends."""

    low: Floats
    high: Floats


@lru_cache(maxsize=64)
def cells(arms: int) -> Cells:
    """Return cells that are narrow near 1 / K, where the search ends for most rounds."""
    wide = np.geomspace(LEAST, 1.0, CELLS)
    near = np.clip(np.linspace(0.8, 1.25, CELLS // 3) / arms, 0.0, 1.0)
    ends = np.unique(np.concatenate([[0.0], wide, near]))
    return Cells(ends[:-1], ends[1:])


def deficit(arms: int) -> Floats:
    """Return, for every cell, the least distance of a root below its tangent at 1 / K.

    That is (sqrt(K) / 2) (sqrt(w) - 1 / sqrt(K))².
    """
    places, middle = cells(arms), 1.0 / math.sqrt(arms)
    below = np.maximum(middle - np.sqrt(places.high), 0.0)
    above = np.maximum(np.sqrt(places.low) - middle, 0.0)
    found: Floats = math.sqrt(arms) / 2.0 * (below**2 + above**2)
    return found


def majorant(arms: int, excess: Floats) -> Floats:
    """Return, for every block, a bound on the mean of K excesses whose weights add up to 1.

    For any slope s that is at most the largest of excess - s (w - 1 / K). The largest is convex in
    s; the search need not find the best one.
    """
    low, high = (ends - 1.0 / arms for ends in cells(arms))

    def at(slope: Floats) -> Floats:
        away = np.minimum(slope * low, slope * high)
        found: Floats = np.max(excess - away, axis=1, keepdims=True)
        return found

    span = arms * np.maximum(np.max(excess, axis=1, keepdims=True), 0.0)
    left, right, best = -span, span, at(np.zeros_like(span))
    for _ in range(STEPS):
        one, two = left + TILT * (right - left), right - TILT * (right - left)
        at_one, at_two = at(one), at(two)
        best = np.minimum(best, np.minimum(at_one, at_two))
        left, right = np.where(at_one < at_two, left, one), np.where(at_one < at_two, two, right)
    return best[:, 0]


def tsallis_inf(arms: int, plays: int, *, square: float = 0.25, contrast: float = 1.0) -> float:
    """Return the bound of reduced-variance Tsallis-INF, c = 4, κ = 1/4 (Theorem R23).

    Losses are in [0, 1], have mean squares of at most q = ``square`` around 1/2, and means within
    a / 2 of 1/2, a = ``contrast``.

    >>> round(tsallis_inf(4, 2**16))
    665
    """
    if plays <= 0:
        return 0.0
    root = math.sqrt(arms)
    main = (root - 1.0 + 4.0 * square * (root - 1.0 / root)) * math.sqrt(plays)
    rests = _tsallis_rests(arms, needed(plays), square, contrast)
    return min(main + arms * added(rests, plays), float(plays))


@lru_cache(maxsize=256)
def _tsallis_rests(arms: int, count: int, square: float, contrast: float) -> Floats:
    """Return bounds on t j(t), the excess of a weight times t, in every block."""
    rounds, (low, high) = blocks(count), cells(arms)
    most, least = rounds.largest(4.0), rounds.least(4.0)  # η
    gained = (square + 0.25) / (2.0 * most) * deficit(arms)
    with np.errstate(divide="ignore"):
        own = np.minimum(most * (1.0 - low) / (4.0 * np.sqrt(low)), 0.5)
    others = np.minimum(most * np.sqrt(high) / 4.0, 0.5)
    likely = (
        (1.0 - low) ** 3 * _steepness(own, square, contrast)
        + high**2 * (1.0 - low) * _steepness(others, square, contrast)
    ) / 8.0
    # of a weight below η² / 4, without a baseline
    strength = least / (2.0 * np.sqrt(high))  # k, the least: h falls with it
    bent = 1.0 + strength / 2.0
    one = (1.0 + contrast) / 2.0 / (1.0 + strength)
    two = 0.25 / bent + (1.0 + strength / 4.0) / bent**2 * contrast / 2.0 + square
    rare = np.sqrt(high) * np.minimum(one, two) - square * np.sqrt(low) * (1.0 - high)
    reach = np.minimum(most * np.sqrt(high) / 2.0, most**2 / 4.0)
    above = min(1.0, square + 0.25 + contrast / 2.0)
    later = rounds.first[:, None] > 4  # up to round 4 nothing is subtracted
    reach = np.where(later, reach, 0.0)
    # another arm has a baseline only if its weight is at least η² / 4
    possible = np.where(low <= 1.0 - least**2 / 4.0, 1.0 - low, 0.0)
    others = 0.25 / (1.0 - reach / 2.0)
    others = others + possible * np.maximum(above / (1.0 - reach) - others, 0.0)
    rare = rare + np.where(later, high**1.5 * others, 0.0)
    rare = rare / (2.0 * np.where(rare > 0.0, least, most))
    excess = np.maximum(
        np.where((high >= least**2 / 4.0) & later, likely, -np.inf),
        np.where(low < most**2 / 4.0, rare, -np.inf),
    )
    return 16.0 * majorant(arms, excess - gained)


def clipped_square(margin: float, noise: float) -> float:
    """Return the largest mean square around 1/2 of clipped and scaled noise (Theorem R23.2).

    Losses in [0, 1] get Laplace noise of scale λ and are clipped to [-b, 1 + b].
    """
    if noise > MUCH:
        return 0.25
    half = 0.5 + margin
    beyond = math.exp(-margin / noise) + math.exp(-(1.0 + margin) / noise)
    inside = 0.25 + 2.0 * noise**2 - (half * noise + noise**2) * beyond
    return min(inside / (2.0 * half) ** 2, 0.25)


def confined_square(noise: float) -> float:
    """Return the largest mean square around 1/2 of a noisy mean that is moved (Theorem R23.2).

    The mean of a batch gets Laplace noise of scale λ; beyond the ends of [0, 1] it is 0 or 1, and
    between them it is contracted by a = 1 / (1 + 2 λ).

    >>> [round(confined_square(noise), 4) for noise in (1e-9, 0.5, 1e9)]
    [0.25, 0.152, 0.25]
    """
    far, contrast = math.exp(-1.0 / noise), 1.0 / (1.0 + 2.0 * noise)
    inside = (1.0 - far) / 4.0 - noise * (1.0 + far) + 2.0 * noise**2 * (1.0 - far)
    return min((1.0 + far) / 8.0 + contrast**2 * max(inside, 0.0) / 2.0, 0.25)


def _steepness(reach: Floats, square: float, contrast: float) -> Floats:
    """Return (Q(φ) - q) / φ."""
    if square < 0.25:
        return square / (1.0 - reach)
    return (contrast + reach) / (4.0 * (1.0 - reach**2))


def htinf(
    arms: int,
    plays: int,
    *,
    deviation: float,
    fourth: float,
    moment: float,
    threshold: float,
) -> float:
    """Return the bound of HTINF, α = 2, that clips (Theorem R23.1).

    Losses have mean squares of at most ``deviation``² and mean fourth powers of at most ``fourth``;
    ``moment`` is the ς of the learning rate 1 / (ς sqrt(t)).

    >>> numbers = {"deviation": 1.0, "fourth": 1.0, "moment": 1.6, "threshold": 0.236}
    >>> round(htinf(4, 2**16, **numbers))
    1315
    """
    if plays <= 0:
        return 0.0
    root, square = math.sqrt(arms), deviation * deviation
    main = moment * (root - 1.0) + square / moment * (root - 1.0 / root)
    rests = _htinf_rests(arms, needed(plays), square, fourth, moment, threshold)
    return min(2.0 * math.sqrt(plays) * main + arms * added(rests, plays), float(plays))


@lru_cache(maxsize=256)
def _htinf_rests(
    arms: int, count: int, square: float, fourth: float, moment: float, threshold: float
) -> Floats:
    """Return bounds on t j(t), the excess of a weight times t, in every block."""
    rounds, (low, high) = blocks(count), cells(arms)
    most, least = rounds.largest(1.0 / moment), rounds.least(1.0 / moment)  # η
    gained = (square + moment**2) / most * deficit(arms)
    steep = max(1.0 / (1.0 - threshold), (1.0 + threshold) / (4.0 * threshold))  # κ
    bend = max(1.0 / (1.0 - threshold), 1.0 + 27.0 / (256.0 * threshold**3))  # κ'
    with np.errstate(divide="ignore"):
        smooth = bend * fourth * most / np.sqrt(low)
    rough = square * np.sqrt(high) * (steep - (1.0 - high) ** 2) / least
    third = math.sqrt(square * fourth)
    others = high**2 * (third + most * np.sqrt(high) * fourth / (1.0 - threshold / 2.0))
    excess = np.minimum(smooth, rough) + (1.0 - low) * others
    return majorant(arms, excess - gained) / moment**2
