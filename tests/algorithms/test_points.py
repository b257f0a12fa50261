"""Algorithms that play points: leaders on running sums, found by reflection, in every geometry."""

from __future__ import annotations

import json
import math
import threading
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from discreet import Bandit, Contender, DiscreetError, Private, Range, Setting, algorithm, algorithms, kernel, simulate
from discreet.algorithms.points.running_sums import Candidate, choose
from discreet.auditing import audit
from discreet.channels import OpenSum, Restarting
from discreet.checks import CheckFailed, check_channel, check_environment, check_non_interference, check_private
from discreet.cli.commands import cli
from discreet.contracts import unsealed
from discreet.counters.errors import square_errors
from discreet.environments import LinearAdaptive, LinearStochastic, Table, environment, environment_names
from discreet.factorisations import Buffered, Tree
from discreet.learners import EntropyFtrl, QuadraticFtrl
from discreet.live.building import exactly
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import LinearGame, Points
from discreet.randomness import streams
from discreet.sets import GEOMETRIES, Box, geometry
from discreet.simulation.loop import Player, play
from discreet.simulation.trial import checkpoints, deal, run_trial

UNIT = Range(0.0, 1.0)


def geometries_of(known):
    """Return the sets on which an algorithm plays."""
    return [known.problem.geometry] if "geometry" in known.fixed else list(GEOMETRIES)


def cases():
    """Yield every algorithm with every kind of points as it comes, and one of them with everything that can be chosen."""
    for name, known in algorithms(Points).items():
        for shape in geometries_of(known):
            for delta in (0.0, 1e-6) if name.startswith("private") else (0.0,):
                yield pytest.param(name, {"geometry": shape}, delta, id=f"{name}-{shape}-{delta:g}")
    name = "private-ftrl-experts"
    for sums, noise in (("tree", "laplace"), ("tree", "spherical"), ("tree", "cube"), ("honaker", "laplace")):
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


def problem_of(name, options, dimension=3):
    return algorithm(name).problem_with(
        dimension=dimension, **{key: options[key] for key in options if key == "geometry"}
    )


def world_of(name, options, dimension=3):
    return environment("linear-stochastic", problem_of(name, options, dimension))


def build(name, options, *, dimension=4, **numbers):
    setting = Setting(problem_of(name, options, dimension), **numbers)
    return algorithm(name).build(setting, **{key: options[key] for key in options if key != "geometry"})


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


@pytest.mark.parametrize("name", algorithms(Points))
def test_the_non_interference_test_finds_a_small_leak_of_vectors(name):
    private = build(name, {}, dimension=3, rounds=600).private
    problem = algorithm(name).problem_with(dimension=3)
    with pytest.raises(CheckFailed, match="raw feedback reaches"):
        check_non_interference(CarelessVectors(*private, np.zeros(3)), problem, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "ftrl-experts" else pytest.mark.full) for name in algorithms(Points)]
)
def test_so_in_compiled_code(name):
    """One of them; the others by make full."""
    private = build(name, {}, dimension=3, rounds=600).private
    problem = algorithm(name).problem_with(dimension=3)
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
    assert not kernel.compile_for(play, player.private, game, player._held).must_allocate


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), PRIVATE)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.0])
def test_the_guarantee_is_what_was_asked_for(name, options, delta, epsilon):
    for bounds in (UNIT, Range(-2.0, 2.0)):
        promise = build(name, options, dimension=3, rounds=100, epsilon=epsilon, delta=delta, bounds=bounds).guarantee
        assert promise.status == "proved"
        assert promise.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert promise.epsilon <= epsilon * (1.0 + 1e-10)  # told as a decimal, rounded up
        assert promise.delta == delta


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "delta"), PRIVATE)
def test_without_noise_it_is_the_ordinary_learner(name, options, delta):
    """Losses are eighths, so that all sums are exact however they are added up; spectral sums are only nearly so."""
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


def mean_regret(private, world, rounds, trials=4, seed=1):
    marks = checkpoints(rounds)
    outcomes = [
        run_trial(
            [private],
            world,
            marks,
            seed=seed,
            trial=trial,
            bounds=UNIT,
            clip=False,
            stop=threading.Event(),
        )
        for trial in range(trials)
    ]
    return float(np.mean([outcome.regret[0, -1] for outcome in outcomes]))


