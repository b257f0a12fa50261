"""Checks of two numbers: the same sentence, with both, from plain code, compiled code and lanes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from componentjit import Component, ComponentError, GuardError, compile_for, guard, vectorizable
from componentjit.lanes import LANES, program_for

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


class Dice(Component):
    faces: int
    counts: np.ndarray

    def throw(self, rng):
        # one too many, sooner or later, in some lane
        face = int(rng.random() * (self.faces + 0.01))
        check_place(face, self.faces)
        self.counts[face] += 1.0


@vectorizable(state="dice", uniform=("rounds",), generators=("rng",))
def throw_often(dice, rounds, rng):
    for _ in range(rounds):
        dice.throw(rng)


def test_lanes_tell_the_numbers_of_the_first_that_fails():
    dice = Dice(faces=3, counts=np.zeros(3))
    program = program_for(throw_often, {"dice": dice, "rounds": 1, "rng": None})
    program.compile()
    lanes = program.start(dice, {"rng": [np.random.default_rng(seed) for seed in range(LANES)]})
    with pytest.raises(GuardError, match=r"^place 3 is not one of 3\.$"):
        program.run(lanes, {"rounds": 10_000})
