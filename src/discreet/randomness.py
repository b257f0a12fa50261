"""Three separate random streams: for the environment, for the learner, and for privacy.

Separate streams make runs comparable (all algorithms of a trial play the same game), keep a
learner's draws independent of the noise, and let live use replace the privacy stream alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence, SeedSequence
from numpy.typing import DTypeLike, NDArray

from discreet.errors import check_int

__all__ = ["InBlocks", "Streams", "in_turn", "streams", "streams_of"]

FEW = 8  # for fewer seeds than this, NumPy is faster one by one
WORD = 2**32  # numbers from here on take two words of a seed


class InBlocks(np.random.Generator):
    """Draws uniform numbers in blocks and returns them one by one: ten times faster in Python.

    All other draws come after the block, so a seed gives other numbers than with a plain generator.
    """

    SIZE = 256  # 17 ns a number; twice as many take 16, and a quarter as many 24

    def __init__(self, bits: np.random.BitGenerator) -> None:
        super().__init__(bits)
        self._ready: list[float] = []

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:  # noqa: ANN401
        """Return the next number from 0 to 1, or an array of new ones, as in NumPy."""
        if size is None and dtype is None and out is None:
            if not self._ready:
                self._ready = super().random(self.SIZE).tolist()
            return self._ready.pop()
        return super().random(size, np.float64 if dtype is None else dtype, out)


class Streams(NamedTuple):
    """The random generators of one run."""

    environment: np.random.Generator
    learner: np.random.Generator
    privacy: np.random.Generator


def streams(seed: int | None, *, trial: int = 0) -> Streams:
    """Return the streams of one trial; without a seed, they use the operating system's entropy.

    The same seed and trial always give the same streams, in any order and on any thread.

    >>> first, again = streams(7, trial=2), streams(7, trial=2)
    >>> first.learner.random() == again.learner.random()
    True
    >>> first.privacy.random() == again.learner.random()
    False
    """
    number = check_int("trial", trial, minimum=0)
    entropy = SeedSequence().entropy if seed is None else check_int("seed", seed, minimum=0)
    return _streams(
        *(SeedSequence(entropy, spawn_key=(number, child)) for child in range(len(Streams._fields)))
    )


def streams_of(seed: int, trials: Sequence[int]) -> list[Streams]:
    """Return ``streams`` for each of many trials, in a fraction of the time.

    >>> of_two, alone = streams_of(7, [2, 5]), streams(7, trial=5)
    >>> of_two[1].learner.random() == alone.learner.random()
    True
    """
    children = len(Streams._fields)
    seeds = iter(_spawn(seed, [(trial, child) for trial in trials for child in range(children)]))
    return [_streams(*own) for own in zip(*[seeds] * children, strict=True)]


def in_turn(
    rng: np.random.Generator, keys: Sequence[tuple[int, ...]]
) -> Iterator[np.random.Generator]:
    """Yield a generator for each key, derived from the seed of another generator.

    It is the same object every time, with a new state, because compiled code is slower for a
    generator that it has not seen before.

    >>> keys, rng = [(3, 0), (3, 1)], np.random.default_rng(5)
    >>> first, second = (one.random() for one in in_turn(rng, keys))
    >>> alone = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(3, 0)))
    >>> first == alone.random() != second
    True
    """
    parent: Any = rng.bit_generator.seed_seq
    generator = np.random.Generator(np.random.PCG64())
    for seed in _spawn(parent.entropy, [(*parent.spawn_key, *key) for key in keys]):
        generator.bit_generator.state = _bits(seed).state
        yield generator


def _streams(*seeds: ISeedSequence) -> Streams:
    return Streams(*(np.random.Generator(_bits(seed)) for seed in seeds))


def _bits(seed: ISeedSequence) -> np.random.PCG64:
    """Return a generator's bits."""
    known: Any = seed  # any seed sequence works, although the published signature is narrower
    return np.random.PCG64(known)


