"""Who waits for the compiler at this moment, for progress lines."""

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
_depth: dict[int, int] = {}  # by thread: in how many things at once
_lock = threading.RLock()
_collects = False  # whether garbage was collected before


@contextlib.contextmanager
def compiling_for(name: str) -> Iterator[None]:
    """Say for whom it is, should this thread compile something in this block."""
    before, _now.name = _now.name, name
    try:
        yield
    finally:
        _now.name = before


def being_compiled() -> str | None:
    """Return for whom something is compiled at this moment; None if nothing is.

    What is found in the cache is not compiled.
    """
    return next(iter(list(_compiling.values())), None)


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Note that this thread compiles something in this block."""
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    """Note that this thread compiles, perhaps within what it compiles already.

    While anybody does, Python collects no garbage, which takes some percent of the time.
    """
    global _collects
    mine = threading.get_ident()
    with _lock:
        if not _depth:
            _collects = gc.isenabled()
            gc.disable()
        _depth[mine] = _depth.get(mine, 0) + 1
        _compiling[mine] = _now.name


def _end() -> None:
    """Note that it has."""
    mine = threading.get_ident()
    with _lock:
        _depth[mine] -= 1
        if _depth[mine] == 0:
            del _depth[mine], _compiling[mine]
        if _collects and not _depth:
            gc.enable()


def watch() -> None:
    """Let Numba tell when it begins and ends to compile something; such events may be nested."""
    from numba.core.event import Listener, register

    class Watch(Listener):
        def on_start(self, event: Any) -> None:
            _begin()

        def on_end(self, event: Any) -> None:
            _end()

    tell: Any = register
    tell("numba:compile", Watch())
