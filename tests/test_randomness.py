"""The streams of randomness."""

import pickle

import numpy as np
import pytest

from discreet.randomness import InBlocks, in_turn, spawn_states, streams, streams_of


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


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 10**15])
def test_streams_of_many_trials_are_those_of_each_alone(seed):
    trials = [0, 1, 399, 2**32 - 1]
    for trial, many in zip(trials, streams_of(seed, trials), strict=True):
        for one, same in zip(streams(seed, trial=trial), many, strict=True):
            assert one.bit_generator.state == same.bit_generator.state
            ours, theirs = same.bit_generator.seed_seq, one.bit_generator.seed_seq
            assert (ours.entropy, ours.spawn_key) == (theirs.entropy, theirs.spawn_key)
            assert ours.generate_state(3).tolist() == theirs.generate_state(3).tolist()


def test_numbers_of_trials_may_be_large():
    (many,), alone = streams_of(3, [2**32 + 1]), streams(3, trial=2**32 + 1)
    assert many.privacy.random() == alone.privacy.random()


def test_a_generator_of_many_goes_through_a_pickle():
    many = streams_of(3, [0, 1, 2])[1]
    again = pickle.loads(pickle.dumps(many.learner))
    assert again.random() == streams(3, trial=1).learner.random()


# a list is no number, and seeds are made one by one
@pytest.mark.parametrize("seed", [3, [1, 2, 3]])
def test_generators_in_turn_are_those_of_their_keys(seed):
    parent = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(4,)))
    keys = [(9, index) for index in range(12)]
    drawn = [one.random() for one in in_turn(parent, keys)]
    seeds = [np.random.SeedSequence(seed, spawn_key=(4, *key)) for key in keys]
    assert drawn == [np.random.default_rng(each).random() for each in seeds]


# Fewer words than the pool has, as many, and more.
@pytest.mark.parametrize("entropy", [0, 2**100 + 3, 2**300 + 5])
def test_spawned_states_are_those_of_numpy(entropy):
    keys = [(1, 5), (2, 0), (3, 2**32 - 1)]
    for key, state in zip(keys, spawn_states(entropy, keys), strict=True):
        alone = np.random.SeedSequence(entropy, spawn_key=key).generate_state(4, np.uint64)
        assert state.tolist() == alone.tolist()
