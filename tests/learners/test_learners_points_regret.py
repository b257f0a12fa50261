"""Learners that see whole loss vectors: regret below their bounds, without noise and with it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from point_learners import Ball, Cube, laplace_cost
from scipy import special

import componentjit
from discreet.learners.points.ftal import Ftal
from discreet.learners.points.ftrl import EntropyFtrl, QuadraticFtrl
from discreet.learners.points.gradient_descent import GradientDescent
from discreet.learners.points.hedge import Hedge
from discreet.learners.points.linear_ftpl import LinearFtpl


def least(domain, total):
    """The loss of the best fixed point; of the simplex if there is no set."""
    if domain is None:
        return total.min()
    return -np.linalg.norm(total) if isinstance(domain, Ball) else -np.abs(total).sum()


def radius(domain):
    return 1.0 if isinstance(domain, Ball) else math.sqrt(domain.dimension)


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
            tables[name] = (
                norm * centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
            )
    return tables


def reacting(learner, rounds, size, scale, *, signed):
    """Losses against the largest coordinate of the point that is about to be played."""
    shadow, rng, losses = (
        componentjit.copy(learner),
        np.random.default_rng(0),
        np.zeros((rounds, size)),
    )
    for t in range(rounds):
        point, trace = shadow.act(0, rng)
        worst = np.argmax(np.abs(point))
        losses[t, worst] = -scale if signed and point[worst] < 0.0 else scale
        shadow.learn(trace, losses.sum(axis=0))
    return losses


def regret(learner, losses, domain, noise=None, seed=0):
    """Return the regret of a fresh copy on given losses; ``noise`` is added to the sums."""
    player, rng = componentjit.copy(learner), np.random.default_rng(seed)
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
        (
            EntropyFtrl.start(dimension=size, learning_rate=each),
            EntropyFtrl.regret_bound(**problem, learning_rate=each),
        )
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
    assert bound == pytest.approx(
        2.0 * (size / (2.0 * math.pi)) ** 0.25 * radius(domain) * norm * math.sqrt(rounds)
    )
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
    found = [
        regret(learner, losses, domain, noises(kind, *shape, scale, seed), seed)
        for seed in range(trials)
    ]
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
        bound = EntropyFtrl.regret_bound(
            **problem, learning_rate=rate, noise=scale, uneven=kind == "uneven"
        )
    if kind in {"same", "fresh", "growing"}:
        assert bound == pytest.approx(math.sqrt((rounds + 4.0 * scale**2) * math.log(size) / 2.0))
    anytime = Hedge.start(dimension=size, delay=Hedge.recommended_delay(noise=scale))
    for losses in loss_streams(rounds, size, None).values():
        learner = EntropyFtrl.start(dimension=size, learning_rate=rate)
        assert mean_regret(learner, losses, None, kind, scale) <= bound
        if kind not in {"laplace", "uneven"}:
            assert mean_regret(anytime, losses, None, kind, scale) <= Hedge.regret_bound(
                **problem, noise=scale
            )


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
        (
            Ftal.start(set=domain, ridge=ridge),
            Ftal.regret_bound(**problem, ridge=ridge, noise=length),
        ),
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
    """Independent noise in every step is a growing sum; noise that is taken back costs more."""
    rounds, size, norm, domain = 200, 4, 1.0, Ball(4)
    reach = 2.0 if anytime else 1.0
    for kind, scale in (("growing", 20.0), ("fresh", 1.0), ("laplace", 1.0)):
        length = scale * math.sqrt(size)
        step = length / math.sqrt(rounds) if kind == "growing" else math.sqrt(2.0) * length
        if anytime:
            rate = GradientDescent.recommended_anytime_rate(diameter=reach, norm=norm, noise=step)
        else:
            rate = GradientDescent.recommended_rate(
                radius=reach, rounds=rounds, norm=norm, noise=step
            )
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
            assert bound == pytest.approx(
                reach * math.sqrt((1.0 + anytime) * rounds * (norm**2 + step**2))
            )
        learner = GradientDescent.start(set=domain, learning_rate=rate, anytime=anytime)
        for losses in loss_streams(rounds, size, norm).values():
            assert mean_regret(learner, losses, domain, kind, scale) <= bound


def test_only_the_distribution_of_each_round_matters():
    """Theorem 3.1: noise drawn once and noise drawn in every round give the same expected loss."""
    losses = loss_streams(40, 3, None)["stochastic"]
    learner = EntropyFtrl.start(dimension=3, learning_rate=0.3)
    found = {}
    for kind in ("same", "fresh"):
        sample = [
            regret(learner, losses, None, noises(kind, 40, 3, 3.0, seed)) for seed in range(600)
        ]
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
    for actions, draws, scale, rate in [
        (4, 1, 2.0, 0.05),
        (4, 3, 2.0, 0.2),
        (50, 10, 1.0, 0.3),
        (50, 2, 5.0, 10.0),
    ]:
        sample = np.random.default_rng(5).laplace(0.0, scale, (20_000, draws, actions)).sum(axis=1)
        # -Φ(Z) + Φ(0)
        paid = special.logsumexp(rate * sample, axis=1) / rate - math.log(actions) / rate
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
        (
            entropy,
            lambda x: EntropyFtrl.regret_bound(
                dimension=9, rounds=500, width=2.0, learning_rate=x, noise=noise
            ),
        ),
        (leader, lambda x: QuadraticFtrl.regret_bound(**problem, learning_rate=x, noise=noise)),
        (step, lambda x: GradientDescent.regret_bound(**problem, learning_rate=x, noise=noise)),
        (
            steps,
            lambda x: GradientDescent.regret_bound(
                **problem, learning_rate=x, anytime=True, noise=noise
            ),
        ),
        (spread, lambda x: LinearFtpl.regret_bound(**problem, dimension=6, spread=x, noise=noise)),
    ]:
        assert bound(value) < min(bound(0.97 * value), bound(1.03 * value))
    ridge = Ftal.recommended_ridge(**problem)
    assert Ftal.regret_bound(**problem, ridge=ridge) <= 6.0 * (
        math.sqrt(500 * (1.0 + math.log(500))) + 2.0
    )
    assert LinearFtpl.recommended_spread(dimension=6, rounds=500, norm=3.0, noise=1e4) == 0.0
