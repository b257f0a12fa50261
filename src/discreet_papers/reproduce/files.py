"""What a reproduction writes beside its figures: tables as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import cast

Row = Mapping[str, object]


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)


def part_of(row: Row, columns: Iterable[str]) -> Row:
    """Return some columns of a row."""
    return {name: row[name] for name in columns}


def number(row: Row, column: str) -> float:
    """Return the number in a column that has one."""
    found = row[column]
    assert isinstance(found, Real), f"{column} is no number"
    return cast(float, found)


def _cell(value: object) -> object:
    """Return a value as it is written: nothing, where there is none or it is not a number."""
    return "" if value is None or value != value else value
