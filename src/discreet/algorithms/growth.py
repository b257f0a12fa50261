"""How fast regret may grow with the number of rounds."""

from __future__ import annotations

from typing import NamedTuple


class Growth(NamedTuple):
    """How fast regret may grow with the number of rounds T: like T^exponent, up to logarithms.

    Noise can hide this rate for a long time; for epsilons of at least ``shows_at`` it shows within
    a million rounds.
    """

    exponent: float
    shows_at: float = 1.0


ROOT = Growth(0.5)
