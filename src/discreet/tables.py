"""Read files of numbers: CSV, one row at a time, and NPY. Errors name the file and the row."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import DiscreetError, count, show_path

__all__ = [
    "ArrowNumbers",
    "CsvColumns",
    "csv_rows",
    "is_number",
    "load_npy",
    "number_in",
    "read_arrow",
    "read_columns",
    "read_npy",
]


@runtime_checkable
class ArrowStream(Protocol):
    """A table from any library with Arrow's C interface: polars, DuckDB, pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as a capsule."""


@runtime_checkable
class NumpyReadable(Protocol):
    """An object that NumPy can read, such as a pandas DataFrame."""

    def __array__(self) -> Floats:
        """Return an array."""


class ArrowNumbers:
    """The numbers of an Arrow object with their column names, read once."""

    def __init__(self, names: Sequence[str], values: Floats) -> None:
        self._names, self._values = names, values

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Floats:
        return self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)


def read_arrow(given: ArrayLike) -> ArrayLike:
    """Return the numbers of an Arrow object that NumPy cannot read; anything else unchanged."""
    if not isinstance(given, ArrowStream) or isinstance(given, NumpyReadable):
        return given
    try:
        import pyarrow
    except ImportError:
        raise DiscreetError("Arrow needs pyarrow: pip install 'discreet[output]'.") from None
    table = pyarrow.table(given)
    columns = [np.asarray(column.to_numpy()) for column in table.columns]
    if not columns or any(column.dtype.kind not in "biuf" for column in columns):
        kinds = ", ".join(map(str, table.schema.types)) or "none"
        raise DiscreetError(f"the column types are {kinds}, but all must be numeric.")
    values = np.stack([column.astype(np.float64) for column in columns], axis=1)
    return ArrowNumbers(table.schema.names, values)


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number (from 1) and the cells of every row that is not blank."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, cells in enumerate(csv.reader(file), start=1):
                if any(map(str.strip, cells)):
                    yield number, cells
    except UnicodeDecodeError:
        name = show_path(path)
        raise DiscreetError(f"{name} is not a comma-separated file in UTF-8.") from None
    except csv.Error as reason:
        name = show_path(path)
        raise DiscreetError(f"{name} cannot be read as a table: {reason}.") from None


class CsvColumns(NamedTuple):
    """The columns of a CSV file: their names, if it has them, and its rows, read one by one."""

    names: list[str] | None
    first_row: int  # the number of the row that follows the names, from 1
    rows: Iterator[tuple[int, list[str]]]  # the number of each, and its cells


def read_columns(
    path: Path,
    *,
    empty: str,
    width: str,
    has_names: Callable[[list[str]], bool] | None = None,
    names_for_all: bool = True,
) -> CsvColumns:
    """Return the columns of a CSV file; refuse an empty one, and rows of different lengths.

    The first row has the names, unless ``has_names`` says that it has not. With ``names_for_all``
    every row must have as many cells as there are names; otherwise, as many as the row before it.
    ``empty`` and ``width`` are parts of messages: what is wrong with an empty file, and which rows
    have another length ("the header has").
    """
    lines = csv_rows(path)
    first, header = next(lines, (0, None))
    if header is None:
        raise DiscreetError(f"{path} {empty}")
    if has_names is not None and not has_names(header):
        return CsvColumns(None, first, _alike(path, chain([(first, header)], lines), None, width))
    names = [cell.strip() for cell in header]
    size = len(names) if names_for_all else None
    return CsvColumns(names, first + 1, _alike(path, lines, size, width))


def _alike(
    path: Path, rows: Iterator[tuple[int, list[str]]], size: int | None, width: str
) -> Iterator[tuple[int, list[str]]]:
    for number, cells in rows:
        size = len(cells) if size is None else size
        if len(cells) != size:
            raise DiscreetError(
                f"{path}, row {number} has {count(len(cells), 'column')}, but {width} {size}."
            )
        yield number, list(map(str.strip, cells))


def number_in(cell: str) -> float:
    """Return the number in a cell of a file; unlike in Python, underscores are refused."""
    return float(cell.replace("_", "x"))


def is_number(cell: str) -> bool:
    """Return whether a cell of a file is a number."""
    try:
        number_in(cell)
    except ValueError:
        return False
    return True


def load_npy(path: Path) -> Floats:
    """Load a ``.npy`` file without checking its content; refuse other kinds of files."""
    try:
        found: Floats = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise DiscreetError(f"{path} is not an NPY file of numbers.") from None
    return found


def read_npy(path: Path) -> Floats:
    """Return the table of numbers in a ``.npy`` file, or refuse it."""
    values = load_npy(path)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise DiscreetError(
            f"{path} contains {values.dtype} of shape {values.shape}, but must contain a table of "
            "numbers."
        )
    return np.ascontiguousarray(values, dtype=np.float64)
