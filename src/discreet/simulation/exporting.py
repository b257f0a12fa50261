"""Results for other programs: CSV files, pandas, and anything that reads Arrow."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from discreet.errors import DiscreetError, check_path, check_share, reason_of, show_path
from discreet.simulation.statistics import bands_at

if TYPE_CHECKING:
    from pandas import DataFrame

    from discreet.simulation.measures import RegretRow, TidyColumns
    from discreet.simulation.results import Results


def write_csv(columns: TidyColumns, path: Path | str) -> Path:
    """Write columns to a file of comma-separated values; return its path."""
    place = Path(check_path("path", path))
    try:
        with place.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    except OSError as reason:
        raise DiscreetError(f"{show_path(place)} cannot be written: {reason_of(reason)}.") from None
    return place


def to_pandas(columns: TidyColumns) -> DataFrame:
    """Return columns as a DataFrame of pandas."""
    try:
        import pandas
    except ImportError:
        raise DiscreetError("to_pandas needs pandas: pip install 'discreet[pandas]'.") from None
    return pandas.DataFrame(columns)


def arrow_stream(columns: TidyColumns, requested_schema: object) -> object:
    """Return columns as a capsule of Arrow's C interface for streams."""
    try:
        import pyarrow
    except ImportError:
        raise DiscreetError("Arrow needs pyarrow: pip install 'discreet[output]'.") from None
    return pyarrow.table(dict(columns)).__arrow_c_stream__(requested_schema)


def curve_columns(results: Results[Any], level: float) -> TidyColumns:
    """Return what a plot shows: mean regret at every checkpoint, and the ends of its interval."""
    bands = bands_at(results.regrets.record.bands, results.trials.size, check_share("level", level))
    found = cast("Results[RegretRow]", results)
    who, mark = (axis.ravel() for axis in np.indices(bands.shape[:2]))
    labels = [each.label for each in found.contenders]
    names = [each.algorithm for each in found.contenders]
    epsilons = [each.private.guarantee.epsilon for each in found.contenders]
    return {
        "algorithm": np.array(names, object)[who],
        "label": np.array(labels, object)[who],
        "epsilon": np.array(epsilons)[who],
        "round": found.checkpoints[mark],
        "regret_mean": bands[..., 0].ravel(),
        "regret_low": bands[..., 1].ravel(),
        "regret_high": bands[..., 2].ravel(),
        "trials": np.full(who.size, found.trials.size),
    }