def _spawn(
    entropy: int | Sequence[int] | None, keys: Sequence[tuple[int, ...]]
) -> Sequence[ISeedSequence]:
    if len(keys) < FEW or not isinstance(entropy, int) or any(max(key) >= WORD for key in keys):
        return [SeedSequence(entropy, spawn_key=key) for key in keys]
    return [
        _KnownState(entropy, key, state)
        for key, state in zip(keys, spawn_states(entropy, keys), strict=True)
    ]


class _KnownState(ISeedSequence):
    """A seed sequence whose first words are already known."""

    __slots__ = ("_words", "entropy", "spawn_key")

    def __init__(self, entropy: int, spawn_key: tuple[int, ...], words: NDArray[np.uint64]) -> None:
        self.entropy, self.spawn_key, self._words = entropy, spawn_key, words

    def generate_state(
        self, n_words: int, dtype: DTypeLike = np.uint32
    ) -> NDArray[np.uint32 | np.uint64]:
        """Return words for seeding a generator."""
        if n_words == len(self._words) and dtype is np.uint64:
            return cast("NDArray[np.uint32 | np.uint64]", self._words)
        kind: Any = dtype
        return SeedSequence(self.entropy, spawn_key=self.spawn_key).generate_state(n_words, kind)


# The states of many generators at once; NumPy's ``SeedSequence`` spawns them one by one. For 400
# trials of 100 rounds, seeding takes 7 µs per trial this way, and 36 µs with NumPy; a whole trial
# takes 57 and 77 µs (exp3, measured alternately).
#
# Seeds are spread over a pool of four words (M. E. O'Neill, *Developing a seed_seq alternative*,
# 2015). NumPy promises not to change the algorithm and its constants. Only the spawn key differs
# between generators. It comes last, so everything before it is done once.
POOL = 4  # words
TAKEN_IN = (0x43B0D7E5, 0x931E8875)  # NumPy's INIT_A and MULT_A: the start of a hash, its factor
GIVEN_OUT = (0x8B51F9DD, 0x58F38DED)  # INIT_B and MULT_B
MIX = (0xCA01F9DD, 0x4973F715)  # MIX_MULT_L and MIX_MULT_R

Words = int | NDArray[np.integer]  # one number, or an array: 32 bits each, stored in 64


class _Hash:
    """Scrambles words, each with a new constant."""

    def __init__(self, start: int, factor: int) -> None:
        self._constant, self._factor = start, factor

    def __call__(self, words: Words) -> Words:
        before, self._constant = self._constant, self._constant * self._factor % WORD
        return _fold((words ^ before) * self._constant)


def spawn_states(entropy: int, spawn_keys: Sequence[tuple[int, ...]]) -> NDArray[np.uint64]:
    """Return the four words of 64 bits that seed a generator, for keys of one length.

    >>> by_one = np.random.SeedSequence(11, spawn_key=(3, 1)).generate_state(4, np.uint64)
    >>> bool((spawn_states(11, [(3, 0), (3, 1)])[1] == by_one).all())
    True
    """
    keys = np.array(spawn_keys, dtype=np.uint64)
    scramble = _Hash(*TAKEN_IN)
    seeds = _split(entropy)
    seeds += [0] * (POOL - len(seeds))
    pool: list[Words] = [scramble(word) for word in seeds[:POOL]]
    for source in range(POOL):
        for target in range(POOL):
            if source != target:
                pool[target] = _mix(pool[target], scramble(pool[source]))
    for word in (*seeds[POOL:], *keys.T):
        pool = [_mix(each, scramble(word)) for each in pool]
    scramble = _Hash(*GIVEN_OUT)
    halves = [scramble(pool[i % POOL]) for i in range(2 * POOL)]
    return np.stack(
        [low | high << 32 for low, high in zip(halves[::2], halves[1::2], strict=True)], axis=-1
    )


def _split(number: int) -> list[int]:
    """Return the words of a number, the lowest first."""
    return [number >> shift & WORD - 1 for shift in range(0, max(1, number.bit_length()), 32)]


def _mix(one: Words, other: Words) -> Words:
    return _fold(one * MIX[0] - other * MIX[1])


def _fold(words: Words) -> Words:
    """Return the lower halves of words, with their upper bits folded into the lower ones."""
    words = words & WORD - 1
    return words ^ words >> 16
