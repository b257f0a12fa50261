"""Output that appears completely or not at all, even if writing is interrupted."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from discreet.errors import DiscreetError, reason_of, show_path

__all__ = ["abandon_unfinished", "growing_folder", "lock", "output_file", "output_folder"]

_publishing = threading.Lock()  # held while finished output is moved to its place
_unfinished: set[Path] = set()
_published: list[Path] = []


@contextlib.contextmanager
def output_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a hidden folder to write to; it becomes ``path`` if the block ends without an error.

    An existing folder is refused unless ``overwrite`` is set. In that case, files of the same name
    are replaced, and all others stay.
    """
    created: Path | None = None
    try:
        if path.is_dir() and overwrite:
            if not os.access(path, os.W_OK):
                raise DiscreetError(f"output folder {path} cannot be written to.")
        elif path.exists() or path.is_symlink():
            if path.is_dir():
                raise DiscreetError(
                    f"{path} exists already: choose another output folder, or overwrite it with "
                    "--overwrite."
                )
            raise DiscreetError(
                f"{path} exists already and is not a folder: choose another output folder."
            )
        created = next(
            (p for p in reversed([path.parent, *path.parent.parents]) if not p.exists()), None
        )
        staging = _hidden(path.parent if not path.exists() else path)
        _unfinished.update({staging, created or staging})
        path.parent.mkdir(parents=True, exist_ok=True)
        staging.mkdir()
    except OSError as reason:
        raise DiscreetError(
            f"output folder {show_path(path)} cannot be created: {reason_of(reason)}."
        ) from None
    try:
        yield staging
        with _publishing:
            _move_folder(staging, path)
            _unfinished.difference_update({staging, created or staging})
            _published.append(path)
    except BaseException:
        if created is not None:
            _remove(created)
        raise
    finally:
        _remove(staging)
        _unfinished.difference_update({staging, created or staging})


@contextlib.contextmanager
def growing_folder(path: Path) -> Iterator[Callable[[], None]]:
    """Make a folder for complete files; yield a function to call once there is a file to keep.

    Until that call, an error or the end of the process removes the folder. An existing folder is
    used and never removed.
    """
    created = next((p for p in reversed([path, *path.parents]) if not p.exists()), None)
    try:
        if created is not None:
            try:
                created.mkdir()
                _unfinished.add(created)
            except FileExistsError:  # another process just made it, and may be writing to it
                created = None
        path.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise DiscreetError(
            f"output folder {show_path(path)} cannot be created: {reason_of(reason)}."
        ) from None

    def keep() -> None:
        with _publishing:
            _unfinished.difference_update({created} - {None})
            if path not in _unfinished:  # not if it is inside a folder that is still hidden
                _published.append(path)

    try:
        yield keep
        keep()
    finally:
        if created is not None and created in _unfinished:
            _remove(created)
            _unfinished.discard(created)


@contextlib.contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Yield a hidden file to write; it becomes ``path`` if the block ends without an error."""
    place = path.resolve()
    if place.exists() and not place.is_file():  # a pipe or a terminal cannot be replaced
        yield path
        return
    staging = _hidden(place.parent, suffix=place.suffix)
    _unfinished.add(staging)
    try:
        yield staging
        with _publishing:
            staging.replace(place)
            _published.append(path)
    finally:
        _remove(staging)
        _unfinished.discard(staging)


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return False if another process holds the lock.

    On systems without such locks, it returns True.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def abandon_unfinished() -> list[Path]:
    """Remove unfinished output and return what was published; only before the process exits.

    Other threads may still be writing. A move that has begun is completed; after that, nothing more
    is published.
    """
    _publishing.acquire(timeout=1.0)
    for path in sorted(_unfinished):
        for _ in range(50):  # a thread may create a file while its folder is removed
            _remove(path)
            if not path.exists():
                break
            time.sleep(0.01)
    return list(_published)


def _hidden(folder: Path, *, suffix: str = "") -> Path:
    return folder / f".discreet-{os.urandom(8).hex()}{suffix}"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _move_folder(staging: Path, path: Path) -> None:
    """Move the finished folder, or move its files into an existing folder."""
    try:
        if not path.exists():
            staging.rename(path)
            return
        files = list(staging.iterdir())
        for file in files:
            if (path / file.name).is_dir() and not file.is_dir():
                raise DiscreetError(
                    f"{path / file.name} is a folder and cannot be replaced by a file."
                )
        for file in files:
            if file.is_dir():
                _remove(path / file.name)
            file.replace(path / file.name)
    except OSError as reason:
        raise DiscreetError(
            f"output folder {path} cannot be written: {reason_of(reason)}."
        ) from None
