"""A hold-out is released once, and whole, whenever its process is killed."""

from __future__ import annotations

import os

import kill_holdout
import pytest
from kill_holdout import Killer

from discreet.live.run import LiveRun


@pytest.mark.slow
@pytest.mark.parametrize("kills", [5, pytest.param(150, marks=pytest.mark.full)])
def test_a_hold_out_survives_kills_around_its_release(kills, tmp_path):
    """No chance of a false alarm: the noise passes the tolerance with probability e^-500."""
    killer = Killer(tmp_path, seed=kills)
    while killer.kills < kills:
        killer.kill_one()
    assert killer.faults == []


@pytest.mark.slow
def test_a_second_draw_would_be_found(tmp_path, monkeypatch):
    """A run that shows its learner what it has not stored is found."""

    def forgets(self, drawn):
        self._store.rows.drawn = drawn

    right = LiveRun.__init__

    def start(self, *arguments, **options):
        right(self, *arguments, **options)
        self._commit_draw = lambda drawn: forgets(self, drawn)
        # dies right after the learner has seen the value
        self._commit_tell = dying(self._commit_tell)

    def dying(commit):
        def tell(counters, decision, *rest):
            if decision == kill_holdout.HELD_OUT and not alive:
                raise SystemExit
            commit(counters, decision, *rest)

        return tell

    alive = []
    monkeypatch.setattr(LiveRun, "__init__", start)
    killer = Killer(tmp_path, seed=1)
    killer.wait = lambda reader: os.read(reader, 1)  # until the worker is gone
    check = killer.check

    def checked(path):
        alive.append(path)
        check(path)
        alive.pop()

    killer.check = checked
    for _ in range(2):
        killer.kill_one()
    assert "a learner was handed another value" in killer.faults
