"""Channels of devices: one vector is formed of a record, gets noise once, and leaves."""

from __future__ import annotations

import math
from dataclasses import replace

from componentjit import helper
from discreet.channels.moves import Moves
from discreet.contracts import Asked, Channel, Floats, Generator, Noise, Record
from discreet.errors import DiscreetError
from discreet.guarantee import RECORD, REPORTS, Guarantee

SHORTEST = 1e-140  # of a context: squares of shorter ones are lost to rounding


@helper
def length_of(features: Floats) -> float:
    """Return the length of a context; 0 for one that is not finite, or so short that its length cannot be computed."""
    total = 0.0
    for i in range(features.size):
        part = float(features[i])
        total += part * part
    return math.sqrt(total) if SHORTEST * SHORTEST <= total < math.inf else 0.0


class Reporting(Channel[Record, Floats, Asked]):
    """Reports one vector a round. A program can also do the three steps by itself: form it, add noise, bring it back."""

    holds_feedback = False

    @property
    def noise(self) -> Noise:
        """The noise on the vector."""
        raise NotImplementedError

    @property
    def released(self) -> Floats:
        """Where the vector is formed; what is left in it was released."""
        raise NotImplementedError

    def statistic(self, feedback: Record, query: Asked, vector: Floats) -> None:
        """Write the vector that is to be noised: raw."""
        raise NotImplementedError

    def finish(self, vector: Floats) -> None:
        """Bring a noisy vector to the units that the server learns in."""
        raise NotImplementedError

    def offer(self, feedback: Record, query: Asked, rng: Generator) -> tuple[bool, Floats]:
        """Report the vector, with fresh noise."""
        self.statistic(feedback, query, self.released)
        self.noise.perturb(self.released, rng)
        self.finish(self.released)
        return True, self.released

    def release_size(self) -> int:
        """Return how many numbers a report has."""
        return self.released.size

    @property
    def has_gaussian_noise(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.noise.is_gaussian


def on_devices(noise: Noise, reach: float, size: int, source: str) -> Guarantee:
    """Return what one report of a device guarantees: ``size`` numbers, which move by at most ``reach`` in the 2-norm."""
    if not noise.fits_vectors_of(size):
        raise DiscreetError(
            f"noise is {noise.kind}, which was not made for vectors of {size} numbers."
        )
    # of a single number more is known than of vectors, unless the noise is for one vector
    state = noise.guarantee if math.isnan(noise.across) else noise.joint_guarantee
    found = state(Moves(size, reach, reach).diameter(noise.norm), model="local", source=source)
    return replace(found, seen=REPORTS, datum=RECORD) if found.is_private else found


def exact_direction(noise: Noise, guarantee: Guarantee) -> Noise:
    """Return exact noise for a vector of length at most 1, or refuse: noise on coordinates would need a grid for all."""
    if noise.is_gaussian:
        raise DiscreetError(
            "noise is gaussian, which reports of vectors cannot draw exactly: use noise hemisphere."
        )
    return noise.exact(guarantee, 2.0)
