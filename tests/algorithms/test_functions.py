"""Algorithms on functions, found by reflection: non-interference, both speeds, no noise, guarantees, bounds."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from discreet import DiscreetError, Private, Range, Setting, algorithm, algorithms, audit
from discreet.auditing.gradient_sums import as_stream
from discreet.channels import DifferenceSums, GradientSums, Open, OpenDifference
from discreet.checks import CheckFailed, check_non_interference, check_private
from discreet.environments import environment
from discreet.factorisations import Tree
from discreet.learners import Centre, SumCentre
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import Functions
from discreet.randomness import streams
from discreet.simulation.loop import Player
from discreet.simulation.trial import run_trial

NAMES = list(algorithms(Functions))
CHANGING = [name for name in NAMES if not algorithm(name).stochastic]  # whose bounds are for all functions
PRIVATE = [name for name in NAMES if name.startswith(("local", "private", "batched"))]
LOCAL = [name for name in PRIVATE if name.startswith("local") or name == "private-scrible"]
NUMBERS = [*LOCAL, "batched-scrible"]  # which learn from one number at a time
AUDITED = (
    "local-convex",
    "local-two-point",
    "local-stochastic-convex",
    "private-projection-free",
    "private-scrible",
    "batched-scrible",
)
UNIT = Range(0.0, 1.0)


def setting_for(name, dimension=3, rounds=600, **numbers):
    if algorithm(name).stochastic:
        return Setting(algorithm(name).problem, rounds=rounds, **numbers)
    domain = "cross" if "linear-oracle" in name else "ball"
    problem = replace(algorithm(name).problem, domain=f"{domain}({dimension})")
    return Setting(problem, rounds=rounds, **numbers)


def build(name, dimension=3, rounds=600, options=(), **numbers):
    play = {"when_vacuous": "play"} if "when_vacuous" in algorithm(name).options else {}
    return algorithm(name).build(setting_for(name, dimension, rounds, **numbers), **play, **dict(options))


def world_of(name, dimension=3, rounds=600):
    problem = setting_for(name, dimension).problem
    return environment(problem.default_environment, problem, rounds=rounds)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_raw_value_reaches_the_learner_and_both_speeds_agree(name):
    check_private(build(name, epsilon=0.7, delta=1e-6).private, world_of(name), quick=True)


class CarelessValue(Private):
    """Looks right, but lets the learner learn a millionth of the raw value."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released + 1e-6 * feedback)
        return ready


class CarelessDifference(Private):
    """The same with a difference of two values."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            self.learner.learn(trace, released + 1e-6 * (feedback[0] - feedback[1]) / 1e-6)
        return ready


class CarelessSum(Private):
    """The same with a released vector."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        if ready:
            released[0] += 1e-6 * feedback
            self.learner.learn(trace, released)
        return ready


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("careless", "name"),
    [(CarelessValue, "local-convex"), (CarelessDifference, "local-two-point"), (CarelessSum, "private-projection-free")],
)
def test_the_non_interference_test_finds_a_small_leak(careless, name, compiled):
    private = build(name).private
    check_non_interference(private, setting_for(name).problem, compiled=compiled)
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(careless(*private), setting_for(name).problem, compiled=compiled)


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_the_guarantee_is_what_was_asked_for(name, epsilon, delta):
    for bounds in (UNIT, Range(-2.0, 3.0)):
        promise = build(name, epsilon=epsilon, delta=delta, bounds=bounds).guarantee
        assert promise.status == "proved"
        assert promise.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert promise.epsilon <= epsilon * (1.0 + 1e-10)
        assert promise.delta <= delta
        assert promise.model == ("local" if name in LOCAL else "central")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PRIVATE if "strongly" not in name])
def test_without_noise_it_is_the_ordinary_learner(name):
    private = build(name, delta=1e-6).private
    channel = private.channel
    if name == "batched-scrible":
        silent = channel._replace(size=1, noise=Laplace(0.0))
        open_ = Open(channel.bounds)
    elif name in LOCAL:
        silent = channel._replace(noise=Laplace(0.0))
        open_ = OpenDifference(channel.bounds) if "two" in name else Open(channel.bounds)
    else:
        noise = Gaussian(0.0, 1e-6) if channel.running.noise.across == 2.0 else Laplace(0.0)
        silent = channel._replace(running=channel.running._replace(noise=noise))
        open_ = type(channel).without_noise(size=channel.size, dimension=3, bounds=channel.bounds)
    game = world_of(name).deal(0, 600, np.random.default_rng(1))
    scores = [
        Player(Private(each, private.learner), streams(3), compiled=False).play(game, np.array([200, 560]))
        for each in (silent, open_)
    ]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-6)


