"""Gaussian widths of sets: E max <g, x> over the set, for independent normal entries of g.

The largest <g, x> over the base polytope of a submodular function f is the integral over all levels
z of f({i: g(i) > z}), minus f of all items for z < 0 (Lovász). At level z, each item is above with
the same probability p, independently. So with F(p) = E f of a random set of items,

    width = ∫ (F(p) + F(1 - p) - F(1)) dz over z > 0,   p = P(g > z).

The integrand extends evenly and smoothly to z < 0, so a sum with small steps is accurate to nine
digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.contracts import Floats

LEVELS = np.linspace(-12.0, 12.0, 4_801)
ROUND_UP = 1.0 + 1e-9  # a width must not be too small
FEW_ITEMS, FEW_NODES = 500, 12  # above these, sums take long or lose digits


def greedy_width(expected: Callable[[Floats], Floats]) -> float:
    """Return the width of a base polytope, given F of the probabilities p."""
    above = tails()
    inside = expected(above) + expected(1.0 - above) - expected(np.ones(1))
    return float(inside.sum()) * 0.5 * float(LEVELS[1] - LEVELS[0]) * ROUND_UP


def tails() -> Floats:
    """Return P(g > z) at all levels."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-LEVELS))


def largest_size(count: int) -> float:
    """Return the mean of the largest of ``count`` absolute values of normal numbers."""
    if count == 1:
        return math.sqrt(2.0 / math.pi)  # the integrand below would have a kink
    one = 2.0 * np.minimum(tails(), 1.0 - tails())
    some = 1.0 - (1.0 - one) ** count
    return float(some.sum()) * 0.5 * float(LEVELS[1] - LEVELS[0]) * ROUND_UP


def by_number(largest: Floats) -> Callable[[Floats], Floats]:
    """Return F for a function of the number of items; ``largest[j]`` is its value for j items."""
    from scipy.stats import binom

    counts = np.arange(largest.size)

    def expected(probabilities: Floats) -> Floats:
        chances = binom.pmf(counts, largest.size - 1, probabilities[:, None])
        return np.asarray(chances @ largest)

    return expected


def rank_of_graph(nodes: int) -> Callable[[Floats], Floats]:
    """Return F for the rank of random edges of a complete graph: nodes minus components.

    With probability C_k, k nodes are connected. C_k = 1 - Σ_j P(the component of a given node has j
    of them, and no edge to the others).
    """

    def expected(probabilities: Floats) -> Floats:
        missing = 1.0 - probabilities
        connected: dict[int, Floats] = {}
        components = np.zeros_like(probabilities)
        for k in range(1, nodes + 1):
            connected[k] = 1.0 - sum(
                (
                    math.comb(k - 1, j - 1) * connected[j] * missing ** (j * (k - j))
                    for j in range(1, k)
                ),
                np.zeros_like(probabilities),
            )
            components += math.comb(nodes, k) * connected[k] * missing ** (k * (nodes - k))
        return np.asarray(nodes - components)

    return expected
