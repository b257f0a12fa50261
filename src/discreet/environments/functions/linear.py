"""Linear functions: random directions, slates, routes and rankings."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.environments.access import uniforms
from discreet.environments.points import directions
from discreet.environments.registry import register_environment
from discreet.errors import DiscreetError, check_range
from discreet.problems import Domain, Functions, FunctionsEnvironment, LinearFunctions
from discreet.sets import Birkhoff, KSets, LinearOracle, Paths, Permutahedron

HARDLY = 1e-6  # a unit vector with a shorter projection onto the hull counts as orthogonal
Kind = TypeVar("Kind", bound=LinearOracle)


@register_environment(
    "linear", title="linear functions, one direction better by gap=0.5", problem=Functions
)
class Linear(FunctionsEnvironment):
    """Independent linear functions f(x) = 1/2 + g ⟨v, x - c⟩, with c the centre of the set.

    v is a unit vector: with probability ``gap`` a fixed direction, otherwise a uniform one, both in
    the hull. The fixed one points against (1, .., 1), or, where that is orthogonal to the hull,
    away from a vertex. Values are in [0, 1] on the set: the Lipschitz constant g is the declared
    one, or 1 / 2 R if that is less, where R is the outer radius of the set.
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
    """Return the fixed direction: -(1, .., 1) / sqrt(N), or one away from a vertex.

    The vertex is the one with the largest last coordinates.
    """
    against_all: Floats = np.full((1, place.dimension), -1.0 / np.sqrt(place.dimension))
    if np.linalg.norm(place.tangents(against_all)) > HARDLY:
        return np.asarray(against_all[0])
    return np.asarray(
        place.set.centre() - place.best_against(np.linspace(1.0, -1.0, place.dimension))
    )


def unit_tangents(place: Domain, slopes: Floats) -> Floats:
    """Return unit vectors; in a flat set, their directions within the hull."""
    if place.flat == place.dimension:
        return slopes
    found = place.tangents(slopes)
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), HARDLY))


def set_of_kind(problem: Functions, environment: str, forms: str, *kinds: type[Kind]) -> Kind:
    """Return the set of a problem, or refuse one of another kind.

    >>> from discreet.sets import KSets
    >>> set_of_kind(Functions("ball(2)"), "slates", "k-sets(n,k)", KSets)
    Traceback (most recent call last):
    discreet.errors.DiscreetError: domain is ball(2), but slates is for k-sets(n,k) only.
    """
    found = problem.place.set
    if not isinstance(found, kinds):
        raise DiscreetError(f"domain is {problem.domain}, but {environment} is for {forms} only.")
    return found


def share_of_elements(costs: Floats, place: Domain, lipschitz: float) -> LinearFunctions:
    """Return f(x) = ⟨c, x⟩ / k for costs c in [0, 1], one row per round.

    All points of the set have the sum k. On it, c differs from (1/2, .., 1/2) by a vector of length
    at most sqrt(N) / 2, and constants do not matter.
    """
    size = float(place.set.centre().sum())
    return within_slope(costs / size, 0.0, np.sqrt(place.dimension) / (2.0 * size), lipschitz)


def within_slope(
    slopes: Floats, offset: float, steepest: float, lipschitz: float
) -> LinearFunctions:
    """Return f(x) = offset + ⟨slope, x⟩, flattened around 1/2 if it is too steep.

    f is in [0, 1] on the set. ``steepest`` is the largest length of a slope within the hull, and
    ``lipschitz`` the declared one.
    """
    share = min(1.0, lipschitz / steepest)
    rows = len(slopes)
    return LinearFunctions(
        np.column_stack([np.full(rows, 0.5 + share * (offset - 0.5)), np.full(rows, share), slopes])
    )


@register_environment(
    "slates",
    title="clicks on items, k of them better by a gap",
    problem=Functions,
    usual={"domain": "k-sets(10,3)"},
)
class Slates(FunctionsEnvironment):
    """Slates of k of n items; the loss is the share of the shown items that are not clicked.

    Items are clicked independently: each of k good ones, which are drawn for each game, with
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


@register_environment(
    "routing",
    title="jams on the edges of a graph, one path better",
    problem=Functions,
    usual={"domain": "paths(3,3)"},
)
class Routing(FunctionsEnvironment):
    """Paths through a layered graph; the loss is the share of edges of the path that are jammed.

    Edges are jammed independently with probability (1 + gap) / 2; those of one path, which is drawn
    for each game, with (1 - gap) / 2. So f(x) = ⟨jams, x⟩ / k is linear and in [0, 1], where k is
    the number of edges of a path. The Lipschitz constant is at most sqrt(n) / 2 k for n edges; if
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


@register_environment(
    "ranking",
    title="how far down the list a wanted item is",
    problem=Functions,
    usual={"domain": "permutations(5)"},
)
class Ranking(FunctionsEnvironment):
    """Rankings of n items; the loss is how far down the list the wanted item is.

    The j-th most popular item is wanted with a probability proportional to 1 / j^skew; the order of
    popularity is drawn for each game. At place p of 1 to n it costs f = (p - 1) / (n - 1), which is
    linear and in [0, 1]. Points are those of permutations(n), where entry i is the place of item i,
    or of assignments(n), where worker i is item i and job j is place j + 1. If f is steeper than
    declared (on permutations its slope is at most 1 / (n - 1)), it is flattened around 1/2.
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
        """Return the item that is wanted in each round."""
        by_popularity = np.argsort(uniforms(rng, 0, 1, items, purpose=1)[0])
        shares = np.cumsum(np.arange(1.0, items + 1.0) ** -skew)
        drawn = uniforms(rng, start, stop, 1)[:, 0] * shares[-1]
        return np.asarray(by_popularity[np.searchsorted(shares[:-1], drawn, side="right")])
