"""A run file that another program has changed is refused in one sentence."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from makers import make, tell

from discreet import Bandit, Busy, DiscreetError
from discreet.live import FileStore
from discreet.live.file_access import Explained
from discreet.live.keys import Key
from discreet.live.run_reader import read_run

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


SECRET = "PERSONAL"  # content that no message may show
BAD_TEXT = f"CAST(X'{SECRET.encode().hex()}FF' AS TEXT)"  # not UTF-8
DAMAGED = {
    "recipe that is not UTF-8": f"UPDATE run SET recipe = {BAD_TEXT}",
    "token that is not UTF-8": f"UPDATE run SET token = {BAD_TEXT}",
    "token of bytes": "UPDATE run SET token = X'6465'",
    "slots that are not UTF-8": f"UPDATE run SET slots = {BAD_TEXT}",
    "trace that is not UTF-8": f"UPDATE batch SET trace = {BAD_TEXT}",
    "name of a decision that is not UTF-8": f"UPDATE decision SET token = {BAD_TEXT}",
    "schema that is not SQL": "UPDATE sqlite_master SET sql = 'x' WHERE name = 'run'",
    "schema that is not UTF-8": f"UPDATE sqlite_master SET sql = {BAD_TEXT} WHERE name = 'batch'",
    "root page that does not exist": "UPDATE sqlite_master SET rootpage = 99 WHERE name = 'run'",
}


def damage(path, change):
    """Change a file that nobody has open."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA writable_schema = ON")
        file.execute(change)
        file.commit()


@pytest.mark.parametrize("change", DAMAGED)
def test_a_damaged_run_says_so_and_shows_no_content(change, tmp_path):
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    decision, _ = bandit.ask(), bandit.ask()
    tell(bandit, decision)
    bandit.close()
    damage(path, DAMAGED[change])
    with pytest.raises(DiscreetError) as refusal:
        Bandit.open(path)
    assert type(refusal.value) is DiscreetError
    assert str(refusal.value) == f"{path} is damaged: it cannot be read."
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize("change", ["recipe that is not UTF-8", "root page that does not exist"])
def test_the_public_content_of_a_damaged_run_is_not_shown(change, tmp_path):
    path = tmp_path / "run.db"
    make("batch", path=path).close()
    damage(path, DAMAGED[change])
    with pytest.raises(DiscreetError) as refusal:
        read_run(path)
    assert str(refusal.value) == f"{path} is damaged: it cannot be read."


def test_a_table_that_is_lost_is_damage(tmp_path):
    path = tmp_path / "run.db"
    make("batch", path=path).close()
    damage(path, "DROP TABLE batch")
    for read in (Bandit.open, read_run):
        with pytest.raises(DiscreetError) as refusal:
            read(path)
        assert str(refusal.value) == f"{path} is damaged: it cannot be read."


def test_a_page_that_is_damaged_while_a_run_is_open_is_damage(tmp_path, monkeypatch):
    bandit = make("batch", path=tmp_path / "run.db")
    decision = bandit.ask()

    def fail(*_):
        raise sqlite3.DatabaseError("database disk image is malformed")

    with monkeypatch.context() as patch:
        patch.setattr(FileStore, "_write_state", fail)
        with pytest.raises(DiscreetError, match="is damaged: it cannot be read") as refusal:
            tell(bandit, decision)
    assert type(refusal.value) is DiscreetError
    tell(bandit, decision)


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("database is locked"),
        sqlite3.OperationalError("disk I/O error"),
        sqlite3.ProgrammingError("Cannot operate on a closed database."),
        OSError(5, "Input/output error"),
    ],
)
def test_what_may_pass_is_not_damage(error, tmp_path):
    sentence = r"^run.db cannot be used \(.*\), so nothing has changed"
    with pytest.raises(Busy, match=sentence), Explained("run.db"):
        raise error
