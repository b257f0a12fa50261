"""No privacy: feedback passes as it is."""

from __future__ import annotations

from typing import Self

from discreet.contracts import Channel, Factor, Generator
from discreet.guarantee import Guarantee
from discreet.ranges import Range, make_range


class Open(Channel[float, Factor]):
    """Releases every loss at once, as a fraction of its range: the non-private twin of every other channel."""

    holds_feedback = False

    bounds: Range

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls(make_range())

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the feedback itself."""
        return True, query * self.bounds.fraction(feedback)

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
