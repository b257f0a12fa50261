"""What a reproduction writes: tables as CSV, figures as PNG."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.plot.regret import plotting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]


def write_table(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)


def _cell(value: object) -> object:
    """Return a value as it is written: nothing, where there is none or it is not a number."""
    return "" if value is None or value != value else value


def save_figure(path: Path, figure: Figure) -> None:
    """Write a figure at its own resolution, and forget it."""
    figure.savefig(path, dpi="figure")
    plotting().close(figure)
