"""Exponentials and logarithms of many numbers at once have the last digit of the C library's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from llvmlite import ir

from componentjit.lanes import machine, rounded
from componentjit.lanes.vectors import (
    DOUBLE,
    EVERYWHERE,
    LANES,
    LONG,
    POINTER,
    VECTORS,
    Arithmetic,
    Value,
)

COUNT = 400_000
RNG = np.random.default_rng(20261117)
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    math.inf,
    -math.inf,
    math.nan,
    5e-324,
    -5e-324,
    2.0**-1022,
    1.7e308,
    0.5,
    2.0,
    math.e,
]
# farther from the truth than this, the C library may round otherwise
LEAST_DOUBT = {"exp": 0.489, "log": 0.48}
ARGUMENTS = {
    "exp": [
        RNG.uniform(-50.0, 0.0, COUNT),
        RNG.uniform(-700.0, 700.0, COUNT),
        RNG.uniform(-760.0, 720.0, COUNT // 10),  # beyond both ends
        RNG.normal(0.0, 1e-9, COUNT // 10),
        np.arange(-800, 800) * math.log(2.0) / 2.0,  # where the reduced argument is largest, or 0
    ],
    "log": [
        RNG.random(COUNT),
        RNG.uniform(0.6, 1.6, COUNT),
        1.0 + RNG.normal(0.0, 1e-9, COUNT // 10),
        np.exp(RNG.uniform(-745.0, 709.0, COUNT)),
        -RNG.random(1000),
        2.0 ** np.arange(-1070.0, 1024.0, 0.5),
    ],
}


def compiled(name, *, sure_only=False):
    """Return a function of an array of whole groups of lanes, and of an array to write to.

    With ``sure_only`` results that are not sure are NaN, and no C library is called.
    """
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(LONG, [POINTER] * 3), "play")
    builder = ir.IRBuilder(function.append_basic_block())
    start, loop, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
    groups = builder.load(function.args[2], typ=LONG)
    builder.branch(loop)
    builder.position_at_end(loop)
    group = builder.phi(LONG)
    group.add_incoming(LONG(0), start)
    source, target = (
        builder.gep(each, [builder.mul(group, LONG(LANES))], source_etype=DOUBLE)
        for each in function.args[:2]
    )
    x = builder.load(source, typ=VECTORS["f"], align=8)
    if sure_only:
        found = rounded.NEAREST[name](builder, x)
        result = builder.select(
            found.certain, found.values, ir.Constant(VECTORS["f"], [math.nan] * LANES)
        )
    else:
        result = (
            Arithmetic(module, builder)
            .elementary(name, [Value(x, "f", True)], here=EVERYWHERE)
            .code
        )
    builder.store(result, target, align=8)
    following = builder.add(group, LONG(1))
    group.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, groups), loop, end)
    builder.position_at_end(end)
    builder.ret(following)
    play = machine.load(machine.compile_module(str(module)), machine.functions_in(str(module)))

    def run(numbers):
        padded = np.resize(numbers, -(-len(numbers) // LANES) * LANES)
        found = np.empty_like(padded)
        play(padded.ctypes.data, found.ctypes.data, np.array([padded.size // LANES]).ctypes.data)
        return found[: len(numbers)]

    return run


def by_library(name, numbers):
    def one(x):
        try:
            return getattr(math, name)(x)
        except OverflowError:
            return math.inf
        except ValueError:  # compiled code does not raise
            return -math.inf if x == 0.0 else math.nan

    return np.array([one(x) for x in numbers.tolist()])


@pytest.mark.parametrize("name", ["exp", "log"])
def test_all_digits_are_those_of_the_c_library(name):
    fast = compiled(name)
    for numbers in (*ARGUMENTS[name], np.array(SPECIAL)):
        np.testing.assert_array_equal(fast(numbers), by_library(name, numbers))


@pytest.mark.parametrize(("name", "share"), [("exp", 0.04), ("log", 0.17)])
def test_what_is_sure_needs_no_library_and_is_most_of_it(name, share):
    numbers = ARGUMENTS[name][0]
    found = compiled(name, sure_only=True)(numbers)
    sure = ~np.isnan(found)
    assert 1.0 - share < sure.mean() < 1.0  # 1 % above what is expected, tens of deviations
    np.testing.assert_array_equal(found[sure], by_library(name, numbers[sure]))


@pytest.mark.parametrize(("name", "most"), [("exp", 0.015), ("log", 0.08)])
def test_sums_are_closer_to_the_truth_than_the_room_that_is_left(name, most):
    """What is certain is the number nearest to the truth; long doubles have 11 bits more."""
    numbers = ARGUMENTS[name][0]
    found = compiled(name, sure_only=True)(numbers)
    exactly = getattr(np, name)(numbers.astype(np.longdouble))
    sure = ~np.isnan(found)
    off = np.abs((exactly - found) / np.spacing(np.abs(found)))[sure]
    assert 0.5 - most - 0.03 < off.max() < LEAST_DOUBT[name]


@pytest.mark.parametrize(
    ("library", "known"),
    [
        (("glibc", "2.28"), True),
        (("glibc", "2.36"), True),
        (("glibc", "2.27"), False),
        (("", ""), False),
    ],
)
def test_other_libraries_are_called_lane_by_lane(library, known):
    assert rounded.is_accurate(library) == known


def test_without_what_is_known_of_the_library_digits_are_the_same(monkeypatch):
    monkeypatch.setattr("componentjit.lanes.vectors.is_accurate", lambda: False)
    numbers = ARGUMENTS["exp"][0][:1000]
    np.testing.assert_array_equal(compiled("exp")(numbers), by_library("exp", numbers))
