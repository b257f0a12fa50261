"""Random generators in compiled code: the same numbers, and nothing is left behind."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

from componentjit import compile_for


def draws(rng, number):
    total = 0.0
    for _ in range(number):
        # of doubles, and of 32 and 64 bits
        total += rng.random() + rng.integers(0, 10) + rng.integers(0, 10**12)
    return total


@pytest.mark.parametrize(
    "bits", [np.random.PCG64, np.random.Philox, np.random.MT19937, np.random.SFC64]
)
def test_compiled_draws_are_those_of_numpy(bits):
    mine, other = np.random.Generator(bits(3)), np.random.Generator(bits(3))
    assert compile_for(draws)(mine, 5) == draws(other, 5)
    assert mine.random() == other.random()


def test_nothing_is_left_behind():
    """A million of short games would need gigabytes if every call kept a little."""
    fast, rng = compile_for(draws), np.random.default_rng(1)
    fast(rng, 1)
    held = sys.getrefcount(rng), sys.getrefcount(rng.bit_generator)
    tracemalloc.start()
    try:
        sizes = []
        for _ in range(3):
            for _ in range(1000):
                fast(rng, 1)
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert (sys.getrefcount(rng), sys.getrefcount(rng.bit_generator)) == held
    assert sizes[2] - sizes[1] < 10_000, "10 bytes a call would be too much"
