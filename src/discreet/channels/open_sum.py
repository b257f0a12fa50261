"""No privacy: the running sum of all loss vectors, as it is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from componentjit import Raw
from discreet.contracts import Channel, Floats, Generator
from discreet.guarantee import Guarantee
from discreet.sets import Box, ConvexSet


class OpenSum(Channel[Floats, Floats, float]):
    """Releases the sum of all vectors so far: the non-private twin of every running sum."""

    one_stream = True

    released: Raw[Floats]

    @classmethod
    def over(cls, losses: ConvexSet) -> OpenSum:
        """Return the channel before the first round, for vectors of a set."""
        return cls(np.zeros(losses.dimension))

    example_feedback: ClassVar[Floats] = np.array([0.5, -0.25, 1.0])

    @classmethod
    def example(cls) -> OpenSum:
        """Return one to check the contract with."""
        return cls.over(Box.cube(3, -1.0, 1.0))

    def take(self, feedback: Floats, query: float) -> bool:
        """Add a vector; the sum is always due."""
        for i in range(self.released.size):
            self.released[i] += feedback[i]
        return True

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release the sum."""
        return True, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Return that nothing is released."""
        return False, self.released

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Forget everything and begin again."""
        self.released[:] = 0.0

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
