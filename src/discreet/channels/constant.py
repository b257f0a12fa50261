"""Releases a constant, whatever the feedback: the probe of the non-interference test, and perfect privacy."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from typing_extensions import TypeVar

from discreet.contracts import Channel, Feedback, Generator, Integers, Release
from discreet.guarantee import Guarantee

Ignored = TypeVar("Ignored", default=Any)  # a query, whatever it is


class Constant(Channel[Feedback, Release, Ignored]):
    """Ignores the feedback and releases ``value`` after every ``rounds`` rounds.

    Behind this channel the state of a learner cannot depend on raw feedback, unless it gets it some
    other way: that is what the non-interference test looks for.
    """

    holds_feedback = False

    value: Release
    rounds: int
    seen: Integers

    @classmethod
    def like(cls, channel: Channel, value: Release) -> Self:
        """Return the probe that releases when the given channel does."""
        return cls(value, channel.hold(), np.zeros(1, np.int64))

    @classmethod
    def example(cls) -> Constant:
        """Return one to check the contract with."""
        return Constant(0.25, 3, np.zeros(1, np.int64))

    def hold(self) -> int:
        """Return the number of rounds between two releases."""
        return self.rounds

    def offer(self, feedback: Feedback, query: Ignored, rng: Generator) -> tuple[bool, Release]:
        """Count the round; release the constant when it is time."""
        self.seen[0] += 1
        if self.seen[0] < self.rounds:
            return False, self.value
        self.seen[0] = 0
        return True, self.value

    def fork(self) -> Self:
        """Return a probe with a count of its own."""
        return self._replace(seen=np.zeros(1, np.int64))

    @property
    def guarantee(self) -> Guarantee:
        """Perfect: epsilon is 0."""
        source = "feedback is never used"
        return Guarantee(epsilon=0.0, delta=0.0, model="central", status="proved", source=source)
