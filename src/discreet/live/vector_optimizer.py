"""The face for points of the ball or the cube, where whole loss vectors are seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, check_positive
from discreet.ledger import Ledger
from discreet.live.arguments import vector_of
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.face import Path, Wait
from discreet.live.points import Point, PointFace, no_choice
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.problems import Points
from discreet.ranges import make_range

ROUNDING = 1e-12  # by which a loss vector may leave the declared set, in units of its size


class VectorOptimizer(PointFace):
    """Private online linear optimisation: points of a ball or a cube; the loss vector of every round is told.

    >>> optimizer = VectorOptimizer(geometry="cube", dimension=3, horizon=1000, epsilon=1.0, delta=1e-6)
    >>> decision = optimizer.ask()
    >>> decision.point
    array([0., 0., 0.])
    >>> optimizer.tell(decision, loss=[0.5, -0.25, 0.0])
    >>> optimizer
    VectorOptimizer(cube of dimension 3, round 1 of 1000, private-ftrl-cube, (1, 1e-06)-differential privacy,
    live: exact noise)

    The loss of a point x is ⟨loss, x⟩. With ``geometry="ball"`` points are those of the unit ball,
    and the 2-norm of a loss vector is at most ``high``; with ``"cube"`` points are those of the
    cube from -1 to 1, and the absolute values of a loss vector add up to at most ``high``. Vectors
    outside are refused, or moved to the nearest one inside with ``clip=True``. Neighbours replace
    the loss vector of one round. (``private-ftrl-ball`` without a delta has noise that cannot be
    drawn exactly: live use needs ``noise="laplace"`` there.) All other options are those of
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
        key: Path | None = None,
        wait: Wait | None = None,
        default_loss: Sequence[float] | Floats | None = None,
        **options: object,
    ) -> None:
        if geometry not in ("ball", "cube"):
            raise DiscreetError(
                f"geometry is {geometry!r}, but must be "
                "'ball' or "
                "'cube' "
                "(Experts has "
                "distributions)."
            )
        size = check_int("dimension", dimension, minimum=2, maximum=10_000_000)
        recipe: Recipe = {
            "geometry": geometry,
            "dimension": size,
            "horizon": horizon,
            "epsilon": epsilon,
            "delta": delta,
            "low": 0.0,
            "high": check_positive("high", high),
            "clip": clip,
            "algorithm": f"private-ftrl-{geometry}" if algorithm is None else algorithm,
        }
        default = None
        if default_loss is not None:
            default = vector_of("default_loss", default_loss, size)
            if (
                not Points(geometry, size)
                .sets(make_range(0.0, high))
                .losses.contains(default, ROUNDING * high)
            ):
                raise DiscreetError("default_loss is outside of the declared set of vectors.")
        super().__init__(
            recipe,
            simulation=simulation,
            seed=seed,
            ledger=ledger,
            path=path,
            key=key,
            wait=wait,
            default=None if default is None else default.tolist(),
            options=options,
        )

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        return Plan.of(
            recipe, Points(recipe["geometry"], recipe["dimension"]), observation=0, carry=no_choice
        )

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._losses = Points(recipe["geometry"], recipe["dimension"]).sets(self._bounds).losses

    def ask(self, *, user: User | None = None) -> Point:
        """Return the point to play in the next round."""
        given = self._run.ask(0, user=user)
        return Point(given.action.copy(), given.id, given.token)

    def tell(self, decision: Point | int, *, loss: Sequence[float] | Floats) -> None:
        """Report the loss vector of a decision, or of the one with an id."""
        vector = vector_of("losses", loss, self._recipe["dimension"])
        if not self._losses.contains(vector, ROUNDING * self._recipe["high"]):
            if not self._recipe["clip"]:
                raise DiscreetError(
                    "the loss is outside of the declared "
                    "set of "
                    "vectors; "
                    "clip=True "
                    "would "
                    "move it "
                    "there."
                )
            self._losses.project(vector)
        self._hear(decision, vector)

    def _size(self) -> str:
        return f"{self._recipe['geometry']} of dimension {self._recipe['dimension']}"