def mean_regret(instance, world, rounds, trials=3):
    outcomes = [
        run_trial(
            [instance.private],
            world,
            np.array([rounds]),
            seed=5,
            trial=trial,
            bounds=UNIT,
            clip=False,
            stop=threading.Event(),
        )
        for trial in range(trials)
    ]
    return float(np.mean([outcome.regret[0, -1] for outcome in outcomes]))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGING)
def test_regret_is_below_the_stated_bound(name):
    """Below the bound of the parameters that are played, vacuous or not; on a grid of rounds and epsilons."""
    for rounds in (1 << 10, 1 << 15):
        for epsilon in (1.0, 20.0) if name in PRIVATE else (1.0,):
            instance = build(name, rounds=rounds, epsilon=epsilon, delta=1e-6)
            regret = mean_regret(instance, world_of(name, rounds=rounds), rounds)
            assert regret <= instance.regret_bound
            if epsilon > 1.0 and rounds > 1 << 14:
                assert regret <= 0.8 * rounds * 0.25, "it learns"


GOLDEN_BOUNDS = {  # n = 10, R = r = G = 1, losses in [0, 1], a million rounds
    ("fkm", ()): 244_949,
    ("local-convex", (("noise", "laplace"),)): 424_264,
    ("local-convex", (("noise", "response"),)): 360_329,
    ("local-two-point", (("radius", 1e-3),)): 24_640,
    ("scrible", ()): 21_415,
}


@pytest.mark.parametrize(("name", "options"), GOLDEN_BOUNDS)
def test_golden_bounds(name, options):
    found = build(name, dimension=10, rounds=10**6, options=options).regret_bound
    assert found == pytest.approx(GOLDEN_BOUNDS[name, options], rel=1e-4)


@pytest.mark.parametrize("name", CHANGING)
def test_bounds_scale_with_the_losses_and_what_is_chosen_has_the_least(name):
    one, ten = (build(name, rounds=1 << 20, bounds=Range(0.0, high)).regret_bound for high in (1.0, 10.0))
    assert ten == pytest.approx(10.0 * one, rel=1e-6)
    chosen = algorithm(name).build(setting_for(name, rounds=1 << 20), when_vacuous="play")
    for option in ("radius", "damping", "learning_rate"):
        if (
            option in algorithm(name).options
            and option in chosen.parameters
            and not ("two" in name and option == "radius")
        ):
            for factor in (0.7, 1.4):
                other = build(name, rounds=1 << 20, options={option: factor * chosen.parameters[option]}.items())
                assert other.regret_bound is None or chosen.regret_bound <= other.regret_bound * (1.0 + 1e-6)


@pytest.mark.parametrize("name", [name for name in PRIVATE if "linear-oracle" not in name and name in CHANGING])
def test_where_the_bound_is_vacuous_the_centre_is_played_and_said(name):
    setting = setting_for(name, dimension=10, rounds=400, epsilon=0.01)
    instance = algorithm(name).build(setting)
    assert isinstance(instance.private.learner, Centre)
    assert isinstance(instance.private.learner, SumCentre) == (name not in NUMBERS)
    assert instance.parameters == {"plays": "the centre"}
    assert "the centre is played" in instance.bound_source
    assert instance.regret_bound == pytest.approx(400.0)
    assert instance.guarantee.epsilon == pytest.approx(0.01)
    assert algorithm(name).build(setting, when_vacuous="play").regret_bound == 400.0


def test_the_centre_can_be_played_everywhere():
    for name in ("local-two-point", "private-two-point", "private-projection-free"):
        private = algorithm(name).build(setting_for(name, rounds=100, epsilon=0.001)).private
        game = world_of(name).deal(0, 100, np.random.default_rng(1))
        assert Player(private, streams(1), compiled=False).play(game, np.array([100]))[0] == pytest.approx(50.0, abs=1e-9)


