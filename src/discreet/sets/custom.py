"""User-defined sets, described by an oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int, check_positive, shorten
from discreet.sets.contract import LinearOracle
from discreet.sets.vectors import finite_array, remove_normals, scale_to_one
from discreet.sets.vertices import distance, hull_normals, plan_by_oracle

NEAR = 1e-6  # tolerance for answers of the oracle


class Custom(LinearOracle):
    """A set given by a function that minimises linear functions over it; not compiled.

    Every answer is checked: it must have the right length, be finite, lie within the outer radius
    and, if there is a test, in the set. The affine hull is computed from answers. The inner and
    outer radii are taken as given.

    >>> def lower(direction):
    ...     return [0.5, -0.5] if direction[0] < direction[1] else [-0.5, 0.5]
    >>> radius = 0.5**0.5
    >>> edge = Custom.of(2, lower, centre=[0.0, 0.0], inner=radius, outer=radius, name="edge")
    >>> edge.support(np.array([1.0, 0.0])), edge.flat
    (0.5, 1)
    """

    compiles = False

    name: str
    oracle: Callable[[Floats], ArrayLike]
    test: Callable[[Floats, float], bool] | None
    middle: Floats
    radii: tuple[float, float]
    normals: Floats

    @classmethod
    def of(
        cls,
        dimension: int,
        oracle: Callable[[Floats], ArrayLike],
        *,
        centre: ArrayLike,
        inner: float,
        outer: float,
        contains: Callable[[Floats, float], bool] | None = None,
        name: str = "custom",
    ) -> Self:
        """Return the set of an oracle.

        ``oracle(direction)`` returns a point x that minimises <direction, x>. ``contains(point,
        tolerance)`` returns whether a point is in the set. The set contains the ball of radius
        ``inner`` around the centre, within the hull, and the ball of radius ``outer`` contains the
        set.
        """
        size = check_int("dimension", dimension, minimum=1, maximum=2000)
        for what, function in (("oracle", oracle), ("contains", contains)):
            if not callable(function) and (function is not None or what == "oracle"):
                raise DiscreetError(f"{what} is {shorten(function)}, but must be a function.")
        middle = finite_array("centre", centre, axes=1)
        if middle.size != size:
            raise DiscreetError(
                f"centre has {middle.size} entries and dimension is {size}, but they must agree."
            )
        radii = check_positive("inner", inner), check_positive("outer", outer)
        if radii[0] > radii[1] * (1.0 + 1e-9):
            raise DiscreetError(
                f"inner is {inner:g} and outer is {outer:g}, but inner must not be above outer."
            )
        bare = cls(
            name=name,
            oracle=oracle,
            test=contains,
            middle=middle,
            radii=radii,
            normals=np.zeros((0, size)),
        )
        bare._check("centre", middle, None)
        found = bare._replace(
            normals=hull_normals(plan_by_oracle(bare.minimise_linear, size).vertices)
        )
        if found.flat == 0:
            raise DiscreetError(
                f"the oracle of the set {shorten(name)} returns only one point, but a set must "
                "have at least two."
            )
        return found

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [
            cls.of(3, _corner, centre=[1 / 3] * 3, inner=6**-0.5, outer=(2 / 3) ** 0.5),
            cls.of(
                4,
                _on_sphere,
                centre=np.zeros(4),
                inner=1.0,
                outer=1.0,
                contains=_in_ball,
                name="sphere",
            ),
        ]

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return self.middle.size

    @property
    def flat(self) -> int:
        """The dimension of the hull of the oracle's answers to random directions."""
        return self.dimension - len(self.normals)

    @property
    def inner(self) -> float:
        """As given."""
        return self.radii[0]

    @property
    def outer(self) -> float:
        """As given."""
        return self.radii[1]

    def centre(self) -> Floats:
        """Return the centre as given."""
        return self.middle.copy()

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the oracle's answer, or refuse one outside the set; NaN counts as 0."""
        asked = scale_to_one(direction)
        answer = self.oracle(asked.copy())
        try:
            numbers = np.array(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._refusal(
                "oracle", answer, asked, f"but must be {self.dimension} finite numbers"
            ) from None
        self._check("oracle", numbers, asked)
        point[:] = numbers

    def tangent(self, vector: Floats) -> None:
        """Subtract the part orthogonal to the hull."""
        remove_normals(vector, self.normals)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return the result of the user's test, or else of a search for the nearest point."""
        if point.size != self.dimension or not np.all(np.isfinite(point)):
            return False
        if self.test is not None:
            return bool(self.test(point.copy(), tolerance))
        return distance(self, point) <= tolerance

    def _check(self, what: str, point: Floats, direction: Floats | None) -> None:
        """Refuse a point outside the set."""
        if point.shape != (self.dimension,) or not np.all(np.isfinite(point)):
            raise self._refusal(
                what, point.tolist(), direction, f"but must be {self.dimension} finite numbers"
            )
        if float(np.linalg.norm(point - self.middle)) > self.outer * (1.0 + NEAR):
            why = (
                f"which is farther from the centre than the outer radius, {self.outer:g}, so "
                "outside the set"
            )
            raise self._refusal(what, point.tolist(), direction, why)
        if self.test is not None and not self.test(point.copy(), NEAR):
            raise self._refusal(
                what, point.tolist(), direction, "which is outside the set according to its test"
            )

    def _refusal(
        self, what: str, point: object, direction: Floats | None, why: str
    ) -> DiscreetError:
        asked = "" if direction is None else f" for the direction {shorten(direction.tolist())}"
        return DiscreetError(
            f"the {what} of the set {shorten(self.name)} is {shorten(point)}{asked}, {why}."
        )


def _corner(direction: Floats) -> Floats:
    return np.asarray(np.arange(direction.size) == np.argmin(direction), dtype=np.float64)


def _on_sphere(direction: Floats) -> Floats:
    return np.asarray(-direction / (float(np.linalg.norm(direction)) or 1.0))


def _in_ball(point: Floats, tolerance: float) -> bool:
    return float(np.linalg.norm(point)) <= 1.0 + tolerance
