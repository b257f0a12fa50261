"""The file of a ledger: it remembers, keeps its terms, and is never begun again."""

from __future__ import annotations

import contextlib
import copy
import pickle
import sqlite3

import pytest
from promises import KEY, promise

from discreet.errors import DiscreetError
from discreet.ledger import Cost, Ledger, UserLimitReached
from discreet.ledger import ledger as module


def test_a_file_remembers(tmp_path):
    path = tmp_path / "a file with #, ? and %20"
    with Ledger(1.0, 1e-6, max_rounds_per_user=2, path=path, key=KEY) as ledger:
        ledger.charge(promise(0.5, 1e-7), label="first")
        ledger.admit("Ada")
        before = ledger.entries(), ledger.spent, ledger.remaining
    with Ledger(1.0, 1e-6, max_rounds_per_user=2, path=str(path), key=KEY) as ledger:
        assert (ledger.entries(), ledger.spent, ledger.remaining) == before
        assert ledger.admit("Ada") == 2
        with pytest.raises(UserLimitReached):
            ledger.admit("Ada")
        assert ledger.charge(promise(0.5)) == 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_charge_is_on_the_disk_before_it_returns(tmp_path):
    with Ledger(1.0, path=tmp_path / "ledger")._transaction(writing=True) as file:
        assert file.execute("PRAGMA synchronous").fetchone() == (3,)
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert file.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
        assert file.in_transaction


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"epsilon": 2.0}, "epsilon is 2.0, but the ledger in '.*' was created with 1.0"),
        ({"delta": 1e-5}, "delta is 1e-05, but the ledger in '.*' was created with 1e-06"),
        (
            {"composition": "zcdp"},
            "composition is 'zcdp', but the ledger in '.*' was created with 'basic'",
        ),
        (
            {"max_rounds_per_user": 4},
            "max_rounds_per_user is 4, but the ledger in '.*' was created with 3",
        ),
        (
            {"max_rounds_per_user": None, "key": None},
            "max_rounds_per_user is None, but the ledger in '.*' was created with 3",
        ),
        ({"key": KEY[::-1]}, "key is not the one that the ledger in '.*' was created with"),
    ],
)
def test_a_file_keeps_its_terms(changes, complaint, tmp_path):
    terms = {
        "epsilon": 1.0,
        "delta": 1e-6,
        "max_rounds_per_user": 3,
        "path": tmp_path / "ledger",
        "key": KEY,
    }
    Ledger(**terms).charge(promise())
    with pytest.raises(DiscreetError, match=complaint) as refusal:
        Ledger(**terms | changes)
    assert repr(KEY)[2:-1] not in str(refusal.value)
    assert Ledger(**terms).spent.epsilon == 0.1


def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path):
    text, other = tmp_path / "text", tmp_path / "other"
    text.write_text("To be, or not to be: that is the question. " * 50)
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE entries (number)")
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(
            DiscreetError, match=rf"the ledger in '{path}' is a file of another kind\.$"
        ):
            Ledger(1.0, path=path)
        assert path.read_bytes() == before
    with pytest.raises(DiscreetError, match="which is a folder: give a file"):
        Ledger(1.0, path=tmp_path)
    with pytest.raises(DiscreetError, match="no file can be created there"):
        Ledger(1.0, path=tmp_path / "nowhere" / "ledger")


@pytest.mark.parametrize("left", ["nothing", "an empty file", "text"])
def test_a_file_that_was_lost_while_in_use_is_not_begun_again(left, tmp_path):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    ledger.charge(promise())
    (tmp_path / "ledger").unlink()
    if left != "nothing":
        (tmp_path / "ledger").write_text("" if left == "an empty file" else "x" * 5000)
    with pytest.raises(DiscreetError, match=r"cannot be used|another kind"):
        ledger.charge(promise())
    assert "unreadable" in repr(ledger)
    assert (tmp_path / "ledger").exists() == (left != "nothing")


def test_a_path_is_of_the_directory_where_it_was_given(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ledger = Ledger(1.0, path="ledger")
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.charge(promise())
    assert Ledger(1.0, path=tmp_path / "ledger").spent.epsilon == 0.1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET label = CAST(X'41646120FF' AS TEXT)",  # not UTF-8
        "UPDATE sqlite_master SET sql = 'x' WHERE name = 'entries'",
        "DROP TABLE entries",
    ],
)
def test_a_damaged_file_says_so_and_shows_no_content(change, tmp_path):
    path = tmp_path / "ledger"
    ledger = Ledger(1.0, path=path)
    ledger.charge(promise(), label="Ada")
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA writable_schema = ON")
        file.execute(change)
        file.commit()
    with pytest.raises(DiscreetError) as refusal:
        ledger.entries()
    assert str(refusal.value) == (f"the ledger in '{path}' is damaged, so nothing may be released.")


def test_a_file_that_stays_locked_is_refused_in_one_sentence(tmp_path, monkeypatch):
    ledger = Ledger(1.0, path=tmp_path / "ledger")
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.02)
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(
            DiscreetError,
            match=r"cannot be used \(database is locked\), so nothing may be released\.$",
        ):
            ledger.charge(promise())
        other.execute("ROLLBACK")
    assert ledger.charge(promise()) == 1


@pytest.mark.parametrize("content", ["abc", None, 5])
def test_a_ledger_whose_rows_make_no_sense_is_damaged(content, tmp_path):
    path = tmp_path / "ledger.db"
    ledger = Ledger(1.0, path=path)
    ledger.charge(promise())
    with contextlib.closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE entries SET total = ?", (content,))
    with pytest.raises(DiscreetError, match="is damaged, so nothing may be released"):
        ledger.charge(promise())


def test_a_closed_ledger_refuses(tmp_path):
    for ledger in (
        Ledger(1.0, max_rounds_per_user=1),
        Ledger(1.0, max_rounds_per_user=1, path=tmp_path / "l", key=KEY),
    ):
        ledger.close()
        ledger.close()
        for use in (
            lambda: ledger.charge(promise()),  # noqa: B023
            lambda: ledger.admit("Ada"),  # noqa: B023
            lambda: ledger.spent,  # noqa: B023
            lambda: ledger.entries(),  # noqa: B023
        ):
            with pytest.raises(
                DiscreetError, match="this ledger is closed: create it again to use it"
            ):
                use()
        assert ledger.budget == Cost(1.0, 0.0)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_cannot_be_copied(copied):
    with pytest.raises(
        DiscreetError,
        match="a Ledger cannot be copied or pickled, because a copy could spend its budget twice",
    ):
        copied(Ledger(1.0))
