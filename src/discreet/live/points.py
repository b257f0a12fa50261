"""What the faces for points of a set have in common."""

from __future__ import annotations

from typing import NamedTuple

from discreet.contracts import Floats, Generator
from discreet.live.face import Face

NO_CHOICE = -1


class Point(NamedTuple):
    """Which point to play in one round; give it back with what was lost there."""

    point: Floats  # two of them, in rows, where two values a round are told
    id: int
    token: str
    label: str | None = None  # what the point is in words, if it is a vertex: "items 2, 5, 7"


class PointFace(Face):
    """A face whose decisions are points."""

    _gives = Point

    def _choice(self, decision: Point) -> int:
        return NO_CHOICE


def no_choice(action: object, observation: object, rng: Generator) -> int:
    """Return that there is none: the point itself is played."""
    return NO_CHOICE
