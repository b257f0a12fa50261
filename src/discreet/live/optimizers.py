"""Live classes for points of a set: one learns from losses of points, one from loss vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, cast

import numpy as np

from discreet.algorithms import algorithm as algorithm_named
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, check_positive, shorten
from discreet.ledger import Ledger
from discreet.live.arguments import MANY, default_named, loss_of, pair_of, vector_of
from discreet.live.frames import withhold_frames
from discreet.live.naming import Naming, items_of
from discreet.live.points import Point, PointClient, no_choice
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.several_client import ToldPairs
from discreet.live.store import Store
from discreet.problems import Functions, GeometryName, Points, domain_named
from discreet.problems.domains import domain_text
from discreet.problems.points import LossSetName
from discreet.ranges import Range, make_range
from discreet.sets import ConvexSet, LinearOracle, Vertices

FOR_VERTICES, FOR_POINTS = "private-linear-oracle", "private-projection-free"
Outcome = float | Sequence[float] | Floats
ROUNDING = 1e-12  # how far a loss vector may leave the declared set, relative to its size


class Optimizer(PointClient):
    """Private optimisation over points, slates, rankings or paths, from the losses of those played.

    >>> slates = Optimizer(domain="k-sets(10,3)", horizon=100_000, epsilon=1.0, delta=1e-6)
    >>> decision = slates.ask()
    >>> decision.label                    # decision.point has a 1 for each of these items
    'items ..., ..., ...'
    >>> slates.tell(decision, loss=0.25)
    True
    >>> slates
    Optimizer(k-sets(10,3), round 1 of 100000, private-linear-oracle, (1, 1e-06)-differential
    privacy, live: exact noise)

    A loss is one number in the range from ``low`` to ``high``; neighbours replace the loss of one
    round. Algorithms with two evaluations (``private-two-point``) return two points, the rows of
    ``decision.point``, and take the losses of both.

    Parameters
    ----------
    domain
        The set of points: a name from docs/sets.md ("ball(10)", "k-sets(10,3)", "paths(3,4)") or
        your own set, such as ``Box([1.0], [20.0])`` for a price or ``Paths.of(...)``.
    items
        Names of the coordinates; the labels of decisions then use them.
    algorithm
        A name from ``discreet list``. The default for slates, rankings, paths and similar sets
        plays their elements directly and labels them; it learns best if losses are linear, that is,
        a sum over items. The default for all other sets is for convex functions of a point.
    form, lipschitz, curvature, smoothness
        Whether losses are "linear" or "convex"; their maximum slope, in widths of the range per
        unit of length, and how curved they are. The learner relies on this: a wrong declaration
        costs regret, never privacy.
    low, high, clip, and all others
        As for :class:`discreet.Bandit`. (``noise="spherical"`` cannot be drawn exactly, so live
        runs do not choose it.)

    """

    def __init__(
        self,
        domain: str | LinearOracle,
        horizon: int | None,
        epsilon: float,
        *,
        items: Sequence[str] | None = None,
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
        durable: Durable = "outcomes",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        clock: Clock | None = None,
        default_reward: Outcome | None = None,
        default_loss: Outcome | None = None,
        **options: object,
    ) -> None:
        if "geometry" in options:
            raise DiscreetError(
                "geometry is given, but belongs to VectorOptimizer: give Optimizer a domain, such "
                "as 'ball(3)'."
            )
        run = RunOptions.among(locals())
        place = domain_named(domain)
        name = usual_algorithm(place.set) if algorithm is None else algorithm
        recipe = terms(horizon, epsilon, delta, low, high, clip, name)
        recipe["domain"], recipe["form"] = domain_text(domain), form
        recipe["items"] = items_of(items, place.dimension)
        recipe["lipschitz"], recipe["curvature"] = lipschitz, curvature
        recipe["smoothness"] = smoothness
        default = None
        if default_reward is not None or default_loss is not None:
            bounds = make_range(low, high)
            with default_named():
                read = _read(_problem(recipe), default_reward, default_loss, bounds, clip=False)
            default = read.tolist() if isinstance(read, np.ndarray) else read
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        return RunPlan.of(recipe, _problem(recipe), observation=0, carry=no_choice)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._problem, self._range = _problem(recipe), self._bounds
        vertices = run.plan.private.learner.plays_vertices
        self._naming = Naming(self._problem.place.set, recipe.get("items"), vertices=vertices)

    @withhold_frames
    def tell(
        self, decision: Point | int, *, loss: Outcome | None = None, reward: Outcome | None = None
    ) -> bool:
        """Report the loss or reward of a decision (or its id): two numbers if it has two points.

        Returns whether it counts: False after its deadline (with ``wait``), or if the decision was
        for a user at the limit.
        """
        clip = self._recipe["clip"]
        return self._tell(decision, _read(self._problem, reward, loss, self._range, clip=clip))

    @withhold_frames
    def tell_all(self, *, loss: ToldPairs | None = None, reward: ToldPairs | None = None) -> int:
        """Report several outcomes in one transaction, as pairs (decision or its id, outcome).

        If one outcome is refused, none is recorded. Returns how many outcomes count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(loss=loss, reward=reward)

    def _feedback(self, decision: object, name: str, outcome: object) -> float | Floats:
        reward, loss = (outcome, None) if name == "reward" else (None, outcome)
        clip = self._recipe["clip"]
        return _read(self._problem, reward, loss, self._range, clip=clip)

    def _size(self) -> str:
        return self._problem.domain


