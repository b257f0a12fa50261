"""Where pictures go: what cannot be written is said before anything is computed."""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import DiscreetError
from discreet.plot.regret import plotting


def check_picture(path: Path) -> Path:
    """Return the path of a picture that can be written, or refuse it."""
    known = plotting().figure().canvas.get_supported_filetypes()
    plotting().close()
    kind = path.suffix.removeprefix(".").lower()
    if kind not in known:
        allowed = ", ".join(f".{each}" for each in ("png", "pdf", "svg"))
        raise DiscreetError(f"output is {path}, but the name of a picture must end in one of {allowed}.")
    folder = path.absolute().parent
    if not folder.is_dir() or path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise DiscreetError(f"output is {path}, but no file can be written there.")
    return path
