"""Prices, routes, slates, rankings and matrices are dealt as they are defined."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from test_function_environments import DOMAINS, world_of

from discreet.environments import environment
from discreet.problems import Functions
from discreet.problems.function_games import measure


def test_the_best_price_is_that_of_a_fine_grid_and_drifts():
    world = world_of("pricing", "cube(1)", rounds=4000)
    game = world.deal(0, 4000, np.random.default_rng(1))
    grid = np.linspace(-1.0, 1.0, 2001)
    losses = game.losses[:, :1] + game.losses[:, 1:2] * (grid - game.losses[:, 2:]) ** 2
    assert world.best(game.totals([0])[0]) == pytest.approx(losses.sum(axis=0).min(), rel=1e-5)
    early, late = (
        0.5 + 0.5 * grid[losses[part].sum(axis=0).argmin()]
        for part in (slice(1000), slice(3000, None))
    )
    assert early - late == pytest.approx(0.15, abs=0.02)
    steady = world_of("pricing", "cube(1)", rounds=4000, drift=0.0).deal(
        0, 4000, np.random.default_rng(1)
    )
    assert np.abs(0.5 + 0.5 * steady.losses[:, 2] - 0.9).max() <= 0.1


def test_prices_lose_what_the_demand_says():
    game = world_of("pricing", "cube(1)").deal(0, 50, np.random.default_rng(1))
    for t in range(50):
        best = 0.5 + 0.5 * game.losses[t, 2]
        demand = game.losses[t, 1] * 4.0 * best
        for price in (0.0, 0.3, 1.0):
            share = demand * (1.0 - price / (2.0 * best))
            assert 0.0 <= share <= 1.0
            assert game.loss(t, np.array([2.0 * price - 1.0])) == pytest.approx(
                1.0 - 2.0 * price * share
            )


@pytest.mark.parametrize(
    ("name", "domain"), [("routing", "paths(3,3)"), ("slates", "k-sets(10,3)")]
)
def test_one_choice_is_better_by_the_gap(name, domain):
    """20,000 rounds, fixed seeds; on fresh ones 5 standard errors are exceeded once in 10^6."""
    world = world_of(name, domain, gap=0.4)
    game = world.deal(0, 20_000, np.random.default_rng(1))
    means = game.losses[:, 2:].mean(axis=0) * world.problem.place.set.centre().sum()
    good = means < 0.5
    assert good.sum() == world.problem.place.set.centre().sum().round()
    assert world.problem.place.set.contains(good.astype(float), 1e-9)
    np.testing.assert_allclose(means, np.where(good, 0.3, 0.7), atol=5 * 0.5 / np.sqrt(20_000))
    assert np.isclose(world.best(game.totals([0])[0]) / 20_000, 0.3, atol=0.01)


def test_what_is_good_differs_from_game_to_game():
    for name in ("routing", "slates", "ranking", "completion"):
        world = world_of(name, DOMAINS[name][0])
        games = [world.deal(0, 400, np.random.default_rng(seed)) for seed in range(5)]
        best = {
            tuple(game.minimiser(game.totals([0])[0], world.problem.place).round(1))
            for game in games
        }
        assert len(best) >= 4


@pytest.mark.parametrize("domain", ["permutations(4)", "assignments(4)"])
def test_a_ranking_costs_how_far_down_the_wanted_item_stands(domain):
    game = world_of("ranking", domain).deal(0, 100, np.random.default_rng(1))
    for order in itertools.permutations(range(4)):  # the place of each item
        point = (
            np.array(order) + 1.0 if domain.startswith("perm") else np.eye(4)[list(order)].ravel()
        )
        losses = np.array([game.loss(t, point) for t in range(100)])
        wanted = [
            int(np.argmax(row[2:])) // (1 if domain.startswith("perm") else 4)
            for row in game.losses
        ]
        np.testing.assert_allclose(losses, [order[item] / 3.0 for item in wanted], atol=1e-12)


def test_popular_items_are_wanted_more_often():
    """20,000 rounds, fixed seed; on fresh seeds 5 standard errors are exceeded once in 10^6."""
    game = world_of("ranking", "permutations(4)", skew=1.0).deal(
        0, 20_000, np.random.default_rng(1)
    )
    shares = np.sort((game.losses[:, 2:] > 0.0).mean(axis=0))[::-1]
    np.testing.assert_allclose(shares, np.array([12, 6, 4, 3]) / 25, atol=5 * 0.5 / np.sqrt(20_000))


def test_steep_costs_are_flattened_to_what_is_declared():
    world = environment("routing", Functions("paths(3,3)", lipschitz=0.1))
    game = world.deal(0, 200, np.random.default_rng(1))
    steep = world_of("routing", "paths(3,3)").deal(0, 200, np.random.default_rng(1))
    path = world.problem.place.best_against(np.zeros(24))
    share = 0.1 / (np.sqrt(24) / 8)
    for t in range(50):
        assert game.loss(t, path) - 0.5 == pytest.approx(share * (steep.loss(t, path) - 0.5))


@pytest.mark.parametrize("domain", ["permutations(4)", "assignments(4)"])
def test_rankings_are_as_steep_as_is_declared_and_no_steeper(domain):
    world = environment("ranking", Functions(domain, lipschitz=0.1))
    game, place = world.deal(0, 20, np.random.default_rng(1)), world.problem.place
    extent = np.empty((20, 5))
    measure(game, place.set, place.outer, place.set.centre(), math.inf, -math.inf, extent)
    assert extent[:, 2] == pytest.approx(0.1)


def test_the_hidden_matrix_is_the_best_one_and_has_rank_1():
    world = world_of("completion", "nuclear(3,4)")
    game = world.deal(0, 40_000, np.random.default_rng(1))
    found = game.minimiser(game.totals([0])[0], world.problem.place).reshape(3, 4)
    values = np.linalg.svd(found, compute_uv=False)
    assert values.sum() <= 1.0 + 1e-9
    assert values[0] > 0.95
    np.testing.assert_allclose(np.abs(found), 12**-0.5, atol=0.05)
