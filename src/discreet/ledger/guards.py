"""Guards against forks and copies: what is counted or released once must not be duplicated."""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import threading
from collections.abc import Callable
from typing import ClassVar, NoReturn, SupportsIndex

from discreet.errors import DiscreetError

CAN_FORK = os.name == "posix"

# One SQLite operation at a time in a process. The lock is also held while the process forks:
# SQLite's own state, copied in the middle of another thread's operation, would leave the child with
# locks that nobody releases.
sqlite_lock = threading.RLock()
if CAN_FORK:
    os.register_at_fork(
        before=sqlite_lock.acquire,
        after_in_parent=sqlite_lock.release,
        after_in_child=sqlite_lock.release,
    )


def run_in_children(do: Callable[[], None]) -> None:
    """Call a function at the start of every process that is forked from this one."""
    if CAN_FORK:
        os.register_at_fork(after_in_child=do)


WIPE_ON_FORK = 18  # Linux's MADV_WIPEONFORK


class Mark:
    """A byte that is 1 in the process that made it, and 0 in every process forked from it.

    Linux wipes the page that it is on in a fork, also in one that Python does not see. Reading it
    takes a tenth of the time of asking for the number of the process, which is the other way.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._page: mmap.mmap | None = None
        if sys.platform == "linux":
            page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            page[0] = 1
            with contextlib.suppress(OSError, ValueError):  # an old kernel
                page.madvise(WIPE_ON_FORK)
                self._page = page

    @property
    def byte(self) -> mmap.mmap | Mark:
        """What to index with 0."""
        return self if self._page is None else self._page

    def __getitem__(self, place: int) -> int:
        return int(os.getpid() == self._process)


_mark = Mark()


def process_mark() -> mmap.mmap | Mark:
    """Return something whose entry 0 is 1 in this process, and 0 in processes forked from it."""
    global _mark
    if not _mark.byte[0]:
        _mark = Mark()
    return _mark.byte


class NotCopyable:
    """An object that cannot be copied or pickled."""

    _instead: ClassVar[str] = (
        "or what it holds would be released twice: keep it in a file (path=...), or make a snapshot"
    )

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise DiscreetError(f"{article} {name} cannot be copied or pickled, {self._instead}.")
