"""Three separate streams of randomness: the environment's, the learner's, and the one that privacy rests on.

Keeping them apart makes runs comparable (all algorithms of a trial meet the same game), keeps a learner's draws
independent of the noise, and lets live use replace the privacy stream alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from discreet.errors import check_int


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
    entropy = np.random.SeedSequence().entropy if seed is None else check_int("seed", seed, least=0)
    sequences = (np.random.SeedSequence(entropy, spawn_key=(number, child)) for child in range(3))
    return Streams(*(np.random.Generator(np.random.PCG64(each)) for each in sequences))
