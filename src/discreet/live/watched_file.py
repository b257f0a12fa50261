"""Open files whose path is watched: somebody may delete or replace them meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import DiscreetError

MAY_SHRINK, MAY_BE_EMPTY = 1, 0  # the least size in bytes of a file that another program may shrink


class Watched:
    """What is watched."""

    __slots__ = ()

    def is_lost(self) -> bool:
        """Return whether it is no longer what was opened."""
        raise NotImplementedError

    def check(self, what: str) -> None:
        """Refuse to go on if it is lost: what would be stored then could never be read again."""
        if self.is_lost():
            raise DiscreetError(
                f"{what} was deleted, replaced or cut short while it is open, so nothing can be "
                "stored and nothing has changed."
            )


class WatchedFile(Watched):
    """A path with an open file: notices if the file is deleted, replaced, or cut short.

    The system would go on with the open file, and its content would be lost when it is closed. Of a
    file that may shrink, ``least`` is the size below which it never does.
    """

    __slots__ = ("_least", "_path", "_same", "_shrinks")

    def __init__(self, path: Path | str, *, least: int | None = None) -> None:
        self._path = os.fspath(path)  # text, which the system takes as it is
        found = os.stat(self._path)  # noqa: PTH116 - Path.stat takes twice as long
        self._same = found.st_dev, found.st_ino
        self._shrinks = least is not None
        self._least = found.st_size if least is None else min(least, found.st_size)

    def is_lost(self) -> bool:
        """Return whether another file, a shorter one or none is there."""
        try:
            found = os.stat(self._path)  # noqa: PTH116
        except OSError:
            return True
        if (found.st_dev, found.st_ino) != self._same or found.st_size < self._least:
            return True
        if not self._shrinks:
            self._least = found.st_size
        return False


class WatchedDatabase(Watched):
    """A file of SQLite and its write-ahead log, which has what is not in the file yet.

    The log exists once a connection has used the file, and as long as one is open. Any program may
    empty it, after moving its content to the file.
    """

    __slots__ = ("_file", "_log", "_path")

    def __init__(self, path: Path, *, least: int | None = None) -> None:
        self._file, self._path = WatchedFile(path, least=least), f"{path}-wal"
        self._log: WatchedFile | None = None

    def is_lost(self) -> bool:
        """Return whether one of them was deleted or replaced, or the file was cut short."""
        if self._log is None and os.path.exists(self._path):  # noqa: PTH110
            self._log = WatchedFile(self._path, least=MAY_BE_EMPTY)
        return self._file.is_lost() or (self._log is not None and self._log.is_lost())