@pytest.mark.slow
@pytest.mark.parametrize("world", ["linear-stochastic", "linear-alternating", "linear-drifting"])
@pytest.mark.parametrize("epsilon", [1.0, 0.05])
@pytest.mark.parametrize("rounds", [1 << 8, 1 << 13])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", algorithms(Points))
def test_regret_is_below_the_stated_bound(name, delta, rounds, epsilon, world):
    for shape in geometries_of(algorithm(name)):
        setting = Setting(Points(shape, 5), rounds=rounds, epsilon=epsilon, delta=delta)
        instance = algorithm(name).build(setting)
        game = environment(world, setting.problem, rounds=rounds)
        assert instance.regret_bound is not None
        assert mean_regret(instance.private, game, rounds) <= instance.regret_bound


def test_regret_bounds_scale_with_the_losses():
    for name in algorithms(Points):
        one, ten = (
            build(name, {}, dimension=5, rounds=1000, delta=1e-6, bounds=Range(0.0, high)).regret_bound
            for high in (1.0, 10.0)
        )
        assert ten == pytest.approx(10.0 * one, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.1, 0.01])
def test_privacy_is_almost_free_for_ten_experts(gap):
    """ε = 1, δ = 1e-6, T = 2^18: at most 1.05 times the regret without privacy and without a head start.

    24 games of other seeds gave 0.60 and 0.93, with a standard error of 0.02 and 0.03; seeds are fixed.
    """
    setting = Setting(Points("experts", 10), rounds=1 << 18, delta=1e-6)
    world = LinearStochastic("experts", 10, gap)
    ordinary = mean_regret(algorithm("ftrl-experts").build(setting).private, world, setting.rounds, trials=8)
    private = mean_regret(algorithm("private-ftrl-experts").build(setting).private, world, setting.rounds, trials=8)
    assert private <= 1.05 * ordinary


UNKNOWN = [
    pytest.param(name, delta, {}, id=f"{name}-{delta:g}")
    for name in ("private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube")
    for delta in (0.0, 1e-6)
] + [pytest.param("private-ftrl-experts", 1e-6, {"sums": sums}, id=sums) for sums in ("restarts", "hybrid", "tapered")]
UNKNOWN_COMPILED = [  # unbounded sums are compiled above, and restarts here; both on all sets by make full
    pytest.param(*case.values, id=case.id, marks=pytest.mark.full if case.id[-6:] == "-1e-06" else ()) for case in UNKNOWN
]


