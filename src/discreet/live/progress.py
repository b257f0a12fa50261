"""The progress of a run, and its open decisions; nothing in it is raw."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Progress(NamedTuple):
    """The progress of a run. Nothing in it is raw, or depends on outcomes except through releases.

    With a wait, a decision is open until its deadline, whether or not its outcome has arrived: late
    callers must not learn who answered.
    """

    round: int
    horizon: int | None
    shares: dict[Hashable, float]  # of the rounds so far, for each arm or expert that was chosen
    released: int
    open: int  # decisions whose outcome may still arrive
    waiting: int  # groups of rounds that wait for outcomes, or for more rounds
    lost: int  # groups given up


class OpenDecision(NamedTuple):
    """A decision whose outcome may still arrive."""

    id: int
    choice: Hashable  # the arm or expert, or the vertex in words; None if there is none
    age: float  # seconds
    probability: float | None = None  # of the arm; None if unknown or not to be shown
    batch: int = -1  # the round in which its batch began; -2 in the hold-out
