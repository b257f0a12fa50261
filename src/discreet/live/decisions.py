"""What a bandit returns: decisions, and what a hold-out has shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple


class Decision(NamedTuple):
    """Which arm to play in one round; pass it back with the outcome."""

    arm: Hashable
    id: int
    token: str = ""  # of the run that gave it
    # of the arm, given everything public before the batch; None if it is not known, or must not be
    probability: float | None = None
    batch: int = -1  # the round in which its batch began; -2 if it is held out
    learns: bool = True  # False for a user at the limit: its outcome is discarded


# from a tuple of all fields, which takes half of the time
new_decision: Callable[[tuple[Hashable, int, str, float | None, int, bool]], Decision] = partial(
    tuple.__new__, Decision
)


class HeldOutArm(NamedTuple):
    """What the hold-out released about one arm: means with noise, so they may leave the range."""

    arm: Hashable
    rounds: int
    loss: float | None  # mean; None if the arm had no round
    reward: float | None
