"""Tables to download: estimates, releases and history, as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Sequence
from typing import NamedTuple

from discreet.errors import DiscreetError
from discreet.service.pages.source import HostSource
from discreet.service.pages.view_results import EstimateOptions, estimates_of
from discreet.service.pages.views import RunView

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
ESTIMATES = ("arm", "minus", "mean", "low", "high", "rounds", "releases")
RELEASES = ("number", "batch", "choice", "size", "probability", "at", "value")
DownloadCell = str | int | float | None


class DownloadTable(NamedTuple):
    """Columns by name, and rows of plain values."""

    columns: tuple[str, ...]
    rows: list[tuple[DownloadCell | list[float], ...]]
    about: dict[str, object]  # additional facts for readers of JSON


def has_parquet() -> bool:
    """Return whether Parquet can be written (the extra ``output``)."""
    return importlib.util.find_spec("pyarrow") is not None


def estimates_table(run: RunView, options: EstimateOptions) -> DownloadTable:
    """Return all means and differences, or refuse in one sentence."""
    found = estimates_of(run, options)
    rows: list[tuple[DownloadCell | list[float], ...]] = []
    for arm, each in found.arms.items():
        rows.append((str(arm), None, each.mean if each.releases else None, *each[1:]))
    for (one, other), each in found.differences().items():
        rows.append((str(one), str(other), *each))
    about: dict[str, object] = {
        "run": run.name,
        "title": found.title,
        "level": found.level,
        "kind": found.kind,
        "outcomes": found.outcomes,
        "notes": list(found.notes),
        "guarantee": str(run.guarantee),
    }
    return DownloadTable(ESTIMATES, rows, about)


def releases_table(host: HostSource, run: RunView) -> DownloadTable:
    """Return every release, without choices if they are private."""
    rows: list[tuple[DownloadCell | list[float], ...]] = []
    for each in host.releases(run.name):
        choice = None if run.hides_choices else each["choice"]
        rows.append(tuple(choice if name == "choice" else each[name] for name in RELEASES))
    return DownloadTable(RELEASES, rows, {"run": run.name, "guarantee": str(run.guarantee)})


def history_table(host: HostSource, run: RunView) -> DownloadTable:
    """Return decisions over time by choice, or only their number if choices are private."""
    history = host.history(run.name)
    labels = () if run.hides_choices else tuple(map(str, history.labels))
    nothing = (0,) * len(labels)
    rows: list[tuple[DownloadCell | list[float], ...]] = []
    for bucket in history.buckets:
        counts = (*bucket.decisions, *nothing)[: len(labels)]
        rows.append((bucket.at, history.width, bucket.total, bucket.releases, *counts))
    columns = ("at", "seconds", "decisions", "releases", *(f"choice: {name}" for name in labels))
    return DownloadTable(columns, rows, {"run": run.name, "guarantee": str(run.guarantee)})


def written(table: DownloadTable, form: str) -> bytes:
    """Return a table in one of the formats."""
    if form == "json":
        return _json(table)
    return _parquet(table) if form == "parquet" else _csv(table)


def _csv(table: DownloadTable) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([json.dumps(cell) if isinstance(cell, list) else cell for cell in row])
    return out.getvalue().encode()


def _json(table: DownloadTable) -> bytes:
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    text = json.dumps({**table.about, "rows": rows}, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _parquet(table: DownloadTable) -> bytes:
    if not has_parquet():
        raise DiscreetError("Parquet needs pyarrow: install the extra 'output'.")
    import pyarrow
    import pyarrow.parquet

    columns: Sequence[Sequence[object]] = (
        list(zip(*table.rows, strict=True)) if table.rows else [() for _ in table.columns]
    )
    # labels may be equal as text, but Parquet needs distinct names
    names = [f"{name} ({place})" if name in table.columns[:place] else name
             for place, name in enumerate(table.columns)]  # fmt: skip
    arrays = [pyarrow.array(_alike(column)) for column in columns]
    made = pyarrow.Table.from_arrays(arrays, names=names)
    about = {name: json.dumps(value) for name, value in table.about.items()}
    out = io.BytesIO()
    pyarrow.parquet.write_table(made.replace_schema_metadata(about), out)
    return out.getvalue()


def _alike(column: Sequence[object]) -> list[object]:
    """Return a column of one type: lists if some are lists, text if some are text."""
    if any(isinstance(cell, list) for cell in column):
        return [cell if isinstance(cell, list) or cell is None else [cell] for cell in column]
    if any(isinstance(cell, str) for cell in column):
        return [None if cell is None else str(cell) for cell in column]
    return list(column)
