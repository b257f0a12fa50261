"""Rows of a run in a database: read when needed, with changes tracked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any, TypeVar

from discreet.live.rows import OpenRow, Recipe, Rows

Kept = TypeVar("Kept")
PAGE = 512  # rows read at once
MOST_KEPT = 100_000  # maximum number of rows in memory

Find = Callable[[Sequence[int]], list[tuple[int, Kept]]]  # rows by number
ReadRows = Callable[[int, int], list[tuple[int, Kept]]]  # after a number, limited, rising
Last = Callable[[int], list[tuple[int, Kept]]]  # the last ones, falling


class LazyTable(Mapping[int, Kept]):
    """A table whose rows are read when used, and kept until somebody else changes them.

    The run's row has the number of rows, so the table also knows when all are in memory.
    """

    def __init__(
        self,
        length: int,
        find: Find[Kept],
        check: Callable[[int], None],
        page: ReadRows[Kept],
        last: Last[Kept],
    ) -> None:
        self._find, self._check, self._page, self._last = find, check, page, last
        self._memory: dict[int, Kept] = {}
        self._length = self._stored = length  # with changes, and in the database
        self._sorted = True  # whether the rows in memory are sorted
        self.touched: dict[int, None] = {}  # changed since the last commit
        self.is_cleared = False

    def committed(self) -> None:
        """Mark all changes as written, and drop rows from memory if there are many."""
        self.touched, self.is_cleared, self._stored = {}, False, self._length
        if len(self._memory) > MOST_KEPT:
            self._memory, self._sorted = {}, True

    def enter(self, number: int, row: Kept) -> None:
        """Add a row that was just read."""
        if number not in self._memory and number not in self.touched:
            self._sorted = self._sorted and number > next(reversed(self._memory), -1)
            self._memory[number] = row

    def want(self, numbers: Iterable[int]) -> list[int]:
        """Return the numbers whose rows are not in memory."""
        if len(self._memory) == self._length:
            return []
        return [n for n in numbers if n not in self._memory and self._may_be_there(n)]

    def _may_be_there(self, number: int) -> bool:
        return number not in self.touched and not self.is_cleared

    def get(self, number: int, default: Any = None) -> Any:  # noqa: ANN401 - as Mapping has it
        """Return a row, or None."""
        row = self._memory.get(number)
        if row is not None:
            return row
        if len(self._memory) == self._length or not self._may_be_there(number):
            return default
        for found, each in self._find([number]):
            self.enter(found, each)
        if number not in self._memory:  # perhaps somebody has deleted it
            self._check(self._stored)
        return self._memory.get(number, default)

    def __getitem__(self, number: int) -> Kept:
        row: Kept | None = self.get(number)
        if row is None:
            raise KeyError(number)
        return row

    def __setitem__(self, number: int, row: Kept) -> None:
        if number not in self._memory:  # so it is new: rows are read before they change
            self._length += 1
            self._sorted = self._sorted and number > next(reversed(self._memory), -1)
        self._memory[number] = row
        self.touched[number] = None

    def pop(self, number: int, default: None = None) -> Kept | None:
        """Remove a row, if it exists."""
        row: Kept | None = self.get(number)
        if row is not None:
            del self._memory[number]
            self.touched[number] = None
            self._length -= 1
        return row

    def changed(self, number: int) -> Kept | None:
        """Return a touched row; None if it was removed."""
        return self._memory.get(number)

    def touch(self, number: int) -> None:
        """Mark a row as changed because data written with it has changed."""
        if self.get(number) is not None:  # which loads it
            self.touched[number] = None

    def clear(self) -> None:
        """Remove all rows."""
        self._memory, self.touched, self.is_cleared = {}, {}, True
        self._length, self._sorted = 0, True

    def rising(self, after: int = -1) -> Iterator[Kept]:
        """Yield the rows after a number, in rising order; the table must not change meanwhile."""
        if len(self._memory) == self._length:
            yield from self._rising_in_memory(after)
            return
        at = after
        while not self.is_cleared:
            found = self._page(at, PAGE)
            for number, row in found:
                self.enter(number, row)
                at = number
                if number in self._memory:
                    yield self._memory[number]
            if len(found) < PAGE:
                break
        # rows added since come after all that are in the database
        yield from [self._memory[n] for n in self.touched if n > at and n in self._memory]

    def _rising_in_memory(self, after: int) -> Iterator[Kept]:
        if not self._sorted:
            self._memory, self._sorted = dict(sorted(self._memory.items())), True
        memory = self._memory
        last = next(reversed(memory), after)
        # the shorter way: all numbers from there, or all rows
        steps = range(after + 1, last + 1) if last - after < len(memory) else memory
        return (memory[number] for number in steps if number > after and number in memory)

    def newest(self) -> Kept | None:
        """Return the row with the largest number."""
        added = max((n for n in self.touched if n in self._memory), default=-1)
        if len(self._memory) < self._length:
            for number, row in self._last(1 + len(self.touched)):
                self.enter(number, row)
        known = max(self._memory, default=-1)
        return self._memory.get(max(added, known))

    def __contains__(self, number: object) -> bool:
        return type(number) is int and self.get(number) is not None

    def __iter__(self) -> Iterator[int]:
        for _ in self.rising():
            pass
        return iter(sorted(self._memory))

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"LazyTable({self._length} rows, hidden)"


class LazyOutcomes(Mapping[int, bytes]):
    """The raw column of open decisions."""

    def __init__(self, decisions: LazyTable[OpenRow]) -> None:
        self._decisions = decisions
        self.memory: dict[int, bytes] = {}

    def __getitem__(self, number: int) -> bytes:
        if number not in self._decisions:  # this loads it, and its outcome
            raise KeyError(number)
        return self.memory[number]

    def __setitem__(self, number: int, outcome: bytes) -> None:
        self.memory[number] = outcome
        self._decisions.touch(number)

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
        return "LazyOutcomes(hidden)"


class LazyUsage(MutableMapping[int, tuple[int, bytes]]):
    """Rounds of users, in buckets."""

    def __init__(
        self,
        find: Callable[[Sequence[int]], Mapping[int, tuple[int, bytes] | None]],
        every: Callable[[], dict[int, tuple[int, bytes]]],
    ) -> None:
        self._find, self._every = find, every
        self._memory: dict[int, tuple[int, bytes] | None] = {}
        self.touched: dict[int, None] = {}
        self.fresh: set[int] = set()  # those of them that are not in the database yet
        self.known: set[int] | None = None  # those in the database, once all were checked

    def __getitem__(self, bucket: int) -> tuple[int, bytes]:
        if bucket not in self._memory:
            self._memory.update(self._find([bucket]))
        found = self._memory[bucket]
        if found is None:
            raise KeyError(bucket)
        return found

    def __setitem__(self, bucket: int, users: tuple[int, bytes]) -> None:
        if bucket not in self.touched and self.get(bucket) is None:
            self.fresh.add(bucket)
        self._memory[bucket] = users
        self.touched[bucket] = None

    def written(self) -> None:
        """Note that all changes are in the database."""
        if self.known is not None:
            self.known |= self.fresh
        self.touched, self.fresh = {}, set()

    def want(self, buckets: Iterable[int]) -> list[int]:
        """Return the buckets that are not in memory."""
        return sorted({bucket for bucket in buckets if bucket not in self._memory})

    def enter(self, found: Mapping[int, tuple[int, bytes] | None]) -> None:
        """Add buckets that were just read; None for empty ones."""
        self._memory.update(found)

    def __delitem__(self, bucket: int) -> None:
        raise NotImplementedError("buckets stay")

    def __iter__(self) -> Iterator[int]:
        for bucket, users in self._every().items():
            self._memory.setdefault(bucket, users)
        return iter(sorted(n for n, users in self._memory.items() if users is not None))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return "LazyUsage(hidden)"


class LazyRows(Rows):
    """The rows of a run in a database, loaded on demand."""

    open: LazyTable[Any]
    groups: LazyTable[Any]
    outcomes: LazyOutcomes
    usage: LazyUsage  # type: ignore[assignment]

    def __init__(self, recipe: Recipe, token: str, learner: bytes, window: int) -> None:
        super().__init__(recipe, token, learner)
        self._window = window

    def latest_window(self) -> int:
        """Return the latest window in which a user was counted, by any worker."""
        return self._window

    def note_window(self, window: int) -> None:
        """Record the window in which a user was counted."""
        self._window = max(self._window, window)
