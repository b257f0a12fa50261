"""The leader that spares its oracle: as near to the leader as is promised, with few calls."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.learners import Corrective, ProjectionFree
from discreet.sets import set_named


def started(kind, around, tolerance=1e-3):
    return kind.start(
        set=around,
        inner=around.inner,
        radius=0.1 * around.inner,
        learning_rate=1.0,
        tolerance=tolerance,
    )


def released(learner, sums):
    """Return what to release so that the learner has these sums."""
    return sums / (learner.learning_rate * learner.factor)


@pytest.mark.parametrize("name", ["ball(2)", "cube(3)", "simplex(4)", "k-sets(6,2)"])
@pytest.mark.parametrize("size", [0.1, 1.0, 30.0])
def test_it_is_within_its_tolerance_of_the_projection(name, size):
    """Sum after sum, as in a game: points are kept, dropped and, where there is no room, joined."""
    around, rng = set_named(name), np.random.default_rng(3)
    learner = started(Corrective, around)
    for _ in range(12):
        sums = size * rng.normal(size=around.dimension)
        learner.learn(learner.heading, released(learner, sums))
        leader = learner.anchor - 0.5 * sums
        around.project(leader)
        assert np.linalg.norm(learner.point - leader) <= 1.0001 * learner.tolerance
        assert around.contains(learner.point, 1e-12)
        used = learner.rows[0]
        assert 1 <= used <= learner.portions.size
        assert learner.portions[:used].sum() == pytest.approx(1.0, abs=1e-12)
        assert learner.portions[:used].min() >= 0.0
        rows = learner.mixed[:used]
        np.testing.assert_allclose(learner.products[:used, :used], rows @ rows.T, atol=1e-12)


def test_points_are_joined_where_there_is_no_more_room():
    """With room for four points, a leader that walks around in a disc needs more."""
    around, joined = set_named("ball(2)"), []

    class Watched(Corrective):
        def make_room(self):
            full = self.rows[0] == self.portions.size and self.portions.min() > 0.0
            joined.append(bool(full))
            Corrective.make_room(self)

    learner = started(Watched, around, tolerance=1e-5)
    learner = learner._replace(
        **{name: getattr(learner, name)[:4].copy() for name in ("mixed", "portions", "falls")},
        products=learner.products[:4, :4].copy(),
    )
    for angle in np.linspace(0.0, 6.0, 40):
        sums = 1.5 * np.array([np.cos(angle), np.sin(angle)])
        learner.learn(learner.heading, released(learner, sums))
        np.testing.assert_allclose(learner.point, -0.5 * sums, atol=2e-5)
    assert any(joined)


def test_sets_of_matrices():
    around, rng = set_named("nuclear(2,3)"), np.random.default_rng(3)
    learner = started(Corrective, around, tolerance=1e-2)
    for _ in range(6):
        sums = rng.normal(size=6)
        learner.learn(learner.heading, released(learner, sums))
        leader = learner.anchor - 0.5 * sums
        around.project(leader)
        assert np.linalg.norm(learner.point - leader) <= 1.0001 * learner.tolerance
    assert learner.calls[0] < 1000


def test_it_takes_fewer_calls_than_plain_steps_on_a_face():
    around, rng = set_named("assignments(5)"), np.random.default_rng(1)
    learners = [started(kind, around, tolerance=0.05) for kind in (Corrective, ProjectionFree)]
    for _ in range(3):
        sums = rng.normal(size=25)
        for learner in learners:
            learner.learn(learner.heading, released(learner, sums))
        one, other = learners
        assert np.linalg.norm(one.point - other.point) <= 2.0 * one.tolerance
    assert 10 * learners[0].calls[0] < learners[1].calls[0]


@pytest.mark.parametrize("bad", [np.nan, 1e300])
def test_a_bad_release_leaves_a_point_of_the_set(bad):
    around = set_named("assignments(3)")
    learner = started(Corrective, around)
    learner.learn(learner.heading, np.full(9, bad))
    learner.learn(learner.heading, np.zeros(9))
    assert around.contains(learner.point, 1e-9)
