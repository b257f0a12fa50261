"""A commit that fails, or is interrupted right after it: the run goes on, in its file as well."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3

import pytest
from makers import ask, make, tell, with_whole_log

from discreet import Bandit, DiscreetError
from discreet.live import keys
from discreet.live.one_change import OneChange


class NoSpace:
    """A connection on which no transaction can be committed."""

    def __init__(self, file):
        self._file = file

    def execute(self, statement, *values):
        if statement == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self._file.execute(statement, *values)

    def __getattr__(self, name):
        return getattr(self._file, name)


def tell_all(face, decision):
    face.tell_all(reward=[(decision, 1.0)])


def give_up(face, decision):
    face.give_up(decision)


def tell_one(face, decision):
    tell(face, decision)


@pytest.mark.parametrize(
    ("kind", "use"),
    [
        ("batch", tell_one),
        ("batch", tell_all),
        ("batch", give_up),
        ("every round", tell_one),
        ("tree", tell_one),
        ("contexts", tell_one),
        ("slates", tell_one),
    ],
)
def test_after_a_commit_that_failed_a_closed_run_opens_again(kind, use, tmp_path):
    """Nothing that is not in the file may be counted in its key: the file would look outdated."""
    face = make(kind, path=tmp_path / "run.db")
    tell(face, ask(face))
    decision = ask(face)
    before = face.state()
    store = face._run._store
    file, store._file = store._file, NoSpace(store._file)
    with pytest.raises(DiscreetError, match="disk is full"):
        use(face, decision)
    store._file = file
    face.close()  # without any other call
    with type(face).open(tmp_path / "run.db") as again:
        released = again.state().released - before.released  # a draw may have been stored
        assert released in (0, 1)
        assert again.state().open + again.release_due() <= before.open
        with contextlib.suppress(DiscreetError):  # told, if its release is stored
            tell(again, decision)


def test_a_note_never_follows_a_row_whose_learning_was_interrupted_after_its_commit(
    tmp_path, monkeypatch
):
    """As in test_row_then_note.py, with Ctrl-C between the commit and all that follows it."""
    bandit = with_whole_log(tmp_path)
    private, seen = type(bandit._run._engine.private), []
    deliver, leave = private.deliver, OneChange.__exit__

    def watched(self, trace, value):
        seen.append(value)
        if len(seen) <= 2:  # what is surely on the disk when the learner sees a release
            for end in ("db", "db-wal", "key") if bandit._run._store._in_table else ("key",):
                shutil.copy(tmp_path / f"run.{end}", tmp_path / f"cut.{end}")
        return deliver(self, trace, value)

    def interrupted(self, kind, error, frames):
        leave(self, kind, error, frames)
        if len(seen) == 1 and not self._lasting:
            monkeypatch.setattr(OneChange, "__exit__", leave)
            raise KeyboardInterrupt

    monkeypatch.setattr(private, "deliver", watched)
    ada, bob = bandit.ask(user="Ada"), bandit.ask(user="Bob")
    monkeypatch.setattr(OneChange, "__exit__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bandit.tell(ada, reward=1.0)
    bandit.tell(bob, reward=1.0)
    bandit.close()
    assert len(seen) == 2
    with Bandit.open(tmp_path / "cut.db", key=tmp_path / "cut.key") as cut:
        cut.release_due()
        with pytest.raises(DiscreetError, match="told already"):
            cut.tell(bob, reward=0.0)
    assert set(seen) == set(seen[:2])


def test_a_key_that_was_written_but_not_synced_is_read_again(tmp_path, monkeypatch):
    """Otherwise its next version could be older than the one on the disk."""
    paths = {"path": tmp_path / "run.db", "key": tmp_path / "run.key"}
    face = make("batch", batch_size=2, **paths)
    decisions = [ask(face) for _ in range(4)]
    tell(face, decisions[0])

    def broken(handle):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(keys, "sync", broken)
        with pytest.raises(DiscreetError, match=r"the key .* cannot be written"):
            tell(face, decisions[1])
    key = face._run._store._key
    advance = type(key).advance

    def killed(self, version, note=None):  # between the next commit and its count in the key
        for end in ("db", "db-wal", "key"):
            shutil.copy(tmp_path / f"run.{end}", tmp_path / f"cut.{end}")
        return advance(self, version, note)

    monkeypatch.setattr(type(key), "advance", killed)
    tell(face, decisions[2])
    assert face.state().released == 1
    monkeypatch.setattr(type(key), "advance", advance)
    with type(face).open(tmp_path / "cut.db", key=tmp_path / "cut.key") as cut:
        assert cut.state().released == 1
