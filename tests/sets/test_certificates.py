"""Oracles of sets with too many vertices to list: optimality certificates from duality."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.sets import BasePolytope, GraphicMatroid, Paths, set_named
from discreet.sets.vertices import distance


def least(each, direction):
    point = np.full(each.dimension, math.nan)
    each.minimise_linear(np.asarray(direction, float), point)
    return point


def random_directions(each, count, seed):
    rng = np.random.default_rng(seed)
    usual = rng.normal(size=(count, each.dimension))
    return np.vstack([usual, np.round(usual)])  # with ties


def test_slates():
    """With a threshold λ, k λ + Σ min(c - λ, 0) is at most <c, x> for all 0 ≤ x ≤ 1 of sum k."""
    each = set_named("k-sets(60,17)")
    for costs in random_directions(each, 10, 1):
        found = least(each, costs)
        assert each.contains(found, 0.0)
        level = np.sort(costs)[16]
        assert costs @ found == pytest.approx(
            17 * level + np.minimum(costs - level, 0.0).sum(), abs=1e-10
        )


def chain_bound(costs, rank):
    """Return Σ (c_j - c_j+1) F(first j) + c_n F(all), which is at most <c, x> on the set."""
    order = np.argsort(costs, kind="stable")
    falls = np.append(np.diff(costs[order]) * -1.0, costs[order[-1]])
    assert np.all(falls[:-1] <= 0.0), "so that x(S) ≤ F(S) bounds from below"
    return sum(fall * rank(order[: j + 1]) for j, fall in enumerate(falls))


def test_rankings():
    each = set_named("permutations(30)")
    places = np.arange(30.0, 0.0, -1.0)
    for costs in random_directions(each, 10, 2):
        found = least(each, costs)
        assert sorted(found) == sorted(places)
        assert costs @ found == pytest.approx(
            chain_bound(costs, lambda items: places[: len(items)].sum()), abs=1e-9
        )


def test_partitions():
    each = set_named("partition(12,3,20,11,7,1)")
    groups = np.repeat([0, 1, 2], [12, 20, 7])

    def rank(items):
        return np.minimum(np.bincount(groups[items], minlength=3), [3, 11, 1]).sum()

    for costs in random_directions(each, 10, 3):
        found = least(each, costs)
        assert each.contains(found, 0.0)
        assert costs @ found == pytest.approx(chain_bound(costs, rank), abs=1e-10)


def test_spanning_trees():
    each = GraphicMatroid.complete(12)

    def rank(edges):
        incidence = np.zeros((len(edges), 12))
        for row, edge in enumerate(edges):
            incidence[row, each.tails[edge]], incidence[row, each.heads[edge]] = 1.0, -1.0
        return np.linalg.matrix_rank(incidence)

    for costs in random_directions(each, 3, 4):
        assert costs @ least(each, costs) == pytest.approx(chain_bound(costs, rank), abs=1e-10)


def test_base_polytopes():
    rng = np.random.default_rng(5)
    covers = [frozenset(rng.integers(40, size=6).tolist()) for _ in range(20)]

    def coverage(items):
        return float(len(frozenset().union(*(covers[i] for i in items))))

    each = BasePolytope.of(20, coverage)
    for costs in random_directions(each, 5, 6):
        bound = chain_bound(costs, lambda items: coverage(frozenset(items.tolist())))
        assert costs @ least(each, costs) == pytest.approx(bound, abs=1e-10)


def test_assignments():
    """Prices u of workers and v of jobs with u + v ≤ c bound all assignments by Σ u + Σ v."""
    each = set_named("assignments(9)")
    rows = np.array(
        [np.append(np.arange(9) == i, np.arange(9) == j) for i in range(9) for j in range(9)],
        dtype=float,
    )
    for costs in random_directions(each, 3, 7):
        prices = linprog(-np.ones(18), A_ub=rows, b_ub=costs, bounds=(None, None)).x
        assert np.all(rows @ prices <= costs + 1e-9)
        found = least(each, costs)
        assert each.contains(found, 0.0)
        assert costs @ found == pytest.approx(prices.sum(), abs=1e-8)


@pytest.mark.parametrize(
    "each", [Paths.layered(12, 5), Paths.examples()[1]], ids=["layered", "irregular"]
)
def test_paths(each):
    """Potentials with no edge that goes down by more than it costs bound all paths from below."""
    for costs in random_directions(each, 10, 8):
        potential = np.full(each.costs.size, math.inf)
        potential[each.ends[0]] = 0.0
        for _ in range(each.costs.size):  # Bellman and Ford, in any order
            np.minimum.at(potential, each.heads, potential[each.tails] + costs)
        assert np.all(potential[each.heads] <= potential[each.tails] + costs + 1e-9)
        found = least(each, costs)
        assert each.contains(found, 0.0)
        assert costs @ found == pytest.approx(potential[each.ends[1]], abs=1e-9)


def test_the_distance_to_a_set_is_that_of_the_nearest_mixture():
    """The residual of the nearest point p of y certifies it: <y - p, z - p> ≤ 0 for all z."""
    rng = np.random.default_rng(9)
    for text in ("k-sets(8,3)", "permutations(6)", "simplex(5)"):
        each = set_named(text)
        for y in rng.normal(size=(15, each.dimension)) * 3.0:
            p = y.copy()
            each.project(p)
            assert distance(each, y) == pytest.approx(np.linalg.norm(y - p), abs=1e-9)
            assert distance(each, p) == pytest.approx(0.0, abs=1e-7)


def test_the_centre_of_spanning_trees_is_their_mean():
    for each in GraphicMatroid.examples():
        assert each.centre() == pytest.approx(each.plan().vertices.mean(axis=0), abs=1e-12)


def test_the_centre_of_paths_is_their_mean():
    for each in (*Paths.examples(), set_named("paths(3,3)")):
        assert each.centre() == pytest.approx(each.plan().vertices.mean(axis=0), abs=1e-12)


def test_the_centre_of_a_base_polytope_is_the_mean_over_all_orders():
    for each in BasePolytope.examples():
        rows = [
            least(each, np.argsort(order)) for order in itertools.permutations(range(each.items))
        ]
        assert each.centre() == pytest.approx(np.mean(rows, axis=0), abs=1e-12)


def test_the_outer_radius_of_a_large_base_polytope_is_never_too_small():
    each = BasePolytope.of(
        9, lambda items: math.sqrt(len(items)) + (2.0 if items & {0, 3, 7} else 0.0)
    )
    farthest = np.linalg.norm(each.plan().vertices - each.centre(), axis=1).max()
    assert farthest <= each.outer <= 2.0 * farthest
    for direction in np.random.default_rng(10).normal(size=(50, 9)):
        each.tangent(direction)
        beside = each.centre() + each.inner * direction / np.linalg.norm(direction)
        assert each.contains(beside, 1e-9), "a ball of the inner radius has room"
