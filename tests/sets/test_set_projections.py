"""Convex sets: nearest points, against their definition and exact arithmetic."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from convex_examples import EXAMPLES, directions, every, least, members, nearest
from hypothesis import given
from hypothesis import strategies as some

import componentjit
from discreet.sets import Box, L1Ball, L2Ball, Polytope, Simplex, simplex


@every
def test_projections_meet_the_variational_inequality(each):
    """Point p of the set is nearest to y if and only if <y - p, z - p> ≤ 0 for all z of the set."""
    rng = np.random.default_rng(1)
    inside = members(each, 10, rng)
    for y in np.vstack([directions(each.dimension, 15, rng), inside[:3] * 1.001]):
        p = nearest(each, y)
        assert each.contains(p, 1e-12)
        assert np.max((inside - p) @ (y - p)) <= 1e-11 * (1.0 + np.linalg.norm(y - p))
        assert np.allclose(nearest(each, p), p, rtol=0.0, atol=1e-14 * (1.0 + np.abs(p).max())), (
            "again changes nothing"
        )


@every
def test_points_of_the_set_stay(each):
    for point in members(each, 10, np.random.default_rng(2)):
        assert np.allclose(nearest(each, point), point, rtol=0.0, atol=1e-13)


@every
def test_projections_bring_no_two_points_apart(each):
    rng = np.random.default_rng(3)
    for one in directions(each.dimension, 10, rng):
        other = one + rng.normal(size=each.dimension) * 10.0 ** rng.uniform(-6, 1)
        moved = np.linalg.norm(nearest(each, one) - nearest(each, other))
        assert moved <= np.linalg.norm(one - other) * (1.0 + 1e-9) + 1e-12


@every
def test_nothing_that_is_offered_leads_outside_of_the_set(each):
    values = [math.nan, math.inf, -math.inf, 1e300, -1e12, 0.0]
    for pattern in itertools.product(values, repeat=min(each.dimension, 2)):
        offered = np.resize(np.array(pattern), each.dimension)
        assert each.contains(nearest(each, offered), 1e-9)
        assert each.contains(least(each, offered), 1e-9)


@pytest.mark.parametrize(
    ("each", "offered", "expected"),
    [
        (Simplex(3), [math.nan, 0.2, 0.4], [0.0, 0.4, 0.6]),
        (Simplex(3), [math.inf, 1e300, math.inf], [0.5, 0.0, 0.5]),
        (Simplex(2), [math.nan, -math.inf], [0.5, 0.5]),
        (L1Ball(3, 1.0), [math.nan, 0.5, -0.5], [0.0, 0.5, -0.5]),
        (L1Ball(3, 1.0), [-math.inf, 5.0, math.inf], [-0.5, 0.0, 0.5]),
        (L2Ball(2, 1.0), [math.nan, 0.5], [0.0, 0.5]),
        (L2Ball(2, 5.0), [3e200, -4e200], [3.0, -4.0]),
        (L2Ball(2, 1.0), [-math.inf, 5.0], [-1.0, 0.0]),
        (Box([0.0, 0.0], [1.0, 1.0]), [math.nan, math.inf], [0.0, 1.0]),
        (EXAMPLES[Polytope][1], [math.nan, 5.0], [0.0, 1.0]),
        (EXAMPLES[Polytope][1], [7.0, math.inf], [0.0, 1.0]),
    ],
)
def test_what_is_not_a_number_has_a_place(each, offered, expected):
    assert nearest(each, offered) == pytest.approx(expected, abs=1e-12)


def exact_simplex_projection(values, mass):
    """Compute the projection onto {x ≥ 0, sum x = mass} in fractions, by sorting."""
    exact = [Fraction(v) for v in values]
    total, level = Fraction(0), Fraction(0)
    for count, value in enumerate(sorted(exact, reverse=True), start=1):
        total += value
        if value > (total - Fraction(mass)) / count:
            level = (total - Fraction(mass)) / count
    return [float(max(value - level, Fraction(0))) for value in exact]


awkward = some.one_of(
    some.floats(-2.0, 2.0),
    some.floats(-1e12, 1e12),
    some.sampled_from(
        [1e12, 1e12 + 0.25, 1e12 - 1e-4, 1e-12, -1e-12, 1.0, 1.0 + 1e-12, 0.0, -1e300, 1e300]
    ),
)


@pytest.mark.slow
@given(some.lists(awkward, min_size=1, max_size=12), some.sampled_from([1e-6, 1.0, 1e6]))
def test_simplex_and_1_ball_agree_with_exact_arithmetic(values, radius):
    expected = exact_simplex_projection(values, 1.0)
    assert nearest(Simplex(len(values)), values) == pytest.approx(
        expected, abs=4e-16 * len(values), rel=0.0
    )
    sizes = [abs(value) for value in values]
    inside = sum(map(Fraction, sizes)) <= Fraction(radius)
    expected = np.copysign(sizes if inside else exact_simplex_projection(sizes, radius), values)
    found = nearest(L1Ball(len(values), radius), values)
    assert found == pytest.approx(expected, abs=4e-16 * len(values) * radius, rel=0.0)


def project_each(convex_set, points):
    for row in range(points.shape[0]):
        convex_set.project(points[row])


@pytest.mark.slow
@pytest.mark.parametrize("spread", [1e-12, 1e-5, 1.0, 1e5, 1e12])
def test_large_simplices_are_projected_onto_precisely(spread):
    size, rng = 100_000, np.random.default_rng(4)
    points = (
        np.vstack(
            [rng.normal(size=size), rng.pareto(0.5, size=size), 2.0 ** -rng.uniform(0, 60, size)]
        )
        * spread
    )
    points = np.vstack(
        [points, np.append(np.full(size - 1, -1.0 + 1e-6), 0.0) * spread, points[0] + 1e12]
    )
    found = points.copy()
    componentjit.compile_for(project_each, Simplex(size))(Simplex(size), found)
    for before, after in zip(points, found, strict=True):
        heights = -np.sort(before.max() - before)
        sums = np.cumsum(heights.astype(np.longdouble))
        counts = np.arange(1, size + 1)
        last = np.flatnonzero(heights * counts > sums - 1.0)[-1]
        level = float((sums[last] - 1.0) / counts[last])
        assert np.allclose(
            after, np.maximum(before - before.max() - level, 0.0), rtol=0.0, atol=1e-15
        )
        assert abs(math.fsum(after) - 1.0) < 1e-11
        assert Simplex(size).contains(after, 1e-10)


@pytest.mark.parametrize("size", [10, 1000, 20_000])
def test_few_passes_are_enough(size, monkeypatch):
    """Also for points from which Michelot's method removes few entries at a time."""
    heights, original = [], simplex.height
    monkeypatch.setattr(
        simplex, "height", lambda *arguments: heights.append(1) or original(*arguments)
    )
    ranks, rng = np.arange(1.0, size + 1), np.random.default_rng(6)
    hard = [
        -1.0 / ranks,
        -(2.0 ** -(ranks % 40)),
        -(size ** -(ranks % 9)),
        1.5 ** (ranks % 900),
        rng.pareto(0.2, size),
    ]
    for point in hard:
        heights.clear()
        Simplex(size).project(point)
        assert len(heights) / size <= 2.0 * math.log2(size) + 3.0


WEDGE = Polytope([[1e-3, 1.0], [1e-3, -1.0], [-1.0, 0.0]], [0.0, 0.0, 1.0])


@given(some.floats(-0.9, 0.9), some.floats(0.0, 1e6), some.floats(0.0, 1e6))
def test_polytopes_are_projected_onto_from_afar(along, up, right):
    """Even where the nearest point, the tip of a wedge, is much farther than any constraint."""
    point = np.array([right, along * up])
    found = nearest(WEDGE, point)
    corners = np.array([[0.0, 0.0], [-1.0, 1e-3], [-1.0, -1e-3]])
    assert WEDGE.contains(found, 1e-14)
    distance = 1.0 + np.linalg.norm(point - found)
    assert np.max((corners - found) @ (point - found)) / distance <= 1e-12 * distance, (
        "the tip is 1000 times as sharp"
    )
