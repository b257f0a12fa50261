"""Learners on functions agree with slow implementations and stay in their set."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.learners import (
    Centre,
    CentredProjectionFree,
    DikinLeader,
    Fkm,
    ProjectionFree,
    TwoPoint,
    TwoPointLeader,
)
from discreet.learners.functions.dikin import BallBarrier, CubeBarrier, barrier_of, solve_balance
from discreet.learners.functions.exploring import draw_direction
from discreet.sets import Box, L1Ball, L2Ball

BALL, CUBE = L2Ball(4, 1.0), Box.cube(4, -1.0, 1.0)
BARRIERS = {"ball": BallBarrier(1.5), "cube": CubeBarrier(1.5, 4)}


def drawn(rng, size=4):
    """A uniform direction, drawn as learners do."""
    gauss = np.array([rng.standard_normal() for _ in range(size)])
    return gauss / np.linalg.norm(gauss)


def projected(domain, point):
    found = point.copy()
    domain.project(found)
    return found


@pytest.mark.parametrize("domain", [BALL, CUBE], ids=["ball", "cube"])
@pytest.mark.parametrize("curvature", [0.0, 0.3])
@pytest.mark.parametrize("centred", [False, True])
def test_fkm_agrees_with_a_slow_implementation(domain, curvature, centred):
    """y ← projection onto (1 - ζ) K of y - η g, g = (d / ζ) (v - baseline) u, all from scratch."""
    radius, damping = 0.25, 100.0
    learner = Fkm.start(
        set=domain, inner=1.0, radius=radius, damping=damping, curvature=curvature, centred=centred
    )
    rng, slow, releases = (
        np.random.default_rng(1),
        np.random.default_rng(1),
        np.random.default_rng(2).normal(0.5, 3.0, 200),
    )
    y = np.zeros(4)
    for t, released in enumerate(releases):
        action, trace = learner.act(0, rng)
        u = drawn(slow)
        np.testing.assert_allclose(action, y + radius * u, atol=1e-9)
        baseline = np.clip(releases[:t].mean(), 0.0, 1.0) if centred and t else 0.5
        gradient = 4 / radius * (released - baseline) * u
        y = (1 - radius) * projected(
            domain, (y - gradient / (damping + curvature * (t + 1))) / (1 - radius)
        )
        learner.learn(trace, released)
        assert domain.contains(action, 1e-9)


@pytest.mark.parametrize("lazy", [False, True])
def test_two_points_agree_with_a_slow_implementation(lazy):
    radius, slope = 0.01, 0.7
    learner = TwoPoint.start(
        set=BALL, inner=1.0, radius=radius, slope=slope, damping=30.0, lazy=lazy
    )
    rng, slow, releases = (
        np.random.default_rng(1),
        np.random.default_rng(1),
        np.random.default_rng(2).normal(0.5, 3.0, 200),
    )
    y, walked = np.zeros(4), np.zeros(4)
    for released in releases:
        action, trace = learner.act(0, rng)
        u = drawn(slow)
        np.testing.assert_allclose(action, [y + radius * u, y - radius * u], atol=1e-9)
        difference = (2.0 * released - 1.0) * 2.0 * radius * slope
        walked = (walked if lazy else y) - 4 / (2 * radius) * difference * u / 30.0
        y = (1 - radius) * projected(BALL, walked / (1 - radius))
        learner.learn(trace, released)


def test_lazy_steps_are_for_no_curvature():
    with pytest.raises(
        DiscreetError, match=r"lazy is given with curvature 0\.5, but lazy steps need curvature 0"
    ):
        TwoPoint.start(
            set=BALL, inner=1.0, radius=0.1, slope=1.0, damping=0.0, curvature=0.5, lazy=True
        )


@pytest.mark.parametrize("domain", [BALL, CUBE, L1Ball(4, 1.0)], ids=["ball", "cube", "cross"])
def test_the_leader_without_projections_is_near_the_projection(domain):
    """Within the tolerance that the gap proves, for sums near and far, one after the other."""
    learner = ProjectionFree.start(
        set=domain, inner=0.5, radius=0.25, learning_rate=0.1, tolerance=0.01
    )
    rng = np.random.default_rng(3)
    for size in (0.01, 0.1, 1.0, 10.0, 0.5):
        _, trace = learner.act(0, rng)
        assert learner.query(trace) is trace
        released = rng.normal(0.0, size, 4)
        learner.learn(trace, released)
        exact = projected(domain, -0.5 * 0.1 * 4 / 0.25 * released)
        assert np.linalg.norm(learner.point - exact) <= 0.01
        assert domain.contains(learner.point, 1e-12)


def test_a_baseline_is_the_mean_of_all_losses_before_the_release():
    """Without noise, the leader is that on losses less their mean, whatever their level is."""
    learner = CentredProjectionFree.around(
        ProjectionFree.start(set=CUBE, inner=1.0, radius=0.25, learning_rate=0.02, tolerance=1e-4)
    )
    rng, losses, directions = (
        np.random.default_rng(1),
        np.random.default_rng(2).uniform(0.2, 0.3, 40),
        [],
    )
    total = np.zeros(5)
    for t, loss in enumerate(losses):
        _, asked = learner.act(0, rng)
        assert np.linalg.norm(asked) == pytest.approx(1.0)
        directions.append(learner.heading.copy())
        total += (loss - 0.5) * asked
        if t % 10 == 9:
            learner.learn(asked, total)
            centred = (losses[: t + 1] - losses[: t + 1].mean()) @ np.array(directions)
            np.testing.assert_allclose(
                learner.point, projected(CUBE, -0.5 * 0.02 * 16.0 * centred), atol=1e-3
            )


def test_frank_wolfe_stops_after_its_last_step():
    learner = ProjectionFree.start(
        set=CUBE, inner=1.0, radius=0.2, learning_rate=1.0, tolerance=1e-9, most=7
    )
    learner.learn(np.zeros(4), np.array([0.01, 0.02, -0.03, 0.015]))
    assert learner.oracle_calls == 7


def test_the_leader_of_two_points_is_the_projection():
    learner = TwoPointLeader.start(set=BALL, inner=1.0, radius=0.01, slope=0.5, learning_rate=0.1)
    released = np.array([1.0, -2.0, 0.5, 0.0])
    learner.learn(np.zeros(4), released)
    np.testing.assert_allclose(learner.point, projected(BALL, -0.5 * 0.1 * 4.0 * released))


@pytest.mark.parametrize("kind", BARRIERS)
@pytest.mark.parametrize("ridge", [0.0, 1e-3, 2.0, 1e4])
def test_the_leader_in_a_barrier_has_no_slope(kind, ridge):
    """The gradient of rate ⟨S, x⟩ + ridge |x|² / 2 + B(x) vanishes, near centre and border."""
    barrier, rng = BARRIERS[kind], np.random.default_rng(2)
    for size in (1e-6, 1e-2, 1.0, 1e3):
        sums, point = rng.normal(0.0, size, 4), np.empty(4)
        barrier.lead(sums, 0.7, ridge, point)
        room = 1.5**2 - (point @ point if kind == "ball" else point**2)
        slope = 0.7 * sums + ridge * point + 2.0 * point / room
        assert np.abs(slope).max() <= 1e-6 * (1.0 + 0.7 * np.abs(sums).max())


def hessian(kind, point, ridge):
    if kind == "ball":
        room = 1.5**2 - point @ point
        return (2.0 / room + ridge) * np.eye(4) + 4.0 / room**2 * np.outer(point, point)
    return np.diag(1.0 / (1.5 - point) ** 2 + 1.0 / (1.5 + point) ** 2 + ridge)


@pytest.mark.parametrize("kind", BARRIERS)
@pytest.mark.parametrize("ridge", [0.0, 3.0])
def test_steps_are_roots_of_the_hessian_and_stay_inside(kind, ridge):
    barrier, rng = BARRIERS[kind], np.random.default_rng(6)
    for near in (0.0, 0.3, 0.9, 1.0 - 1e-6):
        point = near * 1.5 * (drawn(rng) if kind == "ball" else rng.uniform(-1.0, 1.0, 4))
        step, slope, u = np.empty(4), np.empty(4), drawn(rng)
        barrier.stretch_by(point, ridge, u, step, slope)
        matrix = hessian(kind, point, ridge)
        assert step @ matrix @ step == pytest.approx(1.0, rel=1e-6)
        np.testing.assert_allclose(matrix @ step, slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())
        inside = (
            np.linalg.norm(point + 0.999999 * step)
            if kind == "ball"
            else np.abs(point + 0.999999 * step).max()
        )
        assert inside <= 1.5


def test_balance_is_solved_to_the_last_digits():
    for force in (0.0, 1e-9, 0.1, 10.0, 1e6):
        for ridge in (0.0, 1e-6, 1.0, 1e6):
            m = solve_balance(force, ridge, 2.0)
            assert ridge * m + 2.0 * m / (4.0 - m * m) == pytest.approx(force, rel=1e-6, abs=1e-12)


def test_dikin_leaders_agree_with_a_slow_implementation():
    """Hazan & Levy: the leader by a solver, the estimate by a matrix root, all from scratch."""
    from scipy.optimize import minimize

    rate, curvature = 0.02, 0.8
    learner = DikinLeader.start(
        barrier=BallBarrier(1.5), dimension=4, learning_rate=rate, curvature=curvature
    )
    rng, slow, releases = (
        np.random.default_rng(1),
        np.random.default_rng(1),
        np.random.default_rng(2).uniform(-1, 2, 12),
    )
    estimates, leaders = [], []
    for t, released in enumerate(releases):

        def objective(x):
            past = sum(
                g @ x + curvature / 2 * (x - y) @ (x - y)
                for g, y in zip(estimates, leaders, strict=True)
            )
            return rate * past - math.log(max(1.5**2 - x @ x, 1e-300))

        leader = minimize(
            objective, leaders[-1] if leaders else np.zeros(4), method="Nelder-Mead", tol=1e-13
        ).x
        action, trace = learner.act(0, rng)
        np.testing.assert_allclose(trace.origin, leader, atol=1e-4)
        leader = trace.origin.copy()
        values, vectors = np.linalg.eigh(hessian("ball", leader, rate * curvature * (t + 1)))
        root = vectors @ np.diag(np.sqrt(values)) @ vectors.T
        u = drawn(slow)
        np.testing.assert_allclose(action, leader + np.linalg.solve(root, u), atol=1e-5)
        estimates.append(4 * (released - 0.5) * root @ u)
        leaders.append(leader)
        learner.learn(trace, released)


def test_estimates_are_gradients_on_average():
    """Means of 60,000 one-value estimates: five standard errors are below 0.01; fixed seed."""
    rng, u, slope = np.random.default_rng(5), np.empty(3), np.array([0.3, -0.2, 0.1])
    total = np.zeros(3)
    for _ in range(60_000):
        draw_direction(u, rng)
        total += 3.0 / 0.2 * (0.5 + slope @ (0.2 * u) - 0.5) * u
    assert np.abs(total / 60_000 - slope).max() < 0.01


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: Fkm.start(set=BALL, inner=1.0, radius=1.0, damping=1.0),
            "radius is 1, but must be below the inner",
        ),
        (
            lambda: Fkm.start(set=BALL, inner=0.0, radius=0.1, damping=1.0),
            "inner is 0.0, but must be",
        ),
        (
            lambda: Fkm.start(set=BALL, inner=1.0, radius=0.1, damping=0.0),
            "damping is 0.0, but must be a finite number abo",
        ),
        (
            lambda: TwoPoint.start(set=BALL, inner=1.0, radius=0.1, slope=0.0, damping=1.0),
            "slope is 0.0, but must be",
        ),
        (
            lambda: barrier_of(L1Ball(3, 1.0)),
            "a barrier is known only for balls and for cubes around the origin",
        ),
        (lambda: barrier_of(Box.cube(3, 0.0, 1.0)), "known only for balls and for cubes"),
        (lambda: Centre.start(set=BALL, points=3), "points is 3, which is too large"),
    ],
)
def test_bad_parameters_are_refused(make, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        make()
