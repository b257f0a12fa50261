"""Bandit convex optimisation: play points of a set and see only their values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from componentjit import compilable, compile_if_worth
from discreet.contracts import Floats, Generator
from discreet.errors import (
    DiscreetError,
    check_choice,
    check_int,
    check_positive,
    check_range,
    count,
)
from discreet.problems.base import Environment, Game, Problem, Tabled
from discreet.problems.domains import Domain, domain_named, domain_text, small_domain
from discreet.problems.function_games import (
    BASE,
    FIRST,
    WEIGHT,
    FunctionGame,
    LinearFunctions,
    Pairs,
    flatten,
    functions_of,
    measure,
    total_at,
    with_losses,
)
from discreet.ranges import Range
from discreet.sets.in_python import failures_of, with_calls

FORMS = ("convex", "linear")
# Allowance for rounding by which values and slopes may exceed declarations, in widths of the range.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Functions(Problem):
    """Points x of a convex set meet convex functions f; the loss f(x) is the only feedback.

    The comparator is the best fixed point. With two evaluations per round, an action is two points,
    a (2, n) array, and the loss is the mean of both values. Functions stay in the declared range on
    the whole set, and ``lipschitz`` is their steepest slope. ``curvature`` and ``smoothness`` are
    lower and upper bounds on their second derivatives in every direction; 0 declares nothing. The
    ``form`` linear declares that second derivatives are 0.

    >>> problem = Functions("ball(3)", evaluations=2)
    >>> str(problem), problem.rivals
    ('functions on ball(3), two values per round', 'the best fixed point of ball(3)')
    >>> problem.sizes
    'ball(3), two values per round'
    """

    title = "bandit convex optimisation"
    # random bits are not values of a convex function, and steps would have to be tuned to them
    carries_bits = False
    domain: str = field(
        default="ball(10)",
        metadata={"help": "Set of points, such as ball(10), cube(4) or k-sets(10,3)."},
    )
    evaluations: int = field(
        default=1,
        metadata={"help": "Number of points at which a function is evaluated per round: 1 or 2."},
    )
    lipschitz: float = field(
        default=1.0,
        metadata={"help": "Lipschitz constant, in widths of the range per unit of length."},
    )
    curvature: float = field(
        default=0.0,
        metadata={"help": "Smallest second derivative, in the same units; 0 for none."},
    )
    smoothness: float = field(
        default=0.0,
        metadata={"help": "Largest second derivative; 0 if none is declared."},
    )
    form: str = field(
        default="convex", metadata={"help": "Declared form of the functions: convex or linear."}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", domain_text(self.domain))
        domain_named(self.domain)
        if check_int("evaluations", self.evaluations, minimum=1) > 2:
            raise DiscreetError(f"evaluations is {self.evaluations}, but must be 1 or 2.")
        object.__setattr__(self, "lipschitz", check_positive("lipschitz", self.lipschitz))
        for name, value in (("curvature", self.curvature), ("smoothness", self.smoothness)):
            object.__setattr__(self, name, check_range(name, value, 0.0, 1e100))
        check_choice("form", self.form, FORMS)
        if self.form == "linear" and self.curvature > 0.0:
            raise DiscreetError(
                f"form is linear and curvature is {self.curvature:g}, but linear functions must "
                "have curvature 0."
            )
        if 0.0 < self.smoothness < self.curvature:
            raise DiscreetError(
                f"curvature is {self.curvature:g} and smoothness is {self.smoothness:g}, but "
                "curvature must not exceed smoothness."
            )

    @property
    def default_environment(self) -> str:  # type: ignore[override]
        """Linear functions, or curved ones if curvature is declared."""
        return "quadratics" if self.curvature > 0.0 else "linear"

    @property
    def place(self) -> Domain:
        """The set, with its radii."""
        return domain_named(self.domain)

    @property
    def feedback(self) -> str:  # type: ignore[override]
        """The feedback of a round."""
        return (
            "loss at the played point"
            if self.evaluations == 1
            else "losses at the two played points"
        )

    def __str__(self) -> str:
        return (
            f"functions on {self.sizes}" if self.evaluations == 2 else f"functions on {self.domain}"
        )

    @property
    def sizes(self) -> str:
        """The set, and the number of values per round."""
        return f"{self.domain}, {'one value' if self.evaluations == 1 else 'two values'} per round"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed point"

    @property
    def rivals(self) -> str:
        """The comparator, and its set."""
        return f"the best fixed point of {self.domain}"

    @property
    def actions(self) -> int:
        """The minimum number of entries in a row."""
        return FIRST + self.place.dimension

    @property
    def facts(self) -> dict[str, str]:
        """The declared properties of functions."""
        words = {"form": "linear"} if self.form == "linear" else {}
        words["slope"] = f"at most {self.lipschitz:g} widths of the range per unit of length"
        if self.curvature > 0.0:
            words["curvature"] = f"at least {self.curvature:g}"
        if self.smoothness > 0.0:
            words["smoothness"] = f"at most {self.smoothness:g}"
        return words

    def widest(self, bounds: Range) -> float:
        """Return the largest difference between the losses of two points in one round."""
        return bounds.width * min(1.0, 2.0 * self.place.outer * self.lipschitz)

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of the centre, which is within the outer radius of every point."""
        return bounds.width * min(1.0, self.place.outer * self.lipschitz)

    def best(self, total: Floats) -> float:
        """Return the smallest total of linear functions.

        ``total`` is the result of ``LinearFunctions.totals``.
        """
        return total_at(total, self.place.best_against(total[1:]))

    def check(
        self,
        game: Tabled,
        bounds: Range,
        *,
        clip: bool,
        before: int = 0,
        row: str = "round",
        column: str = "arm",
    ) -> tuple[Tabled, int]:
        """Return the game with all functions as declared, and how many were flattened; or refuse.

        A function that leaves the range is flattened: scaled down around the middle of the range
        until it fits.
        """
        functions = functions_of(game)
        if functions.choices != self.place.dimension:  # compiled code would read other memory
            given = count(max(functions.choices, 0), "coordinate")
            raise DiscreetError(
                f"functions are of {given}, but points of {self.domain} have "
                f"{self.place.dimension}."
            )
        place, centre = self.place, self.place.set.centre()
        low, high = bounds.low - TOLERANCE * bounds.width, bounds.high + TOLERANCE * bounds.width
        limits = low, high, self.lipschitz * bounds.width, centre, place.outer
        if (
            type(functions) is LinearFunctions
            and self.curvature == 0.0
            and functions.stay_within(*limits)
        ):
            return game, 0
        extent = np.empty((functions.losses.shape[0], 5))
        loop, (within, calls) = measure, with_calls(place.set)
        if compilable(functions):
            loop = compile_if_worth(measure, functions, within, numbers=3 * functions.losses.size)
        with failures_of(calls):
            loop(functions, within, place.outer, centre, low, high, extent)
        width = bounds.width * (1.0 + TOLERANCE)
        inside = (extent[:, 0] >= low) & (extent[:, 1] <= high)
        flat = extent[:, 2] <= self.lipschitz * width
        curved = extent[:, 3] >= self.curvature * bounds.width * (1.0 - TOLERANCE)
        bend_limit = 0.0 if self.form == "linear" else (self.smoothness or math.inf) * bounds.width
        smooth = extent[:, 4] <= bend_limit * (1.0 + TOLERANCE)
        fits = inside & flat & curved & smooth
        if fits.all():
            return game, 0
        if (
            clip
            and curved.all()
            and (self.form == "convex" or smooth.all())
            and np.isfinite(extent[:, :3]).all()
        ):
            rows = flatten(functions.losses, extent, bounds, self.lipschitz)
            return cast(Tabled, with_losses(game, rows)), int((~fits).sum())
        first = int(np.argmin(fits))
        least, most, slope, bend, largest = extent[first]
        if not inside[first]:
            what = (
                f"has values from {least:g} to {most:g}, but the declared range is {bounds.low:g} "
                f"to {bounds.high:g}"
            )
        elif not flat[first]:
            steepest = self.lipschitz * bounds.width
            what = f"has a slope of up to {slope:g}, but at most {steepest:g} is declared"
        elif not curved[first]:
            needed = self.curvature * bounds.width
            what = f"has a curvature of {bend:g}, but at least {needed:g} is declared"
        elif self.form == "linear":
            what = f"has second derivatives up to {largest:g}, but linear functions are declared"
        else:
            what = f"has second derivatives up to {largest:g}, but {bend_limit:g} is declared"
        raise DiscreetError(f"{row} {first + before + 1}: the function {what}.")

    def clipped_words(self, number: int, bounds: Range) -> str:
        """Describe what was clipped."""
        return f"{count(number, 'function')} outside {bounds.low:g} to {bounds.high:g}"

    def probe(self, rounds: int, rng: Generator) -> Game:
        """Return a game of random linear functions."""
        rows = np.full((rounds, FIRST + self.place.dimension), 0.5)
        rows[:, WEIGHT] = self.blind_regret(Range(0.0, 1.0)) / (2.0 * self.place.outer)
        slopes = rng.standard_normal((rounds, self.place.dimension))
        rows[:, FIRST:] = slopes / np.linalg.norm(slopes, axis=1, keepdims=True)
        rows[:, BASE] -= rows[:, WEIGHT] * (rows[:, FIRST:] @ self.place.set.centre())
        return self.shown(LinearFunctions(rows))

    def samples(self, game: Game) -> list[Floats]:
        """Return the best point of the game, the centre, and corners."""
        sides = np.eye(self.place.dimension)
        corners = [self.place.best_against(side) for side in (*sides, *-sides)]
        best = functions_of(game).minimiser(game.totals([0])[0], self.place)
        return [self.played_at(point) for point in (best, self.place.set.centre(), *corners)]

    def played_at(self, point: Floats) -> Floats:
        """Return the action that evaluates functions only at one point."""
        return point if self.evaluations == 1 else np.stack([point, point])

    def neighbours(self, rounds: int, bounds: Range) -> tuple[Game, Game]:
        """Return two games of constant functions, the first one the lowest or the highest.

        All others are in the middle.
        """
        rows = np.zeros((rounds, FIRST + self.place.dimension))
        rows[:, BASE] = bounds.low + bounds.width / 2
        one, other = rows, rows.copy()
        one[0, BASE], other[0, BASE] = bounds.low, bounds.high
        return self.shown(LinearFunctions(one)), self.shown(LinearFunctions(other))

    def shown(self, functions: FunctionGame) -> Game:
        """Return the game with the declared number of values per round."""
        return functions if self.evaluations == 1 else Pairs(functions, np.zeros(2))

    def for_audit(self) -> tuple[Functions, int]:
        """Return a problem of few dimensions and few rounds: each trial is a whole run."""
        if self.place.flat <= 2:
            return self, 8
        return replace(self, domain=small_domain(self.domain)), 8


class FunctionsEnvironment(Environment):
    """An environment that deals functions with values in [0, 1] on the whole set."""

    on_unit_scale = True

    domain: str
    evaluations: int
    lipschitz: float
    curvature: float
    smoothness: float
    form: str

    @property
    def problem(self) -> Functions:
        """Functions on this set."""
        return Functions(
            self.domain,
            self.evaluations,
            self.lipschitz,
            self.curvature,
            self.smoothness,
            self.form,
        )

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
