"""The leader that spares its oracle: as near to the leader as is promised, with few calls."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.mirror_maps import FrankWolfe
from discreet.sets import set_named


class Leading:
    """A mirror map, its set, and the point that it moves."""

    def __init__(self, kind, around, tolerance=1e-3):
        self.map, self.set, self.tolerance = kind.start(around), around, tolerance
        self.anchor, self.point = around.centre(), around.centre()

    def lead(self, sums):
        self.map.lead(self.set, self.anchor, sums, self.point, self.tolerance)

    def leader(self, sums):
        exact = self.anchor - 0.5 * sums
        self.set.project(exact)
        return exact


@pytest.mark.parametrize("name", ["ball(2)", "cube(3)", "simplex(4)", "k-sets(6,2)"])
@pytest.mark.parametrize("size", [0.1, 1.0, 30.0])
def test_it_is_within_its_tolerance_of_the_projection(name, size):
    """Sum after sum, as in a game: points are kept, dropped and, where there is no room, joined."""
    around, rng = set_named(name), np.random.default_rng(3)
    leading = Leading(Corrective, around)
    found = leading.map
    for _ in range(12):
        sums = size * rng.normal(size=around.dimension)
        leading.lead(sums)
        assert np.linalg.norm(leading.point - leading.leader(sums)) <= 1.0001 * leading.tolerance
        assert around.contains(leading.point, 1e-12)
        used = found.rows[0]
        assert 1 <= used <= found.portions.size
        assert found.portions[:used].sum() == pytest.approx(1.0, abs=1e-12)
        assert found.portions[:used].min() >= 0.0
        rows = found.mixed[:used]
        np.testing.assert_allclose(found.products[:used, :used], rows @ rows.T, atol=1e-12)


def test_points_are_joined_where_there_is_no_more_room():
    """With room for four points, a leader that walks around in a disc needs more."""
    around, joined = set_named("ball(2)"), []

    class Watched(Corrective):
        def make_room(self):
            full = self.rows[0] == self.portions.size and self.portions.min() > 0.0
            joined.append(bool(full))
            Corrective.make_room(self)

    leading = Leading(Watched, around, tolerance=1e-5)
    leading.map = leading.map._replace(
        **{name: getattr(leading.map, name)[:4].copy() for name in ("mixed", "portions", "falls")},
        products=leading.map.products[:4, :4].copy(),
    )
    for angle in np.linspace(0.0, 6.0, 40):
        sums = 1.5 * np.array([np.cos(angle), np.sin(angle)])
        leading.lead(sums)
        np.testing.assert_allclose(leading.point, -0.5 * sums, atol=2e-5)
    assert any(joined)


def test_sets_of_matrices():
    around, rng = set_named("nuclear(2,3)"), np.random.default_rng(3)
    leading = Leading(Corrective, around, tolerance=1e-2)
    for _ in range(6):
        sums = rng.normal(size=6)
        leading.lead(sums)
        assert np.linalg.norm(leading.point - leading.leader(sums)) <= 1.0001e-2
    assert leading.map.oracle_calls < 1000


def test_it_takes_fewer_calls_than_plain_steps_on_a_face():
    around, rng = set_named("assignments(5)"), np.random.default_rng(1)
    one, other = (Leading(kind, around, tolerance=0.05) for kind in (Corrective, FrankWolfe))
    for _ in range(3):
        sums = rng.normal(size=25)
        one.lead(sums)
        other.lead(sums)
        assert np.linalg.norm(one.point - other.point) <= 0.1
    assert 10 * one.map.oracle_calls < other.map.oracle_calls


@pytest.mark.parametrize("bad", [np.nan, 1e300])
def test_a_bad_release_leaves_a_point_of_the_set(bad):
    around = set_named("assignments(3)")
    leading = Leading(Corrective, around)
    leading.lead(np.full(9, bad))
    leading.lead(np.zeros(9))
    assert around.contains(leading.point, 1e-9)
