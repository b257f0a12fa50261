"""Mirror maps: from a sum of gradients to a point of the set, exactly or by a linear oracle.

A mirror map ω leads from a sum s to ∇ω*(-s) = argmin ⟨s, x⟩ + ω(x) over the set. If ω is α-strongly
convex in a norm, that point moves by at most |s - s'|_* / α in this norm when s becomes s', where
|·|_* is the dual norm (docs/proofs.md: A noisy leader).
"""

from __future__ import annotations

import math

import numpy as np

from discreet.components import Component
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int
from discreet.sets import LinearOracle, Projecting, Simplex, check_ability

ROUNDING = 1e-15  # a gap that is a smaller share of its terms is a rounding error


class MirrorMap(Component):
    """Maps a sum to a point; the set is the learner's."""

    @property
    def strength(self) -> float:
        """How strongly convex ω is in its norm: α."""
        return 2.0

    @property
    def oracle_calls(self) -> int | None:
        """How often it called a linear oracle; None if there is none."""
        return None

    def check(self, around: LinearOracle) -> None:
        """Refuse a set on which this map cannot be computed."""
        raise NotImplementedError

    def lead(
        self, within: LinearOracle, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> None:
        """Write argmin ⟨s, x⟩ + ω(x) over the set into ``point``, which holds the last result.

        ``near`` is the allowed distance from the minimum.
        """
        raise NotImplementedError


class ByProjection(MirrorMap):
    """ω(x) = |x - c|², by a projection: x is the projection of c - s / 2.

    >>> from discreet.sets import L2Ball
    >>> point = np.zeros(2)
    >>> ByProjection().lead(L2Ball(2, 1.0), np.zeros(2), np.array([1.0, 0.0]), point, 0.0)
    >>> point.tolist()
    [-0.5, 0.0]
    """

    def check(self, around: LinearOracle) -> None:
        """Refuse a set without a projection."""
        check_ability(around, Projecting)

    def lead(  # type: ignore[override] # ``check`` refuses other sets
        self, within: Projecting, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> None:
        """Project."""
        for i in range(point.size):
            point[i] = anchor[i] - 0.5 * sums[i]
        within.project(point)


class Entropic(MirrorMap):
    """ω(x) = Σ x ln x on the probability simplex, by its closed form: x(i) ~ e^-s(i).

    It is 1-strongly convex in the 1-norm (Pinsker), and its range over the simplex is ln N.

    >>> point = np.ones(2) / 2
    >>> Entropic().lead(Simplex(2), point, np.array([0.0, math.log(3.0)]), point, 0.0)
    >>> point.round(9).tolist()
    [0.75, 0.25]
    """

    @property
    def strength(self) -> float:
        """1, in the 1-norm."""
        return 1.0

    def check(self, around: LinearOracle) -> None:
        """Refuse everything but a simplex."""
        if not isinstance(around, Simplex):
            raise DiscreetError(
                f"set is of type {type(around).__name__}, but the entropic map needs a simplex."
            )

    def lead(
        self, within: LinearOracle, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> None:
        """Weigh exponentially."""
        least = sums[0]
        for i in range(point.size):
            least = min(least, sums[i])
        total = 0.0
        for i in range(point.size):
            point[i] = math.exp(least - sums[i])
            total += point[i]
        for i in range(point.size):
            point[i] = point[i] / total if total > 0.0 else anchor[i]


class FrankWolfe(MirrorMap):
    """ω(x) = |x - c|², by a linear oracle alone: Frank-Wolfe steps from the last point.

    Steps with exact line search are

        p = argmin ⟨2 (x - c) + s, p⟩,   x ← x + t (p - x),   t = min(1, gap / 2 |x - p|²),

    until the gap ⟨2 (x - c) + s, x - p⟩ is at most ``near``², which proves that x is within
    ``near`` of the minimum; and for at most ``most`` steps, after which x is within
    4 R / sqrt(most + 2) of it (docs/proofs.md: Oracle budget).
    """

    most_steps: int
    slope: Floats  # of the objective: a buffer
    corner: Floats  # the oracle's answer: a buffer
    calls: Integers  # of the oracle

    @classmethod
    def start(cls, around: LinearOracle, *, most: int = 1_000_000) -> FrankWolfe:
        """Return the map before its first call."""
        return cls(
            most_steps=check_int("most", most, minimum=1),
            slope=np.zeros(around.dimension),
            corner=np.zeros(around.dimension),
            calls=np.zeros(1, np.int64),
        )

    @property
    def oracle_calls(self) -> int | None:
        """How often it called the oracle."""
        return int(self.calls[0])

    def check(self, around: LinearOracle) -> None:
        """Refuse a set without an oracle."""
        check_ability(around, LinearOracle)

    def lead(
        self, within: LinearOracle, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> None:
        """Take steps towards the minimum."""
        for _ in range(self.most_steps):
            share = self.call(within, anchor, sums, point, near)
            if share < 0.0:
                break
            for i in range(sums.size):
                point[i] += share * (self.corner[i] - point[i])

    def call(
        self, within: LinearOracle, anchor: Floats, sums: Floats, point: Floats, near: float
    ) -> float:
        """Call the oracle; return the share of its answer in the next point, -1 if near enough."""
        for i in range(sums.size):
            self.slope[i] = 2.0 * (point[i] - anchor[i]) + sums[i]
        within.minimise_linear(self.slope, self.corner)
        self.calls[0] += 1
        gap, distance, size = 0.0, 0.0, 0.0
        for i in range(sums.size):
            step = point[i] - self.corner[i]
            gap += self.slope[i] * step
            distance += step * step
            size += abs(self.slope[i] * step)
        if not gap > max(near * near, ROUNDING * size):
            return -1.0
        return min(1.0, 0.5 * gap / distance)


def steps_for(tolerance: float) -> int:
    """Return how many steps come within ``tolerance`` outer radii of the minimum, on any set.

    >>> steps_for(0.01)
    159998
    """
    return max(1, math.ceil(16.0 / tolerance**2) - 2)


def error_after(steps: int) -> float:
    """Return how far from the minimum Frank-Wolfe can be after some steps, in outer radii.

    >>> error_after(14)
    1.0
    """
    return 4.0 / math.sqrt(steps + 2.0)
