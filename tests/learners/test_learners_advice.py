"""Learners with expert advice: EXP4 as printed, its variants, and their use of estimates."""

from __future__ import annotations

import math

import numpy as np
import pytest

import componentjit
from discreet import Private, Range, Setting, algorithm
from discreet.channels import Open
from discreet.environments import Table
from discreet.learners import Exp3, Exp4, Exp4P, Following
from discreet.problems import Advice
from discreet.problems.advice import AdviceGame
from discreet.randomness import streams
from discreet.simulation.loop import Player

UNIT = Range(0.0, 1.0)
BATCHED = ["batched-exp4", "improved-batched-exp4"]


def textbook(advice, losses, rate, mixing, seed):
    """EXP4 as it is printed, with the same draws: weights from scratch in every round."""
    rng = streams(seed).learner
    logs = np.zeros(advice.shape[2])
    total = 0.0
    for shown, row in zip(advice, losses, strict=True):
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        chances = (1.0 - mixing) * shown @ weights + mixing / len(row)
        point = rng.random()
        if point < mixing:
            arm = int(point / mixing * len(row))
        else:
            expert = int(
                np.searchsorted(np.cumsum(weights), (point - mixing) / (1.0 - mixing), side="right")
            )
            arm = int(np.searchsorted(np.cumsum(shown[:, expert]), rng.random(), side="right"))
        total += row[arm]
        logs -= rate * row[arm] / chances[arm] * shown[arm]
    return total, logs


def dealt(rounds, arms=3, experts=6, seed=1):
    """Return a game with new advice in every round."""
    rng = np.random.default_rng(seed)
    advice = rng.dirichlet(np.full(arms, 0.4), (rounds, experts)).swapaxes(1, 2).copy()
    return AdviceGame(rng.random((rounds, arms)), advice, np.arange(rounds), rng.random(rounds))


class TestLearners:
    @pytest.mark.parametrize("mixing", [0.0, 0.1])
    def test_exp4_is_the_textbooks(self, mixing):
        game = dealt(400)
        player = Player(
            Private(Open(UNIT), Exp4.start(experts=6, learning_rate=0.3, mixing=mixing)), streams(4)
        )
        loss = player.play(game, np.array([400]))[0]
        total, logs = textbook(game.table, game.losses, 0.3, mixing, 4)
        assert loss == pytest.approx(total, rel=1e-12)
        assert player.private.learner.weights.logs == pytest.approx(logs, rel=1e-9)

    @pytest.mark.parametrize("name", BATCHED)
    def test_without_noise_they_are_the_ordinary_exp4(self, name):
        built = algorithm(name).build(Setting(Advice(3, 6), rounds=600), batch_size=1).private
        silent = built._replace(channel=built.channel._replace(laplace=0.0))
        assert not silent.guarantee.is_private
        plain = Private(Open(UNIT), Exp4(*built.learner))
        game, runs = dealt(600), []
        for private in (silent, plain):
            player = Player(private, streams(2))
            runs.append(
                (player.play(game, np.array([600]))[0], player.private.learner.weights.logs)
            )
        assert runs[0][0] == runs[1][0]
        assert runs[0][1] == pytest.approx(runs[1][1], rel=1e-9, abs=1e-9)

    def test_local_exp4_without_noise_is_the_ordinary_exp4(self):
        built = algorithm("local-exp4").build(Setting(Advice(3, 6), rounds=600)).private
        silent = built._replace(channel=Open(UNIT))
        game = dealt(600)
        one, other = (
            Player(private, streams(2)).play(game, np.array([600]))[0]
            for private in (silent, Private(Open(UNIT), Exp4(*built.learner)))
        )
        assert one == other

    @pytest.mark.slow
    @pytest.mark.parametrize("size", [10.0, 2000.0])
    def test_weights_stay_right_however_large_the_changes(self, size):
        weights = Exp4.start(experts=50, learning_rate=1.0).weights
        rng = np.random.default_rng(0)
        for _ in range(600):
            weights.shift(rng.standard_normal(50), size * rng.standard_normal())
            expected = np.exp(weights.logs - weights.logs.max())
            assert weights.values / weights.scale[0] == pytest.approx(
                expected / expected.sum(), rel=1e-9, abs=1e-200
            )

    def test_an_expert_comes_back_from_a_weight_that_vanished(self):
        weights = Exp4.start(experts=3, learning_rate=1.0).weights
        for changes in (
            (-800.0, 800.0),
            (-740.0, 690.0, 50.0),
            (-400.0, -340.0, 739.9, 0.1),
            (-1200.0, *[0.1] * 12_000),
        ):
            for change in changes:
                weights.shift(np.array([0.0, 0.0, 1.0]), change)
            assert weights.values == pytest.approx(
                np.exp(weights.logs - weights.scale[1]), rel=1e-9
            )
            assert weights.values[2] == pytest.approx(1.0, rel=1e-7)

    def test_rounding_errors_do_not_add_up(self):
        """After a million small changes, compiled, weights still agree with their logarithms."""

        def moves(weights, vectors, times):
            for _ in range(times):
                for i in range(vectors.shape[0]):
                    weights.shift(vectors[i], 0.05)

        weights = Exp4.start(experts=5, learning_rate=1.0).weights
        vectors = np.random.default_rng(0).standard_normal((500, 5))
        vectors -= vectors.mean(axis=0)
        componentjit.compile_for(moves, weights)(weights, vectors, 2000)
        expected = np.exp(weights.logs - weights.scale[1])
        assert weights.values == pytest.approx(expected, rel=1e-9)

    def test_an_arm_that_nobody_advised_is_never_played(self):
        """The advice may add up to a little less than 1; nobody gives anything to the last arm."""
        advice = np.array([[0.5, 0.5], [0.5 - 1e-3, 0.5 - 1e-3], [0.0, 0.0]])
        learner = Exp4.start(experts=2, learning_rate=0.1)
        rng = np.random.default_rng(0)
        assert {learner.act(advice, rng)[0] for _ in range(20_000)} == {0, 1}

    @pytest.mark.slow
    def test_following_is_the_learner_on_the_losses_of_experts(self):
        game = dealt(500)
        followed = game.followed()
        drawn = np.array([[followed.loss(t, expert) for expert in range(6)] for t in range(500)])
        base = Exp3.start(arms=6, learning_rate=0.2)
        one = Player(Private(Open(UNIT), Following(base)), streams(3)).play(game, np.array([500]))
        other = Player(Private(Open(UNIT), base), streams(3)).play(
            Table(drawn).deal(0, 500, None), np.array([500])
        )
        assert one == other

    def test_exp4_p_is_as_printed(self):
        learner = Exp4P.start(experts=4, arms=3, rounds=50, failure=0.05)
        game, rng = dealt(50, experts=4), np.random.default_rng(1)
        logs = np.zeros(4)
        p, b = learner.least_share, learner.bonus
        assert p == pytest.approx(math.sqrt(math.log(4) / 150))
        assert b == pytest.approx(math.sqrt(math.log(80) / 150))
        for t in range(50):
            advice = game.observe(t)
            shares = np.exp(logs) / np.exp(logs).sum()
            chances = (1 - 3 * p) * advice @ shares + p
            arm, trace = learner.act(advice, rng)
            assert trace.importance == pytest.approx(1.0 / chances[arm])
            loss = float(game.losses[t, arm])
            learner.learn(trace, loss)
            logs += (
                p
                / 2
                * (
                    (1 - loss) * advice[arm] / chances[arm]
                    + b * (advice / chances[:, None]).sum(axis=0)
                )
            )
        assert learner.weights.logs == pytest.approx(logs)
