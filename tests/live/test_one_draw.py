"""A batch is drawn once: whatever fails afterwards, a learner sees one value of it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from makers import UNIT, Recorder, ask, every_kind, make, tell

from discreet import Bandit, DiscreetError, LiveRun, Private, channels
from discreet.live import FileStore, close_on_sigterm
from discreet.live.keys import SECTOR
from discreet.live.rows import Rows

RETRIES = 2_000


class Raising(Recorder):
    """Writes down what is released, and fails."""

    def learn(self, trace, released):
        super().learn(trace, released)
        raise RuntimeError("on purpose")


def retry(tell_again, times):
    for _ in range(times):
        with pytest.raises(RuntimeError, match="on purpose"):
            tell_again()


def test_a_learner_that_fails_2000_times_sees_one_value():
    """Fresh noise for every attempt would show the mean of a batch: 2,000 values of one sum."""
    batch = channels.Batch.laplace(size=2, epsilon=1.0, bounds=UNIT)
    heard = []
    run = LiveRun.over(Private(batch, Raising(heard)), horizon=100)
    first, last = run.ask(), run.ask()
    run.tell(first, 0.75)
    retry(lambda: run.tell(last, 0.5625), RETRIES)
    assert len(heard) == RETRIES
    assert len({float(value) for value in heard}) == 1
    assert run.state().released == 1


@every_kind
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
def test_every_learner_sees_one_value_however_it_is_reached(kind, in_file, tmp_path, monkeypatch):
    """Told again with another outcome, by another decision, by ask, or after opening the file."""
    path = tmp_path / "run.db" if in_file else None
    face, seen = make(kind, path=path), []
    learner = type(face._run._engine.private.learner)
    right = learner.learn

    def fail(self, trace, released):
        seen.append(np.array(released, copy=True))
        right(self, trace, released)
        raise RuntimeError("on purpose")

    monkeypatch.setattr(learner, "learn", fail)
    decision = None
    for _ in range(200):
        decision = ask(face)
        try:
            tell(face, decision)
        except RuntimeError:
            break
    assert len(seen) == 1
    retry(lambda: tell(face, decision, loss=0.75), 3)
    retry(lambda: ask(face), 3)
    if in_file:
        face.close()
        face = type(face).open(path)
        retry(lambda: ask(face), 3)
    assert all(np.array_equal(seen[0], each) for each in seen)
    assert face.state().released == 1
    monkeypatch.setattr(learner, "learn", right)
    tell(face, decision, loss=0.75)
    tell(face, ask(face))
    with pytest.raises(DiscreetError, match="has been told already"):
        tell(face, decision)
    assert decision.id not in face._run._store.rows.open


def test_the_value_is_durable_before_the_learner_sees_it(tmp_path, monkeypatch):
    """A process that is killed while it learns has stored what the learner saw."""
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    learner, stored = type(bandit._run._engine.private.learner), []
    right = learner.learn

    def look(self, trace, released):
        with FileStore(path)._explained():  # read by another connection, as after a kill
            stored.append((float(released), bandit._run._store.rows.drawn))
        right(self, trace, released)

    monkeypatch.setattr(learner, "learn", look)
    for _ in range(4):
        bandit.tell(bandit.ask(), loss=0.5)
    ((value, drawn),) = stored
    assert drawn.value == value
    assert bandit._run._store._key.version[:2] == (1, 4)
    assert bandit._run._store.rows.drawn is None


KILLED = """
import os, signal, sys
import numpy as np
from discreet import Bandit
from makers import make
face = make("batch", path=sys.argv[1]) if sys.argv[2] == "new" else Bandit.open(sys.argv[1])
learner = type(face._run._engine.private.learner)
def die(self, trace, released):
    print(repr(float(released)), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
learner.learn = die
while True:
    decision = face.ask()
    face.tell(decision, loss=0.5)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_learns_hands_on_the_same_value(tmp_path):
    seen = set()
    for turn in ("new", "again", "again"):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(tmp_path / "run.db"), turn],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        seen.add(done.stdout)
    assert len(seen) == 1


