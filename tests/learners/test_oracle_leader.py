"""The leader on vertices: its estimates are right on average, and not longer than it says."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.learners import OracleLeader
from discreet.learners.functions.oracle_leader import centred_estimators
from discreet.sets import set_named


@pytest.mark.parametrize(
    "name", ["k-sets(6,2)", "paths(2,3)", "cube(3)", "permutations(4)", "assignments(3)"]
)
def test_estimates_are_on_average_the_slope_along_the_hull(name):
    """An exact mean over the plan, with a constant in the function, which must not matter."""
    around = set_named(name)
    plan, slope = around.plan(), np.random.default_rng(1).normal(size=around.dimension)
    values = 7.0 + plan.vertices @ slope
    estimate = plan.weights @ (centred_estimators(plan) * values[:, None])
    around.tangent(slope)
    np.testing.assert_allclose(estimate, slope, atol=1e-9)


def test_what_is_asked_for_is_at_most_one_long_and_nothing_unless_it_explores():
    learner, rng = (
        OracleLeader.start(set=set_named("k-sets(10,3)"), exploration=0.3, spread=1.0),
        np.random.default_rng(1),
    )
    lengths = np.array([np.linalg.norm(learner.query(learner.act(0, rng)[1])) for _ in range(3000)])
    assert lengths.max() == pytest.approx(1.0)
    assert set(lengths.round(9)) == {0.0, 1.0}, "all sets of k are alike"
    assert (lengths > 0.0).mean() == pytest.approx(0.3, abs=0.035)  # 4 deviations of 0.0084
    assert learner.scale == pytest.approx(np.sqrt(2.1) / (7.0 / 30.0) / 0.3)


def test_the_leader_follows_the_sums():
    learner = OracleLeader.start(set=set_named("k-sets(4,2)"), exploration=1e-9, spread=0.0)
    learner.learn(np.zeros(4), np.array([0.3, -0.2, 0.1, -0.5]))
    assert learner.act(0, np.random.default_rng(1))[0].tolist() == [0.0, 1.0, 0.0, 1.0]
