"""Probabilities of arms when ties are broken at random."""

from __future__ import annotations

from componentjit import helper
from discreet.contracts import Floats


@helper
def fresh_chances(counts: Floats, asked: Floats, arm: int, chances: Floats) -> float:
    """Write the chances of all arms after ``fresh_arm`` returned one; return that arm's.

    It is drawn uniformly from the arms without a release that were requested as often as it was.
    """
    ties = 0.0
    for i in range(counts.size):
        chances[i] = 1.0 if counts[i] == 0.0 and asked[i] == asked[arm] else 0.0
        ties += chances[i]
    for i in range(counts.size):
        chances[i] /= ties
    return float(chances[arm])


@helper
def tie_chances(indices: Floats, best: int) -> float:
    """Replace the indices of all arms by their chances; return that of the best.

    Ties go to the first tied arm at or after a uniformly drawn one. So the chance of a tied arm is
    proportional to its cyclic distance from the tied arm before it.

    >>> import numpy as np
    >>> indices = np.array([2.0, 5.0, 5.0, 1.0])
    >>> tie_chances(indices, 1), indices.tolist()
    (0.75, [0.0, 0.75, 0.25, 0.0])
    """
    arms, most, run = indices.size, float(indices[best]), 0.0
    for step in range(1, arms + 1):
        arm = (best + step) % arms
        run += 1.0
        if indices[arm] == most:
            indices[arm] = run / arms
            run = 0.0
        else:
            indices[arm] = 0.0
    return float(indices[best])


@helper
def lengths_differ(chances: Floats, asked: Floats, best: int) -> bool:
    """Return whether possible arms were requested more or less often than the best."""
    differ = False
    for i in range(chances.size):
        differ = differ or (chances[i] > 0.0 and asked[i] != asked[best])
    return differ
