"""Rows in blocks: a run with many rows is authenticated block by block, when they are used.

Rows with neighbouring numbers form a block. While there are few rows, each counts individually in
the tag of the run, and all are in memory. When there are many, old blocks are *settled*: a single
row authenticates the whole block, and memory may drop it. Opening a run then reads the rows of
settled blocks, not their content. A block is read and checked as a whole before any of its rows is
used (docs/proofs.md: One draw).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from typing import Protocol

from discreet.live.tags import BLOCK, DIGEST, StoredValue, StoredValues, Tag

BITS = 8  # 256 numbers per block: reading one costs about as much as the rows of all at opening
MOST = 1 << 63  # row numbers are below this
UNSETTLED = 4_096  # maximum number of rows outside blocks: opening a run reads them all
CACHED = 32_768  # maximum number of rows of settled blocks in memory
KINDS = {"decision": "open", "batch": "open", "held": "open", "release": "release"}
KIND_NUMBERS = {"open": 0, "release": 1}
TABLES_OF = {"open": ("decision", "batch", "held"), "release": ("release",)}

Name = tuple[str, int]  # of a block: its kind and its number
BlockRows = tuple[list[StoredValues], list[StoredValues]]
Execute = Callable[[str, StoredValues], object]


class Block:
    """A settled block: its number of rows, its tag, and while it is in memory, their hashes."""

    __slots__ = ("batches", "counted", "decisions", "rows", "sum", "tag")

    def __init__(self, decisions: int, batches: int, tag: bytes) -> None:
        self.decisions, self.batches, self.tag = decisions, batches, tag
        self.counted = 0  # its part of the sum of the run
        self.sum = 0  # of its rows
        self.rows: dict[tuple[str, int], int] | None = None


class Reader(Protocol):
    """The owner of the rows: reads blocks from the file, and keeps them in memory."""

    def read_block(self, kind: str, first: int, last: int) -> BlockRows:
        """Return the rows of a block as they are in the file: of its first table, and of batch."""

    def enter_block(self, kind: str, rows: BlockRows) -> None:
        """Store checked rows in memory."""

    def forget_block(self, kind: str, first: int, last: int) -> None:
        """Drop the rows of a block from memory."""

    def refuse_block(self, kind: str, first: int, last: int) -> Exception:
        """Return the refusal of a block whose rows are not the written ones."""


class Blocks(Tag):
    """The tag of a run whose rows are in blocks."""

    def __init__(self, secret: bytes | None, reader: Reader) -> None:
        super().__init__(secret)
        self._reader = reader
        self._few: dict[tuple[str, int], int] = {}  # hashes of rows outside blocks
        self._settled: dict[Name, Block] = {}
        self._touched: dict[Name, Block] = {}  # changed since they were written
        self._in_memory: dict[Name, Block] = {}  # oldest first
        self._cached = 0

    def put(self, table: str, number: int, *columns: StoredValue) -> None:
        """Add a row, in place of the one with the same number."""
        fresh, name = self.hash_of(table, (number, *columns)), (table, number)
        kind = KINDS.get(table)
        block = self._settled.get((kind, number >> BITS)) if self._settled and kind else None
        if kind is None or block is None:
            single = self._rows if kind else self._few
            self._sum ^= fresh ^ single.get(name, 0)
            single[name] = fresh
            return
        rows = self._changing(kind, number, block)
        self._count(block, table, 0 if name in rows else 1)
        block.sum ^= fresh ^ rows.get(name, 0)
        rows[name] = fresh

    def drop(self, table: str, number: int) -> None:
        """Remove a row, if it exists."""
        kind = KINDS.get(table)
        block = self._settled.get((kind, number >> BITS)) if self._settled and kind else None
        if kind is None or block is None:
            single = self._rows if kind else self._few
            self._sum ^= single.pop((table, number), 0)
            return
        rows = self._changing(kind, number, block)
        found = rows.pop((table, number), None)
        if found is not None:
            self._count(block, table, -1)
            block.sum ^= found

    def drop_all(self, table: str) -> None:
        """Remove all rows of a table."""
        kind = KINDS.get(table)
        for name in [name for name in (self._rows if kind else self._few) if name[0] == table]:
            self.drop(*name)
        for (each, number), block in list(self._settled.items()):
            if each == kind:
                rows = self._loaded((each, number), block)
                for name in [name for name in rows if name[0] == table]:
                    self.drop(*name)

    def _count(self, block: Block, table: str, more: int) -> None:
        self._cached += more
        if table == "decision":
            block.decisions += more
        elif table == "batch":
            block.batches += more

    def _changing(self, kind: str, number: int, block: Block) -> dict[tuple[str, int], int]:
        name = kind, number >> BITS
        rows = self._loaded(name, block)
        self._touched[name] = block
        return rows

    # Reading

    def enter(self, kind: str, number: int, decisions: int, batches: int, tag: bytes) -> None:
        """Add a settled block, as it is in the file."""
        whole = all(type(each) is int for each in (number, decisions, batches))
        if kind not in TABLES_OF or not isinstance(tag, bytes) or not whole:
            raise ValueError("not written by a run")
        block = self._settled[kind, number] = Block(decisions, batches, tag)
        block.counted = self._counted((kind, number), block)
        self._sum ^= block.counted

    def gaps(self, kind: str) -> Iterator[tuple[int, int]]:
        """Yield the first and last numbers of all gaps between settled blocks."""
        first = -MOST
        for number in sorted(number for each, number in self._settled if each == kind):
            if first < number << BITS:
                yield first, (number << BITS) - 1
            first = (number + 1) << BITS
        if first < MOST:
            yield first, MOST - 1

    def settled(self, kind: str) -> dict[int, Block]:
        """Return the settled blocks of a kind."""
        return {number: block for (each, number), block in self._settled.items() if each == kind}

    def load(self, kind: str, number: int) -> None:
        """Load the block of a row into memory, if it is settled."""
        name = kind, number >> BITS
        block = self._settled.get(name)
        if block is not None and block.rows is None:
            self._loaded(name, block)

    def checked(self, kind: str) -> list[StoredValues]:
        """Return all rows of the first table of a kind, each as it was last written."""
        every: list[StoredValues] = []
        for name, block in list(self._settled.items()):
            if name[0] == kind:
                every += self._read(name, block)[0][0]
        rows: dict[tuple[str, int], int] = {}
        for first, last in list(self.gaps(kind)):
            found = self._reader.read_block(kind, first, last)
            rows |= self._hashes(kind, found)
            every += found[0]
            if len(rows) > len(self._rows):
                break
        if rows != {name: each for name, each in self._rows.items() if KINDS[name[0]] == kind}:
            raise self._reader.refuse_block(kind, -MOST, MOST - 1)
        return every

    def load_all(self) -> None:
        """Check all blocks."""
        for name, block in list(self._settled.items()):
            self._loaded(name, block)

    def _loaded(self, name: Name, block: Block) -> dict[tuple[str, int], int]:
        """Return the rows of a settled block, read and checked if they are not in memory."""
        if block.rows is not None:
            return block.rows
        self.forget()
        found, rows, total = self._read(name, block)
        self._reader.enter_block(name[0], found)
        block.rows, block.sum = rows, total
        self._in_memory[name] = block
        self._cached += len(rows)
        return rows

    def _read(self, name: Name, block: Block) -> tuple[BlockRows, dict[tuple[str, int], int], int]:
        """Return the rows of a settled block from the file, their hashes, and the sum of those."""
        kind, first, last = name[0], name[1] << BITS, ((name[1] + 1) << BITS) - 1
        found = self._reader.read_block(kind, first, last)
        rows, total = self._hashes(kind, found), 0
        for each in rows.values():
            total ^= each
        if not hmac.compare_digest(self._tag_of(name, block, total), block.tag):
            raise self._reader.refuse_block(kind, first, last)
        return found, rows, total

    def _hashes(self, kind: str, found: BlockRows) -> dict[tuple[str, int], int]:
        """Return the hashes of the rows of a block."""
        table = TABLES_OF[kind][0]
        rows = {(table, row[0]): self.hash_of(table, row) for row in found[0]}
        for number, action, trace, size, told, held in found[1]:
            rows["batch", number] = self.hash_of("batch", (number, action, trace, size))
            rows["held", number] = self.hash_of("held", (number, told, held))
        return rows  # type: ignore[return-value]

    def forget(self) -> None:
        """Drop settled blocks if many are in memory, oldest first, but not those that changed."""
        if self._cached <= CACHED:
            return
        for name, block in list(self._in_memory.items()):
            if self._cached <= CACHED // 2:
                break
            if name not in self._touched and block.rows is not None:
                self._reader.forget_block(name[0], name[1] << BITS, ((name[1] + 1) << BITS) - 1)
                self._cached -= len(block.rows)
                block.rows, block.sum = None, 0
                del self._in_memory[name]

    # Writing

    def write_blocks(self, execute: Execute) -> None:
        """Write the rows of changed blocks, and settle old blocks if there are many rows.

        This is part of the transaction of a change, after its rows are written.
        """
        for name, block in self._touched.items():
            self._sum ^= block.counted
            if not block.rows:
                execute("DELETE FROM settled WHERE kind = ? AND number = ?", name)
                del self._settled[name], self._in_memory[name]
                continue
            self._write(execute, name, block)
        self._touched = {}
        if len(self._rows) > UNSETTLED:
            self._settle(execute)

    def _settle(self, execute: Execute) -> None:
        """Settle the oldest blocks until half of the rows are left, but never the last blocks."""
        names = sorted({(number >> BITS, KINDS[table]) for table, number in self._rows})
        last = {kind: number for number, kind in names}
        for number, kind in names:
            if len(self._rows) <= UNSETTLED // 2:
                break
            if last[kind] == number:
                continue
            numbers = range(number << BITS, (number + 1) << BITS)
            every = ((table, each) for table in TABLES_OF[kind] for each in numbers)
            rows = {name: self._rows.pop(name) for name in every if name in self._rows}
            block = self._settled[kind, number] = self._in_memory[kind, number] = Block(0, 0, b"")
            block.rows = rows
            for (table, _), found in rows.items():
                self._count(block, table, 1)
                block.sum ^= found
            self._sum ^= block.sum
            self._write(execute, (kind, number), block)

    def _write(self, execute: Execute, name: Name, block: Block) -> None:
        block.tag = self._tag_of(name, block, block.sum)
        block.counted = self._counted(name, block)
        self._sum ^= block.counted
        row = (*name, block.decisions, block.batches, block.tag)
        execute("INSERT OR REPLACE INTO settled VALUES (?, ?, ?, ?, ?)", row)

    def _tag_of(self, name: Name, block: Block, total: int) -> bytes:
        """Return the tag of a block. The sum of its rows is hashed again, and never written."""
        return self._row(b"b", name, block, total.to_bytes(DIGEST, "big"))

    def _counted(self, name: Name, block: Block) -> int:
        """Return the hash of the row of a block."""
        return int.from_bytes(self._row(b"s", name, block, block.tag), "big")

    def _row(self, letter: bytes, name: Name, block: Block, rest: bytes) -> bytes:
        kind, number = name
        row = self._start.copy()
        row.update(BLOCK.pack(letter, KIND_NUMBERS[kind], number, block.decisions, block.batches))
        row.update(rest)
        return row.digest()
