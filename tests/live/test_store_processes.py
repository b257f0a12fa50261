"""A run in a file and processes: kills at any moment, and one writer."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from kill_live import Killer, RepliesFirst, TwoTransactions, mistaken
from makers import make

from discreet import Bandit, DiscreetError


@pytest.mark.slow
def test_after_40_kills_nothing_acknowledged_is_lost_nothing_is_released_twice_or_charged_twice(
    tmp_path,
):
    killer = Killer(tmp_path, seed=1)
    while killer.kills < 40 or (
        len(killer.seen) < 10 and killer.kills < 400
    ):  # a busy machine releases little
        killer.kill_one()
    assert killer.check() == []
    assert len(killer.seen) >= 10


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "mistake", "faults"),
    [
        ("LiveRun", TwoTransactions, "is an old copy"),
        # whichever a kill shows first: an outcome is gone, or a release that the key has counted
        ("FileStore", RepliesFirst, "acknowledged and lost|is an old copy"),
    ],
)
def test_the_same_test_finds_mistakes(name, mistake, faults, tmp_path):
    killer, found = Killer(tmp_path, seed=2), []
    while not any(re.search(faults, each) for each in found) and killer.kills < 200:
        with mistaken(name, mistake):
            killer.kill_one()
            found = list(killer.check())
    assert any(re.search(faults, each) for each in found)


@pytest.mark.slow
def test_another_process_is_refused_until_the_first_one_ends_however_it_ends(tmp_path, python):
    path = tmp_path / "run.db"
    program = f"""
import sys, time
from discreet import Bandit
bandit = Bandit.open({str(path)!r})
print("open", flush=True)
time.sleep(60)
"""
    Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
    first = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == "open\n"
        with pytest.raises(
            DiscreetError,
            match=r"run\.db is in use: a run has one writer, so close it there first\.$",
        ):
            Bandit.open(path)
        refused = python(
            f"import discreet\ntry: discreet.Bandit.open({str(path)!r})\nexcept "
            "discreet.DiscreetError as e: print(e)"
        )
        assert "has one writer" in refused
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
        first.stdout.close()
    with Bandit.open(path) as bandit:
        bandit.tell(bandit.ask(), loss=0.5)


def test_the_same_process_opens_a_run_once(tmp_path):
    path = tmp_path / "run.db"
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, path=path)
    with pytest.raises(DiscreetError, match="has one writer"):
        Bandit.open(path)
    bandit.tell(bandit.ask(), loss=0.5)
    bandit.close()
    bandit = Bandit.open(path)
    del bandit  # forgotten without being closed
    Bandit.open(path).close()


def test_a_forked_child_neither_keeps_nor_breaks_the_lock(tmp_path):
    path = tmp_path / "run.db"
    bandit = Bandit(arms=2, horizon=100, epsilon=1.0, path=path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            Bandit.open(path)
            os.write(writer, b"opened")
        except DiscreetError:
            del bandit
            os.write(writer, b"refused")
        signal.pause()
    assert os.read(reader, 10) == b"refused"
    with pytest.raises(DiscreetError, match="has one writer"):
        Bandit.open(path)
    bandit.tell(bandit.ask(), loss=0.5)
    bandit.close()
    Bandit.open(path).close()  # the child still lives, and holds nothing
    os.kill(child, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
def test_a_run_that_was_killed_while_it_was_made_can_be_made_again(tmp_path):
    """Whatever is left of it, either there is a run or there is none; the first is killed at once,
    the last when done.
    """

    def kill_after(seconds, path):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            Bandit(arms=2, horizon=100, epsilon=1.0, path=path)
            os.write(writer, b"!")
            signal.pause()
        start = time.perf_counter()
        if seconds is None:
            os.read(reader, 1)
        else:
            time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reader)
        os.close(writer)
        return time.perf_counter() - start

    usual = kill_after(None, tmp_path / "probe")
    found = []
    for number in range(25):
        path = tmp_path / str(number)
        kill_after(None if number == 24 else usual * number / 20, path)
        there = False
        with contextlib.suppress(DiscreetError):
            Bandit.open(path).close()
            there = True
        if not there:
            Bandit(arms=2, horizon=100, epsilon=1.0, path=path).close()
        found.append(there)
    assert not found[0]
    assert found[-1]


def test_a_second_writer_ends_the_first_one_by_whatever_way_it_came(tmp_path):
    """Locks can be lost (the file of the lock deleted, read and closed by this very process):
    sessions are not.
    """
    path = tmp_path / "run.db"
    first = make("batch", path=path, simulation=True)
    decisions = [first.ask() for _ in range(3)]
    first.tell(decisions[0], loss=0.5)
    (tmp_path / "run.db.writer").unlink()
    second = Bandit.open(path, unprotected=True)
    for use in (lambda: first.tell(decisions[1], loss=0.5), first.ask):
        with pytest.raises(
            DiscreetError, match="has been opened by another process: a run has one writer"
        ):
            use()
    second.tell(decisions[1], loss=0.5)
    assert [one.id for one in second.open_decisions] == [2]
    second.close()


def test_a_link_is_the_run_that_it_points_to(tmp_path):
    path, link = tmp_path / "run.db", tmp_path / "link.db"
    bandit = make("batch", path=path)
    link.symlink_to(path)
    with pytest.raises(DiscreetError, match="is in use: a run has one writer"):
        Bandit.open(link)
    bandit.close()
    Bandit.open(link).close()