def fail_to_learn(bandit, decision):
    """Tell an outcome to a learner that has seen the release when it fails."""
    learner = bandit._run._engine.private.learner

    def fail(*_):
        raise RuntimeError("on purpose")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(learner), "learn", fail)
        with pytest.raises(RuntimeError, match="on purpose"):
            bandit.tell(decision, loss=0.5)


@pytest.mark.parametrize("told", [0, 3])
def test_after_a_power_loss_that_undid_an_ask_its_batch_is_not_released_again(told, tmp_path):
    """The disk may lose an ask that the release of its batch, noted in the key, came after."""
    path, disk = tmp_path / "run.db", tmp_path / "disk.db"
    bandit = make("batch", path=path, batch_size=told + 1)
    for _ in range(told):
        bandit.tell(bandit.ask(), loss=0.5)
    bandit.close()
    shutil.copy(path, disk)
    bandit = Bandit.open(path)
    fail_to_learn(bandit, bandit.ask())
    bandit.close()
    shutil.copy(disk, path)
    with Bandit.open(path) as again:
        state = again.state()
        assert (state.released, state.waiting, state.lost) == (1, 0, told > 0)
        assert again._run._store.rows.drawn is None
        for _ in range(4):
            again.tell(again.ask(), loss=0.5)
        assert again.state().released > 1


def test_a_note_is_for_the_run_as_it_was_and_for_nobody_else(tmp_path):
    """An older copy is refused; so is the run itself if its note was damaged."""
    path, old = tmp_path / "run.db", tmp_path / "old.db"
    bandit = make("batch", path=path, batch_size=1)
    decisions = [bandit.ask(), bandit.ask()]
    bandit.close()
    shutil.copy(path, old)
    bandit = Bandit.open(path)
    bandit.tell(decisions[0], loss=0.5)
    fail_to_learn(bandit, decisions[1])
    key, note = bandit._run._store._key.path, bandit._run._store._key.note
    assert len(note) > 0
    bandit.close()
    with pytest.raises(DiscreetError, match="is an old copy: it has 0 releases"):
        Bandit.open(old)
    whole = key.read_bytes()
    assert len(whole) == SECTOR
    assert note in whole
    at = whole.index(note) + 30
    key.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    with pytest.raises(DiscreetError, match="is an old copy: it has 1 release, but"):
        Bandit.open(path)
    key.write_bytes(whole)
    with Bandit.open(path) as again:
        again.ask()
        assert again.state().released == 2
        assert again._run._store._key.note == b""
    assert note[20:] not in key.read_bytes()  # overwritten


def test_a_store_that_fails_to_keep_the_value_shows_it_to_nobody(monkeypatch):
    heard = []
    batch = channels.Batch.laplace(size=1, epsilon=1.0, bounds=UNIT)
    run = LiveRun.over(Private(batch, Recorder(heard)), horizon=100)
    ticket = run.ask()

    def full(drawn):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(run, "_commit_draw", full)
        for _ in range(5):
            with pytest.raises(OSError, match="disk is full"):
                run.tell(ticket, 0.5)
    assert heard == []
    run.tell(ticket, 0.5)
    assert len(heard) == run.state().released == 1


def in_hidden_fork(work):
    """Return what a function says in a child that Python does not know of."""
    reader, writer = os.pipe()
    child = ctypes.CDLL(None).fork()
    if child == 0:
        try:
            work()
            os.write(writer, b"no refusal")
        except BaseException as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as told:
        return told.read()


@pytest.mark.skipif(sys.platform != "linux", reason="forks by the C library")
@pytest.mark.parametrize("use", ["ask", "tell", "state", "close", "release_due"])
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
def test_a_fork_that_python_does_not_see_is_refused(use, in_file, tmp_path):
    """The same batch was released by parent and child, with other noise each."""
    bandit = make("batch", path=tmp_path / "run.db" if in_file else None)
    decisions = [bandit.ask() for _ in range(4)]
    for decision in decisions[:3]:
        bandit.tell(decision, loss=0.5)
    uses = {"tell": lambda: bandit.tell(decisions[3], loss=0.5)}
    told = in_hidden_fork(uses.get(use, getattr(bandit, use)))
    assert told.startswith("this run belongs to another process")
    bandit.tell(decisions[3], loss=0.5)
    assert bandit.state().released == 1


