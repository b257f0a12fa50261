"""Where compiled code finds everything: in three tables, of addresses, integers and floats."""

from __future__ import annotations

from collections.abc import Set

from componentjit.lanes.kinds import Kinds
from componentjit.lanes.normal import Normal
from componentjit.lanes.widths import GENERATORS

SMALL = 16  # up to this length an axis is a constant of the code


def fixed_lengths(normal: Normal, handed: Set[str]) -> dict[str, tuple[int | None, ...]]:
    """Return the lengths of all axes of all arrays that are constants of the code, and None for the others."""
    return {
        name: tuple(
            None if length > SMALL or (axis == 0 and name in handed) else length
            for axis, length in enumerate(array.shape)
        )
        for name, array in normal.arrays.items()
    }


class Layout:
    """Where everything is in the three tables that the code gets: addresses, integers (and lengths), floats."""

    def __init__(self, normal: Normal, kinds: Kinds, handed: Set[str]) -> None:
        self.handed = handed  # arrays whose first axis is rounds, or marks
        self.fixed = fixed_lengths(normal, handed)
        self.pointers = [*GENERATORS, "held", *normal.arrays]
        self.held = [
            name for name in normal.returned if name not in ("t", "mark")
        ]  # rows of one array, for all lanes
        self.floats = [name for name in normal.numbers if kinds.names[name] == "f"]
        self.integers = [name for name in normal.numbers if kinds.names[name] != "f"]
        self.axes = {name: tuple(array.shape) for name, array in normal.arrays.items()}
        self.lengths = [
            (name, axis) for name, shape in self.axes.items() for axis in range(len(shape))
        ]
