"""Linear functions from costs: what the elements of a slate, a path or a ranking cost, added up."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats
from discreet.problems import Domain, LinearFunctions


def share_of_elements(costs: Floats, place: Domain, lipschitz: float) -> LinearFunctions:
    """Return f(x) = ⟨c, x⟩ / k for costs c in [0, 1], a row a round, on a set of points that all have the sum k.

    There c differs from 1/2 in all entries by a vector of length sqrt(n) / 2 at most, and constants
    do not count.
    """
    size = float(place.set.centre().sum())
    return within_slope(costs / size, 0.0, np.sqrt(place.dimension) / (2.0 * size), lipschitz)


def within_slope(
    slopes: Floats, offset: float, steepest: float, lipschitz: float
) -> LinearFunctions:
    """Return f(x) = offset + ⟨slope, x⟩, in [0, 1] on the set, flattened around 1/2 if ``steepest`` is too steep.

    ``steepest`` is the largest length of a slope within the hull, and ``lipschitz`` what is
    declared.
    """
    share = min(1.0, lipschitz / steepest)
    rows = len(slopes)
    return LinearFunctions(
        np.column_stack([np.full(rows, 0.5 + share * (offset - 0.5)), np.full(rows, share), slopes])
    )
