"""Exact noise for vectors of length at most 1: a public direction and one private coin."""

from __future__ import annotations

import hashlib
import math
import secrets
from typing import ClassVar, Self

import numpy as np

from discreet.contracts import Floats, Noise
from discreet.curves import Pure
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.bits import BITS, least_share
from discreet.mechanisms.exact import SEALED

SEED = 16  # bytes of a seed: in practice, two reports never share one


class ExactHemisphere(Noise):
    """``Hemisphere`` for live use: a seed stands for a direction z; a bit says z or -z.

    The seed does not depend on the data. Given the seed, each bit has a probability of at least
    ``least`` 2^-62, which is no less than 1 / (1 + e^ε), however ⟨z, v⟩ is rounded. So the pair of
    seed and bit is ε-differentially private (docs/proofs.md: Directions). A report has 17 bytes in
    any dimension.
    """

    compiles = False
    kind: ClassVar[str] = "hemisphere"
    norm: ClassVar[float] = 2.0
    is_exact: ClassVar[bool] = True
    is_bounded: ClassVar[bool] = True
    has_memory: ClassVar[bool] = False

    reach: float
    epsilon: float
    least: int
    dimension: int

    @classmethod
    def calibrate(cls, *, dimension: int, epsilon: float) -> Self:
        """Return the noise for vectors of a dimension."""
        size = check_int("dimension", dimension, minimum=1)
        budget = check_positive("epsilon", epsilon)
        least = least_share(budget)
        tilt = 1.0 - 2.0 * least / (1 << BITS)  # tanh(ε/2), up to rounding
        ratio = math.lgamma(0.5 * (size + 1)) - math.lgamma(0.5 * size)
        return cls(math.sqrt(math.pi) * math.exp(ratio) / tilt, budget, least, size)

    @property
    def scale(self) -> float:
        """The length of a report."""
        return self.reach

    def unit_variance(self, dimension: int) -> float:
        """Return 1 / N, as for ``Hemisphere``."""
        return 1.0 / dimension

    def fits_vectors_of(self, size: int) -> bool:
        """Return whether the noise was made for that dimension."""
        return size == self.dimension

    def encode(self, vector: Floats) -> bytes:
        """Return a report about a vector: the seed, and the bit."""
        seed = secrets.token_bytes(SEED)
        direction = direction_of(seed, self.dimension)
        length = float(np.sqrt(vector @ vector))
        length = min(1.0, length) if length >= 0.0 else 0.0
        whole = 1 << BITS
        # The coin is fair for the zero vector, and most biased for a vector of length 1.
        limit = whole // 2 + round(length * (whole // 2 - self.least))
        towards = secrets.randbits(BITS) < min(limit, whole - self.least)
        upper = bool(direction @ vector >= 0.0) == towards
        return seed + bytes([upper])

    def decode(self, report: bytes) -> Floats:
        """Return the vector that a report represents."""
        direction = direction_of(report[:SEED], self.dimension)
        length = math.sqrt(float(direction @ direction))
        factor = self.reach / length if length > 0.0 else 0.0
        return direction * (factor if report[SEED] else -factor)

    def perturb(self, vector: Floats, rng: object) -> None:
        """Replace a vector by a report about it; ``rng`` is not used."""
        vector[:] = self.decode(self.encode(vector))

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return the guarantee of one report, from the coin that is actually tossed."""
        if self.least < least_share(self.epsilon):
            return Guarantee.none("the coin of the hemisphere is less even than its epsilon allows")
        return Guarantee.of(Pure(self.epsilon), delta=0.0, model=model, source=source)

    def sealed(self) -> SealedHemisphere:
        """Return the same hemisphere, which only a live run may draw."""
        return SealedHemisphere(*self)


class SealedHemisphere(ExactHemisphere):
    """A hemisphere that refuses to be drawn; a live run unseals its own copy."""

    compiles = False

    def encode(self, vector: Floats) -> bytes:
        """Refuse."""
        raise DiscreetError(SEALED)

    def unsealed(self) -> ExactHemisphere:
        """Return the same hemisphere, ready to be drawn."""
        return ExactHemisphere(*self)


def direction_of(seed: bytes, dimension: int) -> Floats:
    """Return the normal numbers of a seed: the same on every machine and in every version.

    >>> bool(np.all(direction_of(bytes(16), 3).round(6) == direction_of(bytes(16), 4)[:3].round(6)))
    True
    """
    pairs = (dimension + 1) // 2
    words = np.frombuffer(hashlib.shake_256(seed).digest(16 * pairs), dtype="<u8").reshape(pairs, 2)
    uniform = ((words >> 11) + 0.5) * 2.0**-53
    radius, angle = np.sqrt(-2.0 * np.log(uniform[:, 0])), 2.0 * math.pi * uniform[:, 1]
    numbers = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).ravel()
    found: Floats = numbers[:dimension]
    return found
