"""The face for points of a set, where only what a point costs is seen."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from discreet.algorithms import algorithm as algorithm_named
from discreet.contracts import Floats
from discreet.errors import DiscreetError
from discreet.ledger import Ledger
from discreet.live.arguments import loss_of, pair_of
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.face import Path, Wait
from discreet.live.points import Point, PointFace, no_choice
from discreet.live.rows import Recipe, Ticket
from discreet.live.run import LiveRun
from discreet.problems import Functions, domain_named
from discreet.ranges import Range, make_range
from discreet.sets import ConvexSet, LinearOracle, Vertices

FOR_VERTICES, FOR_POINTS = "private-linear-oracle", "private-projection-free"
Outcome = float | Sequence[float] | Floats


class Optimizer(PointFace):
    """Private optimisation from what points cost: a point, a slate, a ranking or a path is played, and its loss is told.

    >>> slates = Optimizer(domain="k-sets(10,3)", horizon=100_000, epsilon=1.0, delta=1e-6)
    >>> decision = slates.ask()
    >>> decision.label                    # decision.point has a 1 for each of these items
    'items ..., ..., ...'
    >>> slates.tell(decision, loss=0.25)
    >>> slates
    Optimizer(k-sets(10,3), round 1 of 100000, private-linear-oracle, (1, 1e-06)-differential privacy, live: exact noise)

    A loss is one number in the range from ``low`` to ``high``; neighbours replace that of one
    round. Algorithms with two evaluations (``private-two-point``) give two points, the rows of
    ``decision.point``, and take the losses of both.

    Parameters ---------- domain The set of points, by a name of docs/sets.md: "ball(10)",
    "k-sets(10,3)", "paths(3,4)". algorithm A name of ``discreet list``. The default for slates,
    rankings, paths and the like plays them as they are, by their labels, and learns best if losses
    are linear, a sum over items; for all other sets it is one for convex functions of a point. What
    is not as declared costs regret, never privacy. form, lipschitz, curvature, smoothness Whether
    losses are "linear" or "convex"; how steep they are at most, in widths of the range per unit of
    length, and how curved: the learner relies on it. low, high, clip, and all others As for
    :class:`discreet.Bandit`. (``noise="spherical"`` cannot be drawn exactly, and is not chosen
    live.)

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
        key: Path | None = None,
        wait: Wait | None = None,
        default_reward: Outcome | None = None,
        default_loss: Outcome | None = None,
        **options: object,
    ) -> None:
        if "geometry" in options:
            raise DiscreetError(
                "geometry is given, but is for "
                "VectorOptimizer: "
                "here "
                "the set "
                "is a "
                "domain, "
                "such as "
                "'ball(3)'."
            )
        recipe: Recipe = {
            "domain": domain,
            "horizon": horizon,
            "epsilon": epsilon,
            "delta": delta,
            "low": low,
            "high": high,
            "clip": clip,
            "form": form,
            "lipschitz": lipschitz,
            "curvature": curvature,
            "smoothness": smoothness,
            "algorithm": usual_algorithm(domain_named(domain).set)
            if algorithm is None
            else algorithm,
        }
        default = None
        if default_reward is not None or default_loss is not None:
            read = _read(
                _problem(recipe), default_reward, default_loss, make_range(low, high), clip=False
            )
            default = read.tolist() if isinstance(read, np.ndarray) else read
        super().__init__(
            recipe,
            simulation=simulation,
            seed=seed,
            ledger=ledger,
            path=path,
            key=key,
            wait=wait,
            default=default,
            options=options,
        )

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        return Plan.of(recipe, _problem(recipe), observation=0, carry=no_choice)

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
        given = self._run.ask(0, user=user)
        return Point(given.action.copy(), given.id, given.token, self._words(given.action))

    def tell(
        self, decision: Point | int, *, loss: Outcome | None = None, reward: Outcome | None = None
    ) -> None:
        """Report what was lost or gained by a decision, or by the one with an id: two numbers for two points.

        With ``wait``, what comes after its deadline is dropped.
        """
        self._hear(
            decision, _read(self._problem, reward, loss, self._range, clip=self._recipe["clip"])
        )

    def _words(self, action: Floats) -> str | None:
        """Return what is played, in words; None if it has no name."""
        return None if self._names is None else self._names.label(action)

    def _shown(self, ticket: Ticket) -> Hashable:
        return None if ticket.action is None else self._words(ticket.action)

    def _size(self) -> str:
        return self._problem.domain


def usual_algorithm(around: LinearOracle) -> str:
    """Return the algorithm for a set: one that plays its vertices, if they are what is meant, or one for all points."""
    discrete = isinstance(around, Vertices) and not isinstance(around, ConvexSet)
    return FOR_VERTICES if discrete else FOR_POINTS


def _problem(recipe: Recipe) -> Functions:
    """Return the problem that the algorithm plays on this domain; how many values it sees is its own."""
    known = algorithm_named(recipe["algorithm"])
    given: Mapping[str, object] = recipe
    declared: dict[str, Any] = {
        name: given[name] for name in ("domain", "lipschitz", "curvature", "smoothness")
    }
    declared |= {} if recipe["form"] is None else {"form": recipe["form"]}
    if not isinstance(known.problem, Functions):
        return Functions(**declared)  # which it is then said not to play
    return cast(Functions, known.problem_with(**declared))


def _read(
    problem: Functions, reward: object, loss: object, bounds: Range, *, clip: bool
) -> float | Floats:
    """Return an outcome as feedback: one loss, or two."""
    return (loss_of if problem.evaluations == 1 else pair_of)(reward, loss, bounds, clip=clip)
