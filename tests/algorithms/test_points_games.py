"""Games of points: environments, simulations and audits."""

from __future__ import annotations

import threading
import tracemalloc

import numpy as np
import pytest
from point_games import UNIT, build, mean_regret

from discreet import Bandit, Contender, DiscreetError, Private, Range, Setting, algorithm, simulate
from discreet.auditing import audit
from discreet.channels import OpenSum, Restarting
from discreet.checks import check_environment
from discreet.contracts import unsealed
from discreet.environments import (
    LinearAdaptive,
    LinearStochastic,
    Table,
    environment,
    environment_names,
)
from discreet.learners import EntropyFtrl, QuadraticFtrl
from discreet.live.run_plan import with_exact_noise
from discreet.problems import Points
from discreet.sets import GEOMETRIES, Box, geometry
from discreet.simulation.dealing import deal
from discreet.simulation.trial import checkpoints, run_trial

pytestmark = pytest.mark.long


class TestEnvironments:
    @pytest.mark.parametrize("points", GEOMETRIES)
    @pytest.mark.parametrize(
        "name", [name for name in environment_names(Points) if name != "table"]
    )
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

    def test_who_follows_the_leader_loses_against_an_alternating_one(self):
        for points in GEOMETRIES:
            sets = geometry(points, 4, UNIT)
            world = environment("linear-alternating", Points(points, 4), rounds=1000)
            greedy = Private(
                OpenSum.over(sets.losses), QuadraticFtrl.start(set=sets.points, learning_rate=1e9)
            )
            assert mean_regret(greedy, world, 1000, trials=1) > 450

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
        outcome = run_trial(
            players, world, marks, seed=1, trial=0, bounds=UNIT, clip=False, stop=threading.Event()
        )
        total, point, loss, last, regrets = (
            np.zeros(3),
            np.full(3, 1 / 3),
            0.0,
            np.full(3, 1 / 3),
            [],
        )
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
        assert results.regrets.reacts

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
        with pytest.raises(
            DiscreetError,
            match=rf"row {first}: the loss vector has 2-norm .* but at most 1 is declared",
        ):
            simulate(["ftrl-ball"], **arguments)
        assert simulate(["ftrl-ball"], **arguments, clip=True).clipped > 0
        assert simulate(["ftrl-ball"], **arguments, high=2.0).clipped == 0
        with pytest.raises(DiscreetError, match=r"rows.npy has 3"):
            simulate(["ftrl-ball"], **arguments, dimension=4)


class TestSimulation:
    def test_experts_play_the_losses_of_arms(self):
        found = simulate(
            ["ftrl-experts", "hedge"],
            environment="deterministic",
            dimension=4,
            rounds=2000,
            trials=1,
        )
        table = environment("deterministic", arms=4).deal(0, 2000, np.random.default_rng()).losses
        same = simulate(["ftrl-experts", "hedge"], environment=Table(table), trials=1)
        np.testing.assert_array_equal(found.regret, same.regret)

    @pytest.mark.parametrize(
        ("names", "options", "complaint"),
        [
            (["exp3", "ftrl-ball"], {}, "exp3 plays arms and ftrl-ball plays points of the ball"),
            (
                ["ftrl-cube", "ftrl-ball"],
                {},
                "ftrl-cube plays points of the cube and ftrl-ball plays points of the ball",
            ),
            (
                ["exp3"],
                {"environment": "linear-drifting"},
                "environment 'linear-drifting' is for distributions over experts, but arms are "
                "played",
            ),
            (
                ["ftrl-ball"],
                {"environment": "stochastic"},
                "deals the losses of arms, but points of the ball need",
            ),
            (["ftrl-experts"], {"environment": "switching-costs"}, "reacts to single arms"),
            (
                ["ftrl-ball"],
                {"arms": 3},
                "arms is not a parameter of the game of ftrl-ball, which has ",
            ),
            (["ftrl-ball"], {"options": {"gap": 2.0}}, "gap is 2.0, but must be between 0 and 1"),
            (
                ["ftrl-ball"],
                {"options": {"gap": "wide"}},
                "gap is 'wide', but must be a number between 0 and 1",
            ),
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
        own = Contender(
            label="mine", private=Private(OpenSum.over(ball.sets(UNIT).losses), learner)
        )
        arguments = {"dimension": 3, "rounds": 100, "trials": 1}
        assert simulate([own], environment=world, **arguments).problem == ball
        assert (
            simulate([own], environment="linear-drifting", geometry="ball", **arguments).problem
            == ball
        )
        assert (
            simulate(
                [own], environment="linear-drifting", problem=ball, rounds=100, trials=1
            ).problem
            == ball
        )
        with pytest.raises(
            DiscreetError,
            match="ftrl-cube plays points of the cube, but the environment is for points of the "
            "ball",
        ):
            simulate(["ftrl-cube"], environment=world, rounds=100, trials=1)

    def test_environments_are_scaled_to_the_declared_range(self):
        one, two = (
            simulate("ftrl-ball", environment="linear-drifting", rounds=200, trials=1, high=high)
            for high in (1.0, 2.0)
        )
        np.testing.assert_allclose(two.loss, 2.0 * one.loss, rtol=1e-9)

    def test_a_point_of_another_dimension_is_refused(self):
        world = LinearStochastic("ball", 3)
        wrong = build("ftrl-ball", {}, dimension=5).private
        with pytest.raises(
            DiscreetError, match="the learner is for 5 dimensions, but the game has 3"
        ):
            simulate([Contender(label="x", private=wrong)], environment=world, rounds=100, trials=1)

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
        live = with_exact_noise(private)
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
            with_exact_noise(build("private-ftrl-ball", {}, dimension=3, rounds=50).private)

    def test_a_bandit_refuses_algorithms_for_points(self):
        with pytest.raises(
            DiscreetError,
            match="private-ftrl-experts, which plays distributions over experts: use Experts",
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
        """Bounds at 99 % confidence: a false violation in 1 of 100 audits of other seeds; this seed
        is fixed.
        """
        setting = Setting(Points("experts", 2), rounds=8, delta=delta)
        found = audit("private-ftrl-experts", setting=setting, trials=300_000, **options)
        assert not found.violated
        assert found.share > share

    @pytest.mark.full
    @pytest.mark.parametrize(
        ("sums", "delta"), [("tree", 0.0), ("tree", 1e-6), ("sqrt-toeplitz", 1e-6), ("blt", 1e-6)]
    )
    def test_noise_that_is_too_small_is_found(self, sums, delta):
        setting = Setting(Points("experts", 2), rounds=8, delta=delta)
        noise = "gaussian" if delta else "laplace"
        instance = algorithm("private-ftrl-experts").build(setting, sums=sums, noise=noise)
        channel = instance.private.channel
        mechanism = channel.noise._replace(scale=0.8 * channel.noise.scale)
        weak = instance.private._replace(channel=channel._replace(noise=mechanism))
        assert weak.guarantee.epsilon > 1.2
        assert audit(weak, claimed=instance.guarantee, trials=600_000).violated

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
        found = audit(
            Private(channel, EntropyFtrl.start(dimension=2, learning_rate=0.1)), trials=200_000
        )
        assert not found.violated
        assert found.share > 0.85
        assert "loss vector 4 is one of two" in found.attack

    def test_a_run_that_is_too_long_for_an_audit_is_refused(self):
        with pytest.raises(
            DiscreetError, match=r"has 9,999 prefixes, but each audit trial plays the whole run"
        ):
            audit(
                "private-ftrl-experts",
                setting=Setting(Points("experts", 2), rounds=10_000),
                trials=1000,
            )
