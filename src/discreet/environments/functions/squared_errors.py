"""Squared errors of linear predictions, and the completion of a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.functions.linear import set_of_kind
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import Domain, FunctionGame, Functions, FunctionsEnvironment
from discreet.problems.points import product
from discreet.sets import LinearOracle, NuclearBall

PRECISE = 1e-9  # the usual precision, per round of weight 1
MOST_STEPS = 20_000  # of gradient descent; the duality gap normally ends it much earlier
MOST_ENTRIES = 400  # so that the best matrix is found quickly


def least_point(
    slope: Callable[[Floats], Floats], bend: float, place: Domain, *, precision: float
) -> Floats:
    """Return the point of a set at which a convex function is least, up to ``precision``.

    ``slope`` is its gradient, and ``bend`` bounds its second derivatives from above. Accelerated
    projected gradient steps, restarted whenever they turn uphill, continue until the duality gap
    proves the point good.
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


class SquaredErrors(FunctionGame):
    """Squared errors: h(x) = (⟨a, x⟩ - y)², with a one of some vectors.

    A row is base, weight, number of the vector, y.
    """

    vectors: Floats  # one row per case

    @classmethod
    def of(
        cls,
        case: Integers,
        target: Floats,
        vectors: Floats,
        *,
        largest: float,
        longest: float,
        lipschitz: float,
    ) -> Self:
        """Return the rounds in which these cases have these targets, with functions in [0, 1].

        No error on the set is larger than ``largest``, no vector is longer than ``longest``, and
        the slope is at most ``lipschitz``.
        """
        weight = min(largest**-2.0, lipschitz / (2.0 * longest * largest))
        return cls(
            np.column_stack([np.zeros(len(case)), np.full(len(case), weight), case, target]),
            vectors,
        )

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.vectors.shape[1])

    def shape(self, t: int, point: Floats) -> float:
        """Return (⟨a, x⟩ - y)²."""
        error = product(self.vectors[int(self.losses[t, 2])], point) - self.losses[t, 3]
        return float(error * error)

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return 0."""
        return 0.0

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the square of the largest error in the ball around the set."""
        vector = self.vectors[int(self.losses[t, 2])]
        error = abs(product(vector, domain.centre()) - self.losses[t, 3]) + outer * math.sqrt(
            product(vector, vector)
        )
        return float(error * error)

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return 2 |a| times that error."""
        vector = self.vectors[int(self.losses[t, 2])]
        return 2.0 * math.sqrt(product(vector, vector)) * math.sqrt(self.highest(t, domain, outer))

    def most_bend(self, t: int) -> float:
        """Return 2 |a|²."""
        vector = self.vectors[int(self.losses[t, 2])]
        return 2.0 * product(vector, vector)

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of base + weight · y², and per case those of weight and weight · y."""
        base, weight, case, target = self.losses.T
        cases, which = self.vectors.shape[0], case.astype(np.int64)
        found = np.empty((len(starts), 1 + 2 * cases))
        for row, (start, stop) in enumerate(zip(starts, [*starts[1:], len(base)], strict=True)):
            part = slice(start, stop)
            found[row, 0] = (base[part] + weight[part] * target[part] ** 2).sum()
            found[row, 1 : 1 + cases] = np.bincount(which[part], weight[part], cases)
            found[row, 1 + cases :] = np.bincount(which[part], weight[part] * target[part], cases)
        return found

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the point with the least weighted sum of squared errors."""
        weights, targets = np.split(total[1:], 2)
        squares = 2.0 * (self.vectors.T * weights) @ self.vectors
        products = 2.0 * targets @ self.vectors
        bend, precision = float(np.linalg.eigvalsh(squares)[-1]), PRECISE * float(weights.sum())
        return least_point(
            lambda point: np.asarray(squares @ point - products), bend, place, precision=precision
        )

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the weighted sum of the squared errors of all cases."""
        weights, targets = np.split(total[1:], 2)
        predictions = self.vectors @ point
        return float(total[0] + weights @ predictions**2 - 2.0 * (targets @ predictions))


@register_environment(
    "completion",
    title="squared errors of single entries of a hidden matrix",
    problem=Functions,
    usual={"domain": "nuclear(3,3)", "lipschitz": 1.5},
)
class Completion(FunctionsEnvironment):
    """Squared errors of single entries of a hidden matrix of rank 1, seen with noise.

    The entries of the hidden matrix all have the size s = 1 / sqrt(rows · columns), with the signs
    of some v wᵀ, drawn for each game: its nuclear norm is 1. Each round draws one entry uniformly
    at random and shows it as y, which is ``scatter`` times s above or below it with equal
    probability. The loss is f(x) = (x(i, j) - y)² / (1 + a)², a = (1 + scatter) s, in [0, 1]. The
    Lipschitz constant is 2 / (1 + a); if that is more than declared, f is scaled down. The best
    matrix of nuclear norm at most 1 is computed from sums for each entry.
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
