"""The choice of the next arm while some arms have had no release."""

from __future__ import annotations

import math

from componentjit import helper
from discreet.contracts import Floats


@helper
def fresh_arm(counts: Floats, asked: Floats, drawn: float) -> int:
    """Return the least requested arm without a release, or -1 if every arm has one.

    ``drawn`` is uniform in [0, 1) and decides between arms that were requested equally often, so
    that the order of the first batches is unpredictable.
    """
    least, ties = math.inf, 0
    for i in range(counts.size):
        if counts[i] == 0.0 and asked[i] <= least:
            ties = ties + 1 if asked[i] == least else 1
            least = float(asked[i])
    arm, left = -1, int(drawn * ties)
    for i in range(counts.size):
        if counts[i] == 0.0 and asked[i] == least:
            if left == 0:
                arm = i
            left -= 1
    return arm
