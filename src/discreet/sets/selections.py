"""Sets whose vertices are selections: vectors of zeros and ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats
from discreet.sets.contract import Vertices


class Selections(Vertices):
    """The convex hull of some vectors of zeros and ones, each of which stands for the elements with a one."""

    @property
    def outer(self) -> float:
        """The largest distance of a vertex v from the centre c: |v - c|² = <v, 1 - 2 c> + |c|² is linear, as v² = v."""
        centre = self.centre()
        return math.sqrt(self.support(1.0 - 2.0 * centre) + float(centre @ centre))


def items_of(point: Floats) -> str:
    """Return the items of a selection in words.

    >>> items_of(np.array([0.0, 1.0, 1.0]))
    'items 1, 2'
    """
    chosen = np.flatnonzero(point > 0.5)
    return f"{'item' if chosen.size == 1 else 'items'} {', '.join(map(str, chosen)) or 'none'}"


def spelled(names: list[str]) -> NDArray[np.uint32]:
    """Return names as rows of the numbers of their letters: a set that is compiled is made of numbers."""
    return np.array(names, dtype=np.str_).view(np.uint32).reshape(len(names), -1).copy()


def names_in(letters: NDArray[np.uint32]) -> list[str]:
    """Undo ``spelled``.

    >>> names_in(spelled(["a", "bcd"]))
    ['a', 'bcd']
    """
    rows = np.ascontiguousarray(letters, dtype=np.uint32)
    return [str(name) for name in rows.view(f"U{rows.shape[1]}")[:, 0]]
