"""The rows of a run file in memory: all rows of a small run, blocks of a large one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, cast

from discreet.live.blocks import BlockRows, Blocks
from discreet.live.row_tables import FileTable, OutcomeTable, Stored
from discreet.live.rows import GroupRow, OpenRow

READ = {
    "open": (
        "SELECT * FROM decision WHERE id BETWEEN ? AND ?",
        "SELECT * FROM batch WHERE number BETWEEN ? AND ?",
    ),
    "release": ("SELECT * FROM release WHERE batch BETWEEN ? AND ?",),
}


class FileRows:
    """Reads blocks of rows from a file, and keeps checked ones in memory."""

    def __init__(
        self,
        secret: bytes | None,
        execute: Callable[..., Any],
        reading: Callable[[], AbstractContextManager[object]],
        refusal: Callable[[str], Exception],
        read_group: Callable[[Stored], GroupRow],
        read_outcome: Callable[[Stored], bytes],
    ) -> None:
        self._execute, self._reading, self._refusal = execute, reading, refusal
        self._read_group, self._read_outcome = read_group, read_outcome
        self.blocks = Blocks(secret, self)
        self._enter_tables()

    def _enter_tables(self) -> None:
        settled = self.blocks.settled("open")

        def table(read: Callable[[Stored], Any], sizes: dict[int, int]) -> FileTable[Any]:
            return FileTable(lambda number: self.blocks.load("open", number), sizes, read)

        decisions = {number: block.decisions for number, block in settled.items()}
        batches = {number: block.batches for number, block in settled.items()}
        self.open: FileTable[OpenRow] = table(cast(Any, tuple), decisions)
        self.groups: FileTable[GroupRow] = table(self._read_group, batches)
        self.outcomes = OutcomeTable(self.open, self._read_outcome)

    def read_all(self) -> None:
        """Add all settled blocks, and read all other rows, within one transaction."""
        for row in self._execute("SELECT * FROM settled").fetchall():
            self.blocks.enter(*row)
        self._enter_tables()
        tag = self.blocks
        for kind in READ:
            for gap in list(tag.gaps(kind)):
                found = self.read_block(kind, *gap)
                for number, action, trace, size, told, held in found[1]:
                    tag.put("batch", cast(int, number), action, trace, size)
                    tag.put("held", cast(int, number), told, held)
                for row in found[0]:
                    tag.put("decision" if kind == "open" else kind, cast(int, row[0]), *row[1:])
                self._keep(kind, found, FileTable.__setitem__)

    def read_block(self, kind: str, first: int, last: int) -> BlockRows:
        """Return the rows of a block as they are in the file."""
        with self._reading():
            found = [self._execute(each, (first, last)).fetchall() for each in READ[kind]]
        return found[0], found[1] if len(found) > 1 else []

    def enter_block(self, kind: str, rows: BlockRows) -> None:
        """Store checked rows in memory."""
        self._keep(kind, rows, FileTable.enter)

    def _keep(self, kind: str, rows: BlockRows, put: Callable[..., None]) -> None:
        if kind != "open":
            return
        for row in rows[0]:
            put(self.open, row[0], (*row[:5], None))
            if row[5] is not None:
                self.outcomes.memory[cast(int, row[0])] = Stored((row[0], row[5]))
        for row in rows[1]:
            put(self.groups, row[0], Stored(row))

    def forget_block(self, kind: str, first: int, last: int) -> None:
        """Drop the rows of a block from memory."""
        if kind == "open":
            for number in range(first, last + 1):
                for table in (self.open, self.groups, self.outcomes):
                    table.memory.pop(number, None)

    def refuse_block(self, kind: str, first: int, last: int) -> Exception:
        """Return the refusal of a block whose rows are not the written ones."""
        what = "decisions" if kind == "open" else "releases"
        return self._refusal(f"a block of rows ({what} {first} to {last})")
