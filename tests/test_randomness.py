"""The streams of randomness."""

import numpy as np

from discreet.randomness import InBlocks


def test_numbers_in_blocks_are_those_of_the_generator_each_once():
    blocks, plain = InBlocks(np.random.PCG64(3)), np.random.Generator(np.random.PCG64(3))
    drawn = [blocks.random() for _ in range(2 * InBlocks.SIZE)]
    assert all(type(number) is float for number in drawn)
    assert sorted(drawn) == sorted(plain.random(2 * InBlocks.SIZE))


def test_arrays_and_other_numbers_come_from_behind_the_block():
    blocks, plain = InBlocks(np.random.PCG64(3)), np.random.Generator(np.random.PCG64(3))
    first = blocks.random()
    assert first in plain.random(InBlocks.SIZE)
    assert blocks.random(5).tolist() == plain.random(5).tolist()
    assert blocks.standard_normal() == plain.standard_normal()
    assert blocks.random(out=np.zeros(2)).tolist() == plain.random(2).tolist()
