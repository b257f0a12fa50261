"""Open files whose path is watched: somebody may delete or replace them meanwhile."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from discreet.errors import DiscreetError

MAY_SHRINK = 1  # the least size in bytes of a file that another program may shrink


class Watched:
    """Something that is watched."""

    __slots__ = ()

    how: ClassVar[str] = "deleted, replaced or cut short"

    def is_lost(self) -> bool:
        """Return whether it is gone."""
        raise NotImplementedError

    def check(self, what: str) -> None:
        """Refuse to go on if it is lost: what would be stored then could never be read again."""
        if self.is_lost():
            raise DiscreetError(
                f"{what} was {self.how} while it is open, so nothing can be stored and nothing has "
                "changed."
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


class WatchedName(Watched):
    """The name of a file that is written all the time: notices if the file is deleted.

    Asking for its size or identity would also ask for its times. Then Linux writes these more often
    (since 6.13), and waiting for the disk takes a fifth longer.
    """

    __slots__ = ("_path",)

    how: ClassVar[str] = "deleted"

    def __init__(self, path: Path | str) -> None:
        self._path = os.fspath(path)

    def is_lost(self) -> bool:
        """Return whether no file has this name."""
        return not os.access(self._path, os.F_OK)


class WatchedDatabase(Watched):
    """A file of SQLite and its write-ahead log, which has what is not in the file yet.

    The log exists once a connection has used the file, and as long as one is open.
    """

    __slots__ = ("_file", "_log", "_used")

    def __init__(self, path: Path, *, least: int | None = None) -> None:
        self._file, self._log = WatchedFile(path, least=least), WatchedName(f"{path}-wal")
        self._used = False

    def is_lost(self) -> bool:
        """Return whether one of them was deleted, or the file was replaced or cut short."""
        lost = self._log.is_lost()
        self._used = self._used or not lost
        return self._file.is_lost() or (self._used and lost)
