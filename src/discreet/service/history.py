"""The history of a run for the dashboard: at most 512 buckets of decisions and releases.

It contains nothing about outcomes: whether and when they arrive may be what the guarantee covers.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

MOST = 512  # buckets
WIDTH = 1.0  # initial seconds of a bucket


class Bucket(NamedTuple):
    """A time span of a run: its number of decisions, by choice, and of releases."""

    at: float  # its beginning, in seconds since 1970
    decisions: tuple[int, ...]  # in the order of labels
    total: int
    releases: int


class History:
    """Counts by time. When there are too many buckets, all become twice as wide."""

    def __init__(self, labels: Iterable[Hashable] = (), width: float = WIDTH) -> None:
        self.labels, self.width = list(labels), width
        self._counts: dict[int, list[int]] = {}  # releases, total, then by label
        self._lock = threading.Lock()

    def add(self, at: float, choices: Sequence[Hashable], releases: int = 0) -> None:
        """Count decisions and releases at one time; a choice of None counts only in the total."""
        with self._lock:
            counts = self._bucket(at)
            counts[0] += releases
            counts[1] += len(choices)
            for choice in choices:
                if choice is not None:
                    place = 2 + self._place(choice)
                    counts += [0] * (place + 1 - len(counts))
                    counts[place] += 1

    def _place(self, label: Hashable) -> int:
        if label not in self.labels:  # an arm that was added later
            self.labels.append(label)
        return self.labels.index(label)

    def _bucket(self, at: float) -> list[int]:
        while True:
            number = math.floor(at / self.width)
            if number in self._counts:
                return self._counts[number]
            first, last = min(self._counts, default=number), max(self._counts, default=number)
            if max(last, number) - min(first, number) < MOST:
                return self._counts.setdefault(number, [0, 0])
            self._widen()

    def _widen(self) -> None:
        """Join neighbouring buckets in pairs."""
        self.width *= 2.0
        joined: dict[int, list[int]] = {}
        for number, counts in self._counts.items():
            place = joined.setdefault(number // 2, [])
            place += [0] * (len(counts) - len(place))
            for index, count in enumerate(counts):
                place[index] += count
        self._counts = joined

    @property
    def buckets(self) -> list[Bucket]:
        """All non-empty buckets, oldest first."""
        with self._lock:
            size = len(self.labels)
            return [
                Bucket(
                    number * self.width,
                    tuple(counts[2:] + [0] * (size + 2 - len(counts))),
                    counts[1],
                    counts[0],
                )
                for number, counts in sorted(self._counts.items())
            ]

    def as_dict(self) -> dict[str, object]:
        """Return everything for JSON."""
        buckets = [each._asdict() | {"decisions": list(each.decisions)} for each in self.buckets]
        return {"labels": list(self.labels), "width": self.width, "buckets": buckets}

    def to_bytes(self) -> bytes:
        """Return everything, to be stored."""
        with self._lock:
            facts = {"labels": self.labels, "width": self.width, "counts": [*self._counts.items()]}
            return json.dumps(facts).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> History:
        """Return what ``to_bytes`` wrote."""
        facts = json.loads(content)
        found = cls(facts["labels"], facts["width"])
        found._counts = dict(facts["counts"])
        return found

    def merge(self, other: History) -> None:
        """Add the counts of another history of the same run."""
        for bucket in other.buckets:
            with self._lock:
                counts = self._bucket(bucket.at)
                counts[0] += bucket.releases
                counts[1] += bucket.total
                for label, count in zip(other.labels, bucket.decisions, strict=True):
                    if count:
                        place = 2 + self._place(label)
                        counts += [0] * (place + 1 - len(counts))
                        counts[place] += count
