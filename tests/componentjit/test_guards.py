"""Checks of two numbers: the same sentence, with both of them, from plain code, compiled code and lanes."""

from __future__ import annotations

import functools
import threading

import numpy as np
import pytest

from componentjit import Component, compile_for, guard
from componentjit import ComponentError, Private
from discreet.channels import Open
from discreet.contracts import Learner
from discreet.environments import Stochastic
from discreet.learners.arms.draws import Draw
from discreet.ranges import make_range
from discreet.simulation.side_by_side import lanes_of, run_trials
from discreet.simulation.trial import run_trial

check_size = guard("found {:,} numbers, but {:,} are needed.", equal=True)
check_place = guard("place {:,} is not one of {:,}.")


class Checking(Component):
    sizes: np.ndarray

    def ask_size(self, found, wanted):
        check_size(found, wanted)

    def ask_place(self, found, wanted):
        check_place(found, wanted)


def check_both(checking, sizes, places):
    for i in range(sizes.shape[0]):
        checking.ask_size(sizes[i, 0], sizes[i, 1])
    for i in range(places.shape[0]):
        checking.ask_place(places[i, 0], places[i, 1])


def at_both_speeds():
    checking = Checking(np.zeros(1))
    return [check_both, compile_for(check_both, checking)], checking


def pairs(*numbers):
    return np.array(numbers, dtype=np.int64).reshape(-1, 2)


def test_what_fits_passes():
    for check, checking in [(each, at_both_speeds()[1]) for each in at_both_speeds()[0]]:
        check(checking, pairs((3, 3), (0, 0)), pairs((0, 1), (6, 7)))


@pytest.mark.parametrize(
    ("sizes", "places", "sentence"),
    [
        (pairs((3, 3), (3, 5)), pairs(), "found 3 numbers, but 5 are needed."),
        (pairs((12_345, 0)), pairs(), "found 12,345 numbers, but 0 are needed."),
        (pairs(), pairs((1, 2), (2, 2)), "place 2 is not one of 2."),
        (pairs(), pairs((-1, 2)), "place -1 is not one of 2."),
    ],
)
def test_what_does_not_is_refused_with_both_numbers(sizes, places, sentence):
    checks, checking = at_both_speeds()
    for check in checks:
        with pytest.raises(ComponentError) as refused:
            check(checking, sizes, places)
        assert str(refused.value) == sentence


def test_threads_tell_their_own_numbers():
    (_, compiled), checking = at_both_speeds()
    found = {}

    def fail(number):
        sizes = np.tile(pairs((1, 1)), (200_000, 1))
        sizes[-1, 0] = number
        try:
            compiled(checking, sizes, pairs())
        except ComponentError as error:
            found[number] = str(error)

    threads = [threading.Thread(target=fail, args=(number,)) for number in range(2, 10)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {
        number: f"found {number} numbers, but 1 are needed." for number in range(2, 10)
    }


class Overshooting(Learner):
    """Plays the arm after the last, sooner or later, in some lane."""

    arms: int

    def act(self, observation: object, rng: object) -> tuple[int, Draw]:
        arm = int(rng.random() * (self.arms + 0.01))
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""


@pytest.mark.parametrize("way", ["plain", "compiled", "side by side"])
def test_an_arm_that_there_is_not_is_told_however_it_is_played(way):
    private, world, unit = (
        Private(Open(make_range()), Overshooting(arms=3)),
        Stochastic(3),
        make_range(),
    )
    how = {"seed": 5, "bounds": unit, "clip": False, "stop": threading.Event()}
    who = [private], world, np.array([3000])
    if way == "side by side":
        program = lanes_of(private, world, unit)
        program.compile()
        play = functools.partial(run_trials, *who, trials=range(16), ways=(program,), **how)
    else:
        play = functools.partial(run_trial, *who, trial=0, compiled=way == "compiled", **how)
    with pytest.raises(
        ComponentError, match=r"^action 3 was played, but the game has 3 arms, counted from 0\.$"
    ):
        play()
