"""Sets used instead of set names: a text that carries its set."""

from __future__ import annotations

import functools
import hashlib
import re
from typing import Any, Self

import numpy as np

from discreet.sets.contract import LinearOracle, check_room
from discreet.sets.custom import Custom

ASKED = 32  # axes, and random directions, whose answers identify a set
DIGITS = 12  # digits of an answer that count


class SetText(str):
    """A text that represents a set without a name, and carries the set.

    It is accepted wherever the name of a set is, such as "k-sets(10,3)". It ends in a digest of the
    set: its class, radii, centre, and its oracle's answers to some directions. Two sets that agree
    in all of these have the same text.

    >>> from discreet.sets import Box
    >>> prices = SetText.of(Box([1.0, 1.0], [20.0, 30.0]))
    >>> prices == SetText.of(Box([1.0, 1.0], [20.0, 30.0])), prices == SetText.of(Box.cube(2, 1, 9))
    (True, False)
    >>> str(prices)
    'Box-2d-...'
    """

    __slots__ = ("inner", "outer", "set")
    set: LinearOracle
    inner: float
    outer: float

    @classmethod
    def of(cls, points: LinearOracle) -> Self:
        """Return the text of a set, which must have an interior point."""
        check_room(points)
        kind = points.name if isinstance(points, Custom) else type(points).__name__
        kind = re.sub(r"[^\w-]+", "-", kind)  # no brackets, as in the name of a known set
        return cls._of(f"{kind}-{points.dimension}d-{_digest(points)}", points)

    @classmethod
    def _of(cls, text: str, points: LinearOracle) -> Self:
        made = super().__new__(cls, text)
        made.set, made.inner, made.outer = points, float(points.inner), float(points.outer)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (str(self), self.set)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LinearOracle):
            return str.__eq__(self, type(self).of(other))
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)


def as_text(domain: object) -> object:
    """Return the text of a set, and anything else unchanged."""
    return SetText.of(domain) if isinstance(domain, LinearOracle) else domain


def _digest(points: LinearOracle) -> str:
    size = int(points.dimension)
    axes = np.eye(size)[:ASKED]
    random = np.random.default_rng(0).standard_normal((ASKED, size))
    found = hashlib.sha256(f"{type(points).__name__} {size} {points.flat}".encode())
    rounded = functools.partial(np.format_float_scientific, precision=DIGITS, trim="k")
    for row in (points.centre(), np.array([points.inner, points.outer])):
        found.update(" ".join(map(rounded, row + 0.0)).encode())
    for direction in (*axes, *-axes, *random):
        answer = np.empty(size)
        points.minimise_linear(direction, answer)
        found.update(" ".join(map(rounded, answer + 0.0)).encode())
    return found.hexdigest()[:8]
