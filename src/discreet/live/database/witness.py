"""Witnesses, which tell a database that it is a restored backup or a clone.

A witness records the version of each run. It is outside the database, and must not be restored
together with it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from discreet.errors import DiscreetError, check_path, reason_of
from discreet.live.keys import VERSION, Version, keep_entry, sync
from discreet.live.watched_file import WatchedName

try:
    import fcntl
except ImportError:  # Windows: a witness in a file is then for one process
    fcntl = None  # type: ignore[assignment]

MARK = b"discreet witness 1".ljust(64, b"\0")
TOKEN = 16  # bytes of a run's token
SLOT = 64  # bytes of an entry: a whole fraction of a sector, which a disk writes completely


class Witness(Protocol):
    """Records the versions of runs, by their tokens."""

    def read(self, run: str) -> Version | None:
        """Return the last known version of a run; None if the run is unknown."""

    def advance(self, run: str, old: Version | None, new: Version) -> bool:
        """Replace ``old`` by ``new``, and return True; or return False if it is not ``old``.

        ``None`` stands for an unknown run. Once this returns, a version with more releases than the
        old one is on disk; other changes may be lost in a power failure.
        """


class MemoryWitness:
    """A witness for tests: its records end with its process."""

    def __init__(self) -> None:
        self._known: dict[str, Version] = {}
        self._lock = threading.Lock()

    def read(self, run: str) -> Version | None:
        """Return the last known version of a run."""
        return self._known.get(run)

    def advance(self, run: str, old: Version | None, new: Version) -> bool:
        """Replace ``old`` by ``new``, if ``old`` is still current."""
        with self._lock:
            if self._known.get(run) not in (old, new):
                return False
            self._known[run] = new
            return True


class FileWitness:
    """A witness in a file shared by the workers of one host; entries are replaced in place."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(check_path("witness", path)).absolute()
        self._lock = threading.Lock()
        self._places: dict[str, int] = {}
        # releases of each run that are on the disk, as far as this process knows
        self._on_disk: dict[str, int] = {}
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = not self.path.exists()
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise DiscreetError(
                f"witness is {str(self.path)!r}, but this file cannot be used ({reason_of(error)})."
            ) from None
        with self._locked():
            if os.fstat(self._file).st_size == 0:
                os.pwrite(self._file, MARK, 0)
                os.fsync(self._file)
        if new:
            keep_entry(self.path.parent)
        if os.pread(self._file, SLOT, 0) != MARK:
            os.close(self._file)
            raise DiscreetError(f"witness is {str(self.path)!r}, a file of another kind.")
        self._watched = WatchedName(self.path)

    def read(self, run: str) -> Version | None:
        """Return the last known version of a run."""
        with self._locked():
            return self._read(run)

    def advance(self, run: str, old: Version | None, new: Version) -> bool:
        """Replace ``old`` by ``new``, if ``old`` is still current."""
        if self._watched.is_lost():
            raise DiscreetError(
                f"the witness {self.path} was deleted while it is open: its runs stop until it is "
                "back."
            )
        with self._locked():
            known = self._read(run)
            if known == new:
                return True
            if known != old:
                return False
            place = self._places.get(run)
            if place is None:
                place = os.fstat(self._file).st_size // SLOT * SLOT
                self._places[run] = place
            self._write(run, new, place)
            return True

    def _write(self, run: str, version: Version, place: int) -> None:
        """Write an entry; if it has more releases than are on the disk, wait for the disk."""
        try:
            os.pwrite(self._file, run.encode().ljust(TOKEN) + VERSION.pack(*version), place)
            if version.releases > self._on_disk.get(run, -1):
                sync(self._file)
        except OSError as error:
            raise DiscreetError(
                f"the witness {self.path} cannot be written ({reason_of(error)}): its runs "
                "stop until it can."
            ) from None
        self._on_disk[run] = version.releases

    def _read(self, run: str) -> Version | None:
        place = self._places.get(run)
        if place is None:
            size = os.fstat(self._file).st_size
            for at in range(SLOT * (1 + len(self._places)), size - SLOT + 1, SLOT):
                token = os.pread(self._file, TOKEN, at).decode("ascii", "replace").rstrip()
                self._places.setdefault(token, at)
            place = self._places.get(run)
        if place is None:
            return None
        version = Version(*VERSION.unpack(os.pread(self._file, VERSION.size, place + TOKEN)))
        if version.releases > self._on_disk.get(run, -1):
            # The sync of whoever wrote it may have failed, or its process was killed before: what a
            # failed sync leaves may never reach the disk, so it is written again.
            self._write(run, version, place)
        return version

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):
            os.close(self._file)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the file, among threads and processes."""
        with self._lock:
            if fcntl is None:
                yield
                return
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def __repr__(self) -> str:
        return f"FileWitness({str(self.path)!r})"


def is_fresh(mine: Version, known: Version | None) -> bool:
    """Return whether a run may continue, given what its witness knows.

    The run may be ahead, if a worker ended before it updated the witness (docs/proofs.md: Groups of
    operations).
    """
    if known is None:  # a witness gets every run when it begins
        return False
    behind = mine.releases < known.releases or mine.changes < known.changes
    another = mine.releases == known.releases and mine.last_release != known.last_release
    another |= mine.changes == known.changes and mine.last_change != known.last_change
    return not behind and not another
