"""Linear functions on a convex set."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.points.linear import directions
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Domain, Functions, FunctionsEnvironment, LinearFunctions

HARDLY = 1e-6  # length of a unit vector in the hull that counts as none


@register_environment(
    "linear", title="linear functions, one direction better by gap=0.5", problem=Functions
)
class Linear(FunctionsEnvironment):
    """Independent linear functions f(x) = 1/2 + g ⟨v, x - c⟩, c the centre of the set and v a unit vector.

    With probability ``gap`` v is a fixed direction, else a uniform one, both of the hull. The fixed
    one is against (1, .., 1), or, where that is orthogonal to the hull, points away from a vertex.
    Values are in [0, 1] on the set: the Lipschitz constant g is the declared one, or 1 / 2 R if
    that is less, R the outer radius of the set.
    """

    gap: float = 0.5

    def functions(self, start: int, stop: int, rng: Generator) -> LinearFunctions:
        """Return the functions of rounds start to stop."""
        gap, place = check_range("gap", self.gap, 0.0, 1.0), self.problem.place
        slopes = directions(rng, start, stop, place.dimension)
        slopes[uniforms(rng, start, stop, 1, purpose=1)[:, 0] < gap] = favoured(place)
        slopes = unit_tangents(place, slopes)
        weight = min(self.lipschitz, 0.5 / place.outer)
        base = 0.5 - weight * slopes @ place.set.centre()
        return LinearFunctions(np.column_stack([base, np.full(stop - start, weight), slopes]))


def favoured(place: Domain) -> Floats:
    """Return the fixed direction: -(1, .., 1) / sqrt(n), or one away from the vertex with the last coordinates."""
    against_all: Floats = np.full((1, place.dimension), -1.0 / np.sqrt(place.dimension))
    if np.linalg.norm(place.tangents(against_all)) > HARDLY:
        return np.asarray(against_all[0])
    return np.asarray(
        place.set.centre() - place.best_against(np.linspace(1.0, -1.0, place.dimension))
    )


def unit_tangents(place: Domain, slopes: Floats) -> Floats:
    """Return unit vectors, or in a flat set the directions of its hull that they point to."""
    if place.flat == place.dimension:
        return slopes
    found = place.tangents(slopes)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), HARDLY))