def test_noise_is_by_default_the_one_with_the_least_bound():
    for epsilon in (0.1, 1.0, 3.0, 10.0):
        for name in ("local-convex", "local-two-point", "local-strongly-convex"):
            bounds = {
                noise: build(
                    name, rounds=1 << 22, epsilon=epsilon, delta=1e-6, options={"noise": noise}.items()
                ).regret_bound
                for noise in (None, "laplace", "gaussian", "response")
            }
            assert bounds[None] == min(bounds.values())
            assert bounds["laplace"] <= bounds["gaussian"]


def test_unbounded_noise_in_a_barrier_has_no_bound():
    assert build("local-smooth", options={"noise": "laplace"}.items()).regret_bound is None
    assert build("local-smooth").regret_bound is not None
    assert build("smooth-bandit", options={"learning_rate": 10.0}.items()).regret_bound is None
    assert build("local-two-point", options={"clip": 1.0}.items()).regret_bound is None


def test_clipped_differences_get_less_noise():
    whole, clipped = (
        build("local-two-point", dimension=9, options={"clip": clip, "noise": "laplace"}.items()).private.channel
        for clip in (None, 1.0)
    )
    assert clipped.noise_scales[0].scale == pytest.approx(whole.noise_scales[0].scale / 3.0)
    assert clipped.guarantee.epsilon == pytest.approx(1.0)


def test_the_papers_own_noise_states_what_it_delivers():
    local = build("local-convex", delta=1e-5, options={"calibration": "paper"}.items())
    assert local.private.channel.noise_scales[0].scale == pytest.approx(math.sqrt(2.0 * math.log(1.25e5)))
    assert 0.5 < local.guarantee.epsilon < 1.0
    two = build("local-two-point", delta=1e-5, epsilon=16.0, options={"calibration": "paper"}.items())
    assert two.guarantee.epsilon == pytest.approx(18.9, abs=0.1)
    for delta in (0.0, 1e-6):
        ene = build(
            "private-projection-free", dimension=10, rounds=10**4, delta=delta, options={"calibration": "paper"}.items()
        )
        assert ene.guarantee.epsilon < 0.2, "far too much noise"
        assert ene.guarantee.status == "proved"


