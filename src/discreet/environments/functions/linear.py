"""Linear functions on a convex set."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.points.linear import directions
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Functions, FunctionsEnvironment, LinearFunctions


@register_environment("linear", title="linear functions, one direction better by gap=0.5", problem=Functions)
class Linear(FunctionsEnvironment):
    """Independent linear functions f(x) = 1/2 + g ⟨v, x - c⟩, c the centre of the set and v a unit vector.

    With probability ``gap`` v is -(1, .., 1) / sqrt(n), else a uniform direction. Values are in [0, 1] on the whole set:
    the Lipschitz constant g is the declared one, or 1 / 2 R if that is less, R the outer radius of the set.
    """

    gap: float = 0.5

    def functions(self, start: int, stop: int, rng: Generator) -> LinearFunctions:
        """Return the functions of rounds start to stop."""
        gap, place = check_range("gap", self.gap, 0.0, 1.0), self.problem.place
        slopes = directions(rng, start, stop, place.dimension)
        slopes[uniforms(rng, start, stop, 1, purpose=1)[:, 0] < gap] = -1.0 / np.sqrt(place.dimension)
        weight = min(self.lipschitz, 0.5 / place.outer)
        base = 0.5 - weight * slopes @ place.set.centre()
        return LinearFunctions(np.column_stack([base, np.full(stop - start, weight), slopes]))
