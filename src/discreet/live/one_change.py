"""The transaction of one change to a run in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.live.rows import Counters
from discreet.processes import forked

if TYPE_CHECKING:
    from discreet.live.run_file import RunFile


class OneChange:
    """The transaction of one change. A class, because every decision and outcome uses it."""

    __slots__ = ("_counters", "_epoch", "_file", "_lasting", "_store", "_version")

    def __init__(
        self,
        store: RunFile,
        counters: Counters,
        epoch: tuple[int, int],
        lasting: bool,
        releasing: bool,
    ) -> None:
        self._store, self._counters, self._epoch = store, counters, epoch
        self._file, self._lasting = store._file, lasting
        store._prepare(lasting)
        self._version = store._next(lasting=lasting, releases=int(releasing))

    def __enter__(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: BaseException | None, frames: object) -> None:
        store, file = self._store, self._file
        try:
            if error is None:
                store._seal(self._counters, self._epoch, self._version)
                if not store._mark[0]:  # a signal handler may have forked: only the parent commits
                    raise forked()
                file.execute("COMMIT")
                # not before: closing the run writes it to the key, and then no older file opens
                store._version = self._version
        finally:
            if file.in_transaction:
                file.execute("ROLLBACK")
        if error is None and self._lasting:
            store._kept_asks, store._row_pending = self._counters[0], False
            if store._key is not None:
                store._key.advance(self._version, note=b"")
