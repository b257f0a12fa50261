"""The commands that the papers add to ``discreet``."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import DiscreetError


def check_writable(path: Path) -> None:
    """Refuse an output file that cannot be written, before anything is computed."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise DiscreetError(f"output is {path}, but the folder {folder} does not exist.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise DiscreetError(f"output is {path}, but no file can be written there.")
