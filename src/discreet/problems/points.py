"""Online linear optimisation: play a point of a convex set and see the whole loss vector."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from componentjit import as_list, compile_if_worth, helper
from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, check_int, count, unknown_name
from discreet.lengths import check_point
from discreet.problems.arms import Arms, first_differs
from discreet.problems.base import Environment, Game, Problem, Tabled, TableGame
from discreet.problems.domains import Domain, domain_named, domain_text, small_domain
from discreet.ranges import Range, make_range
from discreet.sets import GEOMETRIES, LOSS_SETS, ConvexSet, Geometry, geometry, set_geometry

TOLERANCE = 1e-9  # allowance for rounding by which a loss vector may leave its set

LossSetName = Literal["range", "ball", "cross"]
GeometryName = Literal["experts", "ball", "cube", "set"]
ANY_SET: GeometryName = "set"  # a set named by a domain


@dataclass(frozen=True)
class Points(Problem):
    """Points x of a set meet loss vectors ℓ; the loss is ⟨ℓ, x⟩, and ℓ is the feedback.

    The comparator is the best fixed point.

    >>> str(Points("ball", 3)), str(Points("experts", 3))
    ('points of the ball', 'distributions over experts')
    >>> Points("cube", 3).rivals
    'the best fixed point in dimension 3 (cube)'

    With a ``domain``, points lie in any set, given by name or as a set, and ``loss_set`` is the set
    of loss vectors.

    >>> Points(domain="k-sets(10,3)")
    Points(geometry='set', dimension=10, domain='k-sets(10,3)', loss_set='range')
    """

    default_environment = "linear-stochastic"
    feedback = "the whole loss vector"

    geometry: GeometryName = field(
        default="experts",
        metadata={"help": "Sets of points and of loss vectors: experts, ball, cube or set."},
    )
    dimension: int = field(
        default=4, metadata={"help": "Number of experts, or of coordinates of a point."}
    )

    domain: str = field(
        default="",
        metadata={"help": "Set of points, such as ball(10), cube(4) or k-sets(10,3)."},
    )
    loss_set: LossSetName = field(
        default="range",
        metadata={"help": "Set of loss vectors, if a domain is given: range, ball or cross."},
    )

    def __post_init__(self) -> None:
        names = (*GEOMETRIES, ANY_SET)
        if not isinstance(self.geometry, str) or self.geometry not in names:
            raise unknown_name("geometry", self.geometry, names)
        if not isinstance(self.loss_set, str) or self.loss_set not in LOSS_SETS:
            raise unknown_name("loss_set", self.loss_set, LOSS_SETS)
        if self.domain != "":
            object.__setattr__(self, "domain", domain_text(self.domain))
            object.__setattr__(self, "geometry", ANY_SET)
            object.__setattr__(self, "dimension", self.place.dimension)
            return
        if self.geometry == ANY_SET:
            raise DiscreetError("geometry is set, so give a domain too, such as 'k-sets(10,3)'.")
        if self.loss_set != "range":
            raise DiscreetError(
                f"loss_set is {self.loss_set}, but is only for a domain: loss vectors of "
                f"{self.geometry} have their own set."
            )
        object.__setattr__(
            self, "dimension", check_int("dimension", self.dimension, minimum=2, maximum=10_000_000)
        )

    def __repr__(self) -> str:
        shown = [f"{name}={value!r}" for name, value in self.parameters().items()]
        return f"Points({', '.join(shown if self.domain else shown[:2])})"

    def __str__(self) -> str:
        if self.geometry == "experts":
            return "distributions over experts"
        return f"points of {self.domain}" if self.domain else f"points of the {self.geometry}"

    @property
    def place(self) -> Domain:
        """The set of points, if a domain names it."""
        return domain_named(self.domain)

    @property
    def by_range(self) -> bool:
        """Whether a loss vector is any vector with entries between low and high."""
        return self.geometry == "experts" or (self.domain != "" and self.loss_set == "range")

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name of the problem, for tables of algorithms."""
        return "expert problem" if self.geometry == "experts" else "online linear optimisation"

    @property
    def sizes(self) -> str:
        """The set and its dimension."""
        if self.domain:
            return self.domain
        return f"{self.geometry} in {self.dimension:,} dimensions"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best fixed point"

    @property
    def rivals(self) -> str:
        """The comparator, and its set."""
        if self.domain:
            return f"the best fixed point of {self.domain}"
        return f"the best fixed point in dimension {self.dimension:,} ({self.geometry})"

    @property
    def actions(self) -> int:
        """The length of a loss vector."""
        return self.dimension

    def sets(self, bounds: Range) -> Geometry:
        """Return the set of points, and the set of loss vectors of the declared size."""
        if self.domain:
            place = self.place
            return set_geometry(place.set, place.outer, self.loss_set, bounds)
        return geometry(self.geometry, self.dimension, bounds)

    @property
    def facts(self) -> dict[str, str]:
        """The sets of points and loss vectors."""
        if self.domain:
            return {"points": f"points of {self.domain}; {LOSS_SETS[self.loss_set]}"}
        return {"points": GEOMETRIES[self.geometry]}

    def range_words(self, bounds: Range, noun: str = "losses") -> str:
        """Return the declared size of loss vectors in words."""
        if self.by_range:
            return super().range_words(bounds, noun)
        return f"loss vectors of size at most {bounds.high:g}"

    def clipped_words(self, number: int, bounds: Range) -> str:
        """Describe what was clipped."""
        if self.geometry == "experts":
            return super().clipped_words(number, bounds)
        if self.by_range:
            words = f"{bounds.low:g} to {bounds.high:g}"
            return f"{count(number, 'loss vector')} outside {words}"
        return f"{count(number, 'loss vector')} outside size {bounds.high:g}"

    def widest(self, bounds: Range) -> float:
        """Return the largest difference between the losses of two points in one round."""
        return self.sets(bounds).widest

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of the centre: the uniform distribution over experts, 0, ..."""
        return self.widest(bounds) * (
            1.0 - 1.0 / self.dimension if self.geometry == "experts" else 0.5
        )

    def scale(self, bounds: Range) -> tuple[float, float]:
        """Return shift and factor: vectors of ball and cube are scaled to their largest size."""
        return super().scale(bounds) if self.by_range else (0.0, bounds.high)

    def best(self, total: Floats) -> float:
        """Return the minimum of ⟨total, x⟩ over all points x."""
        return self.sets(make_range()).best(total)

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
        """Return the game with all loss vectors as declared, and how many were moved; or refuse."""
        losses, numbers = self.sets(bounds).losses, game.losses.size
        first = compile_if_worth(first_outside, losses, numbers=numbers)(losses, game.losses)
        if first < 0:
            return game, 0
        if clip:
            rows = game.losses.copy()
            moved = compile_if_worth(project_rows, losses, numbers=numbers)(losses, rows)
            return game._replace(losses=rows), int(moved)
        vector = game.losses[first]
        sizes = {
            "ball": f"has 2-norm {float(np.linalg.norm(vector)):g}",
            "cube": f"has absolute values with the sum {float(np.abs(vector).sum()):g}",
        }
        sizes["cross"] = sizes["cube"]
        size = f"has losses from {vector.min():g} to {vector.max():g}"
        if not self.by_range:
            size = sizes[self.loss_set if self.domain else self.geometry]
        allowed = (
            "the declared range is {:g} to {:g}" if self.by_range else "at most {1:g} is declared"
        )
        raise DiscreetError(
            f"{row} {first + before + 1}: the loss vector {size}, but "
            f"{allowed.format(bounds.low, bounds.high)}; declare more, or clip."
        )

    def probe(self, rounds: int, rng: Generator) -> LinearGame:
        """Return a game of random loss vectors."""
        return LinearGame(rng.random((rounds, self.dimension)))

    def samples(self, game: Game) -> list[Floats]:
        """Return the centre and corners, among them the best one of the game."""
        points = self.sets(make_range()).points
        found = [points.centre()]
        total = game.totals([0])[0]
        for direction in [
            np.atleast_2d(total)[0],
            *np.eye(self.dimension),
            *-np.eye(self.dimension),
        ]:
            corner = np.empty(self.dimension)
            points.minimise_linear(direction, corner)
            found.append(corner)
        return found

    def neighbours(self, rounds: int, bounds: Range) -> tuple[LinearGame, LinearGame]:
        """Return two games whose first loss vectors are far apart."""
        one, other = first_differs(rounds, self.dimension, bounds)
        return LinearGame(one), LinearGame(other)

    def for_audit(self) -> tuple[Points, int]:
        """Return a problem of two dimensions and few rounds: every trial is a whole run."""
        if self.domain:
            small = (
                self if self.place.flat <= 2 else replace(self, domain=small_domain(self.domain))
            )
            return small, 8
        return replace(self, dimension=2), 8

    def borrowed(self) -> Arms:
        """Return arms: the losses of all of them form the loss vectors."""
        return Arms(self.dimension)

    def adapt(self, environment: Environment) -> Environment:
        """Return an environment on arms, adapted to loss vectors."""
        return with_full_information(environment, self)


class LinearGame(TableGame[Floats, Floats]):
    """Rounds of a linear game: row t of ``losses`` is the loss vector of round t."""

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.losses.shape[1])

    @property
    def action_shape(self) -> tuple[int, ...]:
        """A vector."""
        return (self.choices,)

    def feedback(self, t: int, action: Floats) -> Floats:
        """Return the loss vector, which does not depend on the action."""
        vector: Floats = self.losses[t]
        return vector

    def loss(self, t: int, action: Floats) -> float:
        """Return ⟨ℓ, x⟩."""
        return product(self.losses[t], action)


class FullInformation(Environment):
    """The losses of arms as loss vectors: a player sees the losses of all arms in a round."""

    environment: Environment
    geometry: GeometryName
    domain: str = ""
    loss_set: LossSetName = "range"

    @property
    def problem(self) -> Points:
        """Points with one coordinate per arm."""
        arms = self.environment.problem.actions
        return Points(self.geometry, arms, self.domain, self.loss_set)

    @property
    def on_unit_scale(self) -> bool:  # type: ignore[override]
        """Whether the losses of arms are fractions of the range."""
        return self.environment.on_unit_scale

    @property
    def length(self) -> int | None:
        """The length of the environment."""
        return self.environment.length

    @property
    def source(self) -> str:
        """The source of the environment."""
        return self.environment.source

    def deal(self, start: int, stop: int, rng: Generator) -> LinearGame:
        """Return rounds start to stop."""
        game: Any = self.environment.deal(start, stop, rng)
        return LinearGame(game.losses)

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check the loss vectors of a table."""
        inner, clipped = self.environment.checked(problem, rounds, bounds, clip=clip)
        return self._replace(environment=inner), clipped

    def __repr__(self) -> str:
        return repr(self.environment)


