"""What is being compiled at the moment, for progress lines."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from typing import Any


class _Now(threading.local):
    """The name of what a thread compiles for."""

    name = ""


_now = _Now()
_compiling: dict[int, str] = {}  # by thread: the name of what it compiles for
_depth: dict[int, int] = {}  # by thread: how many nested compilations
_lock = threading.RLock()
_collects = False  # whether garbage collection was enabled before


@contextlib.contextmanager
def compiling_for(name: str) -> Iterator[None]:
    """Give a name to whatever this thread compiles in this block."""
    before, _now.name = _now.name, name
    try:
        yield
    finally:
        _now.name = before


def being_compiled() -> str | None:
    """Return the name of what is being compiled at the moment, or None.

    Loading from the cache does not count.
    """
    return next(iter(list(_compiling.values())), None)


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Record that this thread compiles something in this block."""
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    """Record that this thread begins to compile, perhaps within another compilation.

    Python's garbage collection is paused meanwhile, which saves a few percent of the time.
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
    """Record that a compilation of this thread has ended."""
    mine = threading.get_ident()
    with _lock:
        _depth[mine] -= 1
        if _depth[mine] == 0:
            del _depth[mine], _compiling[mine]
        if _collects and not _depth:
            gc.enable()


def watch() -> None:
    """Listen to Numba's events about the beginning and end of compilations, which may be nested."""
    from numba.core.event import Listener, register

    class Watch(Listener):
        def on_start(self, event: Any) -> None:
            _begin()

        def on_end(self, event: Any) -> None:
            _end()

    tell: Any = register
    tell("numba:compile", Watch())
