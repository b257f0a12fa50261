"""Logistic losses: learning a classifier from its losses alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.contracts import Floats, Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.squared_errors import PRECISE, least_point
from discreet.environments.points import directions
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Domain, FunctionGame, Functions, FunctionsEnvironment
from discreet.problems.function_games import weights_by_case
from discreet.problems.points import product
from discreet.sets import LinearOracle, Projecting, check_ability

CASES = 40  # 20 feature vectors, each with two labels


class LogisticLosses(FunctionGame):
    """Logistic losses: h(x) = ln(1 + exp(-⟨a, x⟩)), with a one of some vectors.

    A row is base, weight, number of the vector.
    """

    vectors: Floats  # label times features, one row per case

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return int(self.vectors.shape[1])

    def shape(self, t: int, point: Floats) -> float:
        """Return ln(1 + exp(-⟨a, x⟩))."""
        return math.log1p(math.exp(-product(self.vectors[int(self.losses[t, 2])], point)))

    def lowest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the value where ⟨a, x⟩ is largest."""
        return math.log1p(math.exp(-domain.support(self.vectors[int(self.losses[t, 2])])))

    def highest(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return the value where ⟨a, x⟩ is least."""
        return math.log1p(math.exp(domain.support(-self.vectors[int(self.losses[t, 2])])))

    def steepness(self, t: int, domain: LinearOracle, outer: float) -> float:
        """Return |a| times the largest slope of the logistic function."""
        vector = self.vectors[int(self.losses[t, 2])]
        return math.sqrt(product(vector, vector)) / (1.0 + math.exp(-domain.support(-vector)))

    def most_bend(self, t: int) -> float:
        """Return |a|² / 4."""
        vector = self.vectors[int(self.losses[t, 2])]
        return 0.25 * product(vector, vector)

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return the sum of all bases, and that of the weights of every case."""
        case = self.losses[:, 2].astype(np.int64)
        return weights_by_case(self.losses, starts, case, self.vectors.shape[0])

    def minimiser(self, total: Floats, place: Domain) -> Floats:
        """Return the point with the least weighted sum of losses."""
        return fit_point(self.vectors, total[1:], place)

    def sum_at(self, total: Floats, point: Floats) -> float:
        """Return the weighted sum of the losses of all cases."""
        return float(total[0] + total[1:] @ np.log1p(np.exp(-self.vectors @ point)))


def fit_point(vectors: Floats, weights: Floats, place: Domain) -> Floats:
    """Return the point of the set with the least Σ weight · ln(1 + exp(-⟨a, x⟩))."""

    def slope(point: Floats) -> Floats:
        return -np.asarray((weights / (1.0 + np.exp(vectors @ point))) @ vectors)

    bend = 0.25 * float(np.linalg.eigvalsh((vectors.T * weights) @ vectors)[-1])
    return least_point(slope, bend, place, precision=PRECISE * float(weights.sum()))


@register_environment("logistic", title="logistic losses of labelled vectors", problem=Functions)
class Logistic(FunctionsEnvironment):
    """Logistic losses f(x) = ln(1 + exp(-y ⟨a, x⟩ / S)) - ln(1 + 1/e) of labelled vectors.

    S = R + |c| for a set of radius R around c. The features a are one of 20 unit vectors, the same
    in every game. The label y = ±1 says on which side of a hidden plane they are, but is wrong with
    probability ``flip``. Values are in [0, 1]; the Lipschitz constant is 0.74 / S. The best point
    is computed from counts of the 40 different functions.
    """

    flip: float = 0.1

    def functions(self, start: int, stop: int, rng: Generator) -> LogisticLosses:
        """Return the functions of rounds start to stop."""
        place, flip = self.problem.place, check_range("flip", self.flip, 0.0, 1.0)
        check_ability(place.set, Projecting)  # to find the best point
        chance = uniforms(rng, start, stop, 2, purpose=2)
        features = directions(np.random.default_rng(1), 0, CASES // 2 + 1, place.dimension)
        case = (chance[:, 0] * (CASES // 2)).astype(np.int64)
        labels = (features[:-1] @ features[-1] > 0.0)[case] ^ (chance[:, 1] < flip)
        base = np.full(stop - start, -math.log1p(math.exp(-1.0)))
        vectors = np.repeat(features[:-1], 2, axis=0) / (
            place.outer + float(np.linalg.norm(place.set.centre()))
        )
        vectors[0::2] *= -1.0
        rows = np.column_stack([base, np.ones(stop - start), 2 * case + labels])
        return LogisticLosses(rows, vectors)
