"""A run in a file: it goes on after any crash, has one writer, and forgets what is released."""

from __future__ import annotations

import contextlib
import sqlite3

import numpy as np
import pytest
from makers import MAKERS, ask, every_kind, make, rows_of, tell

from discreet import Advisor, Bandit, DiscreetError, Experts, Ledger, Optimizer, VectorOptimizer
from discreet.live import file_access
from discreet.live.file_store import FileStore
from discreet.live.row_text import facts_columns
from discreet.live.tags import PACKED, as_text_bytes


@every_kind
def test_a_run_goes_on_where_it_was_stopped(kind, tmp_path):
    face = make(kind, path=tmp_path / "run.db")
    for _ in range(5):
        tell(face, ask(face))
    late = [ask(face) for _ in range(3)]
    before, shown = rows_of(face), repr(face)
    face.close()
    face = type(face).open(tmp_path / "run.db")
    assert rows_of(face) == before
    assert repr(face) == shown
    for decision in late[::-1]:
        tell(face, decision)
    with pytest.raises(DiscreetError, match="has been told already"):
        tell(face, late[0])
    assert face.open_decisions == ()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "square root"])
def test_a_seeded_simulation_goes_on_bit_for_bit(kind, tmp_path):
    twins = [make(kind, simulation=True, seed=3, path=path) for path in (None, tmp_path / "run.db")]

    def play(face):
        decision = ask(face)
        tell(face, decision)
        return decision[0]

    for t in range(60):
        if t % 7 == 0:
            twins[1].close()
            twins[1] = type(twins[1]).open(tmp_path / "run.db", unprotected=True)
        one, other = map(play, twins)
        assert np.array_equal(one, other)
    assert rows_of(twins[0]) == rows_of(twins[1])


# What is in the file


def contents(folder):
    return b"".join(path.read_bytes() for path in folder.iterdir())


def test_raw_sums_are_erased_with_their_release(tmp_path):
    path = tmp_path / "run.db"
    bandit = Bandit(
        arms=2, horizon=100, epsilon=1.0, algorithm="batched-exp3", batch_size=4, path=path
    )
    for _ in range(3):
        bandit.tell(bandit.ask(), loss=0.7390851332)
    with contextlib.closing(sqlite3.connect(path)) as file:
        (held,) = file.execute("SELECT held FROM batch").fetchone()
    assert held in contents(tmp_path), "what is looked for would be found"
    bandit.tell(bandit.ask(), loss=0.7390851332)
    with contextlib.closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM batch").fetchone() == (0,)
        assert file.execute("SELECT count(*) FROM decision").fetchone() == (0,)
        assert file.execute("SELECT count(*) FROM release").fetchone() == (1,)
    bandit.close()
    assert held not in contents(tmp_path)


def test_what_a_channel_without_privacy_releases_is_not_written_down(tmp_path):
    with pytest.warns(UserWarning, match="is not private"):
        bandit = Bandit(
            arms=2, horizon=100, epsilon=1.0, algorithm="exp3", path=tmp_path / "run.db"
        )
    bandit.tell(bandit.ask(), loss=0.7390851332)
    bandit.close()
    assert np.float64(0.7390851332).tobytes() not in contents(tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / "run.db")) as file:
        assert file.execute("SELECT batch, value FROM release").fetchall() == [(0, None)]


def test_only_the_owner_can_read_it(tmp_path):
    with Bandit(arms=2, horizon=100, epsilon=1.0, path=tmp_path / "run.db") as bandit:
        bandit.tell(bandit.ask(), loss=0.5)
        assert {path.name for path in tmp_path.iterdir()} == {
            "run.db",
            "run.db-wal",
            "run.db-shm",
            "run.db.writer",
        }
        for path in tmp_path.iterdir():
            assert path.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"run.db", "run.db.writer"}
    assert (tmp_path / "run.db.writer").stat().st_size == 0


