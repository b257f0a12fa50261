"""Recognise a forked process, even after a fork that Python does not see."""

from __future__ import annotations

import contextlib
import mmap
import os
import sys

from discreet.errors import DiscreetError

WIPE_ON_FORK = 18  # Linux's MADV_WIPEONFORK


class Mark:
    """A byte that is 1 in the process that made it, and 0 in every process forked from it.

    Linux wipes its memory page in every fork, even in one that Python does not see. Reading it
    takes a tenth of the time of ``os.getpid()``, which is the fallback.
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
        """The object whose entry 0 is the byte."""
        return self if self._page is None else self._page

    def __getitem__(self, place: int) -> int:
        return int(os.getpid() == self._process)


_mark = Mark()


def process_mark() -> mmap.mmap | Mark:
    """Return an object whose entry 0 is 1 in this process, and 0 in processes forked from it."""
    global _mark
    if not _mark.byte[0]:
        _mark = Mark()
    return _mark.byte


def forked() -> DiscreetError:
    """Return the refusal of a run that another process opened."""
    return DiscreetError(
        "this run belongs to another process: close it there, then open its file here."
    )
