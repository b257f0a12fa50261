"""An output folder that appears complete or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from discreet.errors import DiscreetError


@contextlib.contextmanager
def output_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a hidden folder to write into; it becomes ``path`` when the block ends without an error.

    A folder that exists is refused, unless it is to be overwritten: then files of the same name are replaced and all
    others left alone.
    """
    created: Path | None = None
    try:
        if path.is_dir() and overwrite:
            if not os.access(path, os.W_OK):
                raise DiscreetError(f"output folder {path} cannot be written to.")
        elif path.exists() or path.is_symlink():
            hint = "overwrite it with --overwrite" if path.is_dir() else "it is not a folder"
            raise DiscreetError(
                f"{path} exists already: choose another output folder, or {hint}.".replace("or it", "as it")
            )
        created = next((p for p in reversed([path.parent, *path.parent.parents]) if not p.exists()), None)
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=".discreet-", dir=path.parent if not path.exists() else path))
    except OSError as reason:
        raise DiscreetError(f"output folder {path} cannot be created: {reason.strerror}.") from None
    try:
        yield staging
        _publish(staging, path)
    except BaseException:
        if created is not None:
            shutil.rmtree(created, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _publish(staging: Path, path: Path) -> None:
    """Move the finished folder, or its files into a folder that is there already."""
    try:
        if not path.exists():
            staging.chmod(0o777 & ~_umask())
            staging.rename(path)
            return
        files = list(staging.iterdir())
        for file in files:
            if (path / file.name).is_dir():
                raise DiscreetError(f"{path / file.name} is a folder, and is not overwritten by a file.")
        for file in files:
            file.replace(path / file.name)
    except OSError as reason:
        raise DiscreetError(f"output folder {path} cannot be written: {reason.strerror}.") from None


def _umask() -> int:
    """Return the user's mask: temporary folders are private, results need not be."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
