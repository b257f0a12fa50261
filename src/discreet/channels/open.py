"""No privacy: feedback passes as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from discreet.contracts import Generator
from discreet.guarantee import Guarantee
from discreet.kernel import compiled
from discreet.ranges import Range


@compiled
class Open(NamedTuple):
    """Releases every loss at once, as a fraction of its range: the non-private twin of every other channel."""

    bounds: Range

    def hold(self) -> int:
        """Return 1: a new action every round."""
        return 1

    def offer(self, feedback: float, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Release the feedback itself."""
        return True, query * self.bounds.fraction(feedback)

    def live(self) -> Open:
        """Return this channel: it draws no noise."""
        return self

    def fork(self) -> Open:
        """Return this channel: it holds nothing."""
        return self

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """None."""
        return ()
