"""Reading logs: every kind of file, other names, positions, and one sentence for what is wrong."""

from __future__ import annotations

import builtins
import sys

import numpy as np
import pytest
from log_files import context_log, plain_log, write_csv

from discreet import DiscreetError, Log


def same(one, other):
    return (
        one.labels == other.labels
        and np.array_equal(one.arm, other.arm)
        and np.array_equal(one.outcome, other.outcome)
        and np.array_equal(one.probability, other.probability)
        and np.array_equal(one.context, other.context)
    )


def test_all_kinds_of_files_hold_the_same_log(tmp_path):
    import pandas
    import pyarrow
    from pyarrow import feather, parquet

    columns, _, _ = context_log(50)
    log = Log.read(columns)
    assert repr(log) == "Log(the log: 50 rows, 4 arms, 3 features)"
    assert same(log, Log.read(write_csv(tmp_path / "log.csv", columns)))
    table = pyarrow.table(columns)
    parquet.write_table(table, tmp_path / "log.parquet")
    feather.write_feather(table, tmp_path / "log.arrow")
    assert same(log, Log.read(tmp_path / "log.parquet"))
    assert same(log, Log.read(str(tmp_path / "log.arrow")))
    assert same(log, Log.read(table))
    assert same(log, Log.read(pandas.DataFrame(columns)))


def test_positions_own_names_levels_and_affinities(tmp_path):
    columns = plain_log(30) | {
        "user_feature_0": ["a", "b"] * 15,
        **{f"user-item_affinity_{arm}": np.arange(30.0) + arm for arm in range(4)},
    }
    position = np.arange(30) % 3 + 1
    path = write_csv(tmp_path / "log.csv", columns, position=position)
    with pytest.raises(DiscreetError, match=r"rows of 3 positions .* such as position=1"):
        Log.read(path)
    log = Log.read(path, position=2)
    assert log.rows == 10
    assert log.features == ("user_feature_0=a", "user_feature_0=b")
    assert log.context.sum(axis=1).tolist() == [1.0] * 10
    assert log.affinity.shape == (10, log.arms)
    assert log.affinity[0].tolist() == [1.0 + arm for arm in log.labels]
    assert log.lines[:2].tolist() == [3, 6], "rows as a person counts them, below the header"
    renamed = {"product": ["x", "y"] * 5, "bought": [1.0, 0.5] * 5, "p": [0.5] * 10}
    mine = Log.read(renamed, columns="arm:product,reward:bought,probability:p")
    assert mine.labels == ("x", "y")
    harm = Log.read(renamed, columns={"arm": "product", "loss": "bought", "probability": "p"})
    assert harm.is_loss
    assert mine.number("y") == 1


@pytest.mark.parametrize(
    ("changes", "options", "complaint"),
    [
        ({"propensity_score": [0.5, 0.0]}, {}, "row 2, column propensity_score: the probability"),
        ({"propensity_score": [0.5, 1.5]}, {}, "but must be above 0 and at most 1"),
        ({"click": ["yes", "no"]}, {}, "row 1, column click: 'yes' is not a number"),
        ({"click": [1.0, np.nan]}, {}, "row 2, column click: it must be a finite number"),
        ({"click": [1.0]}, {}, "different lengths"),
        ({"item_id": [3, 3]}, {}, "has 1 arm in column item_id"),
        ({}, {"arms": [0, 7]}, "row 2, column item_id: '1' is not one of the declared arms"),
        ({}, {"arms": [0, 0]}, "at least 2 different labels"),
        ({}, {"arms": "ab"}, "must be a list of labels"),
        ({}, {"position": 1}, "position is 1, but the log has no column position"),
        ({}, {"columns": "arm:product"}, "has no column product for the arm"),
        ({}, {"columns": "arm"}, "must look like 'arm:product,reward:bought'"),
        ({}, {"columns": "weight:x"}, "unknown column 'weight'"),
        ({}, {"columns": "loss:click,reward:click"}, "a reward and a loss"),
        ({}, {"columns": 3}, "columns is 3, but must be a dictionary"),
    ],
)
def test_bad_logs_are_refused_in_one_sentence(changes, options, complaint):
    columns = {"item_id": [0, 1], "click": [1, 0], "propensity_score": [0.5, 0.5]} | changes
    with pytest.raises(DiscreetError, match=complaint):
        Log.read(columns, **options)


def test_bad_files_are_refused_in_one_sentence(tmp_path, monkeypatch):
    for name, content, complaint in [
        ("a.csv", "", "is empty"),
        ("b.csv", "item_id,click,propensity_score\n", "has no rows"),
        ("c.csv", "item_id,item_id\n1,2\n", "two columns called 'item_id'"),
        ("d.csv", "item_id,click\n1\n", "row 2 has 1 column, but the header has 2"),
        ("e.parquet", "nothing", "it is not a valid Parquet file"),
        ("f.arrow", "nothing", "it is not a valid Arrow file"),
    ]:
        (tmp_path / name).write_text(content)
        with pytest.raises(DiscreetError, match=complaint):
            Log.read(tmp_path / name)
    with pytest.raises(DiscreetError, match="is not a file: a log is a CSV, Parquet or Arrow file"):
        Log.read(tmp_path / "none.csv")
    with pytest.raises(DiscreetError, match="log is 3, but must be a file, a data frame"):
        Log.read(3)
    real = builtins.__import__

    def without_pyarrow(name, *rest):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pyarrow)
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    with pytest.raises(DiscreetError, match=r"needs pyarrow: pip install 'discreet\[output\]'"):
        Log.read(tmp_path / "e.parquet")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ("arm:click", "columns names 'click' for the arm and for the reward, but a column has one"),
        ("reward:propensity_score", "'propensity_score' for the reward and for the probability"),
        ({"loss": "item_id"}, "'item_id' for the arm and for the loss"),
        ("probability:position", "'position' for the probability and for the position"),
        ("features:cl", "'click' for the reward, which also begins with 'cl', as features do"),
        ("affinity:item", "'item_id' for the arm, which also begins with 'item', as affinity do"),
    ],
)
def test_one_column_has_one_role(columns, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        Log.read(plain_log(2_000), columns=columns)


def test_a_loss_may_be_called_click():
    assert Log.read(plain_log(2_000), columns="loss:click").is_loss
