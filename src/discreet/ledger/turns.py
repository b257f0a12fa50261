"""SQLite in a process that may fork."""

from __future__ import annotations

import os
import threading

# One operation at a time in a process. It is also held while the process forks: SQLite's own state, copied in the middle
# of another thread's operation, would leave the child with locks that nobody gives back.
turn = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=turn.acquire, after_in_parent=turn.release, after_in_child=turn.release)