@pytest.mark.parametrize(
    ("name", "numbers", "options", "complaint"),
    [
        ("local-convex", {}, {"noise": "gaussian"}, "noise is gaussian, but delta is 0"),
        (
            "local-convex",
            {},
            {"calibration": "paper"},
            "calibration is paper, whose Gaussian noise needs a delta above 0",
        ),
        ("local-convex", {"delta": 0.1}, {"calibration": "paper", "noise": "laplace"}, "calibration is paper, which has"),
        ("private-projection-free", {}, {"sums": "blt"}, "sums is blt, whose noise is Gaussian, but delta is 0"),
        ("private-projection-free", {}, {"noise": "gaussian"}, "noise is gaussian, but delta is 0"),
        ("private-two-point", {"delta": 0.1}, {"sums": "blt", "noise": "cube"}, "noise is cube, but blt has a proof for"),
        (
            "private-projection-free",
            {},
            {"calibration": "paper", "sums": "honaker"},
            "calibration is paper, which has a tree",
        ),
        ("projection-free", {}, {"batch_size": 301}, "rounds is 600, but two batches of 301 rounds need at least 602"),
        (
            "private-projection-free",
            {},
            {"calibration": "paper", "baseline": True},
            "calibration is paper, which has no base",
        ),
        ("fkm", {}, {"radius": 1.0}, "radius is 1, but must be below the inner radius of the set, 1"),
        ("fkm", {}, {"damping": 0.0}, "damping is 0.0, but must be a finite number above 0"),
        ("local-two-point", {}, {"clip": 0.0}, "clip is 0.0, but must be a finite number above 0"),
        ("fkm", {}, {"when_vacuous": "stop"}, "when_vacuous is 'stop', but must be one of centre, play"),
    ],
)
def test_what_cannot_be_is_refused(name, numbers, options, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        algorithm(name).build(setting_for(name, **numbers), **options)


@pytest.mark.parametrize("name", [name for name in NAMES if "strongly" in name or "smooth" in name])
def test_what_must_be_declared_is_asked_for(name):
    problem = replace(setting_for(name).problem, curvature=0.0, smoothness=0.0)
    with pytest.raises(
        DiscreetError, match=r"(curvature|smoothness) is 0, but .* is for functions of which it is declared"
    ):
        algorithm(name).build(Setting(problem))


@pytest.mark.full
def test_a_baseline_helps_where_losses_are_near_each_other():
    """Quadratics, of which most values are far from 1/2: 3 games, seeds are fixed."""
    problem = Functions("ball(5)")
    world = environment("quadratics", problem, rounds=1 << 16)
    for name in ("fkm", "private-projection-free"):
        setting = Setting(problem, rounds=1 << 16, epsilon=10.0, delta=1e-6)
        built = [algorithm(name).build(setting, baseline=baseline) for baseline in (False, True)]
        regrets = [mean_regret(instance, world, 1 << 16) for instance in built]
        assert regrets[1] <= 0.7 * regrets[0]
    assert built[1].regret_bound is None
    assert built[1].guarantee.epsilon == pytest.approx(10.0)


@pytest.mark.full
def test_noise_that_is_paid_once_is_almost_free_for_linear_functions():
    """ε = 1, δ = 1e-6, T = 2^18, n = 10: at most 1.2 times the regret without privacy.

    These games gave 1.13 and 1.00; seeds are fixed.
    """
    for name, twin in (("private-two-point", "two-point"), ("private-projection-free", "projection-free")):
        problem = replace(algorithm(name).problem, lipschitz=0.5)
        setting = Setting(problem, rounds=1 << 18, delta=1e-6)
        world = environment("linear", problem)
        ordinary = mean_regret(algorithm(twin).build(setting), world, 1 << 18)
        private = mean_regret(algorithm(name).build(setting, tuning="once"), world, 1 << 18)
        assert private <= 1.2 * ordinary


@pytest.mark.full
@pytest.mark.parametrize("name", AUDITED)
def test_audits_find_most_of_epsilon_and_never_more(name):
    setting = Setting(algorithm(name).problem.for_audit()[0], rounds=4)
    options = {} if name in NUMBERS else {"noise": "laplace"}
    found = audit(name, setting=setting, trials=400_000, **options)
    assert 0.9 <= found.share <= 1.0


def test_an_audit_of_differences_is_that_of_values():
    """Both hear the same from the same noise: so what is found of one kind of sums holds for the other."""
    heard = []
    for kind in (GradientSums, DifferenceSums):
        channel = kind.calibrated(
            Tree, size=2, dimension=2, rounds=12, bounds=Range(-1.0, 1.0), noise="laplace", epsilon=1.0
        )
        stream = as_stream(Private(channel, build("private-two-point", dimension=2).private.learner)).channel
        rng, vectors = np.random.default_rng(3), np.outer([0.5, -0.5, 0.25, 0.0], stream.direction)
        heard.append([stream.offer(vector, 1.0, rng)[1].tolist() for vector in vectors])
        assert stream.guarantee.epsilon == pytest.approx(1.0)
    assert heard[0] == heard[1]


@pytest.mark.full
def test_an_audit_refutes_sums_with_too_little_noise():
    private = build("private-projection-free", dimension=2, rounds=8, options={"noise": "laplace"}.items()).private
    running = private.channel.running
    weak = private.channel._replace(running=running._replace(noise=Laplace(0.7 * running.noise.scale)))
    assert isinstance(weak, GradientSums)
    found = audit(private._replace(channel=weak), claimed=private.guarantee, trials=300_000)
    assert found.violated


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("fkm", "simplex(4)"),
        pytest.param("fkm", "k-sets(5,2)", marks=pytest.mark.full),
        ("two-point", "permutations(4)"),
        pytest.param("projection-free", "paths(2,2)", marks=pytest.mark.full),
        ("private-projection-free", "k-sets(5,2)"),
    ],
)
def test_every_set_with_the_ability_can_be_the_domain(name, domain):
    """Played points are in the set, and after enough rounds they are better than its centre."""
    known = algorithm(name)
    problem = replace(known.problem, domain=domain)
    rounds = 1 << 15
    setting = Setting(problem, rounds=rounds, epsilon=10.0, delta=1e-6)
    instance, world = known.build(setting, when_vacuous="play"), environment("linear", problem, rounds=rounds)
    learner, rng = instance.private.learner, np.random.default_rng(1)
    for _ in range(20):
        for point in np.atleast_2d(learner.act(0, rng)[0]):
            assert problem.place.set.contains(point, 1e-9)
    game = world.deal(0, rounds, streams(5)[0])
    centre = sum(game.loss(t, problem.played_at(problem.place.set.centre())) for t in range(rounds))
    staying = centre - world.best(game.totals([0])[0])
    assert mean_regret(instance, world, rounds, trials=1) < 0.9 * staying