def with_full_information(environment: Environment, shown: Points) -> Environment:
    """Return an environment on arms, adapted to loss vectors, or refuse it."""
    name, arms = type(environment).__name__, environment.problem.actions
    if environment.reacts:
        raise DiscreetError(f"{name} reacts to single arms: it has no loss vectors to show.")
    if not shown.by_range and environment.length is None:
        raise DiscreetError(
            f"{name} deals the losses of arms, but {shown} need loss vectors: "
            "use an environment for points, or a table."
        )
    if shown.domain and arms != shown.dimension:
        raise DiscreetError(
            f"{environment.source} has {arms} losses per round, but points of {shown.domain} have "
            f"{shown.dimension} coordinates."
        )
    return FullInformation(environment, shown.geometry, shown.domain, shown.loss_set)


@helper
def product(vector: Floats, point: Floats) -> float:
    """Return ⟨vector, point⟩, summed from left to right."""
    if vector.size != point.size:  # compiled code would read other memory
        check_point(point.size, vector.size)
    total = 0.0
    left, right = as_list(vector), as_list(point)
    for i in range(vector.size):
        total += left[i] * right[i]
    return total


def first_outside(losses: ConvexSet, rows: Floats) -> int:
    """Return the first row that is not in the set, or -1."""
    for t in range(rows.shape[0]):
        if not losses.contains(rows[t], TOLERANCE):
            return t
    return -1


def project_rows(losses: ConvexSet, rows: Floats) -> int:
    """Move every row outside the set to its nearest point; return how many were moved."""
    moved = 0
    for t in range(rows.shape[0]):
        if not losses.contains(rows[t], TOLERANCE):
            losses.project(rows[t])
            moved += 1
    return moved
