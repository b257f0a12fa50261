"""Bandit convex optimisation: points of a convex set are played, and only the values of a function there are seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, check_int, check_positive, count
from discreet.kernel import compile_for
from discreet.problems.base import Environment, Game, Problem, Tabled, TableGame
from discreet.problems.domains import Domain, domain_named
from discreet.problems.points import product
from discreet.ranges import Range
from discreet.sets import ConvexSet

BASE, WEIGHT, FIRST = 0, 1, 2  # columns of a row: f(x) = base + weight · h(x), then what h is made of
TOLERANCE = 1e-9  # by which values and slopes may exceed what is declared, in widths of the range: rounding


@dataclass(frozen=True)
class Functions(Problem):
    """Points x of a convex set meet convex functions f; f(x) is lost, and the rival is the best fixed point.

    With two evaluations a round an action is two points, a (2, n) array; the mean of both values is lost. Functions lie
    in the declared range on the whole set, and ``lipschitz`` is the steepest slope that they can have.

    >>> problem = Functions("ball(3)", evaluations=2)
    >>> str(problem), problem.sizes, problem.rivals
    ('functions on ball(3), two values a round', 'ball(3), two values a round', 'the best fixed point of ball(3)')
    """

    title = "bandit convex optimisation"
    default_environment = "linear"

    domain: str = field(default="ball(10)", metadata={"help": "The set of points: ball(n) or cube(n) in n dimensions."})
    evaluations: int = field(default=1, metadata={"help": "How many points a function is evaluated at in a round: 1 or 2."})
    lipschitz: float = field(
        default=1.0, metadata={"help": "The steepest slope of a function, in widths of its range per unit of length."}
    )

    def __post_init__(self) -> None:
        domain_named(self.domain)
        object.__setattr__(self, "domain", "".join(self.domain.split()))
        if check_int("evaluations", self.evaluations, least=1) > 2:
            raise DiscreetError(f"evaluations is {self.evaluations}, but must be 1 or 2.")
        object.__setattr__(self, "lipschitz", check_positive("lipschitz", self.lipschitz))

    @property
    def place(self) -> Domain:
        """The set, with its radii."""
        return domain_named(self.domain)

    @property
    def feedback(self) -> str:  # type: ignore[override]
        """What comes back."""
        return "loss at the played point" if self.evaluations == 1 else "losses at the two played points"

    def __str__(self) -> str:
        return f"functions on {self.sizes}" if self.evaluations == 2 else f"functions on {self.domain}"

    @property
    def sizes(self) -> str:
        """The set, and how much is seen."""
        return f"{self.domain}, {'one value' if self.evaluations == 1 else 'two values'} a round"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed point"

    @property
    def rivals(self) -> str:
        """The comparator, and among which."""
        return f"the best fixed point of {self.domain}"

    @property
    def actions(self) -> int:
        """The numbers of a row, at least."""
        return FIRST + self.place.dimension

    @property
    def facts(self) -> dict[str, str]:
        """What functions are declared to be."""
        return {"slope": f"at most {self.lipschitz:g} widths of the range per unit of length"}

    def widest(self, bounds: Range) -> float:
        """Return by how much the losses of two points can differ in one round."""
        return bounds.width * min(1.0, 2.0 * self.place.outer * self.lipschitz)

    def blind_regret(self, bounds: Range) -> float:
        """Return that of the centre, to which no point is farther than the outer radius."""
        return bounds.width * min(1.0, self.place.outer * self.lipschitz)

    def best(self, total: Floats) -> float:
        """Return the least sum of linear functions, of which ``total`` is what ``LinearFunctions.totals`` returns."""
        return total_at(total, self.place.best_against(total[1:]))

    def check(
        self, game: Tabled, bounds: Range, *, clip: bool, before: int = 0, row: str = "round", column: str = "arm"
    ) -> tuple[Tabled, int]:
        """Return the game with all functions in the declared range, and how many had to be flattened, or refuse it.

        A function that leaves the range is flattened: scaled down around the middle of the range, until it fits.
        """
        functions = functions_of(game)
        extent = np.empty((functions.losses.shape[0], 3))
        compile_for(measure, functions, self.place.set)(functions, self.place.set, self.place.outer, extent)
        low, high = bounds.low - TOLERANCE * bounds.width, bounds.high + TOLERANCE * bounds.width
        steepest = self.lipschitz * bounds.width * (1.0 + TOLERANCE)
        fits = (extent[:, 0] >= low) & (extent[:, 1] <= high) & (extent[:, 2] <= steepest)
        if fits.all():
            return game, 0
        if clip and np.isfinite(extent).all():
            return cast(Tabled, with_losses(game, flattened(functions.losses, extent, bounds, self.lipschitz))), int((~fits).sum())
        first = int(np.argmin(fits))
        least, most, slope = extent[first]
        if least >= low and most <= high:
            what = f"has a slope of up to {slope:g}, but at most {self.lipschitz * bounds.width:g} is declared"
        else:
            what = f"has values from {least:g} to {most:g}, but the declared range is {bounds.low:g} to {bounds.high:g}"
        raise DiscreetError(f"{row} {first + before + 1}: the function {what}; declare more, or clip.")

    def clipped_words(self, number: int, bounds: Range) -> str:
        """Return what was clipped, in words."""
        return f"{count(number, 'function')} outside {bounds.low:g} to {bounds.high:g}"

    def probe(self, rounds: int, rng: Generator) -> Game:
        """Return a game of random linear functions."""
        rows = np.full((rounds, FIRST + self.place.dimension), 0.5)
        rows[:, WEIGHT] = self.blind_regret(Range(0.0, 1.0)) / (2.0 * self.place.outer)
        slopes = rng.standard_normal((rounds, self.place.dimension))
        rows[:, FIRST:] = slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
        return self.shown(LinearFunctions(rows))

    def samples(self, game: Game) -> list[Floats]:
        """Return the best point of the game, the centre, and corners."""
        sides = np.eye(self.place.dimension)
        corners = [self.place.best_against(side) for side in (*sides, *-sides)]
        best = functions_of(cast(Any, game)).minimiser(game.totals([0])[0], self.place)
        return [self.played_at(point) for point in (best, self.place.set.centre(), *corners)]

    def played_at(self, point: Floats) -> Floats:
        """Return the action that evaluates functions at one point only."""
        return point if self.evaluations == 1 else np.stack([point, point])

    def neighbours(self, rounds: int, bounds: Range) -> tuple[Game, Game]:
        """Return two games of constant functions: the first is the lowest or the highest, all others in the middle."""
        rows = np.zeros((rounds, FIRST + self.place.dimension))
        rows[:, BASE] = bounds.low + bounds.width / 2
        one, other = rows, rows.copy()
        one[0, BASE], other[0, BASE] = bounds.low, bounds.high
        return self.shown(LinearFunctions(one)), self.shown(LinearFunctions(other))

    def shown(self, functions: FunctionGame) -> Game:
        """Return the game in which so many values of each function are seen."""
        return functions if self.evaluations == 1 else Pairs(functions, np.zeros(2))

    def for_audit(self) -> tuple[Functions, int]:
        """Return two dimensions and few rounds: every trial of running sums is a whole run."""
        name = self.domain.partition("(")[0]
        return replace(self, domain=f"{name}(2)"), 8


class FunctionGame(TableGame):
    """Rounds of a game of functions: row t of ``losses`` is base, weight and what h is made of; f = base + weight · h.

    A family of functions defines h (``shape``), its range (``lowest``, ``highest``) and slope (``steepness``) on a set whose
    points are at most ``outer`` from its centre, what adds up (``totals``), and the best point for that (``minimiser``).
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

    def lowest(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return a number that h is never below on the set."""
        raise NotImplementedError

    def highest(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return a number that h never exceeds on the set."""
        raise NotImplementedError

    def steepness(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return a Lipschitz constant of h on the set."""
        raise NotImplementedError

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the point with the least sum, given the sum of ``totals``."""
        raise NotImplementedError

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of all functions at a point, given the sum of ``totals``."""
        raise NotImplementedError

    def loss(self, t: int, action: Floats) -> float:
        """Return f(x)."""
        value: float = self.losses[t, 0] + self.losses[t, 1] * self.shape(t, action)
        return value

    def feedback(self, t: int, action: Floats) -> float:
        """Return the same: the value is all that is seen."""
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

    def lowest(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return the least value on the set."""
        return -domain.support(-self.losses[t, 2:])

    def highest(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return the largest value on the set."""
        return domain.support(self.losses[t, 2:])

    def steepness(self, t: int, domain: ConvexSet, outer: float) -> float:
        """Return |ℓ|."""
        return math.sqrt(product(self.losses[t, 2:], self.losses[t, 2:]))

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sums of all bases and of all slopes."""
        weighted = np.hstack([self.losses[:, :1], self.losses[:, WEIGHT, None] * self.losses[:, FIRST:]])
        return np.add.reduceat(weighted, starts, axis=0)

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the corner against the sum of the slopes."""
        return place.best_against(total[1:])

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the sum of the bases and ⟨sum of the slopes, x⟩."""
        return total_at(total, point)


class Pairs(Game):
    """The same functions, evaluated at two points a round; the mean of both values is lost."""

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
        """Return those of the functions."""
        return self.functions.totals(starts)

    def rescaled(self, shift: float, factor: float) -> Pairs:
        """Return the game with all functions on another scale."""
        return self._replace(functions=self.functions.rescaled(shift, factor))


class FunctionsEnvironment(Environment):
    """An environment that deals functions on the unit scale, with values in [0, 1] on the whole set."""

    on_unit_scale = True

    domain: str
    evaluations: int
    lipschitz: float

    @property
    def problem(self) -> Functions:
        """Functions on this set."""
        return Functions(self.domain, self.evaluations, self.lipschitz)

    def functions(self, start: int, stop: int, rng: Generator) -> FunctionGame:
        """Return the functions of rounds start to stop."""
        raise NotImplementedError

    def deal(self, start: int, stop: int, rng: Generator) -> Game:
        """Return rounds start to stop."""
        return self.problem.shown(self.functions(start, stop, rng))

    def best(self, total: Floats) -> float:
        """Return the loss of the best fixed point, given the sum of ``totals``."""
        any_round = self.functions(0, 1, np.random.default_rng(0))
        return any_round.sum_at(total, any_round.minimiser(total, self.problem.place))


def total_at(total: Floats, point: Floats) -> float:
    """Return the sum of linear functions at a point."""
    return float(total[0] + total[1:] @ point)


def functions_of(game: Any) -> FunctionGame:
    """Return the functions of a game, however many of their values are seen."""
    found: FunctionGame = game.functions if isinstance(game, Pairs) else game
    return found


def with_losses(game: Any, losses: Floats) -> Game:
    """Return the game with other functions."""
    if isinstance(game, Pairs):
        return game._replace(functions=game.functions._replace(losses=losses))
    return cast(FunctionGame, game)._replace(losses=losses)


def measure(functions: FunctionGame, domain: ConvexSet, outer: float, extent: Floats) -> None:
    """Write the least value, the largest and the slope of every function on the set."""
    for t in range(functions.losses.shape[0]):
        base, weight = functions.losses[t, 0], functions.losses[t, 1]
        ends = weight * functions.lowest(t, domain, outer), weight * functions.highest(t, domain, outer)
        extent[t, 0] = base + min(ends[0], ends[1])
        extent[t, 1] = base + max(ends[0], ends[1])
        extent[t, 2] = abs(weight) * functions.steepness(t, domain, outer)


def flattened(losses: Floats, extent: Floats, bounds: Range, lipschitz: float) -> Floats:
    """Return rows of functions that fit: each scaled around the middle of the range as little as is needed."""
    middle, half = bounds.low + bounds.width / 2, bounds.width / 2
    reach = np.maximum(np.abs(extent[:, 0] - middle), np.abs(extent[:, 1] - middle))
    factor = np.minimum(1.0, half / np.maximum(reach, half))
    factor = np.minimum(factor, lipschitz * bounds.width / np.maximum(extent[:, 2], lipschitz * bounds.width))
    rows = losses.copy()
    rows[:, BASE] = middle + factor * (rows[:, BASE] - middle)
    rows[:, WEIGHT] *= factor
    return rows
