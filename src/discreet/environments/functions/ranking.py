"""Rankings: how far down the list people find what they want."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.functions.costs import within_slope
from discreet.environments.functions.needs import set_of_kind
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Functions, FunctionsEnvironment, LinearFunctions
from discreet.sets import Birkhoff, Permutahedron


@register_environment(
    "ranking",
    title="how far down a wanted item stands",
    problem=Functions,
    usual={"domain": "permutations(5)"},
)
class Ranking(FunctionsEnvironment):
    """Rankings of n items; the loss is how far down the list the item stands that is wanted in this round.

    The j-th most popular item is wanted with a probability proportional to 1 / j^skew; which one
    that is, is drawn for each game. At place p of 1 to n it costs f = (p - 1) / (n - 1), linear and
    in [0, 1]. Points are those of permutations(n), in which entry i is the place of item i, or of
    assignments(n), in which worker i is item i and job j is place j + 1. If f is steeper than
    declared (on permutations it is at most 1 / (n - 1)), it is flattened around 1/2.
    """

    skew: float = 1.0

    def functions(self, start: int, stop: int, rng: Generator) -> LinearFunctions:
        """Return the functions of rounds start to stop."""
        skew = check_range("skew", self.skew, 0.0, 100.0)
        found = set_of_kind(
            self.problem, "ranking", "permutations(n) and assignments(n)", Permutahedron, Birkhoff
        )
        if isinstance(found, Birkhoff):
            items, offset = found.workers, 0.0
            costs: Floats = np.kron(np.eye(items), np.arange(float(items)) / (items - 1.0)).astype(
                np.float64
            )
        else:
            items, offset = found.dimension, -1.0 / (found.dimension - 1.0)
            costs = np.eye(items) / (items - 1.0)
        slope = costs[0].copy()  # those of all items are equally long
        found.tangent(slope)
        steepest = float(np.linalg.norm(slope))
        return within_slope(
            costs[self._wanted(items, skew, start, stop, rng)], offset, steepest, self.lipschitz
        )

    @staticmethod
    def _wanted(items: int, skew: float, start: int, stop: int, rng: Generator) -> Integers:
        """Return which item is wanted in each round."""
        by_popularity = np.argsort(uniforms(rng, 0, 1, items, purpose=1)[0])
        shares = np.cumsum(np.arange(1.0, items + 1.0) ** -skew)
        drawn = uniforms(rng, start, stop, 1)[:, 0] * shares[-1]
        return np.asarray(by_popularity[np.searchsorted(shares[:-1], drawn, side="right")])
