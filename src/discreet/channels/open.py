"""No privacy: feedback passes as it is."""

from __future__ import annotations

from discreet.contracts import Channel, Generator, Query, Release
from discreet.guarantee import Guarantee
from discreet.ranges import Range, make_range


class Open(Channel):
    """Releases every loss at once, as a fraction of its range: the non-private twin of every other channel."""

    holds_feedback = False

    bounds: Range

    @classmethod
    def example(cls) -> Open:
        """Return one to check the contract with."""
        return cls(make_range())

    def offer(self, feedback: float, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Release the feedback itself."""
        return True, query * self.bounds.fraction(feedback)

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
