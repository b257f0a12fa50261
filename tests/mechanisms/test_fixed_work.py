"""Arithmetic with the same work for all numbers gives the same results as the plain one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from discreet import Range
from discreet.mechanisms.bits import BITS, RandomisedResponse, coin_numbers
from discreet.mechanisms.fixed_work import OFFSET, rounded_plus
from discreet.ranges import clamp_compiled, clamp_to, steps_compiled, steps_to

VALUES = some.floats(-(2.0**79), 2.0**79)


@given(
    some.one_of(VALUES, some.integers(-(2**54), 2**54).map(lambda n: n / 2)),
    some.integers(-(2**63), 2**63),
)
def test_rounding_is_that_of_python(value, number):
    assert rounded_plus(value, number) == round(value) + number


@given(some.floats(0.0, 2.0**60))
def test_with_an_offset_all_numbers_have_the_same_size(value):
    assert rounded_plus(value, OFFSET).bit_length() == OFFSET.bit_length()


def test_larger_numbers_are_rounded_too_and_nan_is_refused():
    assert rounded_plus(2.0**90, 1) == 2**90 + 1
    with pytest.raises(ValueError, match="NaN"):
        rounded_plus(math.nan, 0)


@given(some.floats(), some.floats(-1e3, 0.0), some.floats(0.001, 1e3))
def test_clamping_is_what_compiled_code_does(loss, low, high):
    for kind in (float, np.float64):
        assert clamp_to(kind(loss), low, high) == clamp_compiled(loss, low, high)


@given(
    some.floats(),
    some.floats(-1e3, 0.0),
    some.floats(0.001, 1e3),
    some.sampled_from([2.0**40, 2.0**33, 2.0, 1.0]),
)
def test_steps_on_a_grid_are_what_compiled_code_makes_of_a_loss(loss, low, high, grid):
    for kind in (float, np.float64):
        assert steps_to(kind(loss), low, high, grid) == steps_compiled(loss, low, high, grid)
    assert steps_to(high, low, high, grid) == grid, "rounding errors do not leave the range"


@given(some.floats(1e-9, 40.0), some.integers(1, 5000), some.floats(0.0, 1.0))
def test_the_numbers_of_a_coin_are_its_probability(epsilon, length, share):
    lift = math.expm1(epsilon)
    below, per_step, start = coin_numbers(lift, length)
    steps = round(share * length * 2**40)
    found = Fraction(per_step * (steps + OFFSET) - start, below)
    total = Fraction(steps, 2**40)
    assert found == (1 + Fraction(lift) * total) / (2 + Fraction(lift) * length)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("value", [-1.0, -0.999, 0.123, 2.0, 2.99, 3.0, 9.0, -9.0, math.nan])
def test_the_chance_of_a_response_is_within_its_limits(epsilon, value, monkeypatch):
    """P(upper) by bisection: at least ``least``, and right to 2^-50."""
    response = RandomisedResponse.calibrate(bounds=Range(-1.0, 3.0), epsilon=epsilon)
    exact = response.exact(response.guarantee(4.0, model="local", source=""), 4.0)

    class Fixed:
        number = 0

        def randbits(self, bits):
            return self.number

    fixed = Fixed()
    monkeypatch.setattr("discreet.mechanisms.bits.secrets", fixed)
    low, high = -1, 1 << BITS
    while high - low > 1:
        fixed.number = (low + high) // 2
        upper = exact.add_noise(value, None) > 1.0
        low, high = (fixed.number, high) if upper else (low, fixed.number)
    least, whole = exact.least, 1 << BITS
    assert least <= high <= whole - least
    share = (min(max(-1.0, value), 3.0) + 1.0) / 4.0
    assert abs(high - (least + share * (whole - 2 * least))) <= 2 ** (BITS - 50)
