"""Routes through layers of nodes, on which edges are jammed now and then."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Generator
from discreet.environments.access import uniforms
from discreet.environments.functions.costs import share_of_elements
from discreet.environments.functions.needs import set_of_kind
from discreet.environments.registry import register_environment
from discreet.errors import check_range
from discreet.problems import Functions, FunctionsEnvironment, LinearFunctions
from discreet.sets import Paths


@register_environment(
    "routing",
    title="jams on the edges of a graph, one path better",
    problem=Functions,
    usual={"domain": "paths(3,3)"},
)
class Routing(FunctionsEnvironment):
    """Paths through a layered graph; the loss is the share of edges on the way that are jammed.

    Edges are jammed independently, with probability (1 + gap) / 2; those of one path, which is
    drawn for each game, with (1 - gap) / 2. So f(x) = ⟨jams, x⟩ / k is linear, k the number of
    edges of a path, and in [0, 1]. The Lipschitz constant is at most sqrt(n) / 2 k for n edges; if
    that is more than declared, f is flattened around 1/2.
    """

    gap: float = 0.4

    def functions(self, start: int, stop: int, rng: Generator) -> LinearFunctions:
        """Return the functions of rounds start to stop."""
        gap, place = check_range("gap", self.gap, 0.0, 1.0), self.problem.place
        set_of_kind(self.problem, "routing", "paths(layers,width)", Paths)
        free_path = place.best_against(uniforms(rng, 0, 1, place.dimension, purpose=1)[0])
        chance = 0.5 * (1.0 + gap) - gap * free_path
        jams = (uniforms(rng, start, stop, place.dimension) < chance).astype(np.float64)
        return share_of_elements(jams, place, self.lipschitz)
