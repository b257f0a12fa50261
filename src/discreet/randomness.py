"""Three separate streams of randomness: the environment's, the learner's, and the one that privacy rests on.

Keeping them apart makes runs comparable (all algorithms of a trial meet the same game), keeps a learner's draws
independent of the noise, and lets live use replace the privacy stream alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random.bit_generator import ISeedSequence, SeedSequence
from numpy.typing import NDArray

from discreet.errors import check_int
from discreet.seeding import spawned_states

FEW = 4  # trials whose streams are made one by one in less time
LARGE = 2**32  # such numbers are two words of a seed


class InBlocks(np.random.Generator):
    """Draws uniform numbers a few hundred at a time, and hands them out one by one: ten times faster in plain Python.

    What else is drawn comes from behind the block, so that a seed would give other numbers than a plain generator does.
    """

    SIZE = 256

    def __init__(self, bits: np.random.BitGenerator) -> None:
        super().__init__(bits)
        self._ready: list[float] = []

    def random(self, *shape: object, **kind: object) -> Any:
        """Return the next number from 0 to 1, or an array of new ones."""
        if shape or kind:
            draw: Any = super().random
            return draw(*shape, **kind)
        if not self._ready:
            self._ready = super().random(self.SIZE).tolist()
        return self._ready.pop()


class Streams(NamedTuple):
    """The random generators of one run."""

    environment: np.random.Generator
    learner: np.random.Generator
    privacy: np.random.Generator


def streams(seed: int | None, *, trial: int = 0) -> Streams:
    """Return the streams of one trial; with no seed they come from the operating system's entropy.

    The same seed and trial give the same streams whatever else is run, in any order and on any thread.

    >>> first, again = streams(7, trial=2), streams(7, trial=2)
    >>> first.learner.random() == again.learner.random()
    True
    >>> first.privacy.random() == again.learner.random()
    False
    """
    number = check_int("trial", trial, least=0)
    entropy = SeedSequence().entropy if seed is None else check_int("seed", seed, least=0)
    return _streams(*(SeedSequence(entropy, spawn_key=(number, child)) for child in range(len(Streams._fields))))


def streams_of(seed: int, trials: Sequence[int]) -> list[Streams]:
    """Return the same as ``streams`` for each of many trials, in a fraction of the time.

    >>> of_two, alone = streams_of(7, [2, 5]), streams(7, trial=5)
    >>> of_two[1].learner.random() == alone.learner.random()
    True
    """
    if len(trials) < FEW or max(trials) >= LARGE:
        return [streams(seed, trial=trial) for trial in trials]
    keys = [[(trial, child) for child in range(len(Streams._fields))] for trial in trials]
    states = spawned_states(seed, keys)
    return [
        _streams(*(_Spawned(seed, key, state) for key, state in zip(own, rows, strict=True)))
        for own, rows in zip(keys, states, strict=True)
    ]


def _streams(*seeds: ISeedSequence) -> Streams:
    bits: Any = np.random.PCG64  # takes every sequence, also those that its published signature does not name
    return Streams(*(np.random.Generator(bits(each)) for each in seeds))


class _Spawned(ISeedSequence):
    """A seed sequence whose first words are known already."""

    __slots__ = ("_words", "entropy", "spawn_key")

    def __init__(self, entropy: int, spawn_key: tuple[int, ...], words: NDArray[np.uint64]) -> None:
        self.entropy, self.spawn_key, self._words = entropy, spawn_key, words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        """Return words to seed a generator with."""
        if n_words == len(self._words) and dtype is np.uint64:
            return self._words
        return SeedSequence(self.entropy, spawn_key=self.spawn_key).generate_state(n_words, dtype)
