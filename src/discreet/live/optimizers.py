"""Live classes for points of a set: from the losses of points, and from whole loss vectors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from discreet.algorithms import algorithm as algorithm_named
from discreet.contracts import Floats, Generator
from discreet.errors import DiscreetError, check_int, check_positive, shorten
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import MANY, loss_of, pair_of, vector_of
from discreet.live.client import LiveClient, Path, RunOptions, Wait, terms
from discreet.live.frames import withhold_frames
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.live.store import Store
from discreet.problems import Functions, Points, domain_named
from discreet.ranges import Range, make_range
from discreet.sets import ConvexSet, LinearOracle, Vertices

FOR_VERTICES, FOR_POINTS = "private-linear-oracle", "private-projection-free"
Outcome = float | Sequence[float] | Floats
NO_CHOICE = -1  # the number of the arm where there is none
ROUNDING = 1e-12  # by which a loss vector may leave the declared set, in units of its size


class Point(NamedTuple):
    """Which point to play in one round; pass it back with its loss."""

    point: Floats  # two points, in rows, for algorithms with two evaluations
    id: int
    token: str
    label: str | None = None  # the point in words, if it is a vertex: "items 2, 5, 7"


class PointClient(LiveClient[Point]):
    """A live class whose decisions are points."""

    _gives = Point

    def _choice(self, decision: Point) -> int:
        return NO_CHOICE


class Optimizer(PointClient):
    """Private optimisation from the losses of points: of a point, slate, ranking or path.

    >>> slates = Optimizer(domain="k-sets(10,3)", horizon=100_000, epsilon=1.0, delta=1e-6)
    >>> decision = slates.ask()
    >>> decision.label                    # decision.point has a 1 for each of these items
    'items ..., ..., ...'
    >>> slates.tell(decision, loss=0.25)
    >>> slates
    Optimizer(k-sets(10,3), round 1 of 100000, private-linear-oracle, (1, 1e-06)-differential
    privacy, live: exact noise)

    A loss is one number in the range from ``low`` to ``high``; neighbours replace that of one
    round. Algorithms with two evaluations (``private-two-point``) give two points, the rows of
    ``decision.point``, and take the losses of both.

    Parameters
    ----------
    domain
        The set of points, by a name of docs/sets.md: "ball(10)", "k-sets(10,3)", "paths(3,4)".
    algorithm
        A name of ``discreet list``. The default for slates, rankings, paths and the like plays them
        as they are, by their labels, and learns best if losses are linear, a sum over items; for
        all other sets it is one for convex functions of a point.
    form, lipschitz, curvature, smoothness
        Whether losses are "linear" or "convex"; how steep they are at most, in widths of the range
        per unit of length, and how curved. The learner relies on it: a wrong declaration costs
        regret, never privacy.
    low, high, clip, and all others
        As for :class:`discreet.Bandit`. (``noise="spherical"`` cannot be drawn exactly, and is not
        chosen live.)

    """

    def __init__(
        self,
        domain: str,
        horizon: int | None,
        epsilon: float,
        *,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        form: Literal["convex", "linear"] | None = None,
        lipschitz: float = 1.0,
        curvature: float = 0.0,
        smoothness: float = 0.0,
        algorithm: str | None = None,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        store: str | Store | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        default_reward: Outcome | None = None,
        default_loss: Outcome | None = None,
        **options: object,
    ) -> None:
        if "geometry" in options:
            raise DiscreetError(
                "geometry is given, but is for VectorOptimizer: here the set is a domain, such "
                "as 'ball(3)'."
            )
        run = RunOptions(simulation, seed, ledger, path, store, key, wait)
        name = usual_algorithm(domain_named(domain).set) if algorithm is None else algorithm
        recipe = terms(horizon, epsilon, delta, low, high, clip, name)
        recipe["domain"], recipe["form"] = domain, form
        recipe["lipschitz"], recipe["curvature"] = lipschitz, curvature
        recipe["smoothness"] = smoothness
        default = None
        if default_reward is not None or default_loss is not None:
            bounds = make_range(low, high)
            read = _read(_problem(recipe), default_reward, default_loss, bounds, clip=False)
            default = read.tolist() if isinstance(read, np.ndarray) else read
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        return RunPlan.of(recipe, _problem(recipe), observation=0, carry=no_choice)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._problem, self._range = _problem(recipe), self._bounds
        self._names = (
            cast(Vertices, self._problem.place.set)
            if run.plan.private.learner.plays_vertices
            else None
        )

    def ask(self, *, user: User | None = None) -> Point:
        """Return the point to play in the next round, or both of them."""
        given = self._run.ask(0, user)
        return Point(given.action.copy(), given.id, given.token, self._words(given.action))

    @withhold_frames
    def tell(
        self, decision: Point | int, *, loss: Outcome | None = None, reward: Outcome | None = None
    ) -> None:
        """Report the loss or reward of a decision (or its id): two numbers for two points.

        With ``wait``, an outcome after its deadline is discarded.
        """
        clip = self._recipe["clip"]
        self._tell(decision, _read(self._problem, reward, loss, self._range, clip=clip))

    def _words(self, action: Floats) -> str | None:
        """Return what is played, in words; None if it has no name."""
        return None if self._names is None else self._names.label(action)

    def _shown(self, ticket: Ticket) -> Hashable:
        return None if ticket.action is None else self._words(ticket.action)

    def _size(self) -> str:
        return self._problem.domain


class VectorOptimizer(PointClient):
    """Private online linear optimisation on a ball or a cube; whole loss vectors are told.

    >>> budget = {"epsilon": 1.0, "delta": 1e-6}
    >>> optimizer = VectorOptimizer(geometry="cube", dimension=3, horizon=1000, **budget)
    >>> decision = optimizer.ask()
    >>> decision.point
    array([0., 0., 0.])
    >>> optimizer.tell(decision, loss=[0.5, -0.25, 0.0])
    >>> optimizer
    VectorOptimizer(cube of dimension 3, round 1 of 1000, private-ftrl-cube,
    (1, 1e-06)-differential privacy, live: exact noise)

    The loss of a point x is ⟨loss, x⟩. With ``geometry="ball"`` points lie in the unit ball, and
    the 2-norm of a loss vector is at most ``high``; with ``"cube"`` points lie in the cube from -1
    to 1, and the absolute values of a loss vector add up to at most ``high``. Vectors outside are
    refused, or moved to the nearest one inside with ``clip=True``. Neighbours replace the loss
    vector of one round. (``private-ftrl-ball`` without a delta has noise that cannot be drawn
    exactly: live use needs ``noise="laplace"`` there.) All other options are those of
    :class:`discreet.Bandit`.
    """

    def __init__(
        self,
        geometry: Literal["ball", "cube"],
        dimension: int,
        horizon: int | None,
        epsilon: float,
        *,
        delta: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str | None = None,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        store: str | Store | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        default_loss: Sequence[float] | Floats | None = None,
        **options: object,
    ) -> None:
        if not isinstance(geometry, str) or geometry not in ("ball", "cube"):
            raise DiscreetError(
                f"geometry is {shorten(geometry)}, but must be 'ball' or 'cube' (Experts has "
                "distributions)."
            )
        size = check_int("dimension", dimension, minimum=2, maximum=MANY)
        run = RunOptions(simulation, seed, ledger, path, store, key, wait)
        name = f"private-ftrl-{geometry}" if algorithm is None else algorithm
        recipe = terms(horizon, epsilon, delta, 0.0, check_positive("high", high), clip, name)
        recipe["geometry"], recipe["dimension"] = geometry, size
        default = None
        if default_loss is not None:
            vector = vector_of("default_loss", default_loss, size)
            losses = Points(geometry, size).sets(make_range(0.0, high)).losses
            if not losses.contains(vector, ROUNDING * high):
                raise DiscreetError("default_loss is outside of the declared set of vectors.")
            default = vector.tolist()
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        problem = Points(recipe["geometry"], recipe["dimension"])
        return RunPlan.of(recipe, problem, observation=0, carry=no_choice)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._losses = Points(recipe["geometry"], recipe["dimension"]).sets(self._bounds).losses

    def ask(self, *, user: User | None = None) -> Point:
        """Return the point to play in the next round."""
        given = self._run.ask(0, user)
        return Point(given.action.copy(), given.id, given.token)

    @withhold_frames
    def tell(self, decision: Point | int, *, loss: Sequence[float] | Floats) -> None:
        """Report the loss vector of a decision (or its id)."""
        vector = vector_of("losses", loss, self._recipe["dimension"])
        if not self._losses.contains(vector, ROUNDING * self._recipe["high"]):
            if not self._recipe["clip"]:
                raise DiscreetError(
                    "the loss is outside of the declared set of vectors; clip=True would move it "
                    "there."
                )
            self._losses.project(vector)
        self._tell(decision, vector)

    def _size(self) -> str:
        return f"{self._recipe['geometry']} of dimension {self._recipe['dimension']}"


def usual_algorithm(around: LinearOracle) -> str:
    """Return the default for a set: one that plays vertices if the set is discrete."""
    discrete = isinstance(around, Vertices) and not isinstance(around, ConvexSet)
    return FOR_VERTICES if discrete else FOR_POINTS


def _problem(recipe: Recipe) -> Functions:
    """Return the problem that the algorithm plays on this domain."""
    known = algorithm_named(recipe["algorithm"])
    given: Mapping[str, object] = recipe
    declared: dict[str, Any] = {
        name: given[name] for name in ("domain", "lipschitz", "curvature", "smoothness")
    }
    declared |= {} if recipe["form"] is None else {"form": recipe["form"]}
    if not isinstance(known.problem, Functions):
        return Functions(**declared)  # ``build`` then says that the algorithm does not play it
    return cast(Functions, known.problem_with(**declared))


def _read(
    problem: Functions, reward: object, loss: object, bounds: Range, *, clip: bool
) -> float | Floats:
    """Return an outcome as feedback: one loss, or two."""
    return (loss_of if problem.evaluations == 1 else pair_of)(reward, loss, bounds, clip=clip)


def no_choice(action: object, observation: object, rng: Generator) -> int:
    """Return that no arm is chosen: the point itself is played."""
    return NO_CHOICE