class TestAnUnknownHorizon:
    @pytest.mark.parametrize(("name", "delta", "options"), UNKNOWN)
    def test_nothing_but_the_bound_depends_on_the_number_of_rounds(self, name, delta, options):
        short, long = (
            algorithm(name).build(
                Setting(
                    algorithm(name).problem_with(dimension=3),
                    rounds=rounds,
                    epsilon=0.7,
                    delta=delta,
                    unknown_horizon=True,
                ),
                **options,
            )
            for rounds in (2, 10**7)
        )
        assert short.guarantee == long.guarantee
        assert short.guarantee.status == "proved"
        assert short.guarantee.epsilon == pytest.approx(0.7, rel=1e-9)
        assert short.parameters == long.parameters
        for (where, one), (_, two) in zip(kernel.arrays(short.private), kernel.arrays(long.private), strict=True):
            np.testing.assert_array_equal(one, two, err_msg=str(where))
        assert repr(short.private) == repr(long.private)
        steady = delta > 0.0 and not options
        assert (long.regret_bound is not None) == steady
        assert short.regret_bound is None or short.regret_bound < long.regret_bound

    @pytest.mark.slow
    @pytest.mark.parametrize(("name", "delta", "options"), UNKNOWN_COMPILED)
    def test_no_raw_vector_reaches_the_learner_and_both_speeds_agree(self, name, delta, options):
        problem = algorithm(name).problem_with(dimension=3)
        private = algorithm(name).build(Setting(problem, delta=delta, unknown_horizon=True), **options).private
        check_private(private, environment("linear-stochastic", problem), quick=True)
        check_channel(private.channel, feedback=np.array([0.25, 0.5, 0.125]))

    @pytest.mark.slow
    @pytest.mark.parametrize("world", ["linear-stochastic", "linear-alternating", "linear-drifting"])
    @pytest.mark.parametrize("name", ["ftrl-experts", "private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube"])
    def test_regret_is_below_the_bound_at_every_time(self, name, world):
        problem = algorithm(name).problem_with(dimension=5)
        for rounds in (1 << 6, 1 << 12):
            setting = Setting(problem, rounds=rounds, delta=1e-6, unknown_horizon=True)
            instance = algorithm(name).build(setting)
            game = environment(world, problem, rounds=rounds)
            assert mean_regret(instance.private, game, rounds) <= instance.regret_bound

    def test_exponential_weights_are_hedge(self):
        setting = Setting(Points("experts", 4), rounds=3000, unknown_horizon=True)
        one, other = (algorithm(name).build(setting) for name in ("ftrl-experts", "hedge"))
        assert one.regret_bound == pytest.approx(other.regret_bound)
        world = LinearStochastic("experts", 4, 0.1)
        found = [mean_regret(each.private, world, 3000, trials=1) for each in (one, other)]
        assert found[0] == pytest.approx(found[1], rel=1e-9)

    @pytest.mark.parametrize(
        ("name", "options", "complaint"),
        [
            ("private-ftpl", {}, "rounds is unknown, but private-ftpl is tuned to their number: give it, or use one of"),
            ("private-ftrl-experts", {"sums": "blt"}, "sums is blt, whose noise depends on the number of rounds"),
            ("private-ftrl-experts", {"padding": True}, "padding is true, but the number of rounds is unknown"),
            ("private-ftrl-ball", {"calibration": "paper"}, "calibration is paper, whose noise depends on the number"),
        ],
    )
    def test_what_needs_a_number_is_refused(self, name, options, complaint):
        setting = Setting(algorithm(name).problem_with(dimension=3), delta=1e-6, unknown_horizon=True)
        with pytest.raises(DiscreetError, match=complaint):
            algorithm(name).build(setting, **options)

    def test_no_bound_is_stated_for_rounds_that_sums_do_not_last_for(self):
        build, problem = algorithm("private-ftrl-experts").build, Points("experts", 2**16)
        longest = Setting(problem, rounds=2**24 + 1, delta=1e-6, unknown_horizon=True)
        assert build(longest).private.channel.most_rounds() == 2**24
        with pytest.raises(DiscreetError, match=r"rounds is 16,777,218, but .* last for 16,777,217\."):
            build(replace(longest, rounds=2**24 + 2))

    def test_commands_take_it(self):
        told = CliRunner().invoke(cli, ["describe", "private-ftrl-ball", "--rounds", "unknown:5000", "--delta", "1e-6"])
        assert "an unknown number of rounds (the bound is for 5,000)" in " ".join(told.output.split())
        words = ["simulate", "private-ftrl-experts", "hedge", "--rounds", "unknown:300", "--delta", "1e-6", "--json"]
        rows = json.loads(CliRunner().invoke(cli, [*words, "--trials", "2", "--quiet"]).output)["results"]
        assert len(rows) == 2
        refused = CliRunner().invoke(cli, ["describe", "hedge", "--rounds", "some"])
        assert "'some' is not a number of rounds, 'unknown' or 'unknown:N'" in " ".join(refused.output.split())


