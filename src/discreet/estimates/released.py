"""The input of estimates: sums of a run's releases, without raw data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class ReleaseSum(NamedTuple):
    """All releases of one choice over batches of one size."""

    choice: int
    size: int  # rounds of each
    releases: int
    total: float  # of the released values, each the noisy mean loss of a batch, or a bit


class SumAtEnd(NamedTuple):
    """One noisy sum of an arm's losses, released at the end, in widths of the range."""

    choice: int
    rounds: int
    total: float


def sums_at_end(released: object) -> list[SumAtEnd]:
    """Return the sums of a final release; the second half of the values are numbers of rounds."""
    sums, rounds = np.split(np.asarray(released, np.float64), 2)
    return [
        SumAtEnd(arm, int(n), float(total))
        for arm, (n, total) in enumerate(zip(rounds, sums, strict=True))
    ]
