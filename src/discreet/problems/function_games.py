"""Games of functions: a convex set, and one row of numbers for each round's function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.problems.base import Game, TableGame
from discreet.problems.domains import Domain
from discreet.problems.points import product
from discreet.ranges import Range
from discreet.sets import LinearOracle

# Columns of a row: f(x) = base + weight · h(x), then the parameters of h.
BASE, WEIGHT, FIRST = 0, 1, 2


class FunctionGame(TableGame[Floats, float]):
    """Rounds of functions f = base + weight · h: a row has base, weight and h's parameters.

    Row t of ``losses`` is round t. A family of functions defines h (``shape``), its range
    (``lowest``, ``highest``) and slope (``steepness``) on a set whose points are at most ``outer``
    from its centre, bounds on its second derivatives (``least_bend``, ``most_bend``), sufficient
    statistics of sums (``totals``), and the best point for such a sum (``minimiser``).
    """

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.losses.shape[1]) - FIRST

    @property
    def action_shape(self) -> tuple[int, ...]:
        """A point."""
        return (self.choices,)

    def shape(self, t: int, point: Floats) -> float:
        """Return h at a point."""
        raise NotImplementedError

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return a lower bound on h in the set."""
        raise NotImplementedError

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return an upper bound on h in the set."""
        raise NotImplementedError

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return a Lipschitz constant of h on the set."""
        raise NotImplementedError

    def least_bend(self, t: int) -> float:
        """Return a lower bound on all second derivatives of h."""
        return 0.0

    def most_bend(self, t: int) -> float:
        """Return an upper bound on all second derivatives of h."""
        return math.inf

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the point with the smallest total, given the sum of ``totals``."""
        raise NotImplementedError

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of all functions at a point, given the sum of ``totals``."""
        raise NotImplementedError

    def loss(self, t: int, action: Floats) -> float:
        """Return f(x)."""
        value: float = self.losses[t, 0] + self.losses[t, 1] * self.shape(t, action)
        return value

    def feedback(self, t: int, action: Floats) -> float:
        """Return the same value: it is the only feedback."""
        return self.loss(t, action)

    def rescaled(self, shift: float, factor: float) -> FunctionGame:
        """Return the game with all functions on another scale."""
        rows = self.losses.copy()
        rows[:, BASE] = shift + factor * rows[:, BASE]
        rows[:, WEIGHT] *= factor
        return self._replace(losses=rows)


class LinearFunctions(FunctionGame):
    """Linear functions: h(x) = ⟨ℓ, x⟩, and the row is base, weight, ℓ."""

    def shape(self, t: int, point: Floats) -> float:
        """Return ⟨ℓ, x⟩."""
        return product(self.losses[t, 2:], point)

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the smallest value on the set."""
        return -domain.support(-self.losses[t, 2:])

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the largest value on the set."""
        return domain.support(self.losses[t, 2:])

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return |ℓ|, without the part orthogonal to the hull."""
        slope = self.losses[t, 2:].copy()
        domain.tangent(slope)
        return math.sqrt(product(slope, slope))

    def most_bend(self, t: int) -> float:
        """Return 0."""
        return 0.0

    def stay_within(
        self, low: float, high: float, slope: float, centre: Floats, outer: float
    ) -> bool:
        """Return whether all functions stay within a range and a slope in the ball around the set.

        This is a quick test: the ball contains the set.
        """
        weight, slopes = self.losses[:, WEIGHT], self.losses[:, FIRST:]
        steep = np.abs(weight) * np.sqrt(np.einsum("ti,ti->t", slopes, slopes))
        middle, reach = self.losses[:, BASE] + weight * (slopes @ centre), steep * outer
        return bool(
            (steep <= slope).all()
            and (middle - reach >= low).all()
            and (middle + reach <= high).all()
        )

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sums of all bases and of all slopes."""
        weighted = np.hstack(
            [self.losses[:, :1], self.losses[:, WEIGHT, None] * self.losses[:, FIRST:]]
        )
        return np.add.reduceat(weighted, starts, axis=0)

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the vertex that is best for the sum of the slopes."""
        return place.best_against(total[1:])

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of the bases and ⟨sum of the slopes, x⟩."""
        return total_at(total, point)


