"""Short trials are played in groups, and each has the numbers that it has in plain Python."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from discreet import algorithm
from discreet.environments.registry import environment
from discreet.problems import ArmGame
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation.backends import run_trials
from discreet.simulation.dealing import Stretch
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.trial import checkpoints, run_trial

UNIT = make_range()


def players(names, rounds, **parameters):
    settings = [
        (algorithm(name), algorithm(name).setting(rounds=rounds, **parameters)) for name in names
    ]
    return [each.build(setting).private for each, setting in settings], settings[0][1].problem


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "world", "parameters"),
    [
        (("exp3", "tracking-ucb", "ftpl"), "stochastic", {"arms": 4}),
        (("exp3", "one-bit-tsallis-inf"), "switching-costs", {"arms": 3}),  # remembers its players
        (("ftrl-ball",), "linear-adaptive", {"geometry": "ball", "dimension": 3}),  # answers them
        # what is held is an array
        (("ftrl-experts", "hedge"), "linear-stochastic", {"dimension": 3}),
        (("exp4",), "advice-random", {"arms": 3, "experts": 4}),
    ],
)
def test_trials_in_groups_are_those_alone(names, world, parameters):
    rounds = 70
    privates, problem = players(names, rounds, **parameters)
    place, marks = environment(world, problem, rounds=rounds, bounds=UNIT), checkpoints(rounds)
    how = {"seed": 3, "bounds": UNIT, "clip": False, "stop": threading.Event()}
    together = run_trials(privates, place, marks, trials=range(10, 17), **how)
    for trial, found in zip(range(10, 17), together, strict=True):
        alone = run_trial(privates, place, marks, trial=trial, compiled=False, **how)
        np.testing.assert_array_equal(found.loss, alone.loss)
        np.testing.assert_array_equal(found.regret, alone.regret)
        np.testing.assert_array_equal(found.memory, alone.memory)


def test_a_group_can_be_told_to_stop():
    privates, problem = players(["uniform"], 50, arms=3)
    place, stop = environment("stochastic", problem, rounds=50, bounds=UNIT), threading.Event()
    stop.set()
    how = {"seed": 3, "bounds": UNIT, "clip": False, "stop": stop}
    assert run_trials(privates, place, checkpoints(50), trials=range(5), **how) is None


def test_games_that_lie_otherwise_in_memory_are_read_as_they_are():
    """Compiled code is called directly for games like one before, so they must have its types."""
    (private,), _ = players(["exp3"], 40, arms=3)
    shared, marks = Prototype(private), np.array([40])
    losses = np.random.default_rng(1).random((40, 3))
    read_only = losses.copy()
    read_only.setflags(write=False)
    for table in (
        losses,
        losses,
        np.asfortranarray(losses),
        np.repeat(losses, 2, axis=0)[::2],
        read_only,
    ):
        (found,) = Player(shared, streams(1)).play(ArmGame(table), marks)
        (plain,) = Player(private, streams(1), compiled=False).play(ArmGame(losses), marks)
        assert found == plain
    assert len(shared.loops) > 2


def test_stretches_have_the_marks_that_are_in_them():
    marks = np.array([1, 3, 10, 32, 100])
    part = Stretch.of(3, 32, marks)
    assert (marks[part.inside] - 3).tolist() == part.stops[part.at_marks].tolist() == [7, 29]
    assert part.starts == [0, 7]
    part = Stretch.of(32, 50, marks)
    assert marks[part.inside].size == part.stops[part.at_marks].size == 0
    assert part.stops.tolist() == [18]
