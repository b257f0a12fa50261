"""Past outcomes are read from files of every kind, and refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.errors import DiscreetError
from discreet.planning.past import past_outcomes

TEN = discreet.Range(0.0, 10.0)
WIDE = "A, B\n1,2\n3,\n5,4.5\n"
LONG = "when,arm,outcome\n1,B,2\n1,A,1\n2,A,3\n3,A,5\n3,B,4.5\n"


def written(folder, text, name="past.csv"):
    path = folder / name
    path.write_text(text)
    return path


def values(found):
    return {label: each.tolist() for label, each in zip(found.labels, found.values, strict=True)}


EXPECTED = {"A": [1.0, 3.0, 5.0], "B": [2.0, 4.5]}


def test_a_column_for_each_arm(tmp_path):
    found = past_outcomes(written(tmp_path, WIDE), TEN)
    assert values(found) == EXPECTED
    assert "4.5" not in repr(found)  # outcomes are sensitive


def test_a_column_of_arms_and_one_of_outcomes(tmp_path):
    found = past_outcomes(written(tmp_path, LONG), TEN, arm_column="arm", outcome_column="outcome")
    assert values(found) == EXPECTED
    assert found.digest == past_outcomes(written(tmp_path, WIDE), TEN).digest
    assert found.digest != past_outcomes(written(tmp_path, WIDE.replace("4.5", "4")), TEN).digest


def test_parquet_and_npy(tmp_path):
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(
        pyarrow.table({"A": [1.0, 3.0, 5.0], "B": [2.0, None, 4.5]}), tmp_path / "wide.parquet"
    )
    assert values(past_outcomes(tmp_path / "wide.parquet", TEN)) == EXPECTED
    rows = {"arm": ["A", "B", "A", "A", "B"], "outcome": [1, 2, 3, 5, 4.5]}
    parquet.write_table(pyarrow.table(rows), tmp_path / "long.parquet")
    found = past_outcomes(
        tmp_path / "long.parquet", TEN, arm_column="arm", outcome_column="outcome"
    )
    assert values(found) == EXPECTED
    np.save(tmp_path / "past.npy", np.array([[1, 2], [3, np.nan], [5, 4.5]]))
    assert list(values(past_outcomes(tmp_path / "past.npy", TEN)).values()) == list(
        EXPECTED.values()
    )


def test_from_python():
    assert values(past_outcomes(EXPECTED, TEN)) == EXPECTED
    assert values(past_outcomes([[1, 2], [3, 4]], TEN)) == {"1": [1.0, 3.0], "2": [2.0, 4.0]}


@pytest.mark.parametrize(
    ("text", "columns", "sentence"),
    [
        ("", (), "has 0 lines, but names and at least two outcomes are needed."),
        ("1,2\n3,4\n", (), "begins with numbers, but its first line must name its columns."),
        ("A,A\n1,2\n", (), "has two columns named 'A', but every column needs a unique name."),
        ("A,\n1,2\n", (), "has a column without a name, but every column needs a unique name."),
        ("A,B\n1,2,3\n", (), "row 2 has 3 columns, but the first row has 2."),
        ("A,B\n1,2\n2,x\n", (), "row 3, column 'B' has no finite number"),
        ("A,B\n1,2\n2,nan\n", (), "row 3, column 'B' has no finite number"),
        (
            "A,B\n1,2\n2,11\n",
            (),
            "row 3, column 'B': the outcome is outside the declared range, 0 to 10 (low and high).",
        ),
        ("A,B\n1,2\n2,\n", (), "has 1 outcome of arm 'B', but 2 are needed."),
        (
            "arm,outcome\n1,2\n",
            (),
            "has a column 'arm', which seems to name arms: set arm_column and outcome_column",
        ),
        ("A\n1\n2\n", (), "has 1 arm, but at least 2 are needed."),
        (LONG, ("arm", "result"), "outcome_column is 'result', but"),
        (LONG, ("", "outcome"), "arm_column is '', but"),
        ("arm,outcome\n,1\n", ("arm", "outcome"), "row 2: no arm is named in the column 'arm'."),
        (
            LONG,
            ("arm", None),
            "arm_column and outcome_column belong together: give both or neither.",
        ),
    ],
)
def test_bad_files_get_one_sentence(tmp_path, text, columns, sentence):
    names = dict(zip(("arm_column", "outcome_column"), columns, strict=False))
    with pytest.raises(DiscreetError) as raised:
        past_outcomes(written(tmp_path, text), TEN, **names)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_no_file_or_no_numbers(tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"no")
    (tmp_path / "bad.parquet").write_bytes(b"no")
    (tmp_path / "bad.csv").write_bytes(b"\xff\xfe\x00")
    np.save(tmp_path / "flat.npy", np.zeros(3))
    for given, sentence in (
        (
            tmp_path / "nothing.csv",
            "but there is no file: past outcomes come from a CSV, Parquet or NPY file.",
        ),
        (tmp_path / "bad.npy", "is not an NPY file of numbers."),
        (tmp_path / "bad.parquet", "is not a Parquet file."),
        (tmp_path / "bad.csv", "is not a comma-separated file in UTF-8."),
        (
            tmp_path / "flat.npy",
            "contains float64 of shape (3,), but must contain a table of numbers.",
        ),
        ({"A": "x", "B": [1, 2]}, "outcomes['A'] is of type str, but must be a file, or numbers."),
        ({"A": [1, 2], "B": []}, "outcomes has 0 outcomes of arm 'B', but 2 are needed."),
        (
            [1, 2],
            "outcomes is of type list, but must be a file, or a table of numbers with one column "
            "per arm.",
        ),
        (
            3,
            "outcomes is of type int, but must be a file, or a table of numbers with one column "
            "per arm.",
        ),
    ):
        with pytest.raises(DiscreetError) as raised:
            past_outcomes(given, TEN)
        assert "\n" not in str(raised.value)
        assert sentence in str(raised.value)
