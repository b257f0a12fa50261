"""New files that only their owner can read, and that stay."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from discreet.errors import DiscreetError


def new_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file; if there is none, make an empty one that only its owner can read, and that stays."""
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            keep_entry(Path(path).absolute().parent)
    except (OSError, ValueError, TypeError) as error:
        raise DiscreetError(f"path is {path!r}, where no file can be made ({error}).") from None
    return Path(path).resolve()


def keep_entry(folder: Path) -> None:
    """Write to the disk which files a folder has; where folders cannot be opened, the system sees to it."""
    with contextlib.suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
