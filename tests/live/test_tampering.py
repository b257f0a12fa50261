"""A run file that another program has changed is refused in one sentence."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from makers import make, tell

from discreet import Bandit, DiscreetError
from discreet.live import FileStore
from discreet.live.keys import Key

TAMPERED = {
    "modified": "UPDATE batch SET held = CAST(substr(held, 1, 40) || 'xxxx' || substr(held, 45) "
    "AS BLOB) WHERE number = 0",
    "swapped": "UPDATE batch AS a SET held = (SELECT b.held FROM batch b WHERE b.number = 4 - "
    "a.number)",
    "copied": "UPDATE batch SET held = (SELECT held FROM batch WHERE number = 4) WHERE number = 0",
    "said to hold more": "UPDATE batch SET told = told + 1 WHERE number = 0",
    "replaced": "UPDATE batch SET held = zeroblob(length(held)) WHERE number = 0",
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_run_whose_rows_were_changed_by_another_program_is_refused(change, tmp_path):
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    decisions = [bandit.ask() for _ in range(8)]
    for decision in (*decisions[:2], *decisions[4:7]):
        bandit.tell(decision, loss=0.7390851332)
    bandit.close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute(TAMPERED[change])
        file.commit()
    for _ in range(2):  # and it is released again
        with pytest.raises(DiscreetError) as refusal:
            Bandit.open(path)
        assert str(refusal.value) == (
            f"{path} was modified by another program: the run fails authentication, so the run is "
            "refused."
        )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("UPDATE run SET key = NULL", "is damaged: it cannot be read"),
        ("UPDATE batch SET held = NULL", "modified by another program: the run fails auth"),
    ],
)
def test_encryption_cannot_be_turned_off_in_the_file(change, sentence, tmp_path):
    bandit = make("batch", path=tmp_path / "run.db")
    tell(bandit, bandit.ask())
    bandit.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file:
        file.execute(change)
        file.commit()
    for _ in range(2):
        with pytest.raises(DiscreetError, match=sentence):
            Bandit.open(tmp_path / "run.db")


@pytest.mark.parametrize("table", ["outcome", "stream"])
def test_outcomes_and_streams_are_authentic_too(table, tmp_path):
    path = tmp_path / "run.db"
    if table == "outcome":
        face = make("batch", path=path, wait=60.0, default_loss=0.0)
        for decision in [face.ask() for _ in range(3)][:2]:
            tell(face, decision)
        change = "UPDATE decision SET outcome = (SELECT outcome FROM decision WHERE id = 0)"
    else:
        face = make("tree", path=path)
        tell(face, face.ask())
        change = "UPDATE run SET stream = zeroblob(length(stream))"
    face.close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute(change)
        file.commit()
    with pytest.raises(DiscreetError, match="modified by another program: the run fails auth"):
        type(face).open(path)


def test_rows_of_another_run_are_refused(tmp_path):
    """Even if both runs have the same key: the name of the run is authenticated, too."""
    key, names = Key(tmp_path / "a.key", new=True), []
    for run in ("one", "two"):
        store = FileStore(tmp_path / run)
        store._key, store._token = key, run
        names.append(store)
    stored = names[0]._encrypted(b"raw", "batch", 3, 1)
    assert names[0]._decrypted(stored, "batch", 3, 1) == b"raw"
    with pytest.raises(DiscreetError, match="fails authentication"):
        names[1]._decrypted(stored, "batch", 3, 1)


@pytest.mark.parametrize(("mark", "age"), [(0x4C697635, "an older"), (0x4C697637, "a newer")])
def test_a_file_of_another_version_says_so(mark, age, tmp_path):
    path = tmp_path / "run.db"
    make("batch", path=path).close()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA application_id = {mark}")
    before = path.read_bytes()
    with pytest.raises(DiscreetError) as refusal:
        Bandit.open(path)
    assert (
        str(refusal.value) == f"{path} was written by {age} version of discreet and cannot be read."
    )
    assert path.read_bytes() == before
