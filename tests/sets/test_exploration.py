"""Plans: vertices that are hard to find, different weights, and copies used in parallel."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import componentjit
from discreet.sets import ExplorationPlan, set_named
from discreet.sets.vertices import hull_normals, plan_by_oracle, span_rank


def test_exploring_goes_on_as_long_as_something_new_is_found():
    asked = []

    def reluctant(direction, point):
        asked.append(direction)
        point[:] = np.eye(3)[min(len(asked) // 20, 2)]

    plan = plan_by_oracle(reluctant, 3)
    assert span_rank(plan.vertices) == 3
    assert len(plan.vertices) == 3


@pytest.mark.parametrize("weights", [[0.2, 0.3, 0.5], [0.01, 0.01, 0.98]])
def test_estimates_are_right_on_average_whatever_the_weights(weights):
    plan = ExplorationPlan(
        np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]), np.array(weights)
    )
    losses = np.array([0.3, -1.0, 2.0])
    assert plan.weights * (plan.vertices @ losses) @ plan.estimators() == pytest.approx(losses)
    assert plan.longest() == pytest.approx(
        np.linalg.norm(plan.vertices @ np.linalg.inv(plan.moments()), axis=1).max()
    )


def test_normals_of_a_hull_are_orthonormal_and_orthogonal_to_it():
    points = np.random.default_rng(1).normal(size=(3, 6))
    normals = hull_normals(points)
    assert normals @ normals.T == pytest.approx(np.eye(4), abs=1e-12)
    assert normals @ (points[1:] - points[0]).T == pytest.approx(0.0, abs=1e-12)


def ask_often(points, offered, found):
    for row in range(offered.shape[0]):
        points.minimise_linear(offered[row], found[row])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["k-sets(30,11)", "spanning-trees(9)", "paths(4,4)"])
def test_copies_work_in_two_threads_at_once(text):
    each = set_named(text)
    offered = np.random.default_rng(2).normal(size=(2, 20_000, each.dimension))
    run = componentjit.compile_for(ask_often, each)
    expected, found = np.empty_like(offered), np.empty_like(offered)
    for part in (0, 1):
        run(each, offered[part], expected[part])
    with ThreadPoolExecutor(2) as pool:  # compiled code does not hold the lock of the interpreter
        list(
            pool.map(lambda part: run(componentjit.copy(each), offered[part], found[part]), (0, 1))
        )
    assert np.array_equal(found, expected)
