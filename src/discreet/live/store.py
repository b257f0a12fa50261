"""Where a run is kept: what every store can do, and the one in memory."""

from __future__ import annotations

from typing import Protocol

from discreet.live.rows import Asked, Change, Example, Rows, Told


class Store(Protocol):
    """Keeps the rows of one run, and changes them in transactions: a change is made as a whole, or not at all."""

    rows: Rows  # what is committed

    def load(self, example: Example) -> None:
        """Read what is committed; ``example`` is an action and a trace of the kind that groups have.

        It is also how a store recovers: whatever was begun and not committed is gone afterwards.
        """

    def ask(self, asked: Asked) -> None:
        """Open a decision. When it returns, nobody else is given that decision."""

    def tell(self, told: Told) -> None:
        """Close a decision. When it returns, what was told or released stays told and released."""

    def change(self, change: Change) -> None:
        """Make another change."""

    def close(self) -> None:
        """Give the run free for others."""


class MemoryStore:
    """Keeps a run as long as the process lives, and writes nothing down: changes go into the tables at once."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.ask, self.tell, self.change = rows.ask, rows.tell, rows.change

    def load(self, example: Example) -> None:
        """Complete a change that was interrupted while it entered the tables."""
        self.rows.complete()

    def close(self) -> None:
        """Do nothing: nobody else has these rows."""
