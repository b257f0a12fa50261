"""Learners that see whole loss vectors: against slow implementations, below their regret bounds, at both speeds."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, special

from discreet import Private, kernel
from discreet.checks import check_learner
from discreet.checks.failure import same_state
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
from discreet.sets import ConvexSet
from discreet.simulation.loop import Player, play


class Ball(ConvexSet):
    """The points at most 1 from the origin."""

    dimension: int

    def project(self, point):
        square = 0.0
        for i in range(point.size):
            square += point[i] * point[i]
        if square > 1.0:
            shrink = 1.0 / math.sqrt(square)
            for i in range(point.size):
                point[i] *= shrink

    def minimise_linear(self, direction, point):
        square = 0.0
        for i in range(point.size):
            square += direction[i] * direction[i]
        shrink = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        for i in range(point.size):
            point[i] = -direction[i] * shrink


class Cube(ConvexSet):
    """The points with all coordinates in [-1, 1]."""

    dimension: int

    def project(self, point):
        for i in range(point.size):
            point[i] = min(max(point[i], -1.0), 1.0)

    def minimise_linear(self, direction, point):
        for i in range(point.size):
            point[i] = -1.0 if direction[i] > 0.0 else 1.0


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


def least(domain, total):
    """The loss of the best fixed point; of the simplex if there is no set."""
    if domain is None:
        return total.min()
    return -np.linalg.norm(total) if isinstance(domain, Ball) else -np.abs(total).sum()


def radius(domain):
    return 1.0 if isinstance(domain, Ball) else math.sqrt(domain.dimension)


def learners(size):
    """One of each kind, by name."""
    ball, cube = Ball(size), Cube(size)
    return {
        "entropy": EntropyFtrl.start(dimension=size, learning_rate=0.1),
        "hedge": Hedge.start(dimension=size, delay=3.0),
        "ball": QuadraticFtrl.start(set=ball, learning_rate=0.1),
        "cube": QuadraticFtrl.start(set=cube, learning_rate=0.1, centre=np.linspace(-0.5, 0.5, size)),
        "ftpl": LinearFtpl.start(set=ball, spread=2.0),
        "fresh ftpl": LinearFtpl.start(set=ball, spread=2.0, fresh=True),
        "oracle": LinearFtpl.start(set=ball),
        "descent": GradientDescent.start(set=cube, learning_rate=0.1),
        "anytime descent": GradientDescent.start(set=cube, learning_rate=0.5, anytime=True, start=np.full(size, 0.5)),
        "ftal": Ftal.start(set=ball, ridge=0.1),
        "curved ftal": Ftal.start(set=ball, ridge=0.1, curvature=0.3, start=np.full(size, 0.2)),
    }


def laplace_cost(actions, rate, scale, draws=1):
    def moment(tilt):
        return -draws * math.log1p(-((tilt * scale) ** 2)) if tilt * scale < 1.0 else math.inf

    return EntropyFtrl.noise_cost(dimension=actions, learning_rate=rate, moment=moment, reach=1.0 / scale)


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
        objective, start, jac=True, bounds=bounds, constraints=rules, method="SLSQP", options=options
    )


@pytest.mark.parametrize("size", [2, 3, 7])
def test_entropy_minimises_its_objective(size):
    rate, sums = 0.2, some_sums(6, size)
    points = replay(EntropyFtrl.start(dimension=size, learning_rate=rate), sums)
    assert np.array_equal(points[0], np.full(size, 1.0 / size))
    for total, point in zip(sums, points[1:], strict=True):

        def objective(free, total=total):
            x = special.softmax(np.append(free, 0.0))  # any point of the simplex, without constraints
            slope = rate * total + np.log(x) + 1.0
            return rate * total @ x + x @ np.log(x), (x * (slope - x @ slope))[:-1]

        found = optimize.minimize(objective, np.zeros(size - 1), jac=True, method="BFGS", options={"gtol": 1e-12})
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
        np.testing.assert_allclose(point, special.softmax(-rate * (sums[t - 2] if t > 1 else np.zeros(5))), atol=1e-14)


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("domain", [Ball(4), Cube(4)])
def test_gradient_descent(domain, anytime):
    losses = np.random.default_rng(4).normal(0.0, 1.0, (60, 4))
    points = replay(
        GradientDescent.start(set=domain, learning_rate=0.5, anytime=anytime, start=[3.0, 0.0, 0.0, 0.0]),
        np.cumsum(losses, axis=0),
    )
    x = np.array([1.0, 0.0, 0.0, 0.0])
    for t, point in enumerate(points, start=1):
        np.testing.assert_allclose(point, x, atol=1e-12)
        if t <= len(losses):
            x = x - 0.5 / (math.sqrt(t) if anytime else 1.0) * losses[t - 1]
            x = x / max(1.0, np.linalg.norm(x)) if isinstance(domain, Ball) else np.clip(x, -1.0, 1.0)


@pytest.mark.parametrize("domain", [Ball(3), Cube(3)])
@pytest.mark.parametrize(("curvature", "ridge"), [(0.0, 0.5), (0.5, 0.0), (0.4, 0.3)])
def test_ftal_minimises_the_sum_of_its_models(domain, curvature, ridge):
    sums = some_sums(12, 3, 0.5)
    points = replay(Ftal.start(set=domain, curvature=curvature, ridge=ridge, start=[0.5, -0.5, 0.0]), sums)
    assert points[0].tolist() == [0.5, -0.5, 0.0]
    for t in range(1, len(points)):

        def objective(w, t=t):
            apart = w - points[:t]
            value = sums[t - 1] @ w + curvature / 2.0 * (apart**2).sum() + t * ridge / 2.0 * w @ w
            return value, sums[t - 1] + curvature * apart.sum(axis=0) + t * ridge * w

        np.testing.assert_allclose(points[t], constrained(objective, domain, np.zeros(3)).x, atol=1e-8)
        if ridge == 0.0:  # as it is printed
            w = points[:t].mean(axis=0) - sums[t - 1] / (t * curvature)
            domain.project(w)
            np.testing.assert_allclose(points[t], w, atol=1e-12)


def test_large_sums_do_not_overflow():
    for learner in (EntropyFtrl.start(dimension=3, learning_rate=1.0), Hedge.start(dimension=3)):
        points = replay(learner, np.array([[1e6, 2e6, 1e6], [-1e300, 1e300, 0.0]]))
        np.testing.assert_allclose(points[1:], [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])


# Regret


def loss_streams(rounds, size, norm):
    """Loss vectors in [0, 1] if norm is None, else of that L2 norm."""
    rng = np.random.default_rng(3)
    time, place = np.arange(rounds)[:, None], np.arange(size)[None, :]
    tables = {
        "alternating": (place + time) % 2.0,
        "half first": np.where(time == 0, 0.5, 1.0) * ((place + time) % 2.0),
        "stochastic": (rng.random((rounds, size)) < np.linspace(0.4, 0.6, size)).astype(float),
        "drifting": 0.5 + 0.5 * np.sin(2.0 * np.pi * (time / max(rounds, 2) + place / size)),
        "turning": np.where(time < rounds // 2, place == 0, place != 0).astype(float),
    }
    if norm is not None:
        for name, table in tables.items():
            centred = 2.0 * table - 1.0
            tables[name] = norm * centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    return tables


def reacting(learner, rounds, size, scale, *, signed):
    """Losses against the largest coordinate of the point that is about to be played."""
    shadow, rng, losses = kernel.copy(learner), np.random.default_rng(0), np.zeros((rounds, size))
    for t in range(rounds):
        point, trace = shadow.act(0, rng)
        worst = np.argmax(np.abs(point))
        losses[t, worst] = -scale if signed and point[worst] < 0.0 else scale
        shadow.learn(trace, losses.sum(axis=0))
    return losses


def regret(learner, losses, domain, noise=None, seed=0):
    """The regret of a fresh copy on given losses; ``noise`` are vectors that are added to the sums."""
    player, rng = kernel.copy(learner), np.random.default_rng(seed)
    total, suffered = np.zeros(losses.shape[1]), 0.0
    for t, row in enumerate(losses):
        point, trace = player.act(0, rng)
        suffered += row @ point
        total += row
        player.learn(trace, total if noise is None else total + noise[t])
    return suffered - least(domain, total)


SHAPES = [(1, 2), (2, 3), (30, 2), (400, 2), (300, 10), (100, 40)]


@pytest.mark.parametrize(("rounds", "size"), SHAPES)
@pytest.mark.parametrize("width", [1.0, 4.0])
def test_regret_of_exponential_weights(rounds, size, width):
    problem = {"dimension": size, "rounds": rounds, "width": width}
    rate = EntropyFtrl.recommended_rate(**problem)
    made = [
        (EntropyFtrl.start(dimension=size, learning_rate=each), EntropyFtrl.regret_bound(**problem, learning_rate=each))
        for each in (rate, 3.0 * rate)
    ]
    assert made[0][1] == pytest.approx(width * math.sqrt(rounds * math.log(size) / 2.0))
    anytime = Hedge.start(dimension=size, learning_rate=Hedge.recommended_rate(width=width))
    for learner, bound in [*made, (anytime, Hedge.regret_bound(**problem))]:
        tables = [width * table for table in loss_streams(rounds, size, None).values()]
        for losses in [*tables, reacting(learner, rounds, size, width, signed=False)]:
            assert regret(learner, losses, None) <= bound * (1.0 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "size"), SHAPES)
@pytest.mark.parametrize("kind", [Ball, Cube])
def test_regret_on_sets(rounds, size, kind):
    domain, norm = kind(size), 2.0
    problem = {"radius": radius(domain), "rounds": rounds, "norm": norm}
    leader = QuadraticFtrl.recommended_rate(**problem)
    step = GradientDescent.recommended_rate(**problem)
    ridge = Ftal.recommended_ridge(**problem)
    whole = problem | {"radius": 2.0 * radius(domain), "anytime": True}
    steps = GradientDescent.recommended_anytime_rate(diameter=2.0 * radius(domain), norm=norm)
    for learner, bound in [
        (
            QuadraticFtrl.start(set=domain, learning_rate=leader),
            QuadraticFtrl.regret_bound(**problem, learning_rate=leader),
        ),
        (
            GradientDescent.start(set=domain, learning_rate=step),
            GradientDescent.regret_bound(**problem, learning_rate=step),
        ),
        (
            GradientDescent.start(set=domain, learning_rate=steps, anytime=True),
            GradientDescent.regret_bound(**whole, learning_rate=steps),
        ),
        (Ftal.start(set=domain, ridge=ridge), Ftal.regret_bound(**problem, ridge=ridge)),
    ]:
        for losses in [
            *loss_streams(rounds, size, norm).values(),
            reacting(learner, rounds, size, norm, signed=True),
        ]:
            assert regret(learner, losses, domain) <= bound * (1.0 + 1e-12)


@pytest.mark.parametrize("kind", [Ball, Cube])
@pytest.mark.parametrize("fresh", [False, True])
def test_regret_of_the_perturbed_leader(kind, fresh):
    rounds, size, norm = 200, 5, 2.0
    domain = kind(size)
    problem = {"dimension": size, "rounds": rounds, "norm": norm}
    spread = LinearFtpl.recommended_spread(**problem)
    bound = LinearFtpl.regret_bound(**problem, radius=radius(domain), spread=spread)
    assert bound == pytest.approx(2.0 * (size / (2.0 * math.pi)) ** 0.25 * radius(domain) * norm * math.sqrt(rounds))
    learner = LinearFtpl.start(set=domain, spread=spread, fresh=fresh)
    for losses in loss_streams(rounds, size, norm).values():
        assert np.mean([regret(learner, losses, domain, seed=seed) for seed in range(8)]) <= bound


def test_strongly_convex_losses():
    """Ftal on squared distances from moving targets, whose gradients it is told."""
    rounds, curvature = 300, 2.0
    targets = np.clip(np.random.default_rng(2).normal(0.2, 0.5, (rounds, 3)), -1.0, 1.0)
    learner = Ftal.start(set=Cube(3), curvature=curvature, ridge=0.0)
    gradients, losses, norm = np.zeros(3), 0.0, 0.0
    for target in targets:
        point, trace = learner.act(0, None)
        losses += curvature / 2.0 * ((point - target) ** 2).sum()
        gradient = curvature * (point - target)
        norm = max(norm, float(np.linalg.norm(gradient)))
        gradients += gradient
        learner.learn(trace, gradients)
    best = curvature / 2.0 * ((targets.mean(axis=0) - targets) ** 2).sum()
    bound = Ftal.strongly_convex_bound(rounds=rounds, norm=norm, curvature=curvature)
    assert 0.0 <= losses - best <= bound


# Regret with noise in the sums


def noises(kind, rounds, size, scale, seed):
    """Noise of the sums, of standard deviation ``scale`` at most."""
    rng = np.random.default_rng([seed, 77])
    if kind == "same":
        return np.broadcast_to(rng.normal(0.0, scale, size), (rounds, size))
    if kind == "growing":
        return np.cumsum(rng.normal(0.0, scale / math.sqrt(rounds), (rounds, size)), axis=0)
    if kind == "laplace":
        return rng.laplace(0.0, scale / math.sqrt(2.0), (rounds, size))
    fresh = rng.normal(0.0, scale, (rounds, size))
    return fresh if kind == "fresh" else fresh * (np.arange(rounds)[:, None] % 2)


def mean_regret(learner, losses, domain, kind, scale, trials=8):
    shape = losses.shape
    found = [regret(learner, losses, domain, noises(kind, *shape, scale, seed), seed) for seed in range(trials)]
    return float(np.mean(found))


@pytest.mark.parametrize("kind", ["same", "fresh", "growing", "laplace", "uneven"])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_noise_for_exponential_weights(kind, scale):
    rounds, size = 200, 6
    rate = EntropyFtrl.recommended_rate(dimension=size, rounds=rounds, noise=scale)
    problem = {"dimension": size, "rounds": rounds}
    if kind == "laplace":
        bound = EntropyFtrl.regret_bound(**problem, learning_rate=rate)
        bound += laplace_cost(size, rate, scale / math.sqrt(2.0))
    else:
        bound = EntropyFtrl.regret_bound(**problem, learning_rate=rate, noise=scale, uneven=kind == "uneven")
    if kind in {"same", "fresh", "growing"}:
        assert bound == pytest.approx(math.sqrt((rounds + 4.0 * scale**2) * math.log(size) / 2.0))
    anytime = Hedge.start(dimension=size, delay=Hedge.recommended_delay(noise=scale))
    for losses in loss_streams(rounds, size, None).values():
        learner = EntropyFtrl.start(dimension=size, learning_rate=rate)
        assert mean_regret(learner, losses, None, kind, scale) <= bound
        if kind not in {"laplace", "uneven"}:
            assert mean_regret(anytime, losses, None, kind, scale) <= Hedge.regret_bound(**problem, noise=scale)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["same", "fresh", "growing", "laplace"])
@pytest.mark.parametrize("shape", [Ball, Cube])
def test_noise_for_leaders_on_sets(kind, shape):
    rounds, size, norm, scale = 200, 4, 1.0, 10.0
    domain = shape(size)
    length = scale * math.sqrt(size)
    problem = {"radius": radius(domain), "rounds": rounds, "norm": norm}
    leader = QuadraticFtrl.recommended_rate(**problem, noise=length)
    ridge = Ftal.recommended_ridge(**problem)
    made = [
        (
            QuadraticFtrl.start(set=domain, learning_rate=leader),
            QuadraticFtrl.regret_bound(**problem, learning_rate=leader, noise=length),
        ),
        (Ftal.start(set=domain, ridge=ridge), Ftal.regret_bound(**problem, ridge=ridge, noise=length)),
    ]
    assert made[0][1] == pytest.approx(radius(domain) * math.sqrt(rounds * norm**2 + length**2))
    if kind in {"same", "fresh"}:  # the noise is the perturbation
        bound = LinearFtpl.regret_bound(
            dimension=size, radius=radius(domain), rounds=rounds, norm=norm, spread=0.0, noise=scale
        )
        made.append((LinearFtpl.start(set=domain), bound))
    for losses in loss_streams(rounds, size, norm).values():
        for learner, bound in made:
            assert mean_regret(learner, losses, domain, kind, scale) <= bound


@pytest.mark.parametrize("anytime", [False, True])
def test_noise_for_gradient_descent(anytime):
    """Independent noise in every step is a growing sum; noise that is taken back costs more, but not more than stated."""
    rounds, size, norm, domain = 200, 4, 1.0, Ball(4)
    reach = 2.0 if anytime else 1.0
    for kind, scale in (("growing", 20.0), ("fresh", 1.0), ("laplace", 1.0)):
        length = scale * math.sqrt(size)
        step = length / math.sqrt(rounds) if kind == "growing" else math.sqrt(2.0) * length
        if anytime:
            rate = GradientDescent.recommended_anytime_rate(diameter=reach, norm=norm, noise=step)
        else:
            rate = GradientDescent.recommended_rate(radius=reach, rounds=rounds, norm=norm, noise=step)
        bound = GradientDescent.regret_bound(
            radius=reach,
            rounds=rounds,
            norm=norm,
            learning_rate=rate,
            anytime=anytime,
            noise=step,
            sum_noise=0.0 if kind == "growing" else length,
        )
        if kind == "growing":
            assert bound == pytest.approx(reach * math.sqrt((1.0 + anytime) * rounds * (norm**2 + step**2)))
        learner = GradientDescent.start(set=domain, learning_rate=rate, anytime=anytime)
        for losses in loss_streams(rounds, size, norm).values():
            assert mean_regret(learner, losses, domain, kind, scale) <= bound


def test_only_the_distribution_of_each_round_matters():
    """Theorem 3.1: noise drawn once and noise drawn in every round give the same expected loss."""
    losses = loss_streams(40, 3, None)["stochastic"]
    learner = EntropyFtrl.start(dimension=3, learning_rate=0.3)
    found = {}
    for kind in ("same", "fresh"):
        sample = [regret(learner, losses, None, noises(kind, 40, 3, 3.0, seed)) for seed in range(600)]
        found[kind] = np.mean(sample), np.std(sample) / math.sqrt(600)
    gap = abs(found["same"][0] - found["fresh"][0])
    assert gap <= 3.5 * math.hypot(found["same"][1], found["fresh"][1])


def test_the_constants_of_the_proofs():
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(3000):  # one round of uneven noise: the Laplacian of the loss in the sums
        x = rng.dirichlet(np.full(rng.integers(2, 30), rng.choice([0.05, 0.3, 1.0])))
        losses = (x > x @ x).astype(float)
        worst = max(worst, abs(x * (losses - losses @ x) @ x))
    assert 0.13 <= worst <= 4.0 / 27.0
    sums, rate, h = rng.normal(0.0, 1.0, 4), 0.7, 1e-3
    losses = rng.random(4)

    def loss(shift):
        return special.softmax(-rate * (sums + shift)) @ losses

    laplacian = sum((loss(h * e) + loss(-h * e) - 2.0 * loss(0.0)) / h**2 for e in np.eye(4))
    x = special.softmax(-rate * sums)
    assert laplacian == pytest.approx(-2.0 * rate**2 * (x * (losses - losses @ x) @ x), abs=1e-5)


def test_the_cost_of_laplace_noise():
    """Both parts against integrals of the distribution, and the second against samples."""
    for actions, draws, scale, rate in [(4, 1, 2.0, 0.05), (4, 3, 2.0, 0.2), (50, 10, 1.0, 0.3), (50, 2, 5.0, 10.0)]:
        sample = np.random.default_rng(5).laplace(0.0, scale, (20_000, draws, actions)).sum(axis=1)
        paid = special.logsumexp(rate * sample, axis=1) / rate - math.log(actions) / rate  # -Φ(Z) + Φ(0)
        cost = laplace_cost(actions, rate, scale, draws)
        assert paid.mean() <= cost <= 2.0 * sample.max(axis=1).mean()
    small = laplace_cost(4, 1e-4, 2.0, 3)
    assert small == pytest.approx(1e-4 * 3 * 4.0, rel=1e-6)


@pytest.mark.parametrize("noise", [0.0, 7.0])
def test_recommended_values_are_best(noise):
    problem = {"radius": 2.0, "rounds": 500, "norm": 3.0}
    entropy = EntropyFtrl.recommended_rate(dimension=9, rounds=500, width=2.0, noise=noise)
    leader = QuadraticFtrl.recommended_rate(**problem, noise=noise)
    step = GradientDescent.recommended_rate(**problem, noise=noise)
    steps = GradientDescent.recommended_anytime_rate(diameter=2.0, norm=3.0, noise=noise)
    spread = LinearFtpl.recommended_spread(dimension=6, rounds=500, norm=3.0, noise=noise)
    for value, bound in [
        (entropy, lambda x: EntropyFtrl.regret_bound(dimension=9, rounds=500, width=2.0, learning_rate=x, noise=noise)),
        (leader, lambda x: QuadraticFtrl.regret_bound(**problem, learning_rate=x, noise=noise)),
        (step, lambda x: GradientDescent.regret_bound(**problem, learning_rate=x, noise=noise)),
        (steps, lambda x: GradientDescent.regret_bound(**problem, learning_rate=x, anytime=True, noise=noise)),
        (spread, lambda x: LinearFtpl.regret_bound(**problem, dimension=6, spread=x, noise=noise)),
    ]:
        assert bound(value) < min(bound(0.97 * value), bound(1.03 * value))
    ridge = Ftal.recommended_ridge(**problem)
    assert Ftal.regret_bound(**problem, ridge=ridge) <= 6.0 * (math.sqrt(500 * (1.0 + math.log(500))) + 2.0)
    assert LinearFtpl.recommended_spread(dimension=6, rounds=500, norm=3.0, noise=1e4) == 0.0


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
            assert not kernel.compile_for(play, player.private, game, player._held).must_allocate
    assert runs[0][0] == runs[1][0]
    assert same_state(runs[0][1], runs[1][1]) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EntropyFtrl.start(dimension=1, learning_rate=1.0), "dimension is 1"),
        (lambda: EntropyFtrl.start(dimension=2, learning_rate=0.0), "learning_rate is 0"),
        (lambda: laplace_cost(2, 0.0, 2.0), "learning_rate is 0"),
        (lambda: Hedge.start(dimension=2, delay=-1.0), "delay is -1"),
        (lambda: QuadraticFtrl.start(set=Ball(2), learning_rate=1.0, centre=[1.0]), "centre must be 2 finite numbers"),
        (lambda: LinearFtpl.start(set=Ball(2), spread=math.nan), "spread is nan"),
        (lambda: GradientDescent.start(set=Ball(2), learning_rate=1.0, start=[1.0, math.inf]), "start must be 2"),
        (lambda: Ftal.start(set=Ball(2), ridge=0.0), "both 0"),
    ],
)
def test_impossible_parameters_are_refused(make, message):
    with pytest.raises(DiscreetError, match=message):
        make()