@pytest.mark.parametrize(
    ("name", "domain", "complaint"),
    [
        ("fkm", "paths(2,2)", "type Paths, which has a linear oracle, a gauge, vertices, but must have a projection"),
        ("private-two-point", "assignments(3)", "type Birkhoff, .*, but must have a projection"),
        ("smooth-bandit", "k-sets(5,2)", "type KSets, .*, but must have a barrier"),
        ("projection-free", "simplex(1)", "hull of dimension 0, but must have at least 1"),
    ],
)
def test_algorithms_say_which_sets_they_need(name, domain, complaint):
    known = algorithm(name)
    with pytest.raises(DiscreetError, match=complaint):
        known.build(Setting(replace(known.problem, domain=domain), rounds=1000))


@pytest.mark.parametrize("name", [name for name in NAMES if "linear-oracle" not in name])
@pytest.mark.parametrize("domain", ["ball(1)", "cube(1)"])
def test_one_dimension_is_enough(name, domain):
    """Nothing here needs two: points stay in the interval, and what is played depends on what was seen."""
    problem = replace(algorithm(name).problem, domain=domain)
    play = {"when_vacuous": "play"} if "when_vacuous" in algorithm(name).options else {}
    private = algorithm(name).build(Setting(problem, rounds=400, epsilon=50.0, delta=1e-6), **play).private
    rng = np.random.default_rng(1)
    game = environment(problem.default_environment, problem, rounds=400).deal(0, 400, np.random.default_rng(2))
    points = []
    for t in range(400):
        action, trace = private.act(0, rng)
        points.append(np.array(action))
        private.tell(trace, game.feedback(t, action), rng)
    assert np.abs(points).max() <= 1.0
    assert np.ptp(points) > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["cube(3)", "simplex(4)"])
def test_scrible_plays_points_of_every_set_with_a_barrier(domain):
    problem = replace(algorithm("scrible").problem, domain=domain)
    rounds = 1 << 15
    instance = algorithm("scrible").build(Setting(problem, rounds=rounds), when_vacuous="play")
    world = environment("linear", problem, rounds=rounds)
    private, rng, game = instance.private, np.random.default_rng(1), world.deal(0, 500, np.random.default_rng(2))
    for t in range(500):
        action, trace = private.act(0, rng)
        assert problem.place.set.contains(action, 0.0 if domain != "simplex(4)" else 1e-12)
        private.tell(trace, game.feedback(t, action), rng)
    staying = 0.25 * rounds if domain != "simplex(4)" else 0.2 * rounds
    assert mean_regret(instance, world, rounds, trials=1) < min(0.9 * staying, instance.regret_bound)


def test_scrible_is_for_linear_functions():
    world = environment("quadratics", algorithm("scrible").problem, rounds=100)
    game = world.deal(0, 5, np.random.default_rng(1))
    with pytest.raises(DiscreetError, match=r"has second derivatives up to 0.5, but linear functions are declared"):
        world.problem.check(game, UNIT, clip=True)
    with pytest.raises(DiscreetError, match="form is 'bent', but must be one of convex, linear"):
        Functions(form="bent")
    with pytest.raises(DiscreetError, match="form is linear and curvature is 1, but linear functions have none"):
        Functions(form="linear", curvature=1.0)


def test_a_batch_of_scrible_is_long_for_almost_the_least_bound():
    """The least is that of sqrt(8) / ε rounds; 4 / ε cost at most 4 % more."""
    setting = Setting(algorithm("batched-scrible").problem, rounds=1 << 20, epsilon=0.1)
    usual = algorithm("batched-scrible").build(setting)
    assert usual.parameters["batch_size"] == 40
    least = algorithm("batched-scrible").build(setting, batch_size=round(math.sqrt(8.0) / 0.1))
    assert usual.regret_bound < 1.04 * least.regret_bound
    for size in (20, 26, 31, 40):
        assert algorithm("batched-scrible").build(setting, batch_size=size).regret_bound > least.regret_bound
    with pytest.raises(DiscreetError, match="rounds is 20, but two batches of 11 rounds need at least 22"):
        algorithm("batched-scrible").build(replace(setting, rounds=20), batch_size=11)
    with pytest.raises(DiscreetError, match="noise is gaussian, but delta is 0"):
        algorithm("batched-scrible").build(setting, noise="gaussian")