def test_a_tell_waits_for_the_disk(tmp_path):
    with Bandit(arms=2, horizon=100, epsilon=1.0, path=tmp_path / "run.db") as bandit:
        store = bandit._run._store
        decision = bandit.ask()
        assert store._file.execute("PRAGMA synchronous").fetchone() == (1,)
        bandit.tell(decision, loss=0.5)
        assert store._file.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._file.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_run_whose_file_has_other_pages_goes_on(tmp_path, monkeypatch):
    """Runs that earlier versions began have pages of 4,096 bytes."""
    path, sizes = tmp_path / "run.db", []
    with monkeypatch.context() as patch:
        patch.setattr(file_access, "PAGE", 4096)
        Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
    Bandit(arms=2, horizon=100, epsilon=1.0, path=tmp_path / "new.db").close()
    for name in ("run.db", "new.db"):
        with Bandit.open(tmp_path / name) as bandit:
            for _ in range(20):
                bandit.tell(bandit.ask(), loss=0.5)
            sizes += bandit._run._store._file.execute("PRAGMA page_size").fetchone()
            bandit._run._store.verify()
    assert sizes == [4096, file_access.PAGE]


def test_facts_about_a_release_are_stored_as_they_are_read():
    """A learner may know its probabilities as NumPy's numbers."""
    facts = facts_columns((1, 3, np.float64(0.25), np.float64(1.5)))
    assert repr(facts) == "(1, 3, 0.25, 1.5)"
    assert facts_columns((1, 3, None, 1.5)) == (1, 3, None, 1.5)
    assert facts_columns(None) == (None, None, None, None)


@pytest.mark.parametrize("value", [b"12345678", None])
def test_frequent_rows_are_hashed_as_the_text_of_any_row_is(value):
    """So that a file is authentic for every version of the library."""
    release = (7, -1, 3, None, 1.5, value)
    assert PACKED["release"]("release", release) == as_text_bytes("release", release)
    column = (0, b"state")
    for table in ("learner", "stream"):
        assert PACKED[table](table, column) == as_text_bytes(table, column)


def test_a_decision_that_the_power_took_back_is_not_mistaken_for_its_successor(tmp_path):
    """An ask need not be on the disk: after a power loss its number is given again, under another
    token.
    """
    path = tmp_path / "run.db"
    Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
    before = path.read_bytes()
    with Bandit.open(path) as bandit:
        lost = bandit.ask()
    path.write_bytes(before)
    bandit = Bandit.open(path)
    again = bandit.ask()
    assert again.id == lost.id
    with pytest.raises(DiscreetError, match="decision 0 does not belong to this run"):
        bandit.tell(lost._replace(arm=again.arm), loss=0.5)
    bandit.tell(again, loss=0.5)


# Refusals


def test_a_path_must_be_new_and_free(tmp_path):
    path = tmp_path / "run.db"
    Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
    with pytest.raises(DiscreetError, match="which already holds a run: use open to continue it"):
        Bandit(arms=2, horizon=100, epsilon=1.0, path=path)
    with pytest.raises(DiscreetError, match="no file can be created there"):
        Bandit(arms=2, horizon=100, epsilon=1.0, path=tmp_path / "nowhere" / "run.db")
    for where in ("nul\0", 3.5):
        with pytest.raises(DiscreetError, match="but must be the path of a file, as text"):
            Bandit(arms=2, horizon=100, epsilon=1.0, path=where)
        with pytest.raises(DiscreetError, match="but must be the path of a file, as text"):
            Bandit.open(where)
    for nothing in (tmp_path / "nothing", None):
        with pytest.raises(DiscreetError, match=r"but there is no file|^path and store are"):
            Bandit.open(nothing)
    for use in (Bandit.open, lambda path: Bandit(arms=2, horizon=100, epsilon=1.0, path=path)):
        with pytest.raises(DiscreetError, match=r"^path is .*, which is a folder: give a file\.$"):
            use(tmp_path)
    assert not (tmp_path / "nothing").exists()


