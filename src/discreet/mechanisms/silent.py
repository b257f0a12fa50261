"""No noise at all: the twin without privacy of whatever adds some."""

from __future__ import annotations

from typing import ClassVar

from discreet.contracts import Floats, Generator, Noise
from discreet.guarantee import Guarantee, Model


class Silent(Noise):
    """Leaves everything as it is, and guarantees nothing.

    >>> Silent().guarantee(1.0, model="local", source="nothing").is_private
    False
    """

    kind: ClassVar[str] = "no noise"
    norm: ClassVar[float] = 2.0
    has_memory: ClassVar[bool] = False

    scale: float = 0.0

    def unit_variance(self, dimension: int) -> float:
        """Return 0."""
        return 0.0

    def add_noise(self, value: float, rng: Generator) -> float:
        """Return the value."""
        return value

    def perturb(self, vector: Floats, rng: Generator) -> None:
        """Leave the vector."""

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return that there is none."""
        return Guarantee.none("no noise is added")
