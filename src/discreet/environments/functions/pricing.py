"""Prices: revenue that is lost against a demand that falls as prices rise."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.quadratics import Quadratics
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import Functions, FunctionsEnvironment

FIRST_PRICE, SCATTER = (
    0.9,
    0.1,
)  # of the best price, as a part of the highest one: its first mean, and how far it varies
LEAST_DEMAND = 0.6  # at the price 0, of the largest demand
MOST_DRIFT = 0.3  # at which the best price never falls below 1/2, so that demand stays above 0


@register_environment(
    "pricing",
    title="revenue lost against linear demand",
    problem=Functions,
    usual={"domain": "cube(1)"},
)
class Pricing(FunctionsEnvironment):
    """Prices p from 0 to 1, the two ends of a set of one dimension; what is lost is revenue.

    In each round the share a (1 - p / 2 q) of all people buys at the price p, so that q is the best
    price of the round. The loss is what revenue lacks to 1/2, which is the most that it can be, in
    halves: f = 1 - 2 a p (1 - p / 2 q), in [0, 1]. Demand is fixed before the game: a is uniform in
    [0.6, 1], and q within 0.1 of a mean that falls evenly from 0.9 by ``drift``, at most 0.3; with
    0 it stays. For a set of the radius R the Lipschitz constant is 1 / R, and second derivatives
    are between 0.3 / R² and 1 / R².
    """

    rounds: int
    drift: float = 0.2

    def functions(self, start: int, stop: int, rng: Generator) -> Quadratics:
        """Return the functions of rounds start to stop: 1 - a q + (a / q) (p - q)²."""
        place, drift = self.problem.place, check_range("drift", self.drift, 0.0, MOST_DRIFT)
        if place.dimension != 1:
            raise DiscreetError(
                f"domain is {self.domain}, but pricing "
                "is for "
                "sets "
                "of one "
                "dimension, "
                "such as "
                "cube(1)."
            )
        chance = uniforms(rng, start, stop, 2)
        demand = LEAST_DEMAND + (1.0 - LEAST_DEMAND) * chance[:, 0]
        best = (
            FIRST_PRICE
            - drift * np.arange(start, stop) / self.rounds
            + SCATTER * (2.0 * chance[:, 1] - 1.0)
        )
        target = place.set.centre()[0] + place.outer * (2.0 * best - 1.0)
        weight = demand / best / (2.0 * place.outer) ** 2
        return Quadratics(np.column_stack([1.0 - demand * best, weight, target]))
