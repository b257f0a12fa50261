"""Measured times: which trials are comparable, and durations corrected for machine load."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from discreet.auditing.bounds import quick_bound
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError

BLOCK = 256  # consecutive trials whose median is subtracted: it follows the load of the machine
ALIKE = 0.02  # of the interquartile range: releases that differ by at most this count as equal
FEWEST_MATCHES = 30
DEVIATIONS = 2.5  # of a count of trials: less may be chance


class Measured(NamedTuple):
    """Durations and releases, for both inputs and each trial, in chronological order."""

    durations: Floats  # in nanoseconds, for each operation
    releases: Floats  # the released values
    sizes: Floats  # of the batches, which the learner may choose

    def matched(self) -> list[tuple[Floats, Floats]]:
        """Return, for each operation, the durations with both inputs, matched by equal releases.

        Matched trials are from the same block: otherwise they would show how the load changed. And
        their batches are of the same size: a loss moves the mean of a short batch further, so equal
        values would come from other sizes with one input than with the other. All durations are
        relative to the median of such trials, over both inputs.
        """
        rng = np.random.default_rng(0)
        found = [np.empty((2, 0, self.durations.shape[2]))]
        for begin in range(0, self.releases.shape[1], BLOCK):
            sizes = self.sizes[:, begin : begin + BLOCK]
            for size in np.unique(sizes):
                # in random order, to avoid always choosing the earliest of equal releases
                orders = [begin + rng.permutation(np.flatnonzero(each == size)) for each in sizes]
                if min(order.size for order in orders) == 0:
                    continue
                block = [self.durations[which, order] for which, order in enumerate(orders)]
                usual = np.median(np.concatenate(block), axis=0)
                pairs = match(*(self.releases[which, order] for which, order in enumerate(orders)))
                each = zip(block, pairs, strict=True)
                found.append(np.stack([times[chosen] - usual for times, chosen in each]))
        both = np.concatenate(found, axis=1)
        if both.shape[1] < FEWEST_MATCHES:
            raise DiscreetError(
                f"only {both.shape[1]} trials had equal releases for both inputs, but at least "
                f"{FEWEST_MATCHES} are needed: use more trials, or a smaller epsilon, with which "
                "releases are more alike."
            )
        return [(both[0, :, place], both[1, :, place]) for place in range(both.shape[2])]


def match(one: Floats, other: Floats) -> tuple[Integers, Integers]:
    """Return positions in two samples with about equal values, in pairs; each at most once.

    In increasing order, each value is paired with the last unpaired one of the other sample.
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


def difference(one: Floats, other: Floats) -> tuple[float, float]:
    """Return how much two samples of equal size differ, for comparisons.

    First what some event shows about epsilon, then by how much the distributions differ anywhere.
    """
    from scipy import stats

    shown = quick_bound(one, other, delta=0.0, gaussian=False, deviations=DEVIATIONS)
    return shown, float(stats.ks_2samp(one, other).statistic) * math.sqrt(one.size)


@contextmanager
def quiet_process() -> Iterator[None]:
    """Keep garbage collection out of the measurements."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