class Pairs(Game[Floats, Floats]):
    """Functions evaluated at two points per round; the loss is the mean of both values."""

    functions: FunctionGame
    values: Floats  # of this round: a buffer

    @property
    def losses(self) -> Floats:
        """The rows of the functions."""
        return self.functions.losses

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.functions.choices

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Two points."""
        return (2, self.functions.choices)

    def loss(self, t: int, action: Floats) -> float:
        """Return the mean of both values."""
        return 0.5 * (self.functions.loss(t, action[0]) + self.functions.loss(t, action[1]))

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return both values."""
        self.values[0] = self.functions.loss(t, action[0])
        self.values[1] = self.functions.loss(t, action[1])
        return self.values

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the totals of the functions."""
        return self.functions.totals(starts)

    def rescaled(self, shift: float, factor: float) -> Pairs:
        """Return the game with all functions on another scale."""
        return self._replace(functions=self.functions.rescaled(shift, factor))


def total_at(total: Floats, point: Floats) -> float:
    """Return the sum of linear functions at a point."""
    return float(total[0] + total[1:] @ point)


def weights_by_case(losses: Floats, starts: Sequence[int], case: Integers, cases: int) -> Floats:
    """Return, for each stretch, the sum of the bases and the sum of the weights of every case."""
    found = np.zeros((len(starts), 1 + cases))
    for row, start, stop in zip(found, starts, [*starts[1:], len(losses)], strict=True):
        row[0] = losses[start:stop, BASE].sum()
        row[1:] = np.bincount(case[start:stop], losses[start:stop, WEIGHT], cases)
    return found


def functions_of(game: object) -> FunctionGame:
    """Return the functions of a game with any number of values per round."""
    return game.functions if isinstance(game, Pairs) else cast(FunctionGame, game)


def with_losses(game: object, losses: Floats) -> Game:
    """Return the game with other functions."""
    if isinstance(game, Pairs):
        return game._replace(functions=game.functions._replace(losses=losses))
    return cast(FunctionGame, game)._replace(losses=losses)


def measure(
    functions: FunctionGame,
    domain: LinearOracle,
    outer: float,
    centre: Floats,
    low: float,
    high: float,
    extent: Floats,
) -> None:
    """Write every function's minimum, maximum, slope and bounds on second derivatives on the set.

    If its value at the centre and its slope keep a function between ``low`` and ``high``, it is not
    evaluated further.
    """
    for t in range(functions.losses.shape[0]):
        base, weight = functions.losses[t, 0], functions.losses[t, 1]
        slope = abs(weight) * functions.steepness(t, domain, outer)
        middle, reach = base + weight * functions.shape(t, centre), slope * outer
        if low <= middle - reach and middle + reach <= high:
            extent[t, 0] = middle - reach
            extent[t, 1] = middle + reach
        else:
            ends = (
                weight * functions.lowest(t, domain, outer),
                weight * functions.highest(t, domain, outer),
            )
            extent[t, 0] = base + min(ends[0], ends[1])
            extent[t, 1] = base + max(ends[0], ends[1])
        extent[t, 2] = slope
        extent[t, 3] = weight * functions.least_bend(t)
        extent[t, 4] = abs(weight) * functions.most_bend(t) if weight != 0.0 else 0.0


def flatten(losses: Floats, extent: Floats, bounds: Range, lipschitz: float) -> Floats:
    """Return the functions, scaled to fit the declared range and slope.

    Each is scaled around the middle of the range, as little as possible.
    """
    middle, half = bounds.low + bounds.width / 2, bounds.width / 2
    reach = np.maximum(np.abs(extent[:, 0] - middle), np.abs(extent[:, 1] - middle))
    factor = np.minimum(1.0, half / np.maximum(reach, half))
    factor = np.minimum(
        factor, lipschitz * bounds.width / np.maximum(extent[:, 2], lipschitz * bounds.width)
    )
    rows = losses.copy()
    rows[:, BASE] = middle + factor * (rows[:, BASE] - middle)
    rows[:, WEIGHT] *= factor
    return rows
