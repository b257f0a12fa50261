"""Policy regret against adversaries with memory: golden numbers, and EXP3_tau below its bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet import Private, Range, simulate
from discreet.algorithms import algorithm
from discreet.algorithms.arms import bounds
from discreet.channels import Selection
from discreet.checks import check_environment
from discreet.environments import Remembering, SwitchingCosts, environment
from discreet.learners import Exp3
from discreet.simulation import Contender

ROUNDS, ARMS = 2**16, 2
# memory, its batch size, measured regrets with batches of 1 and of that size, bound, printed bound
GOLDEN = [
    (1, 46, 19_305, 1_586, 4_345, 6_879),
    (4, 115, 19_302, 2_484, 6_941, 10_946),
    (16, 289, 19_307, 3_728, 11_056, 17_474),
]


@pytest.mark.parametrize(("memory", "size", "_one", "_many", "bound", "printed"), GOLDEN)
def test_bounds_are_the_golden_ones(memory, size, _one, _many, bound, printed):
    wanted = bounds.remembering_size(ARMS, ROUNDS, memory=memory, factor=math.sqrt(2.0))
    assert wanted == size
    found = math.sqrt(2.0 * (ROUNDS // size) * ARMS * math.log(ARMS))
    mine = bounds.remembering(found, rounds=ROUNDS, size=size, memory=memory)
    assert mine == pytest.approx(bound, abs=0.5)
    paper = math.sqrt(7.0 * ROUNDS * size * ARMS * math.log(ARMS)) + ROUNDS * memory / size + size
    assert paper == pytest.approx(printed, abs=0.5)
    assert bounds.remembering(found, rounds=ROUNDS, size=memory, memory=memory) == math.inf


def exp3_on_batches(size):
    rate = math.sqrt(2.0 * math.log(ARMS) / (ROUNDS // size * ARMS))
    channel = Selection.over(size=size, rounds=ROUNDS, delta=0.0, bounds=Range(0.0, 1.0))
    learner = Exp3.start(arms=ARMS, learning_rate=rate, mixing=0.0)
    return Contender(label=f"batches of {size}", private=Private(channel, learner))


@pytest.mark.parametrize(("memory", "size", "one", "many", "bound", "_printed"), GOLDEN)
def test_regrets_are_the_golden_ones(memory, size, one, many, bound, _printed):
    """Four trials, fixed seed; the study has 16, and trials of batches deviate by 3 to 5 %."""
    results = simulate(
        [exp3_on_batches(1), exp3_on_batches(size)],
        environment="remembering",
        options={"memory": memory},
        rounds=ROUNDS,
        arms=ARMS,
        trials=4,
        seed=1,
    )
    found = results.regret[:, :, -1].mean(axis=1)
    assert found[0] == pytest.approx(one, rel=0.01)
    assert found[1] == pytest.approx(many, rel=0.1)
    assert found[1] < bound


class TestTheEnvironment:
    def test_losses_are_those_of_the_definition(self):
        rng = np.random.default_rng(1)
        memory, rounds = 3, 60
        game = environment("remembering", arms=3, memory=memory).deal(0, rounds, rng)
        actions = rng.integers(0, 3, rounds)
        for t, action in enumerate(actions):
            others = (actions[max(0, t - memory) : t] > 0).sum() / memory
            expected = 0.2 * (action == 0) + 0.5 * others
            assert game.loss(t, int(action)) == pytest.approx(expected)
            assert game.feedback(t, int(action)) == pytest.approx(expected)

    def test_comparators_play_one_arm_from_the_start(self):
        check_environment(Remembering(3, memory=5))
        check_environment(SwitchingCosts(3, rounds=60))
        game = Remembering(2, memory=4).deal(0, 20, np.random.default_rng())
        assert game.totals([0]).tolist() == [pytest.approx([4.0, 0.5 * (1.5 + 16)])]

    def test_it_is_scaled_to_the_declared_range(self):
        game = Remembering(2, memory=1).deal(0, 3, np.random.default_rng()).rescaled(10.0, 4.0)
        assert [game.feedback(t, 1) for t in range(2)] == pytest.approx([10.0, 12.0])
        assert game.totals([0]).tolist() == [pytest.approx([32.4, 34.0])]


class TestExp3Tau:
    def test_its_batches_are_long_enough_for_privacy_and_for_the_memory(self):
        known = algorithm("exp3-tau")
        small, large = (
            known.setting(arms=2, rounds=ROUNDS, epsilon=e, delta=1e-6) for e in (0.1, 1e6)
        )
        for memory in (1, 16):
            free = known.build(large, memory=memory)
            wanted = bounds.remembering_size(
                2, ROUNDS, memory=memory, factor=2.0 * math.sqrt(math.e - 1.0)
            )
            assert free.parameters["batch_size"] == wanted
            assert free.memory == memory
            assert "Memory" in free.bound_source
        private = known.build(small, memory=1)
        assert private.parameters["batch_size"] == known.build(small).parameters["batch_size"]
        assert private.guarantee.epsilon <= 0.1
        assert private.regret_bound > known.build(small).regret_bound
        short = known.build(large, memory=5, batch_size=5)
        assert short.memory == 0, "no bound on policy regret: a batch must be longer than that"

    def test_its_bound_is_shown_where_it_holds(self):
        """Two trials, fixed seed; the bound is far above."""
        game = {"rounds": 2**14, "arms": 2, "trials": 2, "epsilon": 1e6, "delta": 1e-6}
        for world, memory, shown in (
            ("remembering", 4, True),
            ("remembering", 0, False),
            ("switching-costs", 1, True),
            ("deterministic", 1, True),
        ):
            options = {"memory": memory} if memory else {}
            results = simulate(["exp3-tau"], environment=world, options=options, **game)
            (row,) = results.summary()
            assert (row["regret_bound"] is not None) is shown
            if shown:
                assert row["regret_mean"] < row["regret_bound"]
