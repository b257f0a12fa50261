"""The releases of a run: one row each, and their log for runs in memory."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from discreet.estimates.released import ReleaseSum

# batch, choice, size, probability, time, value: 44 bytes per release
ROW = struct.Struct("<qiqddd")
# How many single releases a run in memory keeps. Older ones are added up, so that memory does not
# grow with the number of rounds; 2^17 releases take 6 MB.
KEPT = 1 << 17


# The public facts about a release, besides its value, as in ``ReleaseRow``: choice, size,
# probability and time. A plain tuple, because one is created and unpacked for every release.
ReleaseFacts = tuple[int, int, float | None, float]


class ReleaseRow(NamedTuple):
    """One release: its batch, its public facts, and the value that the learner received."""

    batch: int  # the number of its first round
    choice: int  # the arm; -1 if rounds of a batch may have different arms, or none
    size: int  # rounds
    probability: float | None  # of the arm, given what was public before the batch
    at: float  # when the learner received it, in seconds since 1970
    value: object  # a float, or an array of them; None if the channel is not private


def summed(rows: Iterable[ReleaseRow]) -> list[ReleaseSum]:
    """Return the sums of single-number releases that belong to a choice."""
    sums: dict[tuple[int, int], tuple[int, float]] = {}
    for row in rows:
        if row.choice >= 0 and isinstance(row.value, float):
            _add(sums, row.choice, row.size, row.value)
    return _listed(sums)


class ReleaseLog:
    """The releases of a run in memory: the last ones individually, earlier ones as sums.

    Only numbers that belong to a choice are stored: estimates need nothing else, and vectors would
    fill the memory.
    """

    def __init__(self) -> None:
        # Earlier sums and later rows are replaced in one assignment, so an interrupt loses nothing.
        self._kept: tuple[dict[tuple[int, int], tuple[int, float]], bytearray] = {}, bytearray()
        self._most = 2 * KEPT * ROW.size

    def copied(self) -> ReleaseLog:
        """Return a copy, to restore later."""
        copy = ReleaseLog()
        copy._kept = self._kept[0], bytearray(self._kept[1])
        return copy

    def add(self, batch: int, facts: ReleaseFacts, value: object) -> None:
        """Add a release; adding the same one again after an interrupt changes nothing."""
        choice, size, probability, at = facts
        if choice < 0 or not isinstance(value, float):
            return
        sums, rows = self._kept
        chance = math.nan if probability is None else probability
        row = ROW.pack(batch, choice, size, chance, at, value)
        if rows.endswith(row):
            return
        if len(rows) >= self._most:
            rows = self._fold(sums, rows)
        rows += row

    def _fold(self, sums: dict[tuple[int, int], tuple[int, float]], rows: bytearray) -> bytearray:
        older, sums = rows[: KEPT * ROW.size], dict(sums)
        for _, choice, size, _, _, value in ROW.iter_unpack(older):
            _add(sums, choice, size, value)
        later = rows[KEPT * ROW.size :]
        self._kept = sums, later
        return later

    def rows(self) -> Iterator[ReleaseRow]:
        """Return the last releases, oldest first."""
        for batch, choice, size, probability, at, value in ROW.iter_unpack(bytes(self._kept[1])):
            known = None if math.isnan(probability) else probability
            yield ReleaseRow(batch, choice, size, known, at, value)

    def sums(self) -> list[ReleaseSum]:
        """Return the sums of all releases."""
        sums = dict(self._kept[0])
        for row in self.rows():
            assert isinstance(row.value, float), "only floats are stored"
            _add(sums, row.choice, row.size, row.value)
        return _listed(sums)


def _add(
    sums: dict[tuple[int, int], tuple[int, float]], choice: int, size: int, value: float
) -> None:
    releases, total = sums.get((choice, size), (0, 0.0))
    sums[choice, size] = releases + 1, total + value


def _listed(sums: dict[tuple[int, int], tuple[int, float]]) -> list[ReleaseSum]:
    return [ReleaseSum(*key, *sums[key]) for key in sorted(sums)]