class TestTheChoice:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube", "private-ftpl"])
    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    @pytest.mark.parametrize("dimension", [2, 50])
    def test_nothing_that_can_be_chosen_has_a_better_proof(self, name, delta, dimension):
        setting = Setting(algorithm(name).problem_with(dimension=dimension), rounds=1 << 14, delta=delta)
        fixed = {} if name == "private-ftpl" else {"head_start": 0.0}  # which is given after the choice
        best = algorithm(name).build(setting, **fixed).regret_bound
        for sums in ("tree", "honaker", "blt"):
            for noise in ("laplace", "spherical", "cube", "gaussian"):
                for padding in (None, True, False):
                    try:
                        other = algorithm(name).build(setting, sums=sums, noise=noise, padding=padding, **fixed)
                    except DiscreetError:
                        continue
                    assert other.regret_bound is None or best <= other.regret_bound * (1.0 + 1e-12)

    def test_pure_noise_is_fitted_to_the_losses(self):
        found = {
            name: build(name, {}, dimension=20, rounds=10_000).private.channel.noise_scales[0].kind
            for name in ("private-ftrl-experts", "private-ftrl-ball", "private-ftrl-cube")
        }
        assert found == {
            "private-ftrl-experts": "cube laplace",
            "private-ftrl-ball": "spherical laplace",
            "private-ftrl-cube": "laplace",
        }

    def test_who_asks_for_padding_gets_a_tree(self):
        for padding in (True, False):
            found = build("private-ftrl-cube", {"padding": padding}, delta=1e-6).private.channel
            assert type(found.factorisation) is Tree
            assert found.factorisation.padding == padding

    def test_with_a_delta_buffers_are_chosen_and_without_one_a_tree(self):
        for delta, kind in ((0.0, Tree), (1e-6, Buffered)):
            for epsilon in (1.0, 30.0):  # where noise costs little, a head start costs more, and is no reason for a tree
                setting = Setting(Points("experts", 10), rounds=1 << 18, delta=delta, epsilon=epsilon)
                found = algorithm("private-ftrl-experts").build(setting)
                assert type(found.private.channel.factorisation) is kind

    @pytest.mark.parametrize(
        ("options", "delta", "complaint"),
        [
            ({"sums": "blt"}, 0.0, "sums is blt, whose noise is Gaussian, but delta is 0"),
            ({"sums": "sqrt-toeplitz"}, 0.0, "sums is sqrt-toeplitz, whose noise is Gaussian"),
            ({"sums": "blt", "noise": "laplace"}, 1e-6, "noise is laplace, but blt has a proof for gaussian only"),
            ({"noise": "gaussian"}, 0.0, "noise is gaussian, but delta is 0"),
            ({"sums": "honaker", "padding": True}, 0.0, "padding is for tree, but sums is honaker"),
            ({"sums": "bush"}, 0.0, "sums is 'bush', but must be one of tree, honaker, sqrt-toeplitz, blt"),
            ({"calibration": "paper", "sums": "blt"}, 1e-6, "calibration is paper, which has a padded tree"),
            ({"learning_rate": 0.0}, 0.0, "learning_rate is 0.0, but must be a finite number above 0"),
        ],
    )
    def test_what_cannot_be_is_refused(self, options, delta, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            algorithm("private-ftrl-experts").build(Setting(Points("experts"), delta=delta), **options)

    def test_low_says_nothing_about_a_ball(self):
        with pytest.raises(DiscreetError, match="for points of the ball only high counts"):
            build("ftrl-ball", {}, bounds=Range(0.2, 1.0))

    def test_the_paper_s_noise_has_the_guarantee_that_it_really_has(self):
        paper = build("private-ftrl-experts", {"calibration": "paper"}, rounds=1024, bounds=Range(-1.0, 1.0))
        assert paper.guarantee.epsilon == pytest.approx(2.0, rel=1e-9)
        odd = build("private-ftrl-experts", {"calibration": "paper"}, rounds=1025, bounds=Range(-1.0, 1.0))
        assert odd.guarantee.epsilon == pytest.approx(2.0 * 11 / math.log2(1025), rel=1e-9)
        gaussian = build("private-ftrl-ball", {"calibration": "paper"}, rounds=1024, delta=1e-6)
        assert gaussian.guarantee.epsilon < 0.3


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["laplace", "spherical", "cube", "gaussian"])
def test_the_stated_size_of_the_noise_is_the_real_one(noise):
    """Variance and exponential moment of 40,000 draws: within 5 %, more than four standard errors; seeds are fixed."""
    setting = Setting(Points("experts", 4), rounds=2, delta=1e-6)
    found = choose(setting, setting.problem.sets(UNIT), lambda _: None, sums="tree", noise=noise, padding=False)
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
    """The last sums of 8,000 streams of zeros, as coordinates: within 5 %, six standard errors; seeds are fixed."""
    setting = Setting(Points("experts", 8000), rounds=64, delta=1e-6)
    found = choose(setting, setting.problem.sets(UNIT), lambda _: 1.0, sums=sums, noise="gaussian", padding=False)
    assert isinstance(found, Candidate)
    last = np.zeros(63)
    kernel.compile_for(square_errors, found.channel)(found.channel, np.zeros(8000), last, streams(1).privacy)
    assert math.sqrt(last[-1] / 8000) == pytest.approx(found.most, rel=0.05)


