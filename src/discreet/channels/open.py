"""No privacy: feedback passes as it is."""

from __future__ import annotations

from discreet.contracts import Channel, Generator, Query, Release
from discreet.guarantee import Guarantee
from discreet.ranges import Range


class Open(Channel):
    """Releases every loss at once, as a fraction of its range: the non-private twin of every other channel."""

    holds_feedback = False

    bounds: Range

    def offer(self, feedback: float, query: Query, rng: Generator) -> tuple[bool, Release]:
        """Release the feedback itself."""
        return True, query * self.bounds.fraction(feedback)

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
