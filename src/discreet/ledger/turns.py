"""SQLite in a process that may fork."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

# One operation at a time in a process. It is also held while the process forks: SQLite's own state,
# copied in the middle
# of another thread's operation, would leave the child with locks that nobody gives back.
turn = threading.RLock()
CAN_FORK = hasattr(os, "register_at_fork")
if CAN_FORK:
    os.register_at_fork(
        before=turn.acquire, after_in_parent=turn.release, after_in_child=turn.release
    )


def in_every_child(do: Callable[[], None]) -> None:
    """Do something in every process that is forked from this one, at its start."""
    if CAN_FORK:
        os.register_at_fork(after_in_child=do)
