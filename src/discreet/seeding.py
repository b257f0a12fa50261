"""The states of many random generators at once, as NumPy's ``SeedSequence`` spawns them one by one.

Seeds are spread over a pool of four words (M. E. O'Neill, *Developing a seed_seq alternative*,
2015); NumPy promises that its constants stay. What differs between generators, the spawn key, comes
last, so all that goes before is done once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

POOL = 4  # words
WORD = 2**32
TAKEN_IN, GIVEN_OUT = (
    (0x43B0D7E5, 0x931E8875),
    (0x8B51F9DD, 0x58F38DED),
)  # where a hash starts, and its factor
MIXED = 0xCA01F9DD, 0x4973F715

Words = int | NDArray[np.integer]  # one number, or an array of them: 32 bits each, in 64


class _Hash:
    """Scrambles words, each with a constant of its own."""

    def __init__(self, start: int, factor: int) -> None:
        self._constant, self._factor = start, factor

    def __call__(self, words: Words) -> Words:
        before, self._constant = self._constant, self._constant * self._factor % WORD
        return _folded((words ^ before) * self._constant)


def spawned_states(entropy: int, spawn_keys: Sequence[tuple[int, ...]]) -> NDArray[np.uint64]:
    """Return the four words of 64 bits that seed a generator, for each of several keys of one length.

    >>> by_one = np.random.SeedSequence(11, spawn_key=(3, 1)).generate_state(4, np.uint64)
    >>> bool((spawned_states(11, [(3, 0), (3, 1)])[1] == by_one).all())
    True
    """
    keys = np.array(spawn_keys, dtype=np.uint64)
    scramble = _Hash(*TAKEN_IN)
    seeds = _words(entropy)
    seeds += [0] * (POOL - len(seeds))
    pool: list[Words] = [scramble(word) for word in seeds[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mixed(pool[target], scramble(pool[source]))
    for word in (*seeds[POOL:], *keys.T):
        pool = [_mixed(each, scramble(word)) for each in pool]
    scramble = _Hash(*GIVEN_OUT)
    halves = [scramble(pool[i % POOL]) for i in range(2 * POOL)]
    return np.stack(
        [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)], axis=-1
    )


def _words(number: int) -> list[int]:
    return [number >> shift & WORD - 1 for shift in range(0, max(1, number.bit_length()), 32)]


def _mixed(one: Words, other: Words) -> Words:
    return _folded(one * MIXED[0] - other * MIXED[1])


def _folded(words: Words) -> Words:
    """Return the lower halves of words, with their upper bits folded into the lower ones."""
    words = words & WORD - 1
    return words ^ words >> 16
