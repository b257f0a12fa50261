"""Absolute losses, neither smooth nor strongly convex."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Domain, FunctionGame, Functions, FunctionsEnvironment
from discreet.sets import LinearOracle

# of targets: so there are few different functions, and counts of them tell which point is best
LEVELS = 5


class AbsoluteLosses(FunctionGame):
    """Distances in one coordinate: h(x) = |x(i) - level|, and the row is base, weight, i, number of the level.

    ``levels`` holds the possible levels, a row a coordinate. All of them are such that a point
    whose every coordinate is at one of its levels is in the set.
    """

    levels: Floats

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.levels.shape[0])

    def shape(self, t: int, point: Floats) -> float:
        """Return |x(i) - level|."""
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
        found = np.zeros((len(starts), 1 + self.levels.size))
        place = self.losses[:, 2].astype(np.int64) * self.levels.shape[1] + self.losses[
            :, 3
        ].astype(np.int64)
        for row, (start, stop) in enumerate(
            zip(starts, [*starts[1:], self.losses.shape[0]], strict=True)
        ):
            found[row, 0] = self.losses[start:stop, 0].sum()
            found[row, 1:] = np.bincount(
                place[start:stop], self.losses[start:stop, 1], self.levels.size
            )
        return found

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
    """Absolute losses f(x) = |x(i) - c(i) - z| / (R + a), a = r / sqrt(n), c the centre, R and r the radii of the set.

    The coordinate i is uniform; z is one of -a, -a/2, 0, a/2, a, with the probability ``lean`` a
    uniform one and else ±a, with a sign that alternates from coordinate to coordinate. Values are
    in [0, 1]; the Lipschitz constant is 1 / (R + a). The best point has the median level in every
    coordinate.
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
