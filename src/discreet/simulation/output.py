"""An output folder that appears complete or not at all."""

from __future__ import annotations

import contextlib
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
    if path.exists() and not (overwrite and path.is_dir()):
        raise DiscreetError(f"{path} exists already: choose another output folder, or overwrite it.")
    created: Path | None = None
    try:
        created = next((p for p in reversed([path.parent, *path.parent.parents]) if not p.exists()), None)
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as reason:
        raise DiscreetError(f"output folder {path} cannot be created: {reason.strerror}.") from None
    try:
        yield staging
        if path.exists():
            for file in staging.iterdir():
                file.replace(path / file.name)
        else:
            staging.chmod(0o777 & ~_umask())
            staging.rename(path)
    except BaseException:
        if created is not None:
            shutil.rmtree(created, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _umask() -> int:
    """Return the user's mask: temporary folders are private, results need not be."""
    import os

    mask = os.umask(0)
    os.umask(mask)
    return mask
