"""Guards against forks and copies: what is counted or released once must not be duplicated."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from typing import ClassVar, NoReturn, SupportsIndex

from discreet.errors import DiscreetError

CAN_FORK = os.name == "posix"

# One SQLite operation at a time in a process. The lock is also held while the process forks:
# otherwise the child could copy SQLite's state in the middle of another thread's operation, with
# locks that are never released.
sqlite_lock = threading.RLock()
if CAN_FORK:
    os.register_at_fork(
        before=sqlite_lock.acquire,
        after_in_parent=sqlite_lock.release,
        after_in_child=sqlite_lock.release,
    )


def is_damage(error: BaseException) -> bool:
    """Return whether an error of SQLite means that the content of its file is damaged.

    Locks, full disks, failing disks and closed connections are no damage.
    """
    if isinstance(error, sqlite3.OperationalError):
        # by SQLite, for a column that another program dropped; and by Python, with the content
        return str(error).startswith(("no such ", "Could not decode"))
    if isinstance(error, sqlite3.DatabaseError):
        return not isinstance(error, sqlite3.ProgrammingError)
    return isinstance(error, UnicodeDecodeError)  # in SQLite's own message about a damaged table


def run_in_children(do: Callable[[], None]) -> None:
    """Call a function at the start of every process forked from this one."""
    if CAN_FORK:
        os.register_at_fork(after_in_child=do)


class NotCopyable:
    """An object that cannot be copied or pickled."""

    __slots__ = ()

    _instead: ClassVar[str] = (
        "because a copy could release the same data twice: keep it in a file (path=...), or make a "
        "snapshot"
    )

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = type(self).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        raise DiscreetError(f"{article} {name} cannot be copied or pickled, {self._instead}.")
