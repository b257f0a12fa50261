"""Learners that see loss vectors: against slow implementations, plain and compiled."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from point_learners import Ball, Cube, laplace_cost
from scipy import optimize, special

import componentjit
from discreet import Private
from discreet.checks import check_learner
from discreet.checks.parts import same_state
from discreet.contracts import Channel
from discreet.errors import DiscreetError
from discreet.learners.points.ftal import Ftal
from discreet.learners.points.ftrl import EntropyFtrl, QuadraticFtrl
from discreet.learners.points.gradient_descent import GradientDescent
from discreet.learners.points.hedge import Hedge
from discreet.learners.points.linear_ftpl import LinearFtpl
from discreet.mechanisms import Laplace
from discreet.problems import Game
from discreet.randomness import streams
from discreet.simulation.loop import Player, play


class VectorGame(Game):
    losses: np.ndarray

    def observe(self, t):
        return 0

    def feedback(self, t, action):
        return self.losses[t]

    def loss(self, t, action):
        total = 0.0
        for i in range(action.size):
            total += self.losses[t, i] * action[i]
        return total


class RunningSum(Channel):
    noise: Laplace
    total: np.ndarray
    released: np.ndarray

    def hold(self):
        return 1

    def offer(self, feedback, query, rng):
        for i in range(self.total.size):
            self.total[i] += query * feedback[i]
            self.released[i] = self.noise.add_noise(self.total[i], rng)
        return True, self.released


def learners(size):
    """One of each kind, by name."""
    ball, cube = Ball(size), Cube(size)
    return {
        "entropy": EntropyFtrl.start(dimension=size, learning_rate=0.1),
        "hedge": Hedge.start(dimension=size, delay=3.0),
        "ball": QuadraticFtrl.start(set=ball, learning_rate=0.1),
        "cube": QuadraticFtrl.start(
            set=cube, learning_rate=0.1, centre=np.linspace(-0.5, 0.5, size)
        ),
        "ftpl": LinearFtpl.start(set=ball, spread=2.0),
        "fresh ftpl": LinearFtpl.start(set=ball, spread=2.0, fresh=True),
        "oracle": LinearFtpl.start(set=ball),
        "descent": GradientDescent.start(set=cube, learning_rate=0.1),
        "anytime descent": GradientDescent.start(
            set=cube, learning_rate=0.5, anytime=True, start=np.full(size, 0.5)
        ),
        "ftal": Ftal.start(set=ball, ridge=0.1),
        "curved ftal": Ftal.start(set=ball, ridge=0.1, curvature=0.3, start=np.full(size, 0.2)),
    }


NAMES = sorted(learners(3))


def replay(learner, sums, seed=9):
    """Release the given sums; return the points played before, between and after them."""
    rng = np.random.default_rng(seed)
    points = []
    for released in sums:
        point, trace = learner.act(0, rng)
        points.append(point.copy())
        learner.learn(trace, released)
    return np.array([*points, learner.act(0, rng)[0].copy()])


def some_sums(rounds, size, scale=5.0):
    return np.cumsum(np.random.default_rng(4).normal(0.0, scale, (rounds, size)), axis=0)


# Against slow implementations


def constrained(objective, domain, start):
    """A minimiser over the ball or the cube."""
    options = {"maxiter": 1000, "ftol": 1e-18}
    inside = {"type": "ineq", "fun": lambda x: 1.0 - x @ x, "jac": lambda x: -2.0 * x}
    bounds = None if isinstance(domain, Ball) else [(-1.0, 1.0)] * domain.dimension
    rules = [inside] if isinstance(domain, Ball) else []
    return optimize.minimize(
        objective,
        start,
        jac=True,
        bounds=bounds,
        constraints=rules,
        method="SLSQP",
        options=options,
    )


@pytest.mark.parametrize("size", [2, 3, 7])
def test_entropy_minimises_its_objective(size):
    rate, sums = 0.2, some_sums(6, size)
    points = replay(EntropyFtrl.start(dimension=size, learning_rate=rate), sums)
    assert np.array_equal(points[0], np.full(size, 1.0 / size))
    for total, point in zip(sums, points[1:], strict=True):

        def objective(free, total=total):
            # any point of the simplex, without constraints
            x = special.softmax(np.append(free, 0.0))
            slope = rate * total + np.log(x) + 1.0
            return rate * total @ x + x @ np.log(x), (x * (slope - x @ slope))[:-1]

        found = optimize.minimize(
            objective, np.zeros(size - 1), jac=True, method="BFGS", options={"gtol": 1e-12}
        )
        np.testing.assert_allclose(point, special.softmax(np.append(found.x, 0.0)), atol=1e-8)


@pytest.mark.parametrize("domain", [Ball(2), Ball(5), Cube(2), Cube(5)])
@pytest.mark.parametrize("off", [0.0, 0.4])
def test_quadratic_minimises_its_objective(domain, off):
    rate, sums, centre = 0.15, some_sums(8, domain.dimension), np.full(domain.dimension, off)
    points = replay(QuadraticFtrl.start(set=domain, learning_rate=rate, centre=centre), sums)
    for total, point in zip(sums, points[1:], strict=True):

        def objective(x, total=total):
            return rate * total @ x + (x - centre) @ (x - centre), rate * total + 2.0 * (x - centre)

        found = constrained(objective, domain, np.zeros(domain.dimension))
        np.testing.assert_allclose(point, found.x, atol=1e-8)


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_ftpl_tries_all_corners(fresh, spread):
    size, sums = 4, some_sums(40, 4, 1.0)
    points = replay(LinearFtpl.start(set=Cube(size), spread=spread, fresh=fresh), sums)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=size)))
    rng = np.random.default_rng(9)
    perturbation = spread * rng.standard_normal(size)
    for t, point in enumerate(points):
        if fresh and spread and t:
            perturbation = spread * rng.standard_normal(size)
        total = (sums[t - 1] if t else 0.0) + perturbation
        if spread or t:
            assert np.array_equal(point, corners[np.argmin(corners @ total)])


def test_hedge():
    sums = some_sums(50, 5, 1.0)
    points = replay(Hedge.start(dimension=5, learning_rate=1.5, delay=2.5), sums)
    for t, point in enumerate(points, start=1):
        rate = 1.5 * math.sqrt(math.log(5) / (t + 2.5))
        np.testing.assert_allclose(
            point, special.softmax(-rate * (sums[t - 2] if t > 1 else np.zeros(5))), atol=1e-14
        )


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("domain", [Ball(4), Cube(4)])
def test_gradient_descent(domain, anytime):
    losses = np.random.default_rng(4).normal(0.0, 1.0, (60, 4))
    points = replay(
        GradientDescent.start(
            set=domain, learning_rate=0.5, anytime=anytime, start=[3.0, 0.0, 0.0, 0.0]
        ),
        np.cumsum(losses, axis=0),
    )
    x = np.array([1.0, 0.0, 0.0, 0.0])
    for t, point in enumerate(points, start=1):
        np.testing.assert_allclose(point, x, atol=1e-12)
        if t <= len(losses):
            x = x - 0.5 / (math.sqrt(t) if anytime else 1.0) * losses[t - 1]
            x = (
                x / max(1.0, np.linalg.norm(x))
                if isinstance(domain, Ball)
                else np.clip(x, -1.0, 1.0)
            )


@pytest.mark.parametrize("domain", [Ball(3), Cube(3)])
@pytest.mark.parametrize(("curvature", "ridge"), [(0.0, 0.5), (0.5, 0.0), (0.4, 0.3)])
def test_ftal_minimises_the_sum_of_its_models(domain, curvature, ridge):
    sums = some_sums(12, 3, 0.5)
    points = replay(
        Ftal.start(set=domain, curvature=curvature, ridge=ridge, start=[0.5, -0.5, 0.0]), sums
    )
    assert points[0].tolist() == [0.5, -0.5, 0.0]
    for t in range(1, len(points)):

        def objective(w, t=t):
            apart = w - points[:t]
            value = sums[t - 1] @ w + curvature / 2.0 * (apart**2).sum() + t * ridge / 2.0 * w @ w
            return value, sums[t - 1] + curvature * apart.sum(axis=0) + t * ridge * w

        np.testing.assert_allclose(
            points[t], constrained(objective, domain, np.zeros(3)).x, atol=1e-8
        )
        if ridge == 0.0:  # as it is printed
            w = points[:t].mean(axis=0) - sums[t - 1] / (t * curvature)
            domain.project(w)
            np.testing.assert_allclose(points[t], w, atol=1e-12)


def test_large_sums_do_not_overflow():
    for learner in (EntropyFtrl.start(dimension=3, learning_rate=1.0), Hedge.start(dimension=3)):
        points = replay(learner, np.array([[1e6, 2e6, 1e6], [-1e300, 1e300, 0.0]]))
        np.testing.assert_allclose(points[1:], [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])


# The contract, at both speeds


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    check_learner(learners(4)[name], releases=lambda rng: rng.normal(0.0, 30.0, 4))


@pytest.mark.parametrize("name", NAMES)
def test_points_stay_until_the_next_decision_and_sums_are_copied(name):
    learner, rng = learners(3)[name], np.random.default_rng(0)
    released = np.array([3.0, -4.0, 0.5])
    for _ in range(3):
        point, trace = learner.act(0, rng)
        kept = point.copy()
        learner.learn(trace, released)
        assert np.array_equal(point, kept)
        assert learner.query(trace) == 1.0
        released += 1.0
        assert np.array_equal(learner.sums, released - 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_both_speeds_agree_and_nothing_is_allocated(name):
    rows = np.random.default_rng(0).uniform(-1.0, 1.0, (200, 5))
    game, marks, runs = VectorGame(rows), np.array([10, 200]), []
    private = Private(RunningSum(Laplace(3.0), np.zeros(5), np.zeros(5)), learners(5)[name])
    for compiled in (True, False):
        player = Player(private, streams(1), compiled=compiled)
        runs.append((player.play(game, marks).tolist(), player.private))
        if compiled:
            assert not componentjit.compile_for(
                play, player.private, game, player._held
            ).must_allocate
    assert runs[0][0] == runs[1][0]
    assert same_state(runs[0][1], runs[1][1]) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EntropyFtrl.start(dimension=1, learning_rate=1.0), "dimension is 1"),
        (lambda: EntropyFtrl.start(dimension=2, learning_rate=0.0), "learning_rate is 0"),
        (lambda: laplace_cost(2, 0.0, 2.0), "learning_rate is 0"),
        (lambda: Hedge.start(dimension=2, delay=-1.0), "delay is -1"),
        (
            lambda: QuadraticFtrl.start(set=Ball(2), learning_rate=1.0, centre=[1.0]),
            "centre must be 2 finite numbers",
        ),
        (lambda: LinearFtpl.start(set=Ball(2), spread=math.nan), "spread is nan"),
        (
            lambda: GradientDescent.start(set=Ball(2), learning_rate=1.0, start=[1.0, math.inf]),
            "start must be 2",
        ),
        (lambda: Ftal.start(set=Ball(2), ridge=0.0), "both 0"),
    ],
)
def test_impossible_parameters_are_refused(make, message):
    with pytest.raises(DiscreetError, match=message):
        make()