class VectorOptimizer(PointClient):
    """Private online linear optimisation on a ball, a cube or any set; you report loss vectors.

    >>> budget = {"epsilon": 1.0, "delta": 1e-6}
    >>> optimizer = VectorOptimizer(geometry="cube", dimension=3, horizon=1000, **budget)
    >>> decision = optimizer.ask()
    >>> decision.point
    array([0., 0., 0.])
    >>> optimizer.tell(decision, loss=[0.5, -0.25, 0.0])
    True
    >>> optimizer
    VectorOptimizer(cube of dimension 3, round 1 of 1000, private-ftrl-cube,
    (1, 1e-06)-differential privacy, live: exact noise)

    The loss of a point x is ⟨loss, x⟩. With ``geometry="ball"``, points lie in the unit ball, and
    the 2-norm of a loss vector is at most ``high``. With ``"cube"``, points lie in the cube from -1
    to 1, and the absolute values of a loss vector add up to at most ``high``. Vectors outside are
    refused, or moved to the nearest vector inside with ``clip=True``. Neighbours replace the loss
    vector of one round. (Without a delta, the noise of ``private-ftrl-ball`` cannot be drawn
    exactly: live use needs ``noise="laplace"``.) All other options are those of
    :class:`discreet.Bandit`.

    With a ``domain`` instead of geometry and dimension, points lie in any set: a name from
    docs/sets.md or your own set. ``loss_set`` declares where loss vectors lie: "range" (every entry
    between ``low`` and ``high``), "ball" or "cross" (2-norm, or sum of absolute values, at most
    ``high``). The default algorithm plays points inside the set; ``private-ftpl`` plays vertices.
    ``items`` names the coordinates; you can then report losses by name.

    >>> menu = VectorOptimizer(
    ...     domain="k-sets(3,1)", items=["tea", "coffee", "milk"], horizon=1000,
    ...     algorithm="private-ftpl", **budget
    ... )
    >>> decision = menu.ask()
    >>> decision.label in ("tea", "coffee", "milk")
    True
    >>> menu.tell(decision, loss={"tea": 0.2, "coffee": 0.5, "milk": 1.0})
    True
    """

    def __init__(
        self,
        geometry: Literal["ball", "cube"] | None = None,
        dimension: int | None = None,
        horizon: int | None = None,
        epsilon: float | None = None,
        *,
        domain: str | LinearOracle | None = None,
        loss_set: LossSetName = "range",
        items: Sequence[str] | None = None,
        delta: float = 0.0,
        low: float = 0.0,
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
        durable: Durable = "outcomes",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        clock: Clock | None = None,
        default_loss: Sequence[float] | Floats | None = None,
        **options: object,
    ) -> None:
        problem = _points(geometry, dimension, domain, loss_set)
        if epsilon is None:
            raise DiscreetError("epsilon is missing: give the epsilon of the run.")
        run = RunOptions.among(locals())
        name = f"private-ftrl-{problem.geometry}" if algorithm is None else algorithm
        least = low if problem.by_range else _no_low(low)
        most = make_range(low, high).high if problem.by_range else check_positive("high", high)
        recipe = terms(horizon, epsilon, delta, least, most, clip, name)
        recipe["geometry"], recipe["dimension"] = problem.geometry, problem.dimension
        recipe["domain"], recipe["loss_set"] = problem.domain, problem.loss_set
        recipe["items"] = items_of(items, problem.dimension)
        default = None
        if default_loss is not None:
            vector = vector_of("default_loss", default_loss, problem.dimension)
            losses = problem.sets(make_range(least, most)).losses
            if not losses.contains(vector, ROUNDING * abs(most)):
                raise DiscreetError("default_loss is outside the declared set of loss vectors.")
            default = vector.tolist()
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        return RunPlan.of(recipe, _points_of(recipe), observation=0, carry=no_choice)

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        sets = _points_of(recipe).sets(self._bounds)
        self._losses = sets.losses
        vertices = run.plan.private.learner.plays_vertices
        self._naming = Naming(sets.points, recipe.get("items"), vertices=vertices)

    @withhold_frames
    def tell(
        self, decision: Point | int, *, loss: Sequence[float] | Floats | Mapping[str, float]
    ) -> bool:
        """Report the loss vector of a decision (or its id), by item if items have names.

        Returns whether it counts: False after its deadline (with ``wait``), or if the decision was
        for a user at the limit.
        """
        return self._tell(decision, self._feedback(decision, "loss", loss))

    @withhold_frames
    def tell_all(self, *, loss: ToldPairs) -> int:
        """Report several loss vectors in one transaction, as pairs (decision or its id, vector).

        If one vector is refused, none is recorded. Returns how many vectors count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(loss=loss)

    def _feedback(self, decision: object, name: str, outcome: object) -> Floats:
        given = self._naming.by_item(cast(Floats, outcome))
        vector = vector_of("losses", given, self._recipe["dimension"])
        if not self._losses.contains(vector, ROUNDING * abs(self._recipe["high"])):
            if not self._recipe["clip"]:
                raise DiscreetError(
                    "the loss is outside the declared set of loss vectors; clip=True would move it "
                    "inside."
                )
            self._losses.project(vector)
        return vector

    def _size(self) -> str:
        domain = self._recipe.get("domain")
        return domain or f"{self._recipe['geometry']} of dimension {self._recipe['dimension']}"


def _points(
    geometry: str | None,
    dimension: int | None,
    domain: str | LinearOracle | None,
    loss_set: LossSetName,
) -> Points:
    """Return the problem: a set, or a ball or cube of some dimension."""
    if domain is not None:
        if geometry is not None or dimension is not None:
            raise DiscreetError(
                "domain is given together with geometry or dimension, but a domain has its own: "
                "give one or the other."
            )
        return Points("set", domain=domain_text(domain), loss_set=loss_set)
    if not isinstance(geometry, str) or geometry not in ("ball", "cube"):
        raise DiscreetError(
            f"geometry is {shorten(geometry)}, but must be 'ball' or 'cube' (for distributions use "
            "Experts), or give a domain."
        )
    size = check_int("dimension", dimension, minimum=2, maximum=MANY)
    return Points(cast(GeometryName, geometry), size, loss_set=loss_set)


def _points_of(recipe: Recipe) -> Points:
    """Return the problem of a run; runs of older versions have no domain."""
    return Points(
        recipe["geometry"],
        recipe["dimension"],
        recipe.get("domain", ""),
        recipe.get("loss_set", "range"),
    )


def _no_low(low: object) -> float:
    """Refuse a smallest loss where only the size of loss vectors is declared."""
    if low != 0.0:
        raise DiscreetError(
            f"low is {shorten(low)}, but only high is used here, the largest size of a loss "
            "vector: leave low out."
        )
    return 0.0


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
        return Functions(**declared)  # ``build`` then reports that the algorithm cannot play it
    return cast(Functions, known.problem_with(**declared))


def _read(
    problem: Functions, reward: object, loss: object, bounds: Range, *, clip: bool
) -> float | Floats:
    """Return an outcome as feedback: one loss, or two."""
    return (loss_of if problem.evaluations == 1 else pair_of)(reward, loss, bounds, clip=clip)
