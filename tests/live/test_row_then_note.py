"""A release in a row of the file, then one in the key, then a power loss: each is drawn once."""

from __future__ import annotations

import shutil

import pytest
from makers import with_whole_log

from discreet import Bandit, DiscreetError


def test_a_note_never_stands_beside_a_row_that_may_come_back(tmp_path, monkeypatch):
    """With users, the first release needs a row, because its ask is not on the disk yet."""
    bandit = with_whole_log(tmp_path)
    private, seen = type(bandit._run._engine.private), []
    deliver = private.deliver

    def watched(self, trace, value):
        seen.append(value)
        if len(seen) <= 2:  # what is surely on the disk when the learner sees a release
            names = ("db", "db-wal", "key") if bandit._run._store._in_table else ("key",)
            for end in names:
                shutil.copy(tmp_path / f"run.{end}", tmp_path / f"cut.{end}")
        return deliver(self, trace, value)

    monkeypatch.setattr(private, "deliver", watched)
    ada, bob = bandit.ask(user="Ada"), bandit.ask(user="Bob")
    bandit.tell(ada, reward=1.0)
    bandit.tell(bob, reward=1.0)
    bandit.close()
    assert len(seen) == 2
    cut = Bandit.open(tmp_path / "cut.db", key=tmp_path / "cut.key")
    cut.release_due()
    with pytest.raises(DiscreetError, match="told already"):  # a retry
        cut.tell(bob, reward=0.0)
    cut.close()
    assert set(seen) == set(seen[:2])
