"""The results of a bandit: decisions, and released values of a hold-out."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple


class Decision(NamedTuple):
    """The arm to play in one round; pass it back with the outcome."""

    arm: Hashable
    id: int
    token: str = ""  # of the run that made the decision
    # of the arm, given all that was public before the batch; None if unknown or not to be shown
    probability: float | None = None
    batch: int = -1  # the round in which its batch began; -2 in the hold-out
    learns: bool = True  # False for a user at the limit: the outcome is discarded


class HeldOutArm(NamedTuple):
    """The release of the hold-out for one arm; noisy means may leave the range."""

    arm: Hashable
    rounds: int
    loss: float | None  # mean; None if the arm had no round
    reward: float | None
