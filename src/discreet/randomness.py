"""Three separate streams of randomness: the environment's, the learner's, and the one that privacy rests on.

Keeping them apart makes runs comparable (all algorithms of a trial meet the same game), keeps a
learner's draws independent of the noise, and lets live use replace the privacy stream alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence, SeedSequence
from numpy.typing import DTypeLike, NDArray

from discreet.errors import check_int
from discreet.seeding import spawned_states

__all__ = ["InBlocks", "Streams", "in_turn", "streams", "streams_of"]

FEW = 8  # seeds that are made one by one in less time
LARGE = 2**32  # such numbers are two words of a seed


class InBlocks(np.random.Generator):
    """Draws uniform numbers a few hundred at a time, and hands them out one by one: ten times faster in plain Python.

    What else is drawn comes from behind the block, so that a seed would give other numbers than a
    plain generator does.
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

    The same seed and trial give the same streams whatever else is run, in any order and on any
    thread.

    >>> first, again = streams(7, trial=2), streams(7, trial=2)
    >>> first.learner.random() == again.learner.random()
    True
    >>> first.privacy.random() == again.learner.random()
    False
    """
    number = check_int("trial", trial, least=0)
    entropy = SeedSequence().entropy if seed is None else check_int("seed", seed, least=0)
    return _streams(
        *(SeedSequence(entropy, spawn_key=(number, child)) for child in range(len(Streams._fields)))
    )


def streams_of(seed: int, trials: Sequence[int]) -> list[Streams]:
    """Return the same as ``streams`` for each of many trials, in a fraction of the time.

    >>> of_two, alone = streams_of(7, [2, 5]), streams(7, trial=5)
    >>> of_two[1].learner.random() == alone.learner.random()
    True
    """
    children = len(Streams._fields)
    seeds = iter(_spawned(seed, [(trial, child) for trial in trials for child in range(children)]))
    return [_streams(*own) for own in zip(*[seeds] * children, strict=True)]


def in_turn(
    rng: np.random.Generator, keys: Sequence[tuple[int, ...]]
) -> Iterator[np.random.Generator]:
    """Yield a generator for each key, which belongs to the seed of another: one that starts anew every time.

    Compiled code takes its time with a generator that it has not seen.

    >>> first, second = (one.random() for one in in_turn(np.random.default_rng(5), [(3, 0), (3, 1)]))
    >>> first == np.random.default_rng(np.random.SeedSequence(5, spawn_key=(3, 0))).random() != second
    True
    """
    parent: Any = rng.bit_generator.seed_seq
    generator = np.random.Generator(np.random.PCG64())
    for seed in _spawned(parent.entropy, [(*parent.spawn_key, *key) for key in keys]):
        generator.bit_generator.state = _bits(seed).state
        yield generator


def _streams(*seeds: ISeedSequence) -> Streams:
    return Streams(*(np.random.Generator(_bits(seed)) for seed in seeds))


def _bits(seed: ISeedSequence) -> np.random.PCG64:
    """Return a generator's bits."""
    known: Any = seed  # any sequence will do, also such that the published signature does not name
    return np.random.PCG64(known)


def _spawned(
    entropy: int | Sequence[int] | None, keys: Sequence[tuple[int, ...]]
) -> Sequence[ISeedSequence]:
    if len(keys) < FEW or not isinstance(entropy, int) or any(max(key) >= LARGE for key in keys):
        return [SeedSequence(entropy, spawn_key=key) for key in keys]
    return [
        _Spawned(entropy, key, state)
        for key, state in zip(keys, spawned_states(entropy, keys), strict=True)
    ]


class _Spawned(ISeedSequence):
    """A seed sequence whose first words are known already."""

    __slots__ = ("_words", "entropy", "spawn_key")

    def __init__(self, entropy: int, spawn_key: tuple[int, ...], words: NDArray[np.uint64]) -> None:
        self.entropy, self.spawn_key, self._words = entropy, spawn_key, words

    def generate_state(
        self, n_words: int, dtype: DTypeLike = np.uint32
    ) -> NDArray[np.uint32 | np.uint64]:
        """Return words to seed a generator with."""
        if n_words == len(self._words) and dtype is np.uint64:
            return cast("NDArray[np.uint32 | np.uint64]", self._words)
        kind: Any = dtype
        return SeedSequence(self.entropy, spawn_key=self.spawn_key).generate_state(n_words, kind)
