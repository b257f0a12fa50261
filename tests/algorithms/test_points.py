"""Algorithms that play points: leaders on running sums, found by reflection, in every geometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from common import in_full
from point_games import UNIT, build, mean_regret, problem_of, world_of

import componentjit
from discreet import Private, Range, Setting, algorithm, list_algorithms
from discreet.algorithms.points.running_sums import Candidate, choose
from discreet.channels import OpenSum
from discreet.checks import CheckFailed, check_channel, check_non_interference, check_private
from discreet.environments import LinearStochastic, environment
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import LinearGame, Points
from discreet.randomness import streams
from discreet.sets import GEOMETRIES
from discreet.simulation.loop import Player, play
from discreet_papers.counters import add_squared_errors


def geometries_of(known):
    """Return the sets on which an algorithm plays."""
    return [known.problem.geometry] if "geometry" in known.fixed else list(GEOMETRIES)


def cases():
    """Yield every algorithm with every kind of points as it comes, and one of them with everything
    that can be chosen.
    """
    for name, known in list_algorithms(Points).items():
        for shape in geometries_of(known):
            for delta in (0.0, 1e-6) if name.startswith("private") else (0.0,):
                yield pytest.param(name, {"geometry": shape}, delta, id=f"{name}-{shape}-{delta:g}")
    name = "private-ftrl-experts"
    for sums, noise in (
        ("tree", "laplace"),
        ("tree", "spherical"),
        ("tree", "cube"),
        ("honaker", "laplace"),
    ):
        yield pytest.param(name, {"sums": sums, "noise": noise}, 0.0, id=f"{sums}-{noise}")
    for sums in ("tree", "honaker", "sqrt-toeplitz", "blt", "unbounded", "tapered"):
        yield pytest.param(name, {"sums": sums, "noise": "gaussian"}, 1e-6, id=f"{sums}-gaussian")


def rarely(case):
    """Leave to make full what compiles no class that another case does not."""
    name, options, delta = case.values
    others = delta > 0.0 and "geometry" in options and name != "private-ftrl-ball"
    return pytest.param(*case.values, id=case.id, marks=pytest.mark.full if others else ())


CASES = list(cases())
COMPILED = [rarely(case) for case in CASES]
PRIVATE = [case for case in CASES if case.values[0].startswith("private")]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), COMPILED)
def test_no_raw_vector_reaches_the_learner_and_both_speeds_agree(name, options, delta):
    private = build(name, options, dimension=3, rounds=600, epsilon=0.7, delta=delta).private
    check_private(private, world_of(name, options), quick=True)
    check_channel(private.channel, feedback=np.array([0.25, 0.5, 0.125]))


class CarelessVectors(Private):
    """Looks right, but lets the learner learn a millionth of the raw vector."""

    sum: np.ndarray

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        for i in range(self.sum.size):
            self.sum[i] = released[i] + 1e-6 * feedback[i]
        if ready:
            self.learner.learn(trace, self.sum)
        return ready


@pytest.mark.parametrize("name", list_algorithms(Points))
def test_the_non_interference_test_finds_a_small_leak_of_vectors(name):
    private = build(name, {}, dimension=3, rounds=600).private
    problem = problem_of(name, {})
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(CarelessVectors(*private, np.zeros(3)), problem, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "ftrl-experts" else pytest.mark.full)
        for name in list_algorithms(Points)
    ],
)
def test_so_in_compiled_code(name):
    """One of them; the others by make full."""
    private = build(name, {}, dimension=3, rounds=600).private
    problem = problem_of(name, {})
    check_non_interference(private, problem)
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(CarelessVectors(*private, np.zeros(3)), problem)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), COMPILED)
def test_no_loop_allocates(name, options, delta):
    private = build(name, options, dimension=3, rounds=600, delta=delta).private
    game = world_of(name, options).deal(0, 10, np.random.default_rng(0))
    player = Player(private, streams(0))
    player.play(game, np.array([10]))
    assert not componentjit.compile_for(play, player.private, game, player._held).must_allocate


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), PRIVATE)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_the_guarantee_is_what_was_asked_for(name, options, delta, epsilon):
    for bounds in (UNIT, Range(-2.0, 2.0)):
        promise = build(
            name, options, dimension=3, rounds=100, epsilon=epsilon, delta=delta, bounds=bounds
        ).guarantee
        assert promise.status == "proved"
        assert promise.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert promise.epsilon <= epsilon * (1.0 + 1e-10)  # told as a decimal, rounded up
        assert promise.delta == delta


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), PRIVATE)
def test_without_noise_it_is_the_ordinary_learner(name, options, delta):
    """Losses are eighths, so that all sums are exact however they are added up; spectral sums are
    only nearly so.
    """
    private = build(name, options, dimension=4, rounds=500, delta=delta).private
    silent = private.channel.with_noise(Laplace(0.0) if delta == 0.0 else Gaussian(0.0, 1e-6))
    losses = np.random.default_rng(1).integers(0, 3, (500, 4)) / 8.0
    if problem_of(name, options).geometry != "experts":
        losses = np.eye(4)[np.random.default_rng(1).integers(0, 4, 500)]
    players = [
        Player(Private(channel, private.learner), streams(3), compiled=False)
        for channel in (silent, OpenSum.over(private.channel.losses))
    ]
    scores = [player.play(LinearGame(losses), np.array([250, 500])) for player in players]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["linear-stochastic", "linear-alternating", "linear-drifting"])
@pytest.mark.parametrize("epsilon", [1.0, 0.05])
@pytest.mark.parametrize("rounds", [in_full(1 << 8), 1 << 13])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", list_algorithms(Points))
@pytest.mark.long
def test_regret_is_below_the_stated_bound(name, delta, rounds, epsilon, world):
    for shape in geometries_of(algorithm(name)):
        problem = problem_of(name, {"geometry": shape}, 5)
        setting = Setting(problem, rounds=rounds, epsilon=epsilon, delta=delta)
        instance = algorithm(name).build(setting)
        game = environment(world, setting.problem, rounds=rounds)
        assert instance.regret_bound is not None
        assert mean_regret(instance.private, game, rounds) <= instance.regret_bound


def test_regret_bounds_scale_with_the_losses():
    for name in list_algorithms(Points):
        one, ten = (
            build(
                name, {}, dimension=5, rounds=1000, delta=1e-6, bounds=Range(0.0, high)
            ).regret_bound
            for high in (1.0, 10.0)
        )
        assert ten == pytest.approx(10.0 * one, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.1, 0.01])
@pytest.mark.long
def test_privacy_is_almost_free_for_ten_experts(gap):
    """ε = 1, δ = 1e-6, T = 2^18, one rate for all rounds: at most 1.25 times the regret.

    These seeds, which are fixed, give 1.14 and 1.12.
    """
    setting = Setting(Points("experts", 10), rounds=1 << 18, delta=1e-6)
    world = LinearStochastic("experts", 10, gap)
    ordinary, private = (
        mean_regret(
            algorithm(name).build(setting, head_start=0.0).private, world, setting.rounds, trials=8
        )
        for name in ("ftrl-experts", "private-ftrl-experts")
    )
    assert private <= 1.25 * ordinary


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "spherical", "cube", "gaussian"])
def test_the_stated_size_of_the_noise_is_the_real_one(noise):
    """Variance and exponential moment of 40,000 draws: within 5 %, more than four standard errors;
    seeds are fixed.
    """
    setting = Setting(Points("experts", 4), rounds=2, delta=1e-6)
    found = choose(
        setting, setting.problem.sets(UNIT), lambda _: None, sums="tree", noise=noise, padding=False
    )
    mechanism, rng = found.channel.noise, np.random.default_rng(7)
    draws = np.zeros((40_000, 4))
    for row in draws:
        mechanism.perturb(row, rng)
    assert draws.std() == pytest.approx(mechanism.deviation(4), rel=0.05)
    tilt = 0.3 * (found.reach if noise != "gaussian" else 1.0 / mechanism.scale)
    assert np.log(np.exp(tilt * draws).mean()) == pytest.approx(found.moment(tilt), rel=0.05)
    assert found.moment(2.0 * found.reach) == (math.inf if noise != "gaussian" else 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("sums", ["tree", "honaker", "blt", "sqrt-toeplitz"])
def test_the_noise_in_a_sum_is_at_most_what_is_stated(sums):
    """The last sums of 8,000 streams of zeros, as coordinates: within 5 %, six standard errors;
    seeds are fixed.
    """
    setting = Setting(Points("experts", 8000), rounds=64, delta=1e-6)
    found = choose(
        setting,
        setting.problem.sets(UNIT),
        lambda _: 1.0,
        sums=sums,
        noise="gaussian",
        padding=False,
    )
    assert isinstance(found, Candidate)
    last = np.zeros(63)
    componentjit.compile_for(add_squared_errors, found.channel)(
        found.channel, np.zeros(8000), last, streams(1).privacy
    )
    assert math.sqrt(last[-1] / 8000) == pytest.approx(found.most, rel=0.05)
