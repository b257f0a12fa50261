"""Who waits for the compiler at this moment: for those who wonder why nothing happens."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from typing import Any


class _Now(threading.local):
    """For whom a thread compiles, if it does."""

    name = ""


_now = _Now()
_compiling: dict[int, str] = {}  # by thread: for whom it compiles at this moment


@contextlib.contextmanager
def compiling_for(name: str) -> Iterator[None]:
    """Say for whom it is, should this thread compile something in this block."""
    before, _now.name = _now.name, name
    try:
        yield
    finally:
        _now.name = before


def being_compiled() -> str | None:
    """Return for whom something is compiled at this moment, as far as that was said; None if nothing is.

    What is found in the cache is not compiled.
    """
    return next(iter(list(_compiling.values())), None)


def watch() -> None:
    """Let Numba tell when it begins to compile something, and when it has: inner functions come in between.

    Meanwhile Python collects no garbage, which takes some percent of the time. Numba holds its compiler lock then, so
    that one thread at a time is here.
    """
    from numba.core.event import Listener, register

    class Watch(Listener):
        def __init__(self) -> None:
            self.depth: dict[int, int] = {}
            self.collects = False

        def on_start(self, event: Any) -> None:
            mine = threading.get_ident()
            if not _compiling:
                self.collects = gc.isenabled()
                gc.disable()
            self.depth[mine] = self.depth.get(mine, 0) + 1
            _compiling[mine] = _now.name

        def on_end(self, event: Any) -> None:
            mine = threading.get_ident()
            self.depth[mine] -= 1
            if self.depth[mine] == 0:
                _compiling.pop(mine, None)
                if self.collects and not _compiling:
                    gc.enable()

    tell: Any = register
    tell("numba:compile", Watch())
