"""A matrix that is known entry by entry, and is to be completed."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.needs import set_of_kind
from discreet.environments.functions.squared_errors import SquaredErrors
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import Functions, FunctionsEnvironment
from discreet.sets import NuclearBall

MOST_ENTRIES = 400  # so that the best matrix is found in no time


@register_environment(
    "completion",
    title="squared errors of single entries of a hidden matrix",
    problem=Functions,
    usual={"domain": "nuclear(3,3)", "lipschitz": 1.5},
)
class Completion(FunctionsEnvironment):
    """Squared errors of single entries of a matrix of rank 1, from a stream of noisy ones.

    The entries of the hidden matrix are all of the size s = 1 / sqrt(rows · columns), with the
    signs of some u vᵀ, drawn for each game: its nuclear norm is 1. In each round one entry,
    uniformly at random, is seen as y, which is ``scatter`` times s above or below it, each as
    likely. The loss is f(x) = (x(i, j) - y)² / (1 + b)², b = (1 + scatter) s, in [0, 1]. The
    Lipschitz constant is 2 / (1 + b); if that is more than declared, f is made smaller. The best
    matrix of nuclear norm at most 1 is found from sums for each entry.
    """

    scatter: float = 0.5

    def functions(self, start: int, stop: int, rng: Generator) -> SquaredErrors:
        """Return the functions of rounds start to stop."""
        scatter = check_range("scatter", self.scatter, 0.0, 10.0)
        found = set_of_kind(self.problem, "completion", "nuclear(rows,columns)", NuclearBall)
        size, chance = found.dimension, uniforms(rng, start, stop, 2)
        if size > MOST_ENTRIES:
            raise DiscreetError(
                f"domain is {self.domain}, but completion is for at most {MOST_ENTRIES} entries."
            )
        entry = (chance[:, 0] * size).astype(np.int64)
        seen = _hidden_signs(found, rng)[entry] + scatter * np.where(chance[:, 1] < 0.5, -1.0, 1.0)
        seen *= found.radius / np.sqrt(size)
        largest = found.radius * (1.0 + (1.0 + scatter) / np.sqrt(size))
        return SquaredErrors.of(
            entry, seen, np.eye(size), largest=largest, longest=1.0, lipschitz=self.lipschitz
        )


def _hidden_signs(found: NuclearBall, rng: Generator) -> Floats:
    """Return the signs of the hidden matrix, row by row."""
    signs = np.where(uniforms(rng, 0, 1, found.rows + found.columns, purpose=1)[0] < 0.5, -1.0, 1.0)
    return np.outer(signs[: found.rows], signs[found.rows :]).ravel()
