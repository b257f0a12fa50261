"""Self-concordant barriers in closed form: steps that never leave the set, and leaders that are inside of it."""

from __future__ import annotations

import math

from componentjit import helper
from discreet.components import Component
from discreet.contracts import Floats
from discreet.errors import DiscreetError
from discreet.sets import Box, L2Ball, LinearOracle


class Barrier(Component):
    """A barrier B of a set that is symmetric around the origin; ``complexity`` is its parameter ν.

    ``lead`` writes the point with the least rate ⟨S, x⟩ + ridge |x|² / 2 + B(x). With H = B''(x) +
    ridge, ``stretch_by`` writes H^(-1/2) u, a step that stays in the set if |u| ≤ 1, and H^(1/2) u.
    """

    @property
    def complexity(self) -> float:
        """The parameter ν: B grows by at most ν ln(1 / share) on the way to a border of which a share is left."""
        raise NotImplementedError

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader."""
        raise NotImplementedError

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write the direction times the inverse root and the root of the Hessian."""
        raise NotImplementedError


class BallBarrier(Barrier):
    """B(x) = -ln(R² - |x|²) for the ball of radius R; ν = 1."""

    reach: float

    @property
    def complexity(self) -> float:
        """1."""
        return 1.0

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader, which is opposite to the sums."""
        total = 0.0
        for i in range(sums.size):
            total += sums[i] * sums[i]
        length = math.sqrt(total)
        share = -balanced(rate * length, ridge, self.reach) / length if length > 0.0 else 0.0
        for i in range(sums.size):
            point[i] = share * sums[i]

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write both; the Hessian has one value along the point, and one across."""
        square, along = 0.0, 0.0
        for i in range(point.size):
            square += point[i] * point[i]
            along += point[i] * heading[i]
        room = self.reach * self.reach - square
        across_root = math.sqrt(2.0 / room + ridge)
        along_root = math.sqrt(2.0 / room + 4.0 * square / (room * room) + ridge)
        share = along / square if square > 1e-300 else 0.0
        for i in range(point.size):
            part = share * point[i]
            rest = heading[i] - part
            step[i] = rest / across_root + part / along_root
            slope[i] = rest * across_root + part * along_root


class CubeBarrier(Barrier):
    """B(x) = -Σ ln(R² - x(i)²) for the cube from -R to R; ν = n."""

    reach: float
    size: int

    @property
    def complexity(self) -> float:
        """The dimension."""
        return float(self.size)

    def lead(self, sums: Floats, rate: float, ridge: float, point: Floats) -> None:
        """Write the leader, coordinate by coordinate."""
        for i in range(sums.size):
            found = balanced(rate * abs(sums[i]), ridge, self.reach)
            point[i] = -found if sums[i] > 0.0 else found

    def stretch_by(
        self, point: Floats, ridge: float, heading: Floats, step: Floats, slope: Floats
    ) -> None:
        """Write both; the Hessian is diagonal."""
        for i in range(point.size):
            below, above = 1.0 / (self.reach + point[i]), 1.0 / (self.reach - point[i])
            root = math.sqrt(below * below + above * above + ridge)
            step[i] = heading[i] / root
            slope[i] = heading[i] * root


@helper
def balanced(force: float, ridge: float, reach: float) -> float:
    """Return the m in [0, reach) with ridge m + 2 m / (reach² - m²) = force, which is at least 0.

    The left side is convex and grows, so Newton's steps from above come down to m; without a ridge
    the start is exact.
    """
    square = reach * reach
    m = force * square / (1.0 + math.sqrt(1.0 + force * force * square))
    if ridge > 0.0:
        for _ in range(50):
            room = square - m * m
            excess = ridge * m + 2.0 * m / room - force
            step = excess / (ridge + 2.0 / room + 4.0 * m * m / (room * room))
            m -= step
            if not step > 1e-14 * m:
                break
    return min(max(m, 0.0), reach * (1.0 - 1e-12))


def barrier_of(domain: LinearOracle) -> Barrier:
    """Return the barrier of a ball, or of a cube around the origin; no other has one yet."""
    if isinstance(domain, L2Ball):
        return BallBarrier(domain.radius)
    if isinstance(domain, Box):
        reach = float(domain.high[0])
        if (domain.high == reach).all() and (domain.low == -reach).all():
            return CubeBarrier(reach, domain.dimension)
    raise DiscreetError(
        f"the set is {domain!r}, but a barrier is "
        "known for "
        "balls "
        "and for "
        "cubes "
        "around the "
        "origin "
        "only."
    )
