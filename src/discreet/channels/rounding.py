"""What rounding costs running sums in live use; the proofs are in docs/proofs.md: Sums on a grid."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.guarantee import Guarantee
from discreet.mechanisms import ExactGaussian, Gaussian
from discreet.sets import Box, L1Ball, L2Ball, Simplex

UNIT = 2.0**-53  # the largest relative error of one operation
ROOM = 2.0**-30  # by how much a projected vector may be outside of its set, and a computed diameter too small
MANY = 2**16  # dimensions
MOST_NUMBERS = 2**40  # of noise: for so many it is proved what a grid and rounding errors cost Gaussian noise
LARGEST_COST = 0.01  # of the noise
LARGEST_SUM = 2.0**40  # in diameters: a replaced round moves a computed sum by at most 2^-10 of them too much


class Checked(NamedTuple):
    """A set of which it is certain how far apart two projected vectors are, whatever the rounding errors."""

    losses: Any

    @classmethod
    def of(cls, losses: Any) -> Checked:
        """Return the set for live use, or refuse one for which this is not proved."""
        if type(losses) not in (Box, L1Ball, L2Ball, Simplex):
            raise DiscreetError(
                f"losses is a {type(losses).__name__}, but live sums need a Box, L1Ball, L2Ball or Simplex: "
                "only of those it is proved how precisely vectors are projected."
            )
        check_int("dimension of the losses", losses.dimension, least=1, most=MANY)
        return cls(losses)

    @property
    def dimension(self) -> int:
        """The length of its points."""
        return int(self.losses.dimension)

    def project(self, point: Floats) -> None:
        """Replace the point by the nearest one of the set; should that fail by more than rounding, by 0."""
        self.losses.project(point)
        if not self.losses.contains(point, ROOM / 4.0 * float(self.losses.largest(math.inf))):
            point[:] = 0.0

    def diameter(self, norm: float) -> float:
        """Return what the distance of two projected vectors never exceeds."""
        return float(self.losses.diameter(norm)) * (1.0 + ROOM)

    def largest(self, norm: float) -> float:
        """Return what the norm of a projected vector never exceeds."""
        return float(self.losses.largest(norm)) * (1.0 + ROOM)


def exact_grid(largest: float, rounds: int) -> float:
    """Return the finest power of two on which so many rounded numbers have an exact sum in double precision.

    >>> exact_grid(1.0, 2**20) == 2.0**-32
    True
    """
    grid = math.ldexp(1.0, math.frexp(largest)[1] - 53 + rounds.bit_length() - 1)
    while (largest / grid + 1.0) * rounds > 2.0**53 * (1.0 - 2.0**-40):
        grid *= 2.0
    return grid


def check_precise(losses: Any, rounds: int) -> None:
    """Refuse losses so far from 0 that sums in double precision would lose what tells them apart (Adaptive trees)."""
    largest, diameter = losses.largest(math.inf), losses.diameter(math.inf)
    allowed = LARGEST_SUM * diameter / rounds
    if diameter > 0.0 and largest > allowed:
        raise DiscreetError(
            f"losses are up to {largest:g} away from 0 and {diameter:g} apart, but for sums of {rounds:,} of them they "
            f"must be within {allowed:g} of 0: subtract a constant from all of them."
        )


def affordable(cost: float, prefixes: int) -> None:
    """Refuse rounding that would add more to the noise than is worth it."""
    if not cost <= LARGEST_COST:
        raise DiscreetError(
            f"prefixes is {prefixes:,}, but rounding so long sums of these losses would add {cost:.1%} to the noise, "
            f"more than {LARGEST_COST:.0%}: fewer prefixes are possible live, or losses nearer to 0."
        )


def rounded_rows(
    mechanism: Any, promise: Guarantee, *, sensitivity: float, losses: Checked, prefixes: int, error: float
) -> tuple[ExactGaussian, float]:
    """Return exact noise for rows of C x, and by how much rounding them widens their sensitivity.

    ``error`` bounds how far a computed coordinate of C x is from the exact one, in L2 over all rows. All of them together
    may move by the sensitivity, by twice the errors, and each number by one step more.
    """
    if not isinstance(mechanism, Gaussian):
        raise DiscreetError(f"mechanism is a {type(mechanism).__name__}, but factorisations need Gaussian noise.")
    numbers = check_int("prefixes times dimension", prefixes * losses.dimension, least=1, most=MOST_NUMBERS)
    step = mechanism.exact_for(promise, sensitivity).step
    norm = (ROOM + prefixes * UNIT) * sensitivity  # that of a column of C is a computed sum
    errors = 2.0 * math.sqrt(losses.dimension) * error
    slack = norm + errors + math.sqrt(numbers) * 2.0 * step  # a little more noise may need twice the step
    affordable(slack / sensitivity, prefixes)
    return mechanism.exact_for(promise, sensitivity + slack), slack
