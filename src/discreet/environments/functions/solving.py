"""The best fixed point of a sum of smooth functions, found after the game."""

from __future__ import annotations

import math
from collections.abc import Callable

from discreet.contracts import Floats
from discreet.problems import Domain

PRECISE = 1e-9  # the usual precision, per round of weight 1
MOST_STEPS = 20_000


def least_point(
    slope: Callable[[Floats], Floats], bend: float, place: Domain, *, precision: float
) -> Floats:
    """Return the point of a set at which a convex function is least, up to ``precision``.

    ``slope`` is its gradient and ``bend`` bounds its second derivatives from above. Accelerated
    projected gradients, begun again whenever they turn uphill, until the duality gap proves the
    point good.
    """
    point = ahead = place.set.centre()
    if bend <= 0.0:
        return point
    momentum = 1.0
    for _ in range(MOST_STEPS):
        steep = slope(ahead)
        if steep @ (ahead - place.best_against(steep)) <= precision:
            return ahead
        next_point = place.nearest(ahead - steep / bend)
        if steep @ (next_point - point) > 0.0:
            momentum, ahead = 1.0, next_point
        else:
            grown = 0.5 + math.sqrt(0.25 + momentum**2)
            ahead = place.nearest(next_point + (momentum - 1.0) / grown * (next_point - point))
            momentum = grown
        point = next_point
    return point
