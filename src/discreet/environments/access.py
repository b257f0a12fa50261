"""Random numbers with access at any round, so that a game can be cut into any pieces."""

from __future__ import annotations

import numpy as np

from discreet.contracts import Floats, Generator


def uniforms(rng: Generator, start: int, stop: int, columns: int, *, purpose: int = 0) -> Floats:
    """Return rows start to stop of an endless table of uniform numbers.

    The table belongs to the generator's seed; the generator itself is not advanced. Tables of
    different ``purpose`` are independent.

    >>> whole = uniforms(np.random.default_rng(3), 0, 10, 2)
    >>> bool((uniforms(np.random.default_rng(3), 4, 6, 2) == whole[4:6]).all())
    True
    """
    # 1_000 and more: children with small keys are spawned elsewhere
    seed = rng.bit_generator.seed_seq
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 1_000 + purpose))  # type: ignore[attr-defined]
    bits = np.random.PCG64(child)
    bits.advance(start * columns)
    return np.random.Generator(bits).random((stop - start, columns))