@pytest.mark.skipif(sys.platform != "linux", reason="forks by the C library")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
def test_a_fork_in_the_middle_of_an_operation_draws_once(hidden, in_file, tmp_path, monkeypatch):
    """A signal handler forks during a tell, and the child carries on with it."""
    bandit = make("batch", batch_size=1, path=tmp_path / "run.db" if in_file else None)
    decision, learner = bandit.ask(), type(bandit._run._engine.learner)
    query, learn, (reader, writer) = learner.query, learner.learn, os.pipe()
    in_child, forked = False, []

    def fork_once(self, trace):
        nonlocal in_child
        if not forked:
            forked.append(ctypes.CDLL(None).fork() if hidden else os.fork())
            in_child = forked == [0]
        return query(self, trace)

    def noted(self, trace, released):
        os.write(writer, b"child " if in_child else b"parent ")
        return learn(self, trace, released)

    monkeypatch.setattr(learner, "query", fork_once)
    monkeypatch.setattr(learner, "learn", noted)
    try:
        bandit.tell(decision, loss=0.5)
    except BaseException as error:
        if in_child:
            os.write(writer, str(error).encode())
        else:
            raise
    finally:
        if in_child:
            os._exit(0)
    os.close(writer)
    os.waitpid(forked[0], 0)
    with os.fdopen(reader) as told:
        said = told.read()
    assert "this run belongs to another process" in said
    assert said.count("parent ") == 1
    assert "child " not in said
    assert bandit.state().released == 1


# Signals


@pytest.mark.parametrize("use", ["close", "state", "ask"])
def test_a_signal_handler_that_uses_the_run_meanwhile_is_refused(use, tmp_path, monkeypatch):
    """It waited for itself before: SIGTERM and then close() is common."""
    bandit = make("batch", path=tmp_path / "run.db", batch_size=1)
    decision, learner = bandit.ask(), type(bandit._run._engine.private.learner)
    right = learner.learn

    def learn(self, trace, released):
        signal.raise_signal(signal.SIGUSR1)
        right(self, trace, released)

    before = signal.signal(signal.SIGUSR1, lambda *_: getattr(bandit, use)())
    try:
        with monkeypatch.context() as patch:
            patch.setattr(learner, "learn", learn)
            with pytest.raises(DiscreetError, match="in the middle of an operation of the same"):
                bandit.tell(decision, loss=0.5)
    finally:
        signal.signal(signal.SIGUSR1, before)
    bandit.tell(decision, loss=0.5)
    assert bandit.state().released == 1
    bandit.close()


def test_sigterm_closes_the_run(tmp_path):
    path, before = tmp_path / "run.db", signal.getsignal(signal.SIGTERM)
    told = 0
    run = make("batch", path=path)
    with pytest.raises(SystemExit) as end, close_on_sigterm(run) as bandit:  # noqa: PT012
        while True:
            bandit.tell(bandit.ask(), loss=0.5)
            told += 1
            if told == 6:
                signal.raise_signal(signal.SIGTERM)
    assert end.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before
    with Bandit.open(path) as again:
        assert (again.state().round, again.state().released) == (6, 1)


def test_only_an_open_run_is_closed_on_sigterm():
    before = signal.getsignal(signal.SIGTERM)
    for wrong in ("run.db", None, Bandit):
        with pytest.raises(DiscreetError, match=r"the run is .*, but must be an open run"):
            close_on_sigterm(wrong).__enter__()
    assert signal.getsignal(signal.SIGTERM) is before


def test_rows_show_nothing_that_is_drawn():
    rows = Rows({}, "token", b"")
    rows.hold(rows.drawn)
    assert rows.releases == 0
    run = make("batch")
    for _ in range(3):
        run.tell(run.ask(), loss=0.7390851332)
    assert "0.739" not in repr(run._run._store.rows)
