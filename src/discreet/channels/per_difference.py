"""Two values a round: only their difference is released, with noise or without."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from componentjit import helper
from discreet.channels.per_round import EveryRound
from discreet.contracts import Channel, Factor, Floats, Generator
from discreet.guarantee import Guarantee
from discreet.mechanisms import Laplace
from discreet.ranges import Range, make_range


@helper
def difference(feedback: Floats) -> float:
    """Return the first value minus the second; 0 if that is not a number."""
    found = float(feedback[0]) - float(feedback[1])
    return 0.0 if math.isnan(found) else found


class PerDifference(EveryRound[Floats, Factor]):
    """Releases the difference of two values with noise every round, as a fraction of the range of differences.

    ``bounds`` is that range: from -2 ρ G to 2 ρ G if functions are G-Lipschitz and the points 2 ρ
    apart. Differences are clamped to it, so a replaced round moves them by at most 4 ρ G, whatever
    the functions are.
    """

    example_feedback: ClassVar[Floats] = np.array([0.3, 0.1])

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls(make_range(-0.5, 0.5), Laplace.calibrate(sensitivity=1.0, epsilon=2.0))

    def offer(self, feedback: Floats, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the difference with fresh noise."""
        noisy = self.noise.add_noise(self.bounds.clamp(difference(feedback)), rng)
        return True, query * self.bounds.fraction(noisy)


class OpenDifference(Channel[Floats, Factor]):
    """Releases every difference as it is, as a fraction of its range: without privacy."""

    holds_feedback = False

    bounds: Range

    example_feedback: ClassVar[Floats] = np.array([0.3, 0.1])

    @classmethod
    def example(cls) -> Self:
        """Return one to check the contract with."""
        return cls(make_range(-0.5, 0.5))

    def offer(self, feedback: Floats, query: Factor, rng: Generator) -> tuple[bool, Factor]:
        """Release the difference itself."""
        return True, query * self.bounds.fraction(difference(feedback))

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee.none("feedback reaches the learner as it is")
