"""Where a run is kept: what every store can do, and the one in memory."""

from __future__ import annotations

from typing import Protocol

from discreet.live.rows import Change, Example, Rows


class Store(Protocol):
    """Keeps the rows of one run, and changes them in transactions: a change is made as a whole, or not at all."""

    rows: Rows  # what is committed

    def load(self, example: Example) -> None:
        """Read what is committed; ``example`` is an action and a trace of the kind that groups have.

        It is also how a store recovers: whatever was begun and not committed is gone afterwards.
        """

    def commit(self, change: Change) -> None:
        """Make a change. When it returns, what was told or released stays told and released."""

    def close(self) -> None:
        """Give the run free for others."""


class MemoryStore:
    """Keeps a run as long as the process lives, and writes nothing down."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self._committed: Change | None = None  # a change that is made, though perhaps not yet in all tables

    def load(self, example: Example) -> None:
        """Complete a change that was interrupted while it entered the tables."""
        if self._committed is not None:
            self.rows.apply(self._committed)
            self._committed = None

    def commit(self, change: Change) -> None:
        """Make a change: one assignment decides, and what follows it can be repeated."""
        self._committed = change
        self.rows.apply(change)
        self._committed = None

    def close(self) -> None:
        """Do nothing: nobody else has these rows."""
