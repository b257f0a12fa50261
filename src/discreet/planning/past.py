"""Past outcomes of each arm, from a file or from Python."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.errors import DiscreetError, count, reason_of, shorten
from discreet.ranges import Range
from discreet.tables import is_number, number_in, read_columns, read_npy

OutcomeSource = Path | str | Mapping[str, ArrayLike] | ArrayLike
# Column names that suggest labels of arms, not the outcomes of one arm.
NAMES_OF_ARMS = ("arm", "arms", "action", "treatment", "group", "variant")
PYTHON = "Python"  # the source of outcomes without a file
Cell = tuple[str, float]  # the position of a number, in words, and the number


@dataclass(frozen=True, eq=False)
class PastOutcomes:
    """Past outcomes of every arm. They are as sensitive as future ones, so they are never shown."""

    labels: tuple[str, ...]
    values: tuple[Floats, ...]
    source: str  # the file, or PYTHON
    columns: tuple[str, str] | None = (
        None  # names of the columns of arms and outcomes, if the file has them
    )

    @property
    def name(self) -> str:
        """The name in messages: the file, or the argument."""
        return "outcomes" if self.source == PYTHON else self.source

    @property
    def digest(self) -> str:
        """A fingerprint: the same for the same outcomes."""
        found = hashlib.sha256()
        for label, values in zip(self.labels, self.values, strict=True):
            found.update(label.encode() + b"\0" + np.ascontiguousarray(values).tobytes() + b"\0")
        return found.hexdigest()[:16]

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{label}: {each.size}" for label, each in zip(self.labels, self.values, strict=True)
        )
        return f"PastOutcomes({self.source}; outcomes by arm: {sizes})"


def past_outcomes(
    given: OutcomeSource,
    bounds: Range,
    *,
    arm_column: str | None = None,
    outcome_column: str | None = None,
) -> PastOutcomes:
    """Return past outcomes, or refuse them.

    A file has one column per arm, or a column of arms and a column of outcomes, named by the
    arguments. In Python, outcomes are a dictionary by arm, or a table with one column per arm.
    """
    if (arm_column is None) != (outcome_column is None):
        raise DiscreetError("arm_column and outcome_column belong together: give both or neither.")
    if isinstance(given, Path | str):
        arms = _from_file(Path(given), arm_column, outcome_column)
        source = str(given)
    else:
        if arm_column is not None:
            raise DiscreetError(f"arm_column is {arm_column!r}, but only files have named columns.")
        arms, source = _from_python(given), PYTHON
    name = "outcomes" if source == PYTHON else source
    if len(arms) < 2:
        raise DiscreetError(f"{name} has {count(len(arms), 'arm')}, but at least 2 are needed.")
    for label, cells in arms.items():
        if len(cells) < 2:
            raise DiscreetError(
                f"{name} has {count(len(cells), 'outcome')} of arm '{label}', but 2 are needed."
            )
        for place, value in cells:
            if not bounds.low <= value <= bounds.high:
                raise DiscreetError(
                    f"{place}: the outcome is outside the declared range, {bounds.low:g} to "
                    f"{bounds.high:g} (low and high)."
                )
    values = tuple(np.array([value for _, value in cells]) for cells in arms.values())
    columns = None if arm_column is None or outcome_column is None else (arm_column, outcome_column)
    return PastOutcomes(tuple(arms), values, source, columns)


def _from_python(given: Mapping[str, ArrayLike] | ArrayLike) -> dict[str, list[Cell]]:
    if isinstance(given, Mapping):
        listed = {
            str(label): _numbers(f"outcomes[{label!r}]", values, 1)
            for label, values in given.items()
        }
    else:
        table = _numbers("outcomes", given, 2)
        listed = {str(column + 1): table[:, column] for column in range(table.shape[1])}
    return {
        label: [
            (f"outcomes of arm '{label}', number {i + 1}", float(value))
            for i, value in enumerate(values)
        ]
        for label, values in listed.items()
    }


def _numbers(name: str, given: ArrayLike, dimensions: int) -> Floats:
    try:
        values = np.asarray(given, dtype=np.float64)
    except Exception:  # anything may be given
        values = np.asarray(math.nan)
    if values.ndim != dimensions or not np.isfinite(values).all():
        wanted = "numbers" if dimensions == 1 else "a table of numbers with one column per arm"
        kind = type(given).__name__
        raise DiscreetError(f"{name} is of type {kind}, but must be a file, or {wanted}.")
    return values


def _from_file(
    path: Path, arm_column: str | None, outcome_column: str | None
) -> dict[str, list[Cell]]:
    readers = {".npy": _read_npy, ".parquet": _read_parquet}
    if not os.path.isfile(path):  # unlike is_file, false for impossible names
        raise DiscreetError(
            f"outcomes is {shorten(str(path))}, but there is no file: past outcomes come from a "
            "CSV, Parquet or NPY file."
        )
    try:
        names, rows = readers.get(path.suffix.lower(), _read_csv)(path)
    except OSError as reason:
        raise DiscreetError(
            f"{path} cannot be read: {reason_of(reason, 'it is damaged')}."
        ) from None
    if arm_column is None or outcome_column is None:
        return _by_column(path, names, rows)
    for option, name in (("arm_column", arm_column), ("outcome_column", outcome_column)):
        if name not in names:
            raise DiscreetError(
                f"{option} is '{name}', but {path} has the columns {', '.join(names)}."
            )
    which, what = names.index(arm_column), names.index(outcome_column)
    arms: dict[str, list[Cell]] = {}
    for place, row in rows:
        if not row[which]:
            raise DiscreetError(f"{path}, {place}: no arm is named in the column '{arm_column}'.")
        arms.setdefault(row[which], []).append(_number(path, place, outcome_column, row[what]))
    return dict(sorted(arms.items()))


CellRows = list[tuple[str, list[str]]]  # the position of a row, and its cells


def _by_column(path: Path, names: list[str], rows: CellRows) -> dict[str, list[Cell]]:
    """Return one arm per column; skip empty cells, because columns may differ in length."""
    for name in names:
        if name.lower() in NAMES_OF_ARMS:
            raise DiscreetError(
                f"{path} has a column '{name}', which seems to name arms: set arm_column and "
                "outcome_column."
            )
    arms: dict[str, list[Cell]] = {name: [] for name in names}
    for place, row in rows:
        for name, cell in zip(names, row, strict=True):
            if cell:
                arms[name].append(_number(path, place, name, cell))
    return arms


def _number(path: Path, place: str, column: str, cell: str) -> Cell:
    try:
        value = number_in(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DiscreetError(
            f"{path}, {place}, column '{column}' has no finite number; the file needs one column "
            "per arm, or set arm_column and outcome_column."
        )
    return f"{path}, {place}, column '{column}'", value


def _read_csv(path: Path) -> tuple[list[str], CellRows]:
    needed = "but names and at least two outcomes are needed."
    found = read_columns(path, empty=f"has 0 lines, {needed}", width="the first row has")
    names = found.names or []
    if all(is_number(name) for name in names):
        raise DiscreetError(
            f"{path} begins with numbers, but its first line must name its columns."
        )
    _check_names(path, names)
    rows = [(f"row {number}", cells) for number, cells in found.rows]
    if not rows:
        raise DiscreetError(f"{path} has 1 line, {needed}")
    return names, rows


def _read_npy(path: Path) -> tuple[list[str], CellRows]:
    values = read_npy(path)
    return _with_rows([str(column + 1) for column in range(values.shape[1])], values.T.tolist())


def _read_parquet(path: Path) -> tuple[list[str], CellRows]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise DiscreetError(
            "reading Parquet files needs pyarrow: pip install 'discreet[output]'."
        ) from None
    try:
        table = parquet.read_table(path)
    except pyarrow.ArrowException:
        raise DiscreetError(f"{path} is not a Parquet file.") from None
    _check_names(path, table.column_names)
    return _with_rows(table.column_names, [column.to_pylist() for column in table.columns])


def _with_rows(
    names: Sequence[str], columns: Sequence[Sequence[object]]
) -> tuple[list[str], CellRows]:
    rows = [
        (f"row {number}", ["" if cell is None or cell != cell else _text(cell) for cell in cells])
        for number, cells in enumerate(zip(*columns, strict=True), start=1)
    ]
    return list(names), rows


def _text(cell: object) -> str:
    return repr(float(cell)) if isinstance(cell, bool | float) else str(cell)


def _check_names(path: Path, names: Sequence[str]) -> None:
    for name in names:
        if not name or names.count(name) > 1:
            fault = "a column without a name" if not name else f"two columns named '{name}'"
            raise DiscreetError(f"{path} has {fault}, but every column needs a unique name.")