class TestEnvironments:
    @pytest.mark.parametrize("points", GEOMETRIES)
    @pytest.mark.parametrize("name", [name for name in environment_names(Points) if name != "table"])
    def test_every_environment_keeps_its_contract(self, name, points):
        for dimension in (2, 7):
            check_environment(environment(name, Points(points, dimension), rounds=60))

    @pytest.mark.parametrize("points", GEOMETRIES)
    @pytest.mark.parametrize("name", ["linear-stochastic", "linear-alternating", "linear-drifting"])
    def test_losses_are_in_their_set(self, name, points):
        bounds, world = Range(-3.0, 3.0), environment(name, Points(points, 5), rounds=300)
        game, clipped = deal(world, 0, 300, np.random.default_rng(1), bounds, clip=False)
        assert clipped == 0
        assert all(world.problem.sets(bounds).losses.contains(row, 1e-9) for row in game.losses)

    @pytest.mark.parametrize("points", GEOMETRIES)
    def test_the_gap_is_what_the_best_point_gains(self, points):
        """Means of 200,000 rounds, five standard errors."""
        sets = geometry(points, 4, UNIT)
        world = LinearStochastic(points, 4, 0.2)
        losses = world.deal(0, 200_000, np.random.default_rng(3)).losses
        total = losses.sum(axis=0)
        middle = sets.points.centre()
        gain = (total @ middle - sets.best(total)) / 200_000
        assert gain == pytest.approx(0.2 * (0.75 if points == "experts" else 1.0), abs=0.012)

    @pytest.mark.slow
    def test_who_follows_the_leader_loses_against_an_alternating_one(self):
        for points in GEOMETRIES:
            sets = geometry(points, 4, UNIT)
            world = environment("linear-alternating", Points(points, 4), rounds=1000)
            greedy = Private(OpenSum.over(sets.losses), QuadraticFtrl.start(set=sets.points, learning_rate=1e9))
            assert mean_regret(greedy, world, 1000, trials=1) > 450

    @pytest.mark.slow
    @pytest.mark.parametrize("lag", [0, 1])
    def test_an_adversary_that_reacts_scores_each_player_by_its_own_losses(self, lag):
        sets = geometry("experts", 3, UNIT)
        world = LinearAdaptive("experts", 3, lag)
        learner = EntropyFtrl.start(dimension=3, learning_rate=0.1)
        players = [
            Private(OpenSum.over(sets.losses), learner),
            build("private-ftpl", {"geometry": "experts"}, dimension=3).private,
        ]
        marks = checkpoints(500)
        outcome = run_trial(players, world, marks, seed=1, trial=0, bounds=UNIT, clip=False, stop=threading.Event())
        total, point, loss, last, regrets = np.zeros(3), np.full(3, 1 / 3), 0.0, np.full(3, 1 / 3), []
        for t in range(500):
            weights = np.exp(-0.1 * (total - total.min()))
            point = weights / weights.sum()
            against = point if lag == 0 else last
            aim = 1 / 3 - against
            aim[0] -= 1e-9
            vector = (aim < 0.0).astype(float)
            loss, total, last = loss + vector @ point, total + vector, point
            if t + 1 in marks:
                regrets.append(loss - total.min())
        np.testing.assert_allclose(outcome.regret[0], regrets, atol=1e-9)
        assert not np.allclose(outcome.loss[0], outcome.loss[1])

    @pytest.mark.slow
    def test_privacy_is_not_free_if_losses_react_to_the_noise(self):
        """What the paper's theorem leaves out: its losses are fixed in advance."""
        results = simulate(
            ["ftrl-experts", "private-ftrl-experts"],
            environment="linear-adaptive",
            dimension=5,
            rounds=4000,
            trials=3,
            delta=1e-6,
        )
        ordinary, private = results.summary()
        assert private["regret_mean"] > 5.0 * ordinary["regret_mean"]
        assert private["regret_bound"] is None
        assert results.reacts

    def test_a_table_of_vectors(self, tmp_path):
        rows = np.random.default_rng(2).random((50, 3))
        np.save(tmp_path / "rows.npy", rows)
        arguments = {"environment": "table", "losses": tmp_path / "rows.npy", "trials": 2}
        found = simulate(["ftrl-experts"], **arguments)
        assert found.rounds == 50
        assert found.problem == Points("experts", 3)
        best = rows.sum(axis=0).min()
        np.testing.assert_allclose(found.loss[0, :, -1] - found.regret[0, :, -1], best)
        first = int(np.flatnonzero(np.linalg.norm(rows, axis=1) > 1.0)[0]) + 1
        with pytest.raises(DiscreetError, match=rf"row {first}: the loss vector has 2-norm .* but at most 1 is declared"):
            simulate(["ftrl-ball"], **arguments)
        assert simulate(["ftrl-ball"], **arguments, clip=True).clipped > 0
        assert simulate(["ftrl-ball"], **arguments, high=2.0).clipped == 0
        with pytest.raises(DiscreetError, match=r"rows.npy has 3"):
            simulate(["ftrl-ball"], **arguments, dimension=4)


