"""Regret bounds that hold with a stated probability, rather than in expectation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

# the effect of responses on a bound, and on one that is not a number
FACTORS = (
    ", times coth(ε / 2) (docs/regret.md: Responses)",
    "; on responses this grows with coth²(ε / 2) where arms have gaps (docs/regret.md: Responses)",
)
FAILURE = 0.05  # the default probability that such a bound fails


@dataclass(frozen=True, kw_only=True)
class ConfidentBound:
    """With probability 1 - ``failure``, regret is at most ``regret``, in units of the losses.

    ``at`` computes the bound for another probability of failure; it is None if the algorithm is
    tuned to its own.

    >>> found = ConfidentBound(regret=10.0, failure=0.05, holds_for="losses fixed in advance")
    >>> found.words
    'losses fixed in advance, with probability 0.95'
    """

    regret: float
    failure: float
    holds_for: str
    at: Callable[[float], float] | None = None

    @property
    def words(self) -> str:
        """The losses for which it holds, and its probability."""
        return f"{self.holds_for}, with probability {1.0 - self.failure:g}"

    def on_responses(self, contrast: float, rounds: int, width: float) -> ConfidentBound | None:
        """Return the bound if each loss is replaced by a randomised bit of this contrast a.

        It is [B(α/2) + sqrt(T ln(2/α))] / a, for losses fixed in advance (docs/regret.md:
        Responses).
        """
        if self.at is None:
            return None
        within = self.at

        def at(failure: float) -> float:
            spread = width * math.sqrt(rounds * math.log(2.0 / failure))
            return (within(failure / 2.0) + spread) / contrast

        return replace(self, regret=at(self.failure), at=at)
