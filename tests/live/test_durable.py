"""durable="releases": a power loss may take outcomes, but a release is drawn once."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3

import numpy as np
import pytest
from makers import Clock, make, tell

from discreet import Bandit, DiscreetError
from discreet.live.run_file import RunFile

CUTS = 60


def relaxed(path, **options):
    return make("batch", path=path, durable="releases", **options)


def synchronous(face):
    return face._run._store._file.execute("PRAGMA synchronous").fetchone()[0]


def test_only_a_release_waits_for_the_disk(tmp_path):
    face = relaxed(tmp_path / "run.db")
    decisions = face.ask_many(4)
    for decision in decisions[:3]:
        tell(face, decision)
        assert synchronous(face) == 1
    waited = []
    store = face._run._store
    hold = store._write_drawn
    store._write_drawn = lambda drawn: (hold(drawn), waited.append(synchronous(face)))
    tell(face, decisions[3])
    assert waited == [2], "on the disk, with all outcomes before it, before the learner sees it"
    assert store._key.note == b"", "a note would be ahead of the outcomes in it"
    face.close()
    face = Bandit.open(tmp_path / "run.db")
    tell(face, face.ask())
    assert synchronous(face) == 1, "a run keeps what it was made with"


def test_an_outcome_that_waits_for_its_deadline_does_not_wait_for_the_disk(tmp_path):
    face = relaxed(tmp_path / "run.db", wait=60.0, default_loss=0.0)
    clock = face._run._clock = Clock()
    decisions = face.ask_many(4)
    for decision in decisions:
        tell(face, decision)
        assert synchronous(face) == 1
    clock.now += 60.0
    assert face.release_due() == 1


def releases(path):
    with contextlib.closing(sqlite3.connect(path)) as file:
        return dict(file.execute("SELECT batch, value FROM release"))


@pytest.mark.parametrize("several", [False, True])
def test_after_a_power_loss_every_release_is_there_and_none_is_drawn_again(
    several, tmp_path, monkeypatch
):
    """A power loss cuts off the log anywhere after what the disk was waited for; 60 cuts."""
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    face = relaxed(path, key=key)
    file = face._run._store._file
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file.execute("PRAGMA wal_autocheckpoint = 0")
    learner, seen, log = type(face._run._engine.private.learner), [], path.with_name("run.db-wal")
    right, waited = learner.learn, []

    def learn(self, trace, released):
        seen.append(np.array(released).tobytes())
        if log.exists():
            waited.append(log.stat().st_size)  # what was on the disk when it was seen
        right(self, trace, released)

    with monkeypatch.context() as patch:
        patch.setattr(learner, "learn", learn)
        for _ in range(6):
            decisions = face.ask_many(7)
            if several:
                face.tell_all(loss=[(each, 0.5) for each in decisions])
            else:
                for decision in decisions:
                    tell(face, decision)
        file_bytes, log_bytes, key_bytes = path.read_bytes(), log.read_bytes(), key.read_bytes()
        face._run._store._session = ""  # closing does not move the key
        face.close()
        known, chance = list(seen), random.Random(1)
        for turn in range(CUTS):
            cut = tmp_path / f"cut{turn}.db"
            cut.write_bytes(file_bytes)
            end = chance.randrange(waited[-1], len(log_bytes) + 1)
            garbage = bytes(chance.randrange(256) for _ in range(chance.choice((0, 50))))
            cut.with_name(cut.name + "-wal").write_bytes(log_bytes[:end] + garbage)
            key.write_bytes(key_bytes)
            del seen[:]
            with Bandit.open(cut, key=key) as again:
                assert again.state().released == len(known)
                again.ask()
                assert again.state().round <= 43
            assert seen in ([], known[-1:], known[-2:]), "the same values, if any"
            assert set(releases(cut).values()) == set(known)
    cut = tmp_path / "older.db"
    cut.write_bytes(file_bytes)
    cut.with_name(cut.name + "-wal").write_bytes(log_bytes[: waited[0] - 100])
    key.write_bytes(key_bytes)
    with pytest.raises(DiscreetError, match="is an old copy"):
        Bandit.open(cut, key=key)


@pytest.mark.parametrize("wrong", ["tells", "", None, True])
def test_other_words_are_refused(wrong, tmp_path):
    with pytest.raises(
        DiscreetError, match=r"^durable is .*, but must be one of outcomes, releases\.$"
    ):
        Bandit(2, 100, 1.0, path=tmp_path / "run.db", durable=wrong)
    with pytest.raises(DiscreetError, match="durable is 'releases', but without path="):
        Bandit(2, 100, 1.0, durable="releases")


def test_a_copy_from_before_the_run_was_closed_is_refused(tmp_path):
    """Its outcomes since then would be missing, although tell returned."""
    path, copy = tmp_path / "run.db", tmp_path / "copy.db"
    with relaxed(path) as face:
        decisions = face.ask_many(4)
    shutil.copy(path, copy)
    with Bandit.open(path) as face:
        for decision in decisions[:2]:
            tell(face, decision)
    latest = path.read_bytes()
    path.write_bytes(copy.read_bytes())
    with pytest.raises(DiscreetError, match="is an old copy: later outcomes are missing"):
        Bandit.open(path)
    path.write_bytes(latest)
    with Bandit.open(path) as face:
        for decision in decisions[2:]:
            tell(face, decision)
        assert face.state().released == 1


def test_a_run_that_failed_is_closed_as_it_was_committed(tmp_path, monkeypatch):
    path = tmp_path / "run.db"
    face = relaxed(path)
    decisions = face.ask_many(4)
    with monkeypatch.context() as patch:
        patch.setattr(RunFile, "_seal", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            tell(face, decisions[0])
    face.close()
    with Bandit.open(path) as face:
        for decision in decisions:
            tell(face, decision)
        assert face.state().released == 1
