"""Channels without noise: feedback passes unchanged, or not at all."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from typing_extensions import TypeVar

from componentjit import Raw
from discreet.contracts import Channel, Factor, Feedback, Floats, Generator, Integers, Release
from discreet.guarantee import Guarantee
from discreet.ranges import Range, make_range
from discreet.sets import Box, ConvexSet


class Open(Channel[float, Factor]):
    """Releases every loss at once, as a fraction of its range, without privacy."""

    holds_feedback = False

    bounds: Range

    @classmethod
    def example(cls) -> Self:
        """Return an example for the contract tests."""
        return cls(make_range())

    def offer(self, feedback: float, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the feedback itself."""
        return True, query * self.bounds.fraction(feedback)

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")


class OpenSum(Channel[Floats, Floats, float]):
    """Releases the sum of all vectors so far, without privacy."""

    one_stream = True

    released: Raw[Floats]

    @classmethod
    def over(cls, losses: ConvexSet) -> OpenSum:
        """Return the channel before the first round, for vectors of a set."""
        return cls(np.zeros(losses.dimension))

    example_feedback: ClassVar[Floats] = np.array([0.5, -0.25, 1.0])

    @classmethod
    def example(cls) -> OpenSum:
        """Return an example for the contract tests."""
        return cls.over(Box.cube(3, -1.0, 1.0))

    def feedback_size(self) -> int:
        """Return how many numbers a vector has."""
        return self.released.size

    def take(self, feedback: Floats, query: float) -> bool:
        """Add a vector; a release is due every time."""
        for i in range(self.released.size):
            self.released[i] += feedback[i]
        return True

    def release(self, query: float, rng: Generator) -> tuple[bool, Floats]:
        """Release the sum."""
        return True, self.released

    def nothing(self, query: float) -> tuple[bool, Floats]:
        """Report that nothing is released."""
        return False, self.released

    def release_size(self) -> int:
        """Return the length of a release."""
        return self.released.size

    def restart(self) -> None:
        """Clear the sum and begin again."""
        self.released[:] = 0.0

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")


Ignored = TypeVar("Ignored", default=Any)  # the type of a query that is not used


class Constant(Channel[Feedback, Release, Ignored]):
    """Ignores the feedback and releases ``value`` after every ``rounds`` rounds: perfect privacy.

    Behind this channel, a learner's state can depend on raw feedback only if feedback reaches it
    another way. The non-interference test looks for exactly that.
    """

    holds_feedback = False

    value: Release
    rounds: int
    seen: Integers

    @classmethod
    def like(cls, channel: Channel, value: Release) -> Self:
        """Return a channel that releases at the same rounds as the given channel."""
        return cls(value, channel.hold(), np.zeros(1, np.int64))

    @classmethod
    def example(cls) -> Constant:
        """Return an example for the contract tests."""
        return Constant(0.25, 3, np.zeros(1, np.int64))

    def hold(self) -> int:
        """Return the number of rounds between two releases."""
        return self.rounds

    def offer(self, feedback: Feedback, query: Ignored, rng: Generator) -> tuple[bool, Release]:
        """Count the round; release the constant when it is due."""
        self.seen[0] += 1
        if self.seen[0] < self.rounds:
            return False, self.value
        self.seen[0] = 0
        return True, self.value

    def fork(self) -> Self:
        """Return a channel with its own count."""
        return self._replace(seen=np.zeros(1, np.int64))

    @property
    def guarantee(self) -> Guarantee:
        """Perfect: epsilon is 0."""
        source = "the feedback is never used"
        return Guarantee(epsilon=0.0, delta=0.0, model="central", status="proved", source=source)
