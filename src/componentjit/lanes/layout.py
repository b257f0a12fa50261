"""How the numbers of many trials lie in memory, and where compiled code finds them."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from componentjit.lanes.kinds import Kinds
    from componentjit.lanes.normal import Normal

Array = np.ndarray[Any, Any]

# Trials of one call. 16 doubles fill two registers of AVX-512, or four of AVX2, so the processor
# can start on the next register while it still computes one.
LANES = 16
# Up to this length an axis is a constant of the code, so that loops over it can be unrolled. Longer
# axes gain little, and every length would need its own code.
SMALL = 16
LINE = 64  # bytes of a cache line
NUMBERS_TOLD = 2  # that the sentence of an error may name (see ``componentjit.guards``)
CARRIED = "<carried>"  # names the table of what is carried; no argument can have this name


def fixed_lengths(normal: Normal, handed: Set[str]) -> dict[str, tuple[int | None, ...]]:
    """Return the lengths of all axes of all arrays that are constants of the code, else None."""
    return {
        name: tuple(
            None if length > SMALL or (axis == 0 and name in handed) else length
            for axis, length in enumerate(array.shape)
        )
        for name, array in normal.arrays.items()
    }


class Layout:
    """Positions in the three tables that the code gets: addresses, integers, floats.

    Integers are, in this order: fields of the component, lengths of arrays, uniform arguments, and
    the numbers that an error tells. Floats are fields of the component, and uniform arguments.
    """

    def __init__(self, normal: Normal, kinds: Kinds, handed: Set[str]) -> None:
        self.handed = handed  # arrays that come with every call, with a first axis of any length
        self.fixed = fixed_lengths(normal, handed)
        self.pointers = [*normal.interface.generators, CARRIED, *normal.arrays]
        self.carried = list(normal.carried)  # rows of one array, for all lanes
        self.carried_kinds = {name: kinds.names[name] for name in self.carried}
        self.floats = [name for name in normal.numbers if kinds.names[name] == "f"]
        self.integers = [name for name in normal.numbers if kinds.names[name] != "f"]
        self.uniform_floats = [x for x, value in normal.uniform.items() if _is_float(value)]
        self.uniform_integers = [x for x, value in normal.uniform.items() if not _is_float(value)]
        self.axes = {name: tuple(array.shape) for name, array in normal.arrays.items()}
        self.dtypes = {name: array.dtype for name, array in normal.arrays.items()}
        self.lengths = [
            (name, axis) for name, shape in self.axes.items() for axis in range(len(shape))
        ]

    @property
    def first_integer(self) -> int:
        """Where uniform arguments begin in the table of integers."""
        return len(self.integers) + len(self.lengths)

    @property
    def first_told(self) -> int:
        """Where numbers that an error tells begin in the table of integers."""
        return self.first_integer + len(self.uniform_integers)


def _is_float(value: object) -> bool:
    return isinstance(value, float | np.floating)


def address_of(array: Array) -> int:
    """Return the address of an array's numbers; ``ctypes.data`` takes ten times as long."""
    found: int = array.__array_interface__["data"][0]
    return found


def room_for(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """Return an array of zeros that begins with a cache line, so that no vector is in two."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, dtype=np.uint8)
    start = -address_of(memory) % LINE
    found: Array = memory[start : start + size].view(dtype).reshape(shape)
    return found


def copy_to_lanes(array: Array) -> Array:
    """Return an array with one more axis at its end: a copy for every lane."""
    found = room_for((*array.shape, LANES), array.dtype)
    found[:] = array[..., None]
    return found


def generator_words(generators: Sequence[Any]) -> Array:
    """Return the states of PCG64 generators, and their increments, as rows of words."""
    words = room_for((4, LANES), np.uint64)
    for lane, generator in enumerate(generators):
        state = generator.bit_generator.state["state"]
        for row, number in ((0, state["state"]), (2, state["inc"])):
            words[row, lane], words[row + 1, lane] = number >> 64, number & (2**64 - 1)
    return words
