"""Squared errors of linear predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.environments.functions.solving import PRECISE, least_point
from discreet.problems import Domain, FunctionGame
from discreet.problems.points import product
from discreet.sets import LinearOracle


class SquaredErrors(FunctionGame):
    """Squared errors: h(x) = (⟨a, x⟩ - y)², a one of some vectors; the row is base, weight, its number, y."""

    vectors: Floats  # a row a case

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

        No error on the set is larger than ``largest``, no vector longer than ``longest``; the slope
        is at most ``lipschitz``.
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
        """Return the sum of all bases with weight · y², and for every case those of the weights and of weight · y."""
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
