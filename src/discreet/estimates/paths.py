"""Evidence after every release, to measure the coverage of intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.channels import OneBit, Responses
from discreet.contracts import Floats, Integers
from discreet.estimates.bits import GRID, PRIOR
from discreet.estimates.reading import Design
from discreet.estimates.sums import NoisySums

Mask = NDArray[np.bool_]
AT_ONCE = 1 << 12  # releases: more would take too much memory


def evidence_path(
    design: Design, sizes: Integers, values: Floats, mean: float, limit: float | Mask
) -> Floats:
    """Return the log evidence against a mean after each of an arm's releases.

    Where it is certainly below ``limit``, the result may be an upper bound instead. ``limit`` may
    also be a mask of the releases whose evidence is needed.
    """
    if sizes.size == 0:
        return np.zeros(0)
    if isinstance(design.channel, OneBit | Responses):
        contrasts = {int(size): design.contrast(int(size)) for size in np.unique(sizes)}
        return _of_bits(np.array([contrasts[int(size)] for size in sizes]), values, mean, limit)
    return _of_sums(design.sums(), sizes, values, mean)


def _of_sums(sums: NoisySums, sizes: Integers, values: Floats, mean: float) -> Floats:
    known, place = np.unique(sizes, return_inverse=True)
    moments = np.array([sums.log_moments(int(size)) for size in known])
    weights = np.array([sums.weight(int(size)) for size in known])[place]
    deviations = np.cumsum(weights * sizes * (values - mean))
    found, before = np.empty(sizes.size), np.zeros(moments.shape[1])
    for start in range(0, sizes.size, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        spent = before + np.cumsum(moments[place[part]], axis=0)
        tilted = sums.tilts * deviations[part, None]
        terms = np.concatenate([tilted - spent, -tilted - spent], axis=1)
        top = terms.max(axis=1)
        found[part] = top + np.log(np.exp(terms - top[:, None]).mean(axis=1))
        before = spent[-1]
    return found


def _of_bits(contrasts: Floats, bits: Floats, mean: float, limit: float | Mask) -> Floats:
    """Return the log-likelihood ratio, or the upper bound that uses the largest likelihood."""
    at_mean = 0.5 + contrasts * (mean - 0.5)
    ones = bits > 0.5
    own = np.cumsum(np.where(ones, np.log(at_mean), np.log1p(-at_mean)))
    if np.ptp(contrasts) > 0.0:
        places = np.arange(bits.size)
        found = np.empty(bits.size)
    else:
        a = contrasts[0]
        number, count = np.arange(1, bits.size + 1), np.cumsum(ones)
        best = np.clip(count / number, 0.5 - 0.5 * a, 0.5 + 0.5 * a)
        found = count * np.log(best) + (number - count) * np.log1p(-best) - own
        places = np.flatnonzero(limit if isinstance(limit, np.ndarray) else found >= limit)
    for start in range(0, places.size, AT_ONCE // 8):
        some = places[start : start + AT_ONCE // 8]
        levels = _levels(contrasts, ones, some)
        top = levels.max(axis=1)
        found[some] = top + np.log(np.exp(levels - top[:, None]) @ PRIOR) - own[some]
    return found


def _levels(contrasts: Floats, ones: Mask, places: Integers) -> Floats:
    """Return the log likelihood of every mean on the grid after some of the bits."""
    levels: Floats = np.zeros((places.size, GRID.size))
    for a in np.unique(contrasts):
        own = contrasts == a
        number, count = np.cumsum(own)[places], np.cumsum(ones & own)[places]
        chances = 0.5 + a * (GRID - 0.5)
        levels += count[:, None] * np.log(chances) + (number - count)[:, None] * np.log1p(-chances)
    return levels
