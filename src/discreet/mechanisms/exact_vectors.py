"""Exact noise for vectors that move in the largest coordinate."""

from __future__ import annotations

import secrets

from discreet.contracts import Floats
from discreet.curves import Pure
from discreet.guarantee import Guarantee, Model
from discreet.mechanisms.exact import NoiseBlock, OnGrid, pure_grid
from discreet.mechanisms.shapes import CubeShape


class ExactCube(OnGrid, CubeShape):
    """Noise of the cube on a grid: P(z steps) is proportional to exp(-max |z(i)| / steps), z a vector of whole numbers.

    It is a uniform point of {-k .. k}^n with P(k) proportional to (2k + 1)^n exp(-k / steps), all
    drawn exactly (docs/proofs.md: Sums on a grid).
    """

    compiles = False

    @classmethod
    def calibrate(cls, *, sensitivity: float, epsilon: float) -> ExactCube:
        """Return the least noise with which a movement of every coordinate, and rounding, cost at most epsilon."""
        step, steps = pure_grid(sensitivity, epsilon)
        return cls(step, steps, NoiseBlock("laplace", steps))

    def perturb(self, vector: Floats, rng: object) -> None:
        """Round every coordinate to the grid and add noise, in place; ``rng`` is not used."""
        radius = self.radius(vector.size)
        for i in range(vector.size):
            noise = secrets.randbelow(2 * radius + 1) - radius
            vector[i] = (round(float(vector[i]) / self.step) + noise) * self.step

    def radius(self, size: int) -> int:
        """Return k, drawn with a probability proportional to (2k + 1)^size exp(-k / steps).

        A sum of size + 1 geometric numbers has binom(k + size, size) exp(-k / steps) instead, and
        is accepted with the ratio of the two, a product of proper fractions.
        """
        while True:
            k = sum(_geometric(self.block.take()) for _ in range(size + 1))
            if all(secrets.randbelow(2 * k + 2 * i) < 2 * k + 1 for i in range(1, size + 1)):
                return k

    def guarantee(self, sensitivity: float, *, model: Model, source: str) -> Guarantee:
        """Return what releases guarantee that move by ``sensitivity`` in the largest coordinate, rounding included."""
        source = f"{source}; exact noise (docs/proofs.md: Sums on a grid)"
        return Guarantee.of(Pure(self.moved(sensitivity)), delta=0.0, model=model, source=source)


def _geometric(laplace: int) -> int:
    """Return the number of a geometric distribution that a discrete Laplace number stands for: z, or -z - 1 below 0."""
    return laplace if laplace >= 0 else ~laplace
