"""Records of numbers and arrays, written into a row of a table and read back.

Compiled code can hold one record in a variable, but not a list of records. A table of numbers, with
a row for each record, replaces such a list, whatever the record is made of.

>>> import numpy as np
>>> from typing import NamedTuple
>>> class Mark(NamedTuple):
...     place: int
...     sure: bool
...     weights: np.ndarray
>>> table, mark = np.zeros((2, packed_size(Mark(0, True, np.zeros(2))))), np.array([0.5, 0.25])
>>> pack(Mark(3, True, mark), table, 1, 0)
>>> unpack(Mark(0, False, np.zeros(2)), table, 1, 0)
Mark(place=3, sure=True, weights=array([0.5 , 0.25]))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

Part = TypeVar("Part")
Table = np.ndarray[Any, np.dtype[np.float64]]
RECORDS = "types"  # an attribute of Numba's types for records


def packed_size(value: object) -> int:
    """Return how many numbers a record has."""
    if isinstance(value, tuple):
        return sum(packed_size(part) for part in value)
    return value.size if isinstance(value, np.ndarray) else 1


def pack(value: object, table: Table, row: int, start: int) -> None:
    """Write the numbers of a record into a row of a table, starting at a column."""
    _write(value, table[row], start)


def unpack(example: Part, table: Table, row: int, start: int) -> Part:
    """Return the record in a row of a table.

    It has the types of the example, and the example's own arrays, which are overwritten.
    """
    found, _ = _read(example, table[row], start)
    return cast(Part, found)


def _write(value: object, row: Table, place: int) -> int:
    if isinstance(value, tuple):
        for part in value:
            place = _write(part, row, place)
        return place
    size = packed_size(value)
    row[place : place + size] = np.ravel(cast(Any, value))
    return place + size


def _read(example: object, row: Table, place: int) -> tuple[object, int]:
    if isinstance(example, tuple):
        parts = []
        for each in example:
            part, place = _read(each, row, place)
            parts.append(part)
        kind: Any = type(example)
        return (kind(*parts) if hasattr(example, "_fields") else tuple(parts)), place
    if isinstance(example, np.ndarray):
        example[...] = row[place : place + example.size].reshape(example.shape)
        return example, place + example.size
    number: Any = type(example)
    return number(row[place]), place + 1


def compiled_pack(value: Any) -> Callable[..., None]:
    """Return ``pack`` for one of Numba's types: statements that write one number after another."""
    lines: list[str] = []
    _for_each(
        value,
        "value",
        number=lambda kind, text: lines.append(f"table[row, place] = {text}"),
        entry=lambda text: f"table[row, place] = {text}",
        lines=lines,
    )
    return _function("pack", "value", lines)


def compiled_unpack(example: Any) -> Callable[..., Any]:
    """Return ``unpack`` for one of Numba's types."""
    lines: list[str] = []
    names: dict[str, Any] = {}
    scalars: dict[str, str] = {}

    def number(kind: Any, text: str) -> None:
        scalars[text] = f"part_{len(scalars)}"
        read = "table[row, place]"
        if str(kind).startswith("bool"):
            read += " != 0.0"
        elif "int" in str(kind):
            read = f"int({read})"
        lines.append(f"{scalars[text]} = {read}")

    def result(kind: Any, text: str) -> str:
        if not hasattr(kind, RECORDS):
            return scalars.get(text, text)
        parts = "".join(result(part, f"{text}[{i}]") + ", " for i, part in enumerate(kind.types))
        if not hasattr(kind, "instance_class"):
            return f"({parts})"
        names[f"record_{len(names)}"] = kind.instance_class
        return f"record_{len(names) - 1}({parts})"

    _for_each(
        example,
        "example",
        number=number,
        entry=lambda text: f"{text} = table[row, place]",
        lines=lines,
    )
    lines.append(f"return {result(example, 'example')}")
    return _function("unpack", "example", lines, names)


def _for_each(
    kind: Any,
    text: str,
    *,
    number: Callable[[Any, str], None],
    entry: Callable[[str], str],
    lines: list[str],
) -> None:
    """Add statements for every number of a type: single ones, and loops over those of arrays."""
    if hasattr(kind, RECORDS):
        for i, part in enumerate(kind.types):
            _for_each(part, f"{text}[{i}]", number=number, entry=entry, lines=lines)
    elif hasattr(kind, "ndim"):
        axes = range(kind.ndim)
        lines += [f"{'    ' * axis}for i{axis} in range({text}.shape[{axis}]):" for axis in axes]
        where = ", ".join(f"i{axis}" for axis in axes)
        inside = "    " * kind.ndim
        lines.append(f"{inside}{entry(f'{text}[{where}]')}")
        lines.append(f"{inside}place += 1")
    else:
        number(kind, text)
        lines.append("place += 1")


def _function(
    name: str, first: str, lines: list[str], names: dict[str, Any] | None = None
) -> Callable[..., Any]:
    body = "".join(f"    {line}\n" for line in ["place = start", *lines])
    space: dict[str, Any] = dict(names or {})
    exec(f"def {name}({first}, table, row, start):\n{body}", space)  # from types, not from input
    return cast(Callable[..., Any], space[name])
