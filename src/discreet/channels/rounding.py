"""Precision of running sums, and the cost of rounding in live use.

The proofs are in docs/proofs.md: Sums on a grid.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple, cast

import numpy as np

from componentjit import compiled_as
from discreet.components import Component
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.factorisations import Factorisation
from discreet.sets import Box, ConvexSet, L1Ball, L2Ball, Projected, Simplex
from discreet.sets.vectors import check_norm


class Moves(Component):
    """Replaces a running sum's set of vectors when a round moves only one bounded term.

    Each term is bounded before it is added, so there is nothing to project. Replacing a round moves
    a vector by at most ``reach`` in the 2-norm, hence by at most sqrt(N) times that in the 1-norm;
    no coordinate is beyond ``most``.
    """

    dimension: int
    reach: float
    most: float

    def project(self, point: Floats) -> None:
        """Leave the point unchanged: all of its terms are bounded."""

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether every coordinate is within ``most``, up to the tolerance."""
        inside = point.size == self.dimension
        for i in range(point.size if inside else 0):
            inside = inside and abs(point[i]) <= self.most + tolerance
        return inside

    def diameter(self, norm: float) -> float:
        """Return how far replacing a round moves a vector."""
        check_norm(norm)
        return self.reach * (math.sqrt(self.dimension) if norm == 1 else 1.0)

    def largest(self, norm: float) -> float:
        """Return a bound on the norm of a vector."""
        check_norm(norm)
        return self.most * (1.0 if norm == math.inf else self.dimension ** (1.0 / norm))


UNIT = 2.0**-53  # unit roundoff: the largest relative error of one operation
# Relative allowance for projected vectors outside their set and for computed diameters that are too
# small.
ROOM = 2.0**-30
MANY = 2**16  # most dimensions for which the error of a projection is proved
# Most noisy numbers for which the cost of grid and rounding is proved, for Gaussian noise.
MOST_NUMBERS = 2**40
LARGEST_COST = 0.01  # the largest share of the noise that rounding may add
# The largest sum, in diameters: rounding then adds at most 2^-10 diameters to how far replacing a
# round moves it.
LARGEST_SUM = 2.0**40


class Checked(NamedTuple):
    """A set with a proved bound on the distance of two projected vectors, rounding included.

    Projected vectors are multiples of ``grid`` unless that is 0.
    """

    losses: ConvexSet
    grid: float

    @classmethod
    def of(cls, losses: Projected, grid: float = 0.0) -> Checked:
        """Return the set for live use; refuse sets without a proof."""
        if type(losses) not in (Box, L1Ball, L2Ball, Simplex, Moves):
            raise DiscreetError(
                f"losses is a {type(losses).__name__}, but live sums need a Box, L1Ball, L2Ball "
                "or Simplex: the precision of projections is proved for these only."
            )
        check_int("dimension of the losses", losses.dimension, minimum=1, maximum=MANY)
        return cls(cast(ConvexSet, losses), grid)

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.losses.dimension)

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one on the grid, or by 0 if the projection failed."""
        self.losses.project(point)
        if not self.losses.contains(point, ROOM / 4.0 * float(self.losses.largest(math.inf))):
            point[:] = 0.0
        if self.grid > 0.0:
            point[:] = np.rint(point / self.grid) * self.grid

    def diameter(self, norm: float) -> float:
        """Return a bound on the distance of two projected vectors; a grid adds a step per entry."""
        return float(self.losses.diameter(norm)) * (1.0 + ROOM) + self.grid * math.pow(
            self.dimension, 1.0 / norm
        )

    def largest(self, norm: float) -> float:
        """Return a bound on the norm of a projected vector, not counting the grid."""
        return float(self.losses.largest(norm)) * (1.0 + ROOM)


@compiled_as(lambda feedback, dimension: feedback)
def as_vector(feedback: object, dimension: int) -> Floats:
    """Return feedback as an array, or refuse it; NaN and infinities are projected later.

    Compiled games pass arrays that were checked on creation. Messages show no values, because
    feedback is sensitive.
    """
    try:
        array = np.asarray(feedback)
        real = array.dtype.kind in "biuf" or all(isinstance(each, Real) for each in array.flat)
        numbers = array.astype(np.float64) if real else None
    except (TypeError, ValueError, OverflowError):  # ragged, or too large for a double
        numbers = None
    if numbers is None:
        raise DiscreetError(
            f"feedback must be {dimension} real numbers, but has an entry of another type."
        )
    if numbers.shape != (dimension,):
        raise DiscreetError(
            f"feedback has the shape {numbers.shape}, but must be a vector of length {dimension}."
        )
    return numbers


def check_precise(losses: Projected, rounds: int) -> None:
    """Refuse losses so far from 0 that sums would lose too much precision (Adaptive trees)."""
    largest, diameter = losses.largest(math.inf), losses.diameter(math.inf)
    allowed = LARGEST_SUM * diameter / rounds
    if diameter > 0.0 and largest > allowed:
        raise DiscreetError(
            f"losses are up to {largest:g} away from 0 and {diameter:g} apart, but for sums of "
            f"{rounds:,} of them they must be within {allowed:g} of 0: subtract a constant from "
            "all of them."
        )


def check_affordable(cost: float, prefixes: int) -> None:
    """Refuse rounding that would add too much to the noise."""
    if not cost <= LARGEST_COST:
        raise DiscreetError(
            f"prefixes is {prefixes:,}, but rounding such long sums of these losses would add "
            f"{cost:.1%} to the noise, more than {LARGEST_COST:.0%}: use fewer prefixes, or "
            "losses nearer to 0."
        )


def rounding_slack(
    factorisation: Factorisation, losses: Checked, *, sensitivity: float, step: float
) -> float:
    """Return the sensitivity added by rounding rows of C x to a grid; 0 if rows are exact.

    Together, the rows may move by the sensitivity plus twice their rounding errors, and each number
    by one more ``step``.
    """
    if factorisation.adds_up_vectors:
        return 0.0
    prefixes, dimension = factorisation.prefixes, losses.dimension
    numbers = check_int(
        "prefixes times dimension", prefixes * dimension, minimum=1, maximum=MOST_NUMBERS
    )
    norm = (ROOM + prefixes * UNIT) * sensitivity  # the norm of a column of C is a computed sum
    errors = 2.0 * math.sqrt(dimension) * factorisation.row_error(losses.largest(math.inf))
    return norm + errors + math.sqrt(numbers) * step
