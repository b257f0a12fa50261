"""Measured times: which trials can be compared, and what of them does not come from load."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError

BLOCK = 256  # consecutive trials whose median is subtracted: it follows the load of the machine
ALIKE = 0.02  # of the interquartile range: releases that differ by less count as equal
FEWEST_MATCHES = 30


class Measured(NamedTuple):
    """Durations, and what was released: for both inputs, for each trial; in order of time."""

    durations: Floats  # in nanoseconds, for each operation
    releases: Floats

    def matched(self) -> list[tuple[Floats, Floats]]:
        """Return for each operation the durations with both inputs, with equal releases.

        They are relative to the median of the trials around them, whichever input those had.
        """
        relative = self.durations.copy()
        for begin in range(0, relative.shape[1], BLOCK):
            block = relative[:, begin : begin + BLOCK]
            block -= np.median(block, axis=(0, 1))
        first, second = match(*self.releases)
        if first.size < FEWEST_MATCHES:
            raise DiscreetError(
                f"only {first.size} trials had equal releases with both inputs, but at least "
                f"{FEWEST_MATCHES} are needed: use more trials."
            )
        return [
            (relative[0, first, place], relative[1, second, place])
            for place in range(relative.shape[2])
        ]


def match(one: Floats, other: Floats) -> tuple[Integers, Integers]:
    """Return places of two samples with about equal values, in pairs; each place at most once.

    Going up through all values, each is paired with the last one of the other sample that is free.
    """
    values = np.concatenate([one, other])
    order = np.argsort(values, kind="stable")
    low, high = np.quantile(values, [0.25, 0.75])
    free: list[int] = []
    pairs = []
    for place in order.tolist():
        if free and (free[-1] < one.size) != (place < one.size):
            partner = free.pop()
            if values[place] - values[partner] <= ALIKE * (high - low):
                pairs.append((min(place, partner), max(place, partner) - one.size))
                continue
            free.clear()
        free.append(place)
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def rank_score(one: Floats, other: Floats) -> float:
    """Return by how many deviations the ranks of two samples differ: only to choose by."""
    from scipy import stats

    ranks = stats.rankdata(np.concatenate([one, other]))
    moved = float(ranks[: one.size].mean() - ranks[one.size :].mean())
    return abs(moved) / float(ranks.size) * math.sqrt(6.0 * one.size)


@contextmanager
def quiet_process() -> Iterator[None]:
    """Keep garbage collection out of what is measured."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
