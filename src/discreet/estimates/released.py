"""What estimates are computed from: sums of what a run has released, and nothing raw."""

from __future__ import annotations

from typing import NamedTuple


class ReleaseSum(NamedTuple):
    """All releases of one choice over batches of one size."""

    choice: int
    size: int  # rounds of each
    releases: int
    total: float  # of the released values, each the noisy mean loss of a batch, or a bit


class SumAtEnd(NamedTuple):
    """One sum of an arm's losses with noise, released at the end, in widths of the range."""

    choice: int
    rounds: int
    total: float
