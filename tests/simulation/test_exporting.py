"""Results for other programs, and losses from them: CSV, pandas, Arrow."""

from __future__ import annotations

import csv

import duckdb
import numpy as np
import pyarrow
import pytest

from discreet import DiscreetError, simulate

LOSSES = [[0.0, 1.0], [1.0, 0.0], [0.25, 0.5], [0.0, 1.0]]
TABLE = pyarrow.table({"a": [row[0] for row in LOSSES], "b": [row[1] for row in LOSSES]})


@pytest.fixture(scope="module")
def results():
    return simulate(["batched-exp3", "exp3"], rounds=200, trials=3, seed=1)


class Stream:
    """Any object that speaks Arrow's C interface, and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    "given",
    [
        lambda: TABLE,
        lambda: Stream(TABLE),
        lambda: TABLE.to_reader(),
        lambda: duckdb.from_arrow(TABLE),
    ],
    ids=["table", "stream", "reader", "duckdb"],
)
def test_losses_come_from_any_arrow_object(given):
    wanted = simulate("exp3", losses=LOSSES, trials=2).regret
    assert np.array_equal(simulate("exp3", losses=given(), trials=2).regret, wanted)
    assert np.array_equal(simulate("exp3", environment=given(), trials=2).regret, wanted)


def test_arrow_objects_that_are_no_losses_are_refused():
    words = Stream(pyarrow.table({"a": ["x", "y"], "b": [0.0, 1.0]}))
    with pytest.raises(DiscreetError, match="types are string, double, but all must be numeric"):
        simulate("exp3", losses=words)
    with pytest.raises(DiscreetError, match="a table of losses"):
        simulate("exp3", environment=words)
    log = {"action": [0, 1], "reward": [0.0, 1.0], "propensity_score": [0.5, 0.5]}
    with pytest.raises(DiscreetError, match="as a log of decisions has"):
        simulate("exp3", losses=Stream(pyarrow.table(log)))
    missing = Stream(pyarrow.table({"a": [0.0, None], "b": [0.0, 1.0]}))
    with pytest.raises(DiscreetError, match="finite numbers"):
        simulate("exp3", losses=missing)


def test_results_go_to_anything_that_reads_arrow(results):
    table = pyarrow.table(results)
    assert table.column_names == list(results.columns())
    assert table["regret"].to_numpy().tolist() == results.regret.ravel().tolist()
    sql = duckdb.from_arrow(table).filter("round = 200").aggregate("label, avg(regret)")
    found = dict(sql.fetchall())
    for row in results.summary():
        assert found[row["label"]] == pytest.approx(row["regret_mean"])


def test_the_curves_of_a_plot_can_be_written(results, tmp_path):
    path = results.to_csv(tmp_path / "curves.csv", curves=True)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    last = [row for row in rows if row["round"] == "200"]
    for row, known in zip(last, results.summary(), strict=True):
        assert row["label"] == known["label"]
        for name in ("regret_mean", "regret_low", "regret_high"):
            assert float(row[name]) == pytest.approx(known[name])
    assert len(rows) == 2 * results.checkpoints.size
    wide, narrow = results.curves(level=0.99), results.curves(level=0.5)
    assert (wide["regret_low"] <= narrow["regret_low"]).all()


def test_a_file_that_cannot_be_written_is_named(results, tmp_path):
    with pytest.raises(DiscreetError, match=r"no/file.csv cannot be written: no such file"):
        results.to_csv(tmp_path / "no" / "file.csv")
    with pytest.raises(DiscreetError, match="path is 3, but must be the path of a file"):
        results.to_csv(3)
