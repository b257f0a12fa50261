"""How far a point is from a set of which only the oracle is known."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats
from discreet.sets.contract import LinearOracle

STEPS = 10_000


def distance(points: LinearOracle, point: Floats) -> float:
    """Return the distance from a point to the set, exact for polytopes up to rounding (Wolfe's nearest point).

    The nearest point so far is a mixture of a few vertices. The oracle says which vertex would
    bring it nearer; vertices that the nearest point of their plane has no use for are dropped.

    >>> from discreet.sets import Simplex
    >>> distance(Simplex(2), np.array([1.0, 1.0]))
    0.7071...
    """
    if not np.all(np.isfinite(point)):
        return float("inf")
    corral = np.array([_vertex(points, point) - point])
    weights = np.ones(1)
    for _ in range(STEPS):
        nearest = weights @ corral
        vertex = _vertex(points, nearest) - point
        size = float(max(np.abs(corral).max(), np.abs(vertex).max()))
        if nearest @ nearest - nearest @ vertex <= 1e-15 * size * size or np.any(
            np.all(corral == vertex, axis=1)
        ):
            break
        corral, weights = np.vstack([corral, vertex]), np.append(weights, 0.0)
        while True:
            target = _nearest_of_plane(corral)
            if np.all(target > 1e-14):
                weights = target
                break
            leaving = target <= 1e-14
            share = min(
                1.0,
                float(
                    np.min(
                        weights[leaving] / np.maximum(weights[leaving] - target[leaving], 1e-300)
                    )
                ),
            )
            weights = weights + share * (target - weights)
            weights[leaving & (weights <= 1e-14)] = 0.0
            weights[np.argmin(np.where(leaving, weights, np.inf))] = 0.0
            corral, weights = corral[weights > 0.0], weights[weights > 0.0] / weights.sum()
    return float(np.linalg.norm(weights @ corral))


def _vertex(points: LinearOracle, direction: Floats) -> Floats:
    vertex = np.empty(direction.size)
    points.minimise_linear(direction, vertex)
    return vertex


def _nearest_of_plane(corral: Floats) -> Floats:
    """Return the weights, of sum 1, with which the rows make the point of their plane that is nearest to 0."""
    first = corral[0]
    rest = np.linalg.lstsq((corral[1:] - first).T, -first, rcond=None)[0]
    return np.append(1.0 - rest.sum(), rest)
