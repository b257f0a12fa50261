"""Files of numbers: CSV, one row at a time, and NPY. Faults are named by file and row."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, show_path

__all__ = ["csv_rows", "is_number", "load_npy", "read_npy"]


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number, from 1, and the cells of every row that is not blank."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, cells in enumerate(csv.reader(file), start=1):
                if any(cell.strip() for cell in cells):
                    yield number, cells
    except UnicodeDecodeError:
        name = show_path(path)
        raise DiscreetError(f"{name} is not text in UTF-8 with commas between columns.") from None
    except csv.Error as reason:
        name = show_path(path)
        raise DiscreetError(f"{name} cannot be read as a table: {reason}.") from None


def is_number(cell: str) -> bool:
    """Return whether a cell of a file is a number; Python would read underscores, too."""
    try:
        float(cell.replace("_", "x"))
    except ValueError:
        return False
    return True


def load_npy(path: Path) -> Floats:
    """Load a ``.npy`` file, whose content is not checked yet, or refuse another kind of file."""
    try:
        found: Floats = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise DiscreetError(f"{path} is not a NPY file of numbers.") from None
    return found


def read_npy(path: Path) -> Floats:
    """Return the table of numbers in a ``.npy`` file, or refuse it."""
    values = load_npy(path)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise DiscreetError(
            f"{path} holds {values.dtype} of shape {values.shape}, but a table of numbers is "
            "needed."
        )
    return np.ascontiguousarray(values, dtype=np.float64)
