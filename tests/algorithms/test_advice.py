"""Algorithms with expert advice: the contract, guarantees, regret below bounds, audits, and what is
refused.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from advice_games import BATCHED, NAMES, PRIVATE, UNIT, WORLDS
from common import in_full

import componentjit
from discreet import DiscreetError, Private, Range, Setting, algorithm, audit, simulate
from discreet.auditing.repeated import OneEstimate
from discreet.channels import Estimates, Open
from discreet.channels.estimates import FITTED, GROUPS, JOINT_GAUSSIAN, JOINT_LAPLACE
from discreet.checks import CheckFailed, check_non_interference, check_private
from discreet.environments import AdviceRandom, Stochastic
from discreet.learners import BatchedExp4, Exp4, Exp4P
from discreet.live.run_plan import with_exact_noise
from discreet.problems import Advice
from discreet.randomness import streams
from discreet.simulation.loop import Player, play


class TestAlgorithms:
    def test_all_are_here(self):
        assert set(NAMES) == {"exp4", "exp4-p", *PRIVATE}

    @pytest.mark.slow
    @pytest.mark.parametrize("name", NAMES)
    def test_the_contract(self, name):
        """Non-interference, bit for bit, and both speeds."""
        built = algorithm(name).build(Setting(Advice(3, 7), rounds=2000, delta=1e-6)).private
        check_private(built, AdviceRandom(3, 7), quick=True)

    @pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.full)])
    @pytest.mark.parametrize("name", NAMES)
    def test_a_small_leak_is_found(self, name, compiled):
        built = algorithm(name).build(Setting(Advice(3, 7), rounds=2000, delta=1e-6)).private

        class Leak(type(built)):  # raw feedback comes to the learner beside the channel
            def tell(self, trace, feedback, rng):
                ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
                if ready:
                    self.learner.learn(trace, released + 1e-6 * feedback)
                return ready

        with pytest.raises(CheckFailed, match="raw feedback reaches"):
            check_non_interference(Leak(*built), Advice(3, 7), compiled=compiled)

    @pytest.mark.parametrize("name", NAMES)
    def test_none_of_them_allocates(self, name):
        built = algorithm(name).build(Setting(Advice(3, 7), rounds=2000, delta=1e-6)).private
        game = AdviceRandom(3, 7).deal(0, 50, np.random.default_rng(1))
        player = Player(built, streams(1))
        player.play(game, np.array([50]))
        game = game.followed() if name == "expert-arms" else game
        assert not componentjit.compile_for(play, player.private, game, player._held).must_allocate

    @pytest.mark.parametrize("name", PRIVATE)
    @pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    def test_the_guarantee_is_the_one_that_was_asked_for(self, name, epsilon, delta):
        found = (
            algorithm(name)
            .build(Setting(Advice(3, 20), rounds=5000, epsilon=epsilon, delta=delta))
            .guarantee
        )
        assert found.is_private
        assert found.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert found.epsilon <= epsilon * (1 + 1e-11)
        assert found.delta <= delta
        # elsewhere randomised response has the smaller bound
        assert found.model == ("central" if name == "expert-arms" else "local")

    @pytest.mark.parametrize("name", BATCHED)
    def test_the_papers_noise_is_far_more_private_than_it_says(self, name):
        setting = Setting(Advice(4, 100), rounds=100_000, delta=1e-6)
        found = algorithm(name).build(setting, calibration="paper").guarantee
        assert 0.3 < found.epsilon < 0.4

    @pytest.mark.parametrize("name", NAMES)
    def test_the_bound_scales_with_the_range(self, name):
        bounds = [
            algorithm(name)
            .build(Setting(Advice(3, 8), rounds=10_000, bounds=Range(*ends)))
            .regret_bound
            for ends in ((0.0, 1.0), (-3.0, 2.0))
        ]
        assert bounds[1] == pytest.approx(5.0 * bounds[0])

    @pytest.mark.slow
    @pytest.mark.parametrize("world", WORLDS)
    @pytest.mark.parametrize(("arms", "experts", "rounds"), [(2, 3, 2000), (4, 20, 6000)])
    def test_regret_stays_below_the_bound(self, world, arms, experts, rounds):
        """Bounds are far above what these games cost: a false alarm would be an event of many
        standard deviations.
        """
        found = simulate(
            NAMES,
            environment=world,
            arms=arms,
            experts=experts,
            rounds=rounds,
            trials=6,
            epsilon=[0.5, 4.0],
            seed=3,
        )
        rows = found.summary()
        assert len(rows) == 2 + 2 * len(PRIVATE)
        for row in rows:
            assert row["regret_high"] <= row["regret_bound"]

    def test_they_learn(self):
        found = simulate(
            ["exp4", *PRIVATE],
            environment="advice-contextual",
            arms=4,
            experts=8,
            rounds=40_000,
            trials=8,
            epsilon=4.0,
            seed=5,
        )
        loss = {row["algorithm"]: row["regret_mean"] for row in found.summary()}
        uniform = 40_000 * (0.3 / 4 + 0.6 * 3 / 4 - 0.3)
        assert loss["exp4"] < 0.2 * uniform
        assert all(loss[name] < 0.5 * uniform for name in PRIVATE)

    @pytest.mark.parametrize("base", ["exp4", "private-ftrl-ball", "exp3-tau"])
    def test_bases_that_do_not_fit_are_refused(self, base):
        with pytest.raises(
            DiscreetError, match=r"must be an algorithm for arms|depends on how it draws arms"
        ):
            algorithm("expert-arms").build(Setting(Advice(), delta=1e-6), base=base)


class TestAudits:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", PRIVATE)
    @pytest.mark.parametrize("delta", [0.0, in_full(1e-6)])
    @pytest.mark.long
    def test_named_algorithms(self, name, delta):
        found = audit(name, setting=Setting(Advice(), rounds=10_000, delta=delta))
        assert not found.violated
        assert found.share > 0.93

    def channel(self, way, **changes):
        given = {
            JOINT_GAUSSIAN: {"size": 3, "delta": 1e-6, "ceiling": 0.0},
            JOINT_LAPLACE: {"size": 3, "delta": 0.0, "ceiling": 0.0},
            GROUPS: {"size": 3, "delta": 0.0},
            FITTED: {"size": 10, "delta": 0.01, "fits": True},
        }[way]
        return Estimates.over(
            coordinates=4, groups=2, bounds=Range(-1.0, 1.0), epsilon=1.0, **given
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("way", [JOINT_GAUSSIAN, JOINT_LAPLACE, GROUPS, FITTED])
    @pytest.mark.long
    def test_every_way_is_tight_and_a_fifth_less_noise_is_caught(self, way):
        """Each audit of a right claim errs in at most 1 % of all seeds; this seed is fixed."""
        honest = Private(
            self.channel(way), BatchedExp4.start(experts=4, learning_rate=0.1, mixing=0.1)
        )
        attack = OneEstimate(Range(-1.0, 1.0), 4)
        if way == FITTED:
            attack = attack._replace(alike=False, heavy=1.0)
        assert attack.way(honest.channel) == way
        found = audit(honest, attack=attack)
        assert not found.violated
        assert 0.85 < found.lower_bound <= 1.0
        less = honest.channel._replace(
            laplace=0.8 * honest.channel.laplace, gaussian=0.8 * honest.channel.gaussian
        )
        cheating = honest._replace(channel=less)
        assert audit(cheating, claimed=honest.guarantee, attack=attack).violated
        assert not audit(cheating, attack=attack).violated, "its own guarantee is the larger one"

    @pytest.mark.slow
    @pytest.mark.long
    def test_ones_own_and_the_papers(self):
        private = Private(
            self.channel(GROUPS), BatchedExp4.start(experts=4, learning_rate=0.1, mixing=0.1)
        )
        assert 0.85 < audit(private, trials=100_000).lower_bound <= 1.0
        paper = audit(
            "batched-exp4",
            setting=Setting(Advice(), rounds=10_000, delta=1e-6),
            calibration="paper",
            trials=20_000,
        )
        assert paper.claimed.status == "claimed by the paper only"
        assert not paper.violated
        with pytest.raises(
            DiscreetError, match="the attack expects 3 experts, but the channel has 4"
        ):
            audit(private, attack=OneEstimate(UNIT, 3), trials=200)


class TestRefusals:
    @pytest.mark.parametrize(
        ("names", "options", "complaint"),
        [
            (["exp4", "exp3"], {}, "in one simulation all must play the same"),
            (
                "exp4",
                {"environment": "stochastic"},
                "'stochastic' is for arms, but arms with expert advice are played",
            ),
            (
                "exp3",
                {"environment": "advice-random"},
                "'advice-random' is for arms with expert advice, but arms are played",
            ),
            (
                "exp3",
                {"experts": 5},
                "experts is not a parameter of the game of exp3, which has arms",
            ),
            ("exp4", {"experts": 1}, "experts is 1, but must be"),
            ("exp4", {"environment": "table"}, "file"),
            (
                "exp4",
                {"environment": AdviceRandom(3, 4), "experts": 5},
                "experts is 5, but the environment has 4",
            ),
            (
                "exp4",
                {"environment": Stochastic(3)},
                "is for arms, but the algorithms play arms with expert advice",
            ),
        ],
    )
    def test_simulate_refuses_what_does_not_fit(self, names, options, complaint):
        with pytest.raises(DiscreetError, match=complaint):
            simulate(names, rounds=100, trials=1, **options)

    @pytest.mark.parametrize("name", BATCHED)
    def test_live_use_is_refused(self, name):
        for options in ({"batch_size": 4}, {"calibration": "paper"}):
            private = (
                algorithm(name)
                .build(Setting(Advice(experts=3), rounds=1000, delta=1e-6), **options)
                .private
            )
            with pytest.raises(DiscreetError, match="cannot be used live"):
                with_exact_noise(private)

    def test_a_learner_meets_advice_of_another_number_of_experts(self):
        game = AdviceRandom(3, 5).deal(0, 20, np.random.default_rng(0))
        for learner in (
            Exp4.start(experts=4, learning_rate=0.1),
            Exp4P.start(experts=5, arms=2, rounds=20),
        ):
            with pytest.raises(
                DiscreetError,
                match=r"the advice has (5 experts|3 arms), but the learner was made for [24]",
            ):
                Player(Private(Open(UNIT), learner), streams(1)).play(game, np.array([20]))


def test_facts_for_machines_name_the_experts():
    from click.testing import CliRunner

    from discreet.cli.commands import cli

    words = [
        "describe",
        "batched-exp4",
        "--experts",
        "100",
        "--epsilon",
        "0.1",
        "--delta",
        "1e-6",
        "--json",
    ]
    facts = json.loads(CliRunner().invoke(cli, words, catch_exceptions=False).stdout)
    assert "100" in json.dumps(facts)
