"""Constant folding before a loop is written for lanes: what the loop does stays the same."""

from __future__ import annotations

import ast
import copy

import numpy as np
import pytest

from componentjit.lanes.simplifying import simplify

DRAW = """
arm = 0
done = False
while arm + 4 <= values.shape[0]:
    two = values[arm] + values[arm + 1]
    four = two + (values[arm + 2] + values[arm + 3])
    if mass < four:
        found = arm + (mass >= values[arm]) + (mass >= two) + (mass >= two + values[arm + 2])
        done = True
        break
    mass = mass - four
    arm = arm + 4
if not done:
    late = False
    while arm < values.size:
        mass = mass - values[arm]
        if mass < 0.0:
            found = arm
            late = True
            break
        arm = arm + 1
    if not late:
        found = values.size - 1
        while values[found] == 0.0 and found > 0:
            found = found - 1
"""

UNKNOWN_TURNS = """
done = False
steps = 0
while not done:
    mass = mass / 2.0
    steps = steps + 1
    done = mass < 0.1
"""

BOTH_SIDES_LEAVE = """
place = 0
while place < values.size:
    if values[place] > mass:
        found = place
        break
    else:
        if values[place] == mass:
            found = -place
            break
        mass = mass - values[place]
    place = place + 1
"""

NEITHER_ENDS_IN_LEAVING = """
place = 0
while place < values.size:
    if values[place] > mass:
        if values[place] > 2.0 * mass:
            break
        mass = mass + 1.0
    place = place + 1
"""

GOES_ON = """
place = 0
total = 0.0
while place < values.size:
    place = place + 1
    if values[place - 1] > mass:
        continue
    total = total + values[place - 1]
"""

FLAGS = """
large = False
if mass > 1.0:
    large = True
    half = mass / 2.0
else:
    half = mass
if large:
    half = half + 1.0
else:
    half = half - 1.0
if not large:
    half = 3.0 * half
"""

FLAG_THAT_IS_CHANGED = """
if mass > 1.0:
    large = True
else:
    large = mass > 0.5
if large:
    large = False
    mass = 0.0
if large:
    mass = 7.0
"""

NUMBER_FOR_A_FLAG = """
if mass > 1.0:
    half = 3
else:
    half = 0
if half:
    steps = 1
else:
    steps = 2
"""

CASES = {
    "draw": (DRAW, {"done", "late"}),
    "unknown turns": (UNKNOWN_TURNS, {"done"}),
    "both sides leave": (BOTH_SIDES_LEAVE, set()),
    "neither ends in leaving": (NEITHER_ENDS_IN_LEAVING, set()),
    "goes on": (GOES_ON, set()),
    "flags": (FLAGS, {"large"}),
    "a number for a flag": (NUMBER_FOR_A_FLAG, set()),
    "a flag that is changed": (FLAG_THAT_IS_CHANGED, {"large"}),
}


def results(body, values, mass):
    """Run statements, and return those of their variables that somebody reads later."""
    module = ast.fix_missing_locations(ast.Module(copy.deepcopy(list(body)), []))
    names = {"values": values, "mass": mass}
    exec(compile(module, "case", "exec"), names)
    return {
        name: names[name] for name in ("found", "mass", "total", "half", "steps") if name in names
    }


def loops_in(body):
    return sum(isinstance(node, ast.While) for each in body for node in ast.walk(each))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("length", [1, 3, 4, 5, 8, 11, 16])
@pytest.mark.parametrize("case", CASES)
def test_what_is_simplified_does_the_same(case, length, known):
    text, flags = CASES[case]
    body = ast.parse(text).body
    short = simplify(copy.deepcopy(body), flags, {"values": (length if known else None,)})
    rng = np.random.default_rng(1)
    for _ in range(15):
        values = rng.random(length) * (rng.random(length) < 0.7)
        mass = float(rng.random() * values.sum() * 1.2 + 0.01)
        expected, found = results(body, values, mass), results(short, values, mass)
        assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(("length", "left"), [(3, 1), (4, 1), (8, 1), (11, 1), (16, 1), (20, 3)])
def test_a_few_turns_are_written_out(length, left):
    """Only the search for the last arm of positive weight stays a loop; beyond 16 arms all do."""
    text, flags = CASES["draw"]
    assert loops_in(simplify(ast.parse(text).body, flags, {"values": (length,)})) == left


def test_a_loop_of_unknown_length_stays_one():
    text, flags = CASES["unknown turns"]
    assert loops_in(simplify(ast.parse(text).body, flags, {"values": (4,)})) == 1


def test_what_follows_a_flag_joins_the_branch_that_sets_it():
    text, flags = CASES["flags"]
    short = simplify(ast.parse(text).body, flags, {})
    assert sum(isinstance(node, ast.If) for each in short for node in ast.walk(each)) == 1
