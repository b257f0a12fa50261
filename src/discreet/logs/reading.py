"""Columns of a log, from a CSV, Parquet or Arrow file, a data frame or a dictionary."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.contracts import Floats
from discreet.errors import DiscreetError, reason_of, shorten
from discreet.tables import is_number, read_columns

PARQUET, ARROW = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")
LogColumn = NDArray[Any]  # numbers or texts


class Columns(NamedTuple):
    """Columns by name, their source, and the number of its first row."""

    by_name: dict[str, LogColumn]
    source: str
    first_row: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.by_name.values())))

    def numbers(self, name: str) -> Floats:
        """Return a column of finite numbers, or refuse it and name the row."""
        found = self.by_name[name]
        if found.dtype.kind not in "biuf":
            bad = next(row for row, cell in enumerate(found) if not is_number(str(cell)))
            raise DiscreetError(
                f"{self.place(bad, name)}: {shorten(str(found[bad]))} is not a number."
            )
        values = found.astype(np.float64)
        if not np.isfinite(values).all():
            bad = int(np.argmin(np.isfinite(values)))
            raise DiscreetError(f"{self.place(bad, name)}: it must be a finite number.")
        return values

    def place(self, row: int, name: str) -> str:
        """Return where a cell is, for messages."""
        return f"{self.source}, row {row + self.first_row}, column {name}"


def columns_of_log(given: object) -> Columns:
    """Return the columns of a file, of a data frame, of an Arrow table or of a dictionary."""
    if isinstance(given, Path | str):
        found = _read_file(Path(given))
    else:
        found = Columns(_columns_of(given), "the log", 1)
    lengths = {len(column) for column in found.by_name.values()}
    if not found.by_name or lengths == {0}:
        raise DiscreetError(f"{found.source} has no rows, but a log has one for each decision.")
    if len(lengths) > 1:
        raise DiscreetError(f"columns of {found.source} have different lengths.")
    return found


def _read_file(path: Path) -> Columns:
    try:
        if not path.is_file():
            raise DiscreetError(
                f"{path} is not a file: a log is a CSV, Parquet or Arrow file with one row per "
                "decision."
            )
        if path.suffix.lower() in PARQUET + ARROW:
            return Columns(_read_arrow(path), str(path), 1)
        return _read_csv(path)
    except OSError as reason:
        raise DiscreetError(
            f"{path} cannot be read: {reason_of(reason, 'it is damaged')}."
        ) from None


def _read_csv(path: Path) -> Columns:
    read = read_columns(
        path, empty="is empty: a log has one row for each decision.", width="the header has"
    )
    names = read.names or []
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DiscreetError(f"{path} has two columns called {shorten(twice)}.")
    cells = [row for _, row in read.rows]
    by_column: list[tuple[str, ...]] = list(zip(*cells, strict=True)) or [() for _ in names]
    found = {name: _settled(cells) for name, cells in zip(names, by_column, strict=True)}
    # the first column of pandas' own files is an index without a name
    named = {name: column for name, column in found.items() if name}
    return Columns(named, str(path), read.first_row)


def _read_arrow(path: Path) -> dict[str, LogColumn]:
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        raise DiscreetError(
            f"reading {path} needs pyarrow: pip install 'discreet[output]', or use a CSV file."
        ) from None
    of_parquet = path.suffix.lower() in PARQUET
    try:
        table = (parquet if of_parquet else feather).read_table(path)
    except pyarrow.ArrowException:
        kind = "Parquet" if of_parquet else "Arrow"
        raise DiscreetError(f"{path} cannot be read: it is not a valid {kind} file.") from None
    return _from_arrow(table)


def _from_arrow(table: Any) -> dict[str, LogColumn]:  # noqa: ANN401
    """Return the columns of an Arrow table; missing cells become NaN, or an empty text."""
    return {
        name: _settled([("" if cell is None else cell) for cell in table.column(name).to_pylist()])
        if table.column(name).null_count or table.column(name).type in _texts()
        else _settled(table.column(name).to_numpy())
        for name in table.column_names
    }


def _texts() -> tuple[object, ...]:
    import pyarrow

    return pyarrow.string(), pyarrow.large_string()


def _columns_of(given: object) -> dict[str, LogColumn]:
    """Return the columns of something that is not a file."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(given, arrow.Table):
        return _from_arrow(given)
    try:
        found = dict(given)  # type: ignore[call-overload] # a data frame gives its columns
        return {str(name): _settled(column) for name, column in found.items()}
    except Exception:
        raise DiscreetError(
            f"log is {shorten(given)}, but must be a file, a data frame or a dictionary of columns."
        ) from None


def _settled(column: Sequence[object] | LogColumn) -> LogColumn:
    """Return a column as numbers if all its cells are numbers, else as texts."""
    values = np.asarray(column)
    if values.ndim != 1:
        raise ValueError("a column of a log must have one entry per row")
    if values.dtype.kind in "biuf":
        return values
    texts = [str(cell).strip() for cell in values.tolist()]
    if all(map(is_number, texts)):
        try:
            return np.array([int(text) for text in texts], dtype=np.int64)
        except (ValueError, OverflowError):
            return np.array([float(text) for text in texts])
    return np.array(texts, dtype=object)


def parse_names(given: str | Mapping[str, str] | None) -> dict[str, str]:
    """Return the user's column names by role, from a dictionary or "arm:product,...".

    >>> parse_names("arm:product, reward:bought")
    {'arm': 'product', 'reward': 'bought'}
    """
    if given is None or given == "":
        return {}
    if isinstance(given, Mapping):
        return {str(role): str(name) for role, name in given.items()}
    if not isinstance(given, str):
        raise DiscreetError(
            f"columns is {shorten(given)}, but must be a dictionary of names, or a text such as "
            "'arm:product,reward:bought'."
        )
    found = {}
    for part in given.split(","):
        role, colon, name = part.partition(":")
        if not colon or not role.strip() or not name.strip():
            raise DiscreetError(
                f"columns is '{given}', but must look like 'arm:product,reward:bought'."
            )
        found[role.strip()] = name.strip()
    return found
