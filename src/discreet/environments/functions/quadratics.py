"""Squared distances from targets that drift."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.points.linear import directions
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Domain, FunctionGame, Functions, FunctionsEnvironment
from discreet.sets import LinearOracle

DISTANCE, SPREAD = (
    0.6,
    0.4,
)  # of the mean target from the centre, and of targets from their mean, in inner radii


@helper
def distance_squared(row: Floats, point: Floats) -> float:
    """Return the squared distance of a point from the target of a row."""
    total = 0.0
    for i in range(point.size):
        step = point[i] - row[2 + i]
        total += step * step
    return total


class Quadratics(FunctionGame):
    """Squared distances: h(x) = |x - target|², and the row is base, weight, target."""

    def shape(self, t: int, point: Floats) -> float:
        """Return |x - target|²."""
        return distance_squared(self.losses[t], point)

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return 0."""
        return 0.0

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the square of the largest distance that a point of the set can have."""
        reach = outer + distance_squared(self.losses[t], domain.centre()) ** 0.5
        return float(reach * reach)

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return twice that distance."""
        return float(2.0 * (outer + distance_squared(self.losses[t], domain.centre()) ** 0.5))

    def least_bend(self, t: int) -> float:
        """Return 2."""
        return 2.0

    def most_bend(self, t: int) -> float:
        """Return 2."""
        return 2.0

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sums of all bases with weight · |target|², of all weights, and of weight · target."""
        base, weight, targets = self.losses[:, 0], self.losses[:, 1], self.losses[:, 2:]
        constant = base + weight * (targets**2).sum(axis=1)
        return np.add.reduceat(
            np.column_stack([constant, weight, weight[:, None] * targets]), starts, axis=0
        )

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the point nearest to the mean target."""
        return place.nearest(total[2:] / total[1]) if total[1] > 0.0 else place.set.centre()

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of the squared distances."""
        return float(total[0] + total[1] * (point @ point) - 2.0 * (total[2:] @ point))


@register_environment(
    "quadratics", title="squared distances from drifting targets", problem=Functions
)
class DriftingQuadratics(FunctionsEnvironment):
    """Squared distances from targets, f(x) = |x - z|² / (R + r)², R and r the outer and inner radius of the set.

    The targets z scatter around a mean that is 0.6 r away from the centre and goes once through an
    angle of ``drift`` in the plane of the first two coordinates; they are at most 0.4 r from it. So
    all of them are in the set. Values are in [0, 1]; the Lipschitz constant is 2 / (R + r);
    smoothness and curvature are both 2 / (R + r)².
    """

    rounds: int
    drift: float = 1.5

    def functions(self, start: int, stop: int, rng: Generator) -> Quadratics:
        """Return the functions of rounds start to stop."""
        place, size = self.problem.place, stop - start
        place.check_full("quadratics")
        angle = check_range("drift", self.drift, 0.0, 100.0) * np.arange(start, stop) / self.rounds
        targets = directions(rng, start, stop, place.dimension)
        targets *= SPREAD * place.inner * uniforms(rng, start, stop, 1, purpose=1)
        targets[:, 0] += DISTANCE * place.inner * np.cos(angle)
        if place.dimension > 1:
            targets[:, 1] += DISTANCE * place.inner * np.sin(angle)
        weight = np.full(size, 1.0 / (place.outer + place.inner) ** 2)
        return Quadratics(np.column_stack([np.zeros(size), weight, targets + place.set.centre()]))
