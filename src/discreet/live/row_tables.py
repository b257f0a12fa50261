"""Tables of rows by number, in memory and in a file, through which a run reads its store."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from discreet.live.blocks import BITS

Row = TypeVar("Row")
GONE = object()  # in place of a removed row


class RowTable(Protocol[Row]):
    """Rows by number, in rising order: the open decisions of a run, or its groups."""

    def get(self, number: int, /) -> Row | None:
        """Return a row, or None."""

    def __getitem__(self, number: int, /) -> Row:
        """Return a row that exists."""

    def __setitem__(self, number: int, row: Row, /) -> None:
        """Set a row."""

    def pop(self, number: int, default: None, /) -> Row | None:
        """Remove a row, if it exists."""

    def clear(self) -> None:
        """Remove all rows."""

    def rising(self, after: int = -1) -> Iterator[Row]:
        """Yield the rows after a number, in rising order; the table must not change meanwhile."""

    def newest(self) -> Row | None:
        """Return the row with the largest number."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def __contains__(self, number: object, /) -> bool: ...
    def values(self) -> Iterable[Row]:
        """Return all rows."""

    def items(self) -> Iterable[tuple[int, Row]]:
        """Return all numbers and rows."""


class MemoryTable(dict[int, Row]):
    """A table in memory. Rows are added in rising order of numbers."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"MemoryTable({len(self)} rows, hidden)"

    def rising(self, after: int = -1) -> Iterator[Row]:
        """Yield the rows after a number, in rising order."""
        last = next(reversed(self), after)
        # the shorter way: all numbers from there, or all rows
        steps = range(after + 1, last + 1) if last - after < len(self) else self
        return (self[number] for number in steps if number > after and number in self)

    def newest(self) -> Row | None:
        """Return the row with the largest number."""
        return next(reversed(self.values()), None)


class Overlay(Generic[Row]):
    """Pending changes to a table; it reads as the table will be afterwards."""

    def __init__(self, table: RowTable[Row]) -> None:
        self._table = table
        self._rows: dict[int, Any] = {}
        self._length = len(table)
        self._cleared = False

    def get(self, number: int, default: Any = None) -> Any:  # noqa: ANN401 - as dict has it
        """Return a row, or None."""
        row = self._rows.get(number)
        if row is None and not self._cleared:
            row = self._table.get(number)
        return default if row is None or row is GONE else row

    def __getitem__(self, number: int) -> Row:
        row: Row | None = self.get(number)
        if row is None:
            raise KeyError(number)
        return row

    def __setitem__(self, number: int, row: Row) -> None:
        self._length += number not in self
        self._rows[number] = row

    def pop(self, number: int, default: None = None) -> Row | None:
        """Remove a row, if it exists."""
        row: Row | None = self.get(number)
        self._length -= row is not None
        self._rows[number] = GONE
        return row

    def clear(self) -> None:
        """Remove all rows."""
        self._rows, self._length, self._cleared = {}, 0, True

    def rising(self, after: int = -1) -> Iterator[Row]:
        """Yield the rows after a number, in rising order."""
        return (self[number] for number in sorted(self) if number > after)

    def newest(self) -> Row | None:
        """Return the row with the largest number."""
        return self[max(self)] if self._length else None

    def merge(self) -> RowTable[Row]:
        """Apply the changes; return the table."""
        if self._cleared:
            self._table.clear()
        for number, row in self._rows.items():
            if row is GONE:
                self._table.pop(number, None)
            else:
                self._table[number] = row
        return self._table

    def __contains__(self, number: object) -> bool:
        return type(number) is int and self.get(number) is not None

    def __iter__(self) -> Iterator[int]:
        old = () if self._cleared else self._table
        return iter([n for n in dict.fromkeys([*old, *self._rows]) if n in self])

    def __len__(self) -> int:
        return self._length

    def values(self) -> list[Row]:
        """Return all rows."""
        return [self[number] for number in self]

    def items(self) -> list[tuple[int, Row]]:
        """Return all numbers and rows."""
        return [(number, self[number]) for number in self]

    def __repr__(self) -> str:
        return f"Overlay({self._length} rows, hidden)"


class Stored(tuple[Any, ...]):
    """A row as it is in the file, not yet read."""

    __slots__ = ()


class FileTable(Mapping[int, Row]):
    """A table of a file: some of its rows are in memory, others are read when needed.

    The store writes changes first; this is the copy in memory. The number of rows in a block is
    authenticated, so no row can be omitted.
    """

    def __init__(
        self,
        load: Callable[[int], None],
        sizes: Mapping[int, int],
        read: Callable[[Stored], Row],
    ) -> None:
        self._load, self._read = load, read  # load the block of a number; decode a row
        self.memory: dict[int, Row | Stored] = {}
        self._sizes = {block: size for block, size in sizes.items() if size}
        self._order = sorted(self._sizes)  # of non-empty blocks
        self._length = sum(self._sizes.values())

    def enter(self, number: int, row: Row | Stored) -> None:
        """Add a row of a block that was just read."""
        self.memory[number] = row

    def __getitem__(self, number: int) -> Row:
        row = self.memory.get(number)
        if row is None:
            if number >> BITS not in self._sizes:
                raise KeyError(number)
            self._load(number)
            row = self.memory[number]
        if type(row) is Stored:
            row = self.memory[number] = self._read(row)
        return row  # type: ignore[return-value]

    def get(self, number: int, default: Any = None) -> Any:  # noqa: ANN401 - as Mapping has it
        """Return a row, or None."""
        row = self.memory.get(number)
        if row is not None and type(row) is not Stored:
            return row
        try:
            return self[number]
        except KeyError:
            return default

    def __setitem__(self, number: int, row: Row) -> None:
        if number not in self.memory and number not in self:
            block = number >> BITS
            if block not in self._sizes:
                insort(self._order, block)
            self._sizes[block] = self._sizes.get(block, 0) + 1
            self._length += 1
        self.memory[number] = row

    def pop(self, number: int, default: None = None) -> None:
        """Remove a row, if it exists."""
        if number not in self.memory and number not in self:
            return
        del self.memory[number]
        block = number >> BITS
        self._sizes[block] -= 1
        self._length -= 1
        if not self._sizes[block]:
            del self._sizes[block], self._order[bisect_left(self._order, block)]

    def clear(self) -> None:
        """Remove all rows."""
        self.memory.clear()
        self._sizes.clear()
        self._order.clear()
        self._length = 0

    def rising(self, after: int = -1) -> Iterator[Row]:
        """Yield the rows after a number, in rising order."""
        for place in range(bisect_left(self._order, (after + 1) >> BITS), len(self._order)):
            yield from (self[number] for number in self._numbers(place) if number > after)

    def newest(self) -> Row | None:
        """Return the row with the largest number."""
        return self[self._numbers(-1)[-1]] if self._order else None

    def _numbers(self, place: int) -> list[int]:
        """Return the numbers of the rows of a block, and load the block."""
        block = self._order[place]
        self._load(block << BITS)
        return [n for n in range(block << BITS, (block + 1) << BITS) if n in self.memory]

    def __contains__(self, number: object) -> bool:
        if number in self.memory:
            return True
        if type(number) is not int or number >> BITS not in self._sizes:
            return False
        self._load(number)
        return number in self.memory

    def __iter__(self) -> Iterator[int]:
        for block in list(self._order):
            place = bisect_left(self._order, block)
            if self._order[place : place + 1] == [block]:
                yield from self._numbers(place)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"FileTable({self._length} rows, hidden)"


class OutcomeTable(Mapping[int, bytes]):
    """The raw column of a file's open decisions."""

    def __init__(self, decisions: FileTable[Any], read: Callable[[Stored], bytes]) -> None:
        self._decisions, self._read = decisions, read
        self.memory: dict[int, bytes | Stored] = {}

    def __getitem__(self, number: int) -> bytes:
        if number not in self._decisions:  # this loads its block
            raise KeyError(number)
        row = self.memory[number]
        if type(row) is Stored:
            row = self.memory[number] = self._read(row)
        return row  # type: ignore[return-value]

    def __setitem__(self, number: int, outcome: bytes) -> None:
        self.memory[number] = outcome

    def pop(self, number: int, default: None = None) -> None:
        """Remove an outcome, if it exists."""
        self.memory.pop(number, None)

    def clear(self) -> None:
        """Remove all outcomes."""
        self.memory.clear()

    def rising(self, after: int = -1) -> Iterator[bytes]:
        """Yield the outcomes after a number, in rising order."""
        return (self[number] for number in self if number > after)

    def newest(self) -> bytes | None:
        """Return the outcome with the largest number."""
        return self[max(self)] if len(self) else None

    def __iter__(self) -> Iterator[int]:
        return (number for number in self._decisions if number in self.memory)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self.memory)

    def __repr__(self) -> str:
        return "OutcomeTable(hidden)"
