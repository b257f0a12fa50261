"""States of many generators at once."""

import numpy as np
import pytest

from discreet.seeding import spawned_states


@pytest.mark.parametrize(
    "entropy", [0, 2**100 + 3, 2**300 + 5]
)  # fewer words than the pool has, as many, and more
def test_spawned_states_are_those_of_numpy(entropy):
    keys = [(1, 5), (2, 0), (3, 2**32 - 1)]
    for key, state in zip(keys, spawned_states(entropy, keys), strict=True):
        alone = np.random.SeedSequence(entropy, spawn_key=key).generate_state(4, np.uint64)
        assert state.tolist() == alone.tolist()
