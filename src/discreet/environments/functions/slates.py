"""Slates: some of many items are shown, and each is clicked or not."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.costs import share_of_elements
from discreet.environments.functions.needs import set_of_kind
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Functions, FunctionsEnvironment, LinearFunctions
from discreet.sets import KSets


@register_environment(
    "slates",
    title="clicks on items, k of them better by a gap",
    problem=Functions,
    usual={"domain": "k-sets(10,3)"},
)
class Slates(FunctionsEnvironment):
    """Slates of k of n items; the loss is the share of the items shown that are not clicked.

    Items are clicked independently, each of k good ones, which are drawn for each game, with
    probability (1 + gap) / 2, all others with (1 - gap) / 2. So f(x) = 1 - ⟨clicks, x⟩ / k is
    linear and in [0, 1]. The Lipschitz constant is at most sqrt(n) / 2 k; if that is more than
    declared, f is flattened around 1/2.
    """

    gap: float = 0.4

    def functions(self, start: int, stop: int, rng: Generator) -> LinearFunctions:
        """Return the functions of rounds start to stop."""
        gap, place = check_range("gap", self.gap, 0.0, 1.0), self.problem.place
        set_of_kind(self.problem, "slates", "k-sets(n,k)", KSets)
        good = place.best_against(uniforms(rng, 0, 1, place.dimension, purpose=1)[0])
        chance = 0.5 * (1.0 - gap) + gap * good
        misses = (uniforms(rng, start, stop, place.dimension) >= chance).astype(np.float64)
        return share_of_elements(misses, place, self.lipschitz)
