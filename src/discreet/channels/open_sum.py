"""No privacy: the running sum of all loss vectors, as it is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.guarantee import Guarantee
from discreet.kernel import compiled


@compiled
class OpenSum(NamedTuple):
    """Releases the sum of all vectors so far: the non-private twin of every running sum."""

    released: Floats

    @classmethod
    def over(cls, losses: Any) -> OpenSum:
        """Return the channel before the first round, for vectors of a set."""
        return cls(np.zeros(losses.dimension))

    def hold(self) -> int:
        """Return 1: a new action every round."""
        return 1

    def offer(self, feedback: Floats, query: Any, rng: Generator) -> tuple[bool, Any]:
        """Add a vector; release the sum."""
        for i in range(self.released.size):
            self.released[i] += feedback[i]
        return True, self.released

    def restart(self) -> None:
        """Forget everything and begin anew."""
        self.released[:] = 0.0

    def live(self) -> OpenSum:
        """Return this channel: it draws no noise."""
        return self

    def fork(self) -> OpenSum:
        """Return this channel: all rounds are one stream, in the order in which they come."""
        return self

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")

    @property
    def noises(self) -> tuple[dict[str, Any], ...]:
        """None."""
        return ()

    def __repr__(self) -> str:
        return f"OpenSum({self.released.size} dimensions, sums=<hidden>)"
