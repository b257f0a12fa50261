"""What was written but may not be on the disk is written again before anybody relies on it.

A power loss takes back what was written since the last sync. Here it takes back the key, while the
run file survives completely, which is the worst case.
"""

from __future__ import annotations

import os
import shutil

import pytest

from discreet import Bandit, DiscreetError
from discreet.live import keys
from discreet.live.database import witness
from discreet.live.keys import NEW, new_name


class Killed(BaseException):
    """The process ends here: nothing after this is executed."""


def opened(folder):
    return Bandit.open(folder / "run.db", key=folder / "run.key")


def started(folder):
    return Bandit(
        arms=2,
        horizon=400,
        epsilon=1.0,
        algorithm="batched-exp3",
        batch_size=2,
        path=folder / "run.db",
        key=folder / "run.key",
    )


def failing(handle):
    raise OSError(5, "Input/output error")


@pytest.mark.parametrize("end", ["killed before the sync", "sync failed, run closed"])
def test_a_note_that_was_not_synced_is_on_the_disk_before_the_learner_sees_it(
    end, tmp_path, monkeypatch
):
    """Otherwise a power loss while it learns would give the same batch another draw."""
    face, shown = started(tmp_path), []
    first, second = face.ask(), face.ask()
    face.tell(first, loss=0.5)
    disk = tmp_path / "disk.key"  # the key as it was at its last sync
    shutil.copy(tmp_path / "run.key", disk)
    with monkeypatch.context() as broken:
        broken.setattr(keys, "sync", failing)
        with pytest.raises(DiscreetError, match="cannot be written"):
            face.tell(second, loss=0.5)
        if end == "killed before the sync":  # what the process has done to the files is there
            for name in ("run.db", "run.db-wal", "run.key"):
                shutil.copy(tmp_path / name, tmp_path / f"{name}.kept")
    face.close()
    if end == "killed before the sync":
        for name in ("run.db", "run.db-wal", "run.key"):
            (tmp_path / f"{name}.kept").replace(tmp_path / name)

    def synced(handle):
        os.fsync(handle)
        shutil.copy(tmp_path / "run.key", disk)

    def learn(self, trace, released):
        shown.append(released)
        if len(shown) == 1:
            raise Killed

    monkeypatch.setattr(keys, "sync", synced)
    again = opened(tmp_path)
    monkeypatch.setattr(type(again._run._engine.learner), "learn", learn)
    with pytest.raises(Killed):
        again.release_due()
    cut = tmp_path / "cut"
    cut.mkdir()
    for name in ("run.db", "run.db-wal"):
        shutil.copy(tmp_path / name, cut / name)
    shutil.copy(disk, cut / "run.key")
    again.close()
    after = opened(cut)
    after.release_due()
    for decision in list(after.open_decisions):  # told again, if the run has forgotten it
        after.tell(decision.id, loss=0.5)
    after.close()
    assert len(shown) == 2
    assert shown[0] == shown[1]


def test_a_witness_syncs_what_it_did_not_sync_itself(tmp_path, monkeypatch):
    """Its own sync may have failed, or another process may have been killed before."""
    run, released = "a" * 16, NEW.with_release(new_name())
    mine, other = (witness.FileWitness(tmp_path / "witness") for _ in range(2))
    mine.advance(run, None, NEW)
    with monkeypatch.context() as broken:
        broken.setattr(witness, "sync", failing)
        with pytest.raises(DiscreetError, match="cannot be written"):
            mine.advance(run, NEW, released)
    syncs = []
    monkeypatch.setattr(witness, "sync", lambda handle: syncs.append(os.fsync(handle)))
    for one in (mine, other):
        assert one.read(run) == released
    assert len(syncs) == 2
    changed = released.with_change()
    assert mine.advance(run, NEW, released)
    assert mine.advance(run, released, changed)
    assert mine.read(run) == other.read(run) == changed
    assert len(syncs) == 2, "what is known to be on the disk is not synced again"
    mine.close()
    other.close()