def test_other_files_are_refused_and_left_alone(tmp_path):
    text, other, empty = tmp_path / "text", tmp_path / "other", tmp_path / "empty"
    text.write_text("To be, or not to be: that is the question. " * 50)
    with contextlib.closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE run (recipe)")
    empty.touch()
    Ledger(1.0, path=tmp_path / "ledger")
    for path in (text, other, empty, tmp_path / "ledger"):
        before = path.read_bytes()
        with pytest.raises(DiscreetError, match="is a file of another kind, not a run"):
            Bandit.open(path)
        assert path.read_bytes() == before
    for path in (text, other):
        with pytest.raises(DiscreetError, match=r"is a file of another kind|already holds a run"):
            Bandit(arms=2, horizon=100, epsilon=1.0, path=path)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE run SET recipe = 'x'",
        "UPDATE run SET recipe = '{}'",
        "DELETE FROM run",
        "UPDATE run SET learner = x'00'",
        "UPDATE batch SET trace = '[]'",
    ],
)
def test_a_damaged_run_is_refused_in_one_sentence(damage, tmp_path):
    path = tmp_path / "run.db"
    with Bandit(arms=2, horizon=100, epsilon=1.0, path=path) as bandit:
        bandit.ask()
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute(damage)
        file.commit()
    for _ in range(2):  # and it is given free again
        with pytest.raises(
            DiscreetError, match=r"is damaged: it cannot be read|the run fails authentication"
        ):
            Bandit.open(path)


def test_each_face_opens_its_own_runs(tmp_path):
    faces = {
        "Bandit": lambda path: Bandit(arms=2, horizon=9, epsilon=1.0, path=path),
        "Experts": lambda path: Experts(experts=2, horizon=9, epsilon=1.0, path=path),
        "Optimizer": lambda path: Optimizer(
            "ball(2)", horizon=9, epsilon=1.0, delta=1e-6, path=path
        ),
        "VectorOptimizer": lambda path: VectorOptimizer(
            geometry="cube", dimension=2, horizon=9, epsilon=1.0, path=path
        ),
        "Advisor": lambda path: Advisor(arms=2, experts=2, horizon=9, epsilon=1.0, path=path),
    }
    for name, start in faces.items():
        start(tmp_path / name).close()
    for kind in (Bandit, Experts, Optimizer, VectorOptimizer, Advisor):
        for name in faces:
            if name == kind.__name__:
                kind.open(tmp_path / name).close()
            else:
                with pytest.raises(
                    DiscreetError, match=rf"is a run of {name}: open it with {name}\.open"
                ):
                    kind.open(tmp_path / name)


def test_labels_that_a_file_cannot_hold_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(DiscreetError, match="arms has a value that is neither text nor a number"):
        Bandit(arms=[(1, 2), (3, 4)], horizon=100, epsilon=1.0, path=tmp_path / "run.db")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_refuses_the_tell_and_it_can_be_told_again(tmp_path, monkeypatch):
    bandit = Bandit(
        arms=2,
        horizon=100,
        epsilon=1.0,
        algorithm="batched-exp3",
        batch_size=2,
        path=tmp_path / "run.db",
    )
    tell(bandit, ask(bandit))
    decision, before = ask(bandit), rows_of(bandit)

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(FileStore, "_write_state", full)
        with pytest.raises(
            DiscreetError,
            match=r"cannot be used \(database or disk is full\), so nothing has changed",
        ):
            tell(bandit, decision)
    assert rows_of(bandit) == before
    tell(bandit, decision)
    assert bandit.state().released == 1


def test_another_ledger_is_charged_when_the_run_is_opened(tmp_path):
    path = tmp_path / "run.db"
    bandit = make("batch", path=path, ledger=Ledger(1.0))
    decision = bandit.ask()
    bandit.close()
    other = Ledger(1.0)
    with Bandit.open(path, ledger=other) as again:
        assert other.spent.epsilon == 1.0
        again.tell(decision, loss=0.5)