def test_scribles_own_noise_covers_half_of_what_it_must():
    options = {"calibration": "paper"}.items()
    found = build("private-scrible", dimension=10, rounds=1 << 20, options=options)
    assert found.guarantee.epsilon == pytest.approx(2.0)
    assert found.private.channel.noise_scales[0].scale == pytest.approx(math.sqrt(10.0))
    rate = math.sqrt(math.log(1 << 20) / (200.0 * (1 << 20) * (0.25 + 10.0 * 10.0)))
    assert found.parameters["learning_rate"] == pytest.approx(rate)
    check_non_interference(found.private, setting_for("private-scrible", dimension=10).problem, compiled=False)
    problem = replace(algorithm("private-scrible").problem, domain="simplex(4)")
    with pytest.raises(DiscreetError, match="calibration is paper, which is for sets around 0"):
        algorithm("private-scrible").build(Setting(problem), calibration="paper")


@pytest.mark.full
def test_noise_costs_scrible_what_was_measured():
    """n = 10, T = 2^18, 3 games, seeds are fixed; with four seeds 2.2 to 2.5 was found, and 5.2 to 6.0."""
    problem = algorithm("scrible").problem
    world = environment("linear", problem, rounds=1 << 18)
    setting = Setting(problem, rounds=1 << 18)
    ordinary = mean_regret(algorithm("scrible").build(setting), world, 1 << 18)
    assert mean_regret(algorithm("private-scrible").build(setting), world, 1 << 18) <= 2.8 * ordinary
    batched = algorithm("batched-scrible").build(replace(setting, epsilon=0.1), when_vacuous="play")
    assert mean_regret(batched, world, 1 << 18) <= 7.5 * ordinary


def test_where_the_bound_is_vacuous_vertices_are_played_at_random_and_said():
    problem = algorithm("private-linear-oracle").problem
    instance = algorithm("private-linear-oracle").build(Setting(problem, rounds=400, epsilon=0.01))
    assert instance.parameters == {"plays": "vertices at random"}
    assert "vertices are played at random" in instance.bound_source
    assert instance.regret_bound == 400.0
    assert instance.guarantee.epsilon == pytest.approx(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["k-sets(5,2)", "paths(2,2)", "permutations(3)", "spanning-trees(4)"])
def test_only_vertices_are_played_and_all_of_them_mean_something(domain):
    problem = replace(algorithm("private-linear-oracle").problem, domain=domain)
    setting = Setting(problem, rounds=3000, epsilon=5.0, delta=1e-6)
    private = algorithm("private-linear-oracle").build(setting, when_vacuous="play", exploration=0.3).private
    known = {row.tobytes() for row in problem.place.set.plan().vertices}
    rng, game = np.random.default_rng(1), environment("linear", problem).deal(0, 300, np.random.default_rng(2))
    for t in range(300):
        action, trace = private.act(0, rng)
        assert action.tobytes() in known
        assert problem.place.set.label(action)
        private.tell(trace, game.feedback(t, action), rng)


@pytest.mark.full
def test_noise_is_almost_free_for_a_leader_on_vertices():
    """Slates, ε = 1, δ = 1e-6, T = 2^18, 3 games, seeds are fixed: at most 1.3 times the twin, which has learned."""
    problem = algorithm("linear-oracle").problem
    world, rounds = environment("linear", problem), 1 << 18
    setting = Setting(problem, rounds=rounds, delta=1e-6)
    ordinary, private, centre = (
        mean_regret(algorithm(name).build(each), world, rounds)
        for name, each in (
            ("linear-oracle", setting),
            ("private-linear-oracle", setting),
            ("private-linear-oracle", replace(setting, epsilon=1e-5)),
        )
    )
    assert ordinary < 0.5 * centre
    assert private <= 1.3 * ordinary


@pytest.mark.slow
def test_sums_whose_noise_goes_up_and_down_have_no_bound():
    setting = Setting(algorithm("private-linear-oracle").problem, rounds=1 << 16, delta=1e-6)
    assert algorithm("private-linear-oracle").build(setting, sums="honaker").regret_bound is None
    assert algorithm("private-linear-oracle").build(setting, sums="tree").regret_bound is not None
    with pytest.raises(DiscreetError, match=r"type L2Ball, .*, but must have vertices"):
        algorithm("linear-oracle").build(replace(setting, problem=replace(setting.problem, domain="ball(3)")))
