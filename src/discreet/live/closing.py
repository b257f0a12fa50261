"""Closing a run cleanly when the process is asked to terminate."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn, TypeVar

from discreet.errors import DiscreetError, shorten
from discreet.live.client import LiveClient
from discreet.live.run import LiveRun

Run = TypeVar("Run", LiveClient, LiveRun)


@contextlib.contextmanager
def close_on_sigterm(run: Run) -> Iterator[Run]:
    """Close a run at the end of a ``with`` block, even if the process gets SIGTERM.

    ::

        with discreet.live.close_on_sigterm(discreet.Bandit.open("run.db")) as bandit:
            serve(bandit)

    The signal ends the block by ``SystemExit``, with the usual status of 143. An operation that it
    interrupts is completed or has no effect. Only the main thread can use it; operations of other
    threads finish first.
    """
    if threading.current_thread() is not threading.main_thread():
        raise DiscreetError(
            "close_on_sigterm is used in another thread, but only the main thread gets signals: "
            "use it there."
        )

    if not isinstance(run, LiveClient | LiveRun):
        raise DiscreetError(
            f"the run is {shorten(run)}, but must be an open run, as Bandit.open returns it."
        )

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield run
    finally:
        # A second signal must not interrupt the closing.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            run.close()
        finally:
            signal.signal(signal.SIGTERM, before)