class TestSimulation:
    def test_experts_play_the_losses_of_arms(self):
        found = simulate(["ftrl-experts", "hedge"], environment="deterministic", dimension=4, rounds=2000, trials=1)
        table = environment("deterministic", arms=4).deal(0, 2000, np.random.default_rng()).losses
        same = simulate(["ftrl-experts", "hedge"], environment=Table(table), trials=1)
        np.testing.assert_array_equal(found.regret, same.regret)

    @pytest.mark.parametrize(
        ("names", "options", "complaint"),
        [
            (["exp3", "ftrl-ball"], {}, "exp3 plays arms and ftrl-ball plays points of the ball"),
            (["ftrl-cube", "ftrl-ball"], {}, "ftrl-cube plays points of the cube and ftrl-ball plays points of the ball"),
            (
                ["exp3"],
                {"environment": "linear-drifting"},
                "environment 'linear-drifting' is for distributions over experts, but arms are played",
            ),
            (["ftrl-ball"], {"environment": "stochastic"}, "deals the losses of arms, but points of the ball need"),
            (["ftrl-experts"], {"environment": "switching-costs"}, "reacts to single arms"),
            (["ftrl-ball"], {"arms": 3}, "arms is given, but ftrl-ball plays points of the ball, which has no arms"),
            (["ftrl-ball"], {"options": {"gap": 2.0}}, "gap is 2.0, but must be between 0 and 1"),
            (["ftrl-ball"], {"options": {"gap": "wide"}}, "gap is 'wide', but must be between 0 and 1"),
            (["ftrl-ball"], {"options": {"lag": 1}}, "unknown option 'lag'"),
            (
                ["ftrl-ball"],
                {"environment": "linear-adaptive", "options": {"lag": 2}},
                "lag is 2, but must be one of 0, 1",
            ),
        ],
    )
    def test_what_does_not_fit_is_refused(self, names, options, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            simulate(names, rounds=50, trials=1, **options)

    def test_an_environment_of_one_s_own(self):
        world, ball = LinearStochastic("ball", 3, 0.5), Points("ball", 3)
        assert simulate(["ftrl-ball"], environment=world, rounds=100, trials=1).problem == ball
        learner = QuadraticFtrl.start(set=ball.sets(UNIT).points, learning_rate=0.1)
        own = Contender(label="mine", private=Private(OpenSum.over(ball.sets(UNIT).losses), learner))
        arguments = {"dimension": 3, "rounds": 100, "trials": 1}
        assert simulate([own], environment=world, **arguments).problem == ball
        assert simulate([own], environment="linear-drifting", geometry="ball", **arguments).problem == ball
        assert simulate([own], environment="linear-drifting", problem=ball, rounds=100, trials=1).problem == ball
        with pytest.raises(
            DiscreetError, match="ftrl-cube plays points of the cube, but the environment is for points of the ball"
        ):
            simulate(["ftrl-cube"], environment=world, rounds=100, trials=1)

    def test_environments_are_scaled_to_the_declared_range(self):
        one, two = (
            simulate("ftrl-ball", environment="linear-drifting", rounds=200, trials=1, high=high) for high in (1.0, 2.0)
        )
        np.testing.assert_allclose(two.loss, 2.0 * one.loss, rtol=1e-9)

    def test_a_point_of_another_dimension_is_refused(self):
        world = LinearStochastic("ball", 3)
        wrong = build("ftrl-ball", {}, dimension=5).private
        with pytest.raises(DiscreetError, match="the learner is for 5 dimensions, but the game has 3"):
            simulate([Contender(label="x", private=wrong)], environment=world, rounds=100, trials=1)

    @pytest.mark.slow
    def test_memory_does_not_grow_with_the_horizon(self):
        def peak(rounds):
            setting = Setting(Points("experts", 10), rounds=rounds, delta=1e-6)
            private = algorithm("private-ftrl-experts").build(setting).private
            world = LinearStochastic("experts", 10)
            tracemalloc.start()
            mean_regret(private, world, rounds, trials=1)
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return most

        peak(1000)  # imports and compiles
        assert peak(1 << 20) < 1.2 * peak(1 << 17)

    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    @pytest.mark.parametrize("name", ["private-ftrl-experts", "private-ftrl-cube"])
    def test_live_use_has_exact_noise_and_the_same_guarantee(self, name, delta):
        private = build(name, {}, dimension=3, rounds=50, delta=delta).private
        live = exactly(private)
        assert live.guarantee.epsilon <= private.guarantee.epsilon * (1.0 + 1e-9)
        assert live.guarantee.delta == delta
        assert "exact noise" in live.guarantee.source
        assert all(noise.exact for noise in live.channel.noise_scales)
        live, rng = live._replace(channel=unsealed(live.channel)), np.random.default_rng(1)
        for _ in range(49):
            point, trace = live.act(None, rng)
            assert live.tell(trace, np.array([0.5, 0.25, 0.25]), rng)
        assert np.isfinite(point).all()
        assert not live.tell(trace, np.zeros(3), rng), "all sums are released"

    def test_noise_without_an_exact_sampler_is_refused_in_live_use(self):
        with pytest.raises(DiscreetError, match="spherical"):
            exactly(build("private-ftrl-ball", {}, dimension=3, rounds=50).private)

    def test_a_bandit_refuses_algorithms_for_points(self):
        with pytest.raises(
            DiscreetError, match="private-ftrl-experts, which plays distributions over experts: use Experts"
        ):
            Bandit(arms=3, horizon=100, epsilon=1.0, algorithm="private-ftrl-experts")


class TestAudit:
    @pytest.mark.full
    @pytest.mark.parametrize(
        ("options", "delta", "share"),
        [
            ({"noise": "laplace"}, 0.0, 0.85),
            ({"noise": "cube"}, 0.0, 0.85),
            ({"sums": "tree", "noise": "gaussian"}, 1e-6, 0.85),
            ({"sums": "honaker", "noise": "gaussian"}, 1e-6, 0.8),
            ({"sums": "sqrt-toeplitz"}, 1e-6, 0.85),
            ({"sums": "blt"}, 1e-6, 0.85),
        ],
    )
    def test_every_counter_is_audited_and_tight(self, options, delta, share):
        """Bounds at 99 % confidence: a false violation in 1 of 100 audits of other seeds; this seed is fixed."""
        setting = Setting(Points("experts", 2), rounds=8, delta=delta)
        found = audit("private-ftrl-experts", setting=setting, trials=300_000, **options)
        assert not found.violated
        assert found.share > share

    @pytest.mark.full
    @pytest.mark.parametrize(("sums", "delta"), [("tree", 0.0), ("tree", 1e-6), ("sqrt-toeplitz", 1e-6), ("blt", 1e-6)])
    def test_noise_that_is_too_small_is_found(self, sums, delta):
        setting = Setting(Points("experts", 2), rounds=8, delta=delta)
        noise = "gaussian" if delta else "laplace"
        instance = algorithm("private-ftrl-experts").build(setting, sums=sums, noise=noise)
        channel = instance.private.channel
        mechanism = channel.noise._replace(scale=0.8 * channel.noise.scale)
        weak = instance.private._replace(channel=channel._replace(noise=mechanism))
        assert weak.guarantee.epsilon > 1.2
        assert audit(weak, claimed=instance.guarantee, trials=600_000).violated

    @pytest.mark.slow
    def test_the_paper_s_noise_is_refuted(self):
        setting = Setting(Points("experts", 2), rounds=8, bounds=Range(-1.0, 1.0))
        found = audit("private-ftrl-experts", setting=setting, calibration="paper", trials=400_000)
        assert found.claimed.status == "claimed by the paper only"
        assert found.violated
        assert found.lower_bound > 1.6

    @pytest.mark.full
    @pytest.mark.parametrize("split", ["restarts", "hybrid", "tapered"])
    def test_epochs_are_audited_and_tight(self, split):
        losses = Box.cube(2, 0.0, 1.0)
        channel = Restarting.calibrated(losses, noise="cube", epsilon=1.0, split=split)
        found = audit(Private(channel, EntropyFtrl.start(dimension=2, learning_rate=0.1)), trials=200_000)
        assert not found.violated
        assert found.share > 0.85
        assert "loss vector 4 is one of two" in found.attack

    def test_a_run_that_is_too_long_for_an_audit_is_refused(self):
        with pytest.raises(DiscreetError, match=r"has 9,999 prefixes, but every trial of its audit is a whole run"):
            audit("private-ftrl-experts", setting=Setting(Points("experts", 2), rounds=10_000), trials=1000)
