"""A final release is made once, and whole, whenever its process is killed."""

from __future__ import annotations

import os

import pytest
from kill_final import FinalKiller

from discreet.live.rows import FINAL
from discreet.live.run import LiveRun


@pytest.mark.slow
@pytest.mark.parametrize("kills", [5, pytest.param(150, marks=pytest.mark.full)])
def test_a_final_release_survives_kills(kills, tmp_path):
    """No chance of a false alarm: the noise passes the tolerance with probability e^-500."""
    killer = FinalKiller(tmp_path, seed=kills)
    while killer.kills < kills:
        killer.kill_one()
    assert killer.faults == []


@pytest.mark.slow
def test_a_second_draw_would_be_found(tmp_path, monkeypatch):
    """A run that gives its sums away before they are stored is found: the next draw differs."""
    right = LiveRun._end_run

    def hasty(self, rows):
        if alive:
            right(self, rows)
            return
        engine = self._final_engine()
        _, value, _ = engine.hand_over(rows.stream, -1, 0.0, self._noise_rng, full=True)
        os.write(logs[-1], b"seen %s\n" % value[: value.size // 2].tobytes().hex().encode())
        os._exit(1)

    alive, logs = [], []
    monkeypatch.setattr(LiveRun, "_end_run", hasty)
    killer = FinalKiller(tmp_path, seed=1)
    killer.wait = lambda reader: os.read(reader, 1)  # until the worker is gone
    work, check = killer.work, killer.check

    def worked(path, log, ready):
        logs.append(log)
        work(path, log, ready)

    def checked(path):
        alive.append(path)
        check(path)
        alive.pop()

    killer.work, killer.check = worked, checked
    for _ in range(2):
        killer.kill_one()
    assert "the release was given with two values" in killer.faults
    assert FINAL < 0
