"""Laplace noise from uniform numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from componentjit import bits, compile_for
from discreet.mechanisms.laplace import draw_laplace, log

COUNT = 100_000
ARGUMENTS = {
    "shares": np.random.default_rng(3).random(COUNT) + 2.0**-53,
    "near 1": 1.0 + np.random.default_rng(4).normal(0.0, 1e-6, COUNT),
    "all sizes": np.exp(np.random.default_rng(5).uniform(-708.0, 709.0, COUNT)),
    "powers of 2": 2.0 ** np.arange(-1022.0, 1024.0),
    "roots": np.nextafter(math.sqrt(2.0), np.array([0.0, 1.0, 2.0, 4.0])) * 0.5,
}


def logs(numbers, found):
    for i in range(numbers.size):
        found[i] = log(numbers[i])
    return 0


def noises(scale, found, rng):
    for i in range(found.size):
        found[i] = draw_laplace(scale, rng)
    return 0


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_logarithms_are_off_by_less_than_the_last_digit_at_both_speeds(kind):
    numbers = ARGUMENTS[kind]
    plain, fast = np.empty_like(numbers), np.empty_like(numbers)
    logs(numbers, plain)
    compile_for(logs)(numbers, fast)
    np.testing.assert_array_equal(plain, fast)
    exactly = np.log(numbers.astype(np.longdouble))
    assert np.abs((exactly - plain) / np.spacing(np.abs(exactly).astype(float))).max() < 0.9


def test_noise_is_numpy_s_but_for_the_last_digits_at_both_speeds():
    plain, fast = np.empty(COUNT), np.empty(COUNT)
    noises(2.5, plain, np.random.default_rng(1))
    compile_for(noises)(2.5, fast, np.random.default_rng(1))
    np.testing.assert_array_equal(plain, fast)
    by_numpy = np.random.default_rng(1).laplace(0.0, 2.5, COUNT)
    np.testing.assert_array_max_ulp(plain, by_numpy, maxulp=2)


class Given:
    """A generator that draws these numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def test_a_zero_is_drawn_again_and_the_ends_are_finite():
    assert draw_laplace(1.0, Given(0.0, 0.0, 0.25)) == log(0.5)
    assert draw_laplace(1.0, Given(0.5)) == 0.0
    assert draw_laplace(1.0, Given(2.0**-53)) == pytest.approx(-52.0 * math.log(2.0))
    # 2 - u is rounded.
    assert draw_laplace(1.0, Given(1.0 - 2.0**-53)) == pytest.approx(53.0 * math.log(2.0))


def test_numbers_are_put_together_from_their_parts():
    for x in np.concatenate([ARGUMENTS["all sizes"][:1000], ARGUMENTS["powers of 2"]]).tolist():
        assert 1.0 <= bits.fraction(x) < 2.0
        assert math.ldexp(bits.fraction(x), bits.exponent(x)) == x
