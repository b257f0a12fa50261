"""What an interrupt, a failed read or a fork leaves between two steps is completed or undone."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import sys
import traceback

import pytest
from makers import ask, make, tell
from raw_frames import OWN, SECRET, Broken, leaks, raw_values

from discreet import Bandit
from discreet.live import frames
from discreet.live.final_release import FinalRelease
from discreet.live.run import LiveRun
from discreet.live.run_file import RunFile

PLACES = pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])


class Clock:
    now = 1e9

    def __call__(self):
        return self.now


def once(error, then):
    """Return a method that raises an error the first time, and then does the usual."""
    left = [error]

    def method(self, *arguments):
        if left:
            raise left.pop()
        return then(self, *arguments)

    return method


@PLACES
def test_releases_that_were_stored_are_learned_before_later_ones(in_file, tmp_path, monkeypatch):
    """Ctrl-C comes between the two transactions of ``tell_all``."""
    bandit = make("batch", batch_size=2, path=tmp_path / "run.db" if in_file else None)
    learned, learn = [], LiveRun._learn

    def noted(self, rows, engine, before, *rest):
        learned.append(before[0])
        return learn(self, rows, engine, before, *rest)

    monkeypatch.setattr(LiveRun, "_learn", noted)
    decisions = bandit.ask_many(6)
    interrupted = once(KeyboardInterrupt(), LiveRun._finish_several)
    monkeypatch.setattr(LiveRun, "_finish_several", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bandit.tell_all(loss=[(decision, 0.5) for decision in decisions])
    assert learned == []
    for _ in range(4):
        bandit.tell(bandit.ask(), loss=0.5)
    assert learned == [0, 2, 4, 6, 8]
    assert bandit.state().released == 5


@pytest.mark.parametrize("size", [1, 2])
def test_what_is_due_is_released_after_a_failed_read(size, tmp_path, monkeypatch):
    """It waited for another whole ``wait`` before."""
    wait = {"wait": 60.0, "default_loss": 0.0}
    bandit = make("batch", batch_size=size, path=tmp_path / "run.db", **wait)
    clock = bandit._run._clock = Clock()
    for decision in bandit.ask_many(2):
        bandit.tell(decision, loss=0.5)
    clock.now += 61.0
    table = type(bandit._run._store.rows.open)
    broken = once(sqlite3.OperationalError("disk I/O error"), table.rising)
    monkeypatch.setattr(table, "rising", broken)
    with pytest.raises(sqlite3.OperationalError):
        bandit.release_due()
    assert bandit.release_due() == 2 // size


@pytest.mark.parametrize("use", ["release_due", "finish"])
def test_an_interrupt_while_an_error_is_stripped_shows_nothing(use, monkeypatch):
    options = {"batch_size": 2, "final": 1.0}
    if use == "release_due":
        options = {"batch_size": 1, "wait": 60.0, "default_loss": 0.0}
    bandit = make("batch", **options)
    clock = bandit._run._clock = Clock()
    bandit.tell(bandit.ask(), loss=SECRET)
    clock.now += 61.0

    def broken(self, *arguments):
        raise Broken("on purpose")

    if use == "finish":
        monkeypatch.setattr(FinalRelease, "_complete_final", broken)
    else:
        monkeypatch.setattr(type(bandit._run._engine.learner), "learn", broken)
    strip, calls = frames.without_frames, []

    def interrupted(error):
        calls.append(error)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return strip(error)

    monkeypatch.setattr(frames, "without_frames", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped:
        getattr(bandit._run, use)()
    numbers, held = raw_values(bandit)
    assert leaks(stopped.value, numbers - {OWN, 1.0 - OWN}, held) == []
    assert len(calls) == 1, "the interrupt came there"


def test_reading_final_sums_shows_no_frames(monkeypatch):
    """Where it reads the file again, a frame has what it decrypts."""
    run = make("batch", final=1.0)._run

    def broken(self):
        raise Broken("on purpose")

    monkeypatch.setattr(LiveRun, "_committed", broken)
    with pytest.raises(Broken) as refusal:
        run.final_sums()
    shown = [frame.name for frame in traceback.extract_tb(refusal.value.__traceback__)]
    assert {"final_sums", "broken"}.isdisjoint(shown)


@pytest.mark.parametrize("algorithm", ["batched-ucb", "guarded-ucb", "tracking-ucb", "dp-imed"])
def test_an_interrupted_snapshot_changes_nothing(algorithm, tmp_path, monkeypatch):
    bandit = Bandit(3, 400, 1.0, algorithm=algorithm, path=tmp_path / "run.db")
    for _ in range(3):
        tell(bandit, ask(bandit))
    ask(bandit)
    learner = type(bandit._run._engine.learner)
    before, give_up = bandit._run._engine.learner_state.tobytes(), learner.give_up
    changed = []

    def interrupted(self, trace):
        give_up(self, trace)
        changed.append(bandit._run._engine.learner_state.tobytes() != before)
        raise KeyboardInterrupt

    monkeypatch.setattr(learner, "give_up", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bandit.snapshot(tmp_path / "copy.db")
    assert changed == [True]
    assert bandit._run._engine.learner_state.tobytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="forks by the C library")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_a_child_forked_before_a_commit_commits_nothing(hidden, many, tmp_path, monkeypatch):
    """A signal handler forks; the file looked like an old copy afterwards."""
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    decisions = bandit.ask_many(3)
    seal, children = RunFile._seal, []
    reader, writer = os.pipe()

    def forking(self, *arguments):
        if not children:
            children.append(ctypes.CDLL(None).fork() if hidden else os.fork())
            if children != [0]:
                os.waitpid(children[0], 0)
        return seal(self, *arguments)

    monkeypatch.setattr(RunFile, "_seal", forking)
    try:
        if many:
            bandit.tell_all(loss=[(decision, 0.5) for decision in decisions])
        else:
            bandit.tell(decisions[0], loss=0.5)
    except BaseException as error:
        if children == [0]:
            os.write(writer, str(error).encode())
        else:
            raise
    finally:
        if children == [0]:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        assert told.read().startswith("this run belongs to another process")
    bandit.close()
    with Bandit.open(path) as again:
        assert again.state().open == (0 if many else 2)
        again.verify()
