"""Distances from targets, squared or absolute, and prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from componentjit import helper
from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.points import directions
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import Domain, FunctionGame, Functions, FunctionsEnvironment
from discreet.problems.function_games import weights_by_case
from discreet.sets import LinearOracle

# Distances of the mean target from the centre, and of targets from their mean, in inner radii.
DISTANCE, SPREAD = 0.6, 0.4
# The best price as a share of the highest one: its first mean, and how far it varies.
FIRST_PRICE, SCATTER = 0.9, 0.1
LEAST_DEMAND = 0.6  # at the price 0, as a share of the largest demand
MOST_DRIFT = 0.3  # keeps the best price at 1/2 or more, so that demand stays positive
# Levels of a target: there are few different functions, and their counts give the best point.
LEVELS = 5


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
        """Return the sums of base + weight · |target|², of all weights, and of weight · target."""
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
    """Squared distances from targets that drift, f(x) = |x - z|² / (R + r)².

    R and r are the outer and inner radius of the set. The targets z scatter around a mean that is
    0.6 r from the centre and moves once through an angle of ``drift`` in the plane of the first two
    coordinates; they are at most 0.4 r from it. So all targets are in the set. Values are in
    [0, 1]; the Lipschitz constant is 2 / (R + r); smoothness and curvature are both 2 / (R + r)².
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


@register_environment(
    "pricing",
    title="revenue lost against linear demand",
    problem=Functions,
    usual={"domain": "cube(1)"},
)
class Pricing(FunctionsEnvironment):
    """Prices p from 0 to 1, the two ends of a one-dimensional set; the loss is lost revenue.

    In each round a share a (1 - p / 2 q) of all people buys at the price p, so q is the best price
    of the round. Revenue is at most 1/2, and the loss is its shortfall in units of 1/2: f = 1 - 2 a
    p (1 - p / 2 q), in [0, 1]. Demand is fixed before the game: a is uniform in [0.6, 1], and q is
    within 0.1 of a mean that falls evenly from 0.9 by ``drift``, at most 0.3; with 0 it stays. For
    a set of radius R the Lipschitz constant is 1 / R, and second derivatives are between 0.3 / R²
    and 1 / R².
    """

    rounds: int
    drift: float = 0.2

    def functions(self, start: int, stop: int, rng: Generator) -> Quadratics:
        """Return the functions of rounds start to stop: 1 - a q + (a / q) (p - q)²."""
        place, drift = self.problem.place, check_range("drift", self.drift, 0.0, MOST_DRIFT)
        if place.dimension != 1:
            raise DiscreetError(
                f"domain is {self.domain}, but pricing is for sets of one dimension, such as "
                "cube(1)."
            )
        chance = uniforms(rng, start, stop, 2)
        demand = LEAST_DEMAND + (1.0 - LEAST_DEMAND) * chance[:, 0]
        best = (
            FIRST_PRICE
            - drift * np.arange(start, stop) / self.rounds
            + SCATTER * (2.0 * chance[:, 1] - 1.0)
        )
        target = place.set.centre()[0] + place.outer * (2.0 * best - 1.0)
        weight = demand / best / (2.0 * place.outer) ** 2
        return Quadratics(np.column_stack([1.0 - demand * best, weight, target]))


class AbsoluteLosses(FunctionGame):
    """Distances in one coordinate: h(x) = |x(j) - level|.

    A row is base, weight, j, number of the level. ``levels`` holds the possible levels, one row per
    coordinate. A point with every coordinate at one of its levels is in the set.
    """

    levels: Floats

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.levels.shape[0])

    def shape(self, t: int, point: Floats) -> float:
        """Return |x(j) - level|."""
        if point.size != self.levels.shape[0]:  # compiled code would read other memory
            return np.nan
        axis, level = int(self.losses[t, 2]), int(self.losses[t, 3])
        return float(abs(point[axis] - self.levels[axis, level]))

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return 0."""
        return 0.0

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the largest distance from the level."""
        axis, level = int(self.losses[t, 2]), int(self.losses[t, 3])
        return float(outer + abs(self.levels[axis, level] - domain.centre()[axis]))

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return 1."""
        return 1.0

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of all bases, and that of the weights for every coordinate and level."""
        axis, level = self.losses[:, 2:].astype(np.int64).T
        case = axis * self.levels.shape[1] + level
        return weights_by_case(self.losses, starts, case, self.levels.size)

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the median level of every coordinate."""
        weights = total[1:].reshape(self.levels.shape).cumsum(axis=1)
        medians: Floats = self.levels[
            np.arange(self.choices), (weights >= weights[:, -1:] / 2).argmax(axis=1)
        ]
        return medians

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of the distances from all levels."""
        distances = np.abs(point[:, None] - self.levels)
        return float(total[0] + total[1:] @ distances.ravel())


@register_environment("absolute", title="absolute distances in one coordinate", problem=Functions)
class Absolute(FunctionsEnvironment):
    """Absolute losses in one coordinate, f(x) = |x(j) - c(j) - z| / (R + a), a = r / sqrt(N).

    c is the centre of the set, R and r are its radii, and N is its dimension. The coordinate j is
    uniform. z is one of -a, -a/2, 0, a/2, a: with probability ``lean`` a uniform one, otherwise ±a
    with a sign that alternates from coordinate to coordinate. Values are in [0, 1]; the Lipschitz
    constant is 1 / (R + a). The best point has the median level in every coordinate.
    """

    lean: float = 0.5

    def functions(self, start: int, stop: int, rng: Generator) -> AbsoluteLosses:
        """Return the functions of rounds start to stop."""
        place, size = self.problem.place, stop - start
        place.check_full("absolute")
        chance, lean = uniforms(rng, start, stop, 3), check_range("lean", self.lean, 0.0, 1.0)
        axis = (chance[:, 0] * place.dimension).astype(np.int64)
        level = np.where(axis % 2 == 0, LEVELS - 1, 0)
        level = np.where(chance[:, 1] < lean, (chance[:, 2] * LEVELS).astype(np.int64), level)
        far = place.inner / np.sqrt(place.dimension)
        rows = np.column_stack(
            [np.zeros(size), np.full(size, 1.0 / (place.outer + far)), axis, level]
        )
        return AbsoluteLosses(
            rows, place.set.centre()[:, None] + far * np.linspace(-1.0, 1.0, LEVELS)
        )
